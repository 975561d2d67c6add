"""Commands of administrators (bind, pause, resume) and of persons about their data.

An administrator of a channel, as the platform names them, binds a pack to it and pauses
it; what an order does not name stays as it was, a pause in any case. Whoever runs the
bot (`Rules.admins`) may also give access tags, bind a whole workspace or guild, and
pause a pack everywhere: each of these reaches beyond a channel.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adapters.ledger.mail_records import (
    EVERYWHERE,
    Binding,
    Claimed,
)
from adapters.ledger.mailbox import Farewell, Mailbox
from adapters.ledger.transactions import ScrubPending
from adapters.mail import Action, Place
from adapters.mentions import mentioned
from bot.messages import wording
from bot.messages.standing import MOST_TAKEN, make_deletions
from bot.routing import Library, Router, Rules, Say, Wait
from bot.serving.readiness import Readiness
from engine.model.errors import LedgerFailed, UsageError

NONE = "none"  # as a pack: undoes a binding
PACK = "pack"  # as what to pause: the pack, everywhere
MOST_TRIES = 5  # at deleting, and at taking deleted text out of the database's log
AGAIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Order:
    """A command to bind, as it was typed: `PACK [private] [name=A,B …]`.

    What was not named is None, and stays as it was.
    """

    pack: str
    private: bool = False
    everywhere: bool = False
    people: tuple[str, ...] | None = None
    tags: frozenset[str] | None = None
    role_tags: Mapping[str, frozenset[str]] | None = None

    @property
    def reaches_far(self) -> bool:
        """Whether it needs the rights of whoever runs the bot."""
        return self.everywhere or not (self.tags is None and self.role_tags is None)


def read_order(typed: str) -> Order:
    """Parse an order that was typed.

    Raises:
        UsageError: it is none; the message says what of it is not understood.
    """
    pack, *rest = typed.split()
    order = Order(pack)
    if "=" in pack:
        raise UsageError(f"“{pack}” is no name of a pack.")
    for word in rest:
        order = _read_word(order, word)
    return order


def _read_word(order: Order, word: str) -> Order:
    name, equals, value = word.partition("=")
    if word == "private":
        return replace(order, private=True)
    if word == "everywhere":
        return replace(order, everywhere=True)
    if equals and name == "people":
        return replace(order, people=_read_people(value))
    if equals and name == "tags":
        return replace(order, tags=frozenset(_split_names(value)))
    role = name.removeprefix("role.")
    if equals and role not in (name, ""):
        tags = {**(order.role_tags or {}), role: frozenset(_split_names(value))}
        return replace(order, role_tags=tags)
    raise UsageError(f"I do not understand “{word}”.")


def _read_people(value: str) -> tuple[str, ...]:
    """Read the ids of people, each from a mention that the platform made of a name."""
    people = []
    for word in _split_names(value):
        person = mentioned(word)
        if person is None:
            raise UsageError(
                f"“{word}” is nobody whom I could reach: choose the person from the "
                "list that opens when you type @."
            )
        people.append(person)
    return tuple(people)


class Administration:
    """Handles commands.

    Args:
        mailbox: where bindings and pauses are kept.
        library: the packs.
        rules: who runs the bot.
        readiness: takes in what a pack that is bound still lacks.
        router: knows what places answer from.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        library: Library,
        rules: Rules,
        readiness: Readiness,
        router: Router,
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._rules = rules
        self._readiness = readiness
        self._router = router

    async def hear(self, claimed: Claimed) -> Say | Wait:
        """Do what a command asks, and say so to the person alone.

        Raises:
            LedgerFailed: nothing was done.
        """
        incoming = claimed.incoming
        platform = incoming.place.platform
        if incoming.action is Action.FORGET:
            return await self._forget(claimed)
        if incoming.action is Action.MY_DATA:
            held = await self._mailbox.data_of(claimed.asker)
            text = wording.my_data(held)
        elif incoming.action is Action.BIND and not incoming.reason:
            text = wording.how(platform)
        elif not (incoming.admin or self._rules.runs(incoming)):
            text = wording.administrators_only(platform)
        elif incoming.action is Action.BIND:
            return await self._bind(claimed)
        else:
            text = await self._pause(claimed)
        return Say(incoming, text, aside=True)

    # --- a person's data --------------------------------------------------------------

    async def _forget(self, claimed: Claimed) -> Say | Wait:
        """Delete a person's data; a reader of the database delays the last of it."""
        again = Wait(AGAIN_S) if claimed.attempts < MOST_TRIES else None
        farewell = Farewell(
            claimed, lambda posted: make_deletions(claimed, posted), MOST_TAKEN
        )
        said = wording.FORGOTTEN
        try:
            await self._mailbox.forget(claimed.asker, farewell)
        except ScrubPending:
            said = f"{said} {wording.SCRUB_PENDING}"
        except LedgerFailed:
            said = wording.NOT_FORGOTTEN
        if said != wording.FORGOTTEN and again is not None:
            return again
        return Say(claimed.incoming, said, aside=True)

    # --- packs ------------------------------------------------------------------------

    async def _bind(self, claimed: Claimed) -> Say:
        incoming, place = claimed.incoming, claimed.incoming.place
        try:
            order = read_order(incoming.reason or "")
        except UsageError as error:
            text = f"{error} {wording.how(place.platform)}"
            return Say(incoming, text, aside=True)
        text = await self._carry_out(order, claimed)
        own = await self._read_binding(
            place, EVERYWHERE if order.everywhere else place.channel
        )
        return Say(incoming, text, aside=True, people=own.people)

    async def _carry_out(self, order: Order, claimed: Claimed) -> str:
        """Bind as ordered, and say what now holds, or say why not."""
        incoming, place = claimed.incoming, claimed.incoming.place
        channel = EVERYWHERE if order.everywhere else place.channel
        own = await self._read_binding(place, channel)
        runs = self._rules.runs(incoming)
        if order.reaches_far and not runs:
            return wording.OPERATORS_ONLY
        if not runs and own.pack != order.pack and (own.tags or own.role_tags):
            return wording.HAS_TAGS
        if order.pack == NONE:
            return await self._unbind(claimed, own)
        if order.pack not in self._router.list_packs(place):
            return self._explain_missing(order.pack, place)
        pack = self._library.pack(order.pack)
        binding = _apply(own, order).model_copy(update={"by": claimed.asker})
        await self._mailbox.bind(binding)
        ready = await self._readiness.ready(pack)
        first = next(iter(self._library.first_questions(pack.id)), None)
        said = wording.bound(binding, pack, first if ready else None)
        return said if ready else f"{said} {wording.preparing(pack.title)}"

    def _explain_missing(self, name: str, place: Place) -> str:
        """Say why a pack cannot be bound; one of other places as if it were unknown."""
        try:
            pack = self._library.pack(name)
        except UsageError:
            pack = None
        known = self._rules.admits(name, place.platform, place.tenant)
        if pack is not None and known:
            return wording.forbidden(pack.title, place.platform)
        return wording.no_such_pack(name, tuple(self._router.list_packs(place)))

    async def _unbind(self, claimed: Claimed, own: Binding) -> str:
        """Take a binding away; a pause stays, as only "resume" ends it."""
        place = claimed.incoming.place
        if own.paused:
            empty = Binding(
                platform=own.platform,
                tenant=own.tenant,
                channel=own.channel,
                paused=True,
                by=claimed.asker,
            )
            await self._mailbox.bind(empty)
        else:
            await self._mailbox.unbind(own.platform, own.tenant, own.channel)
        everywhere = own.channel == EVERYWHERE
        held = await self._router.find_pack(
            place.model_copy(update={"channel": EVERYWHERE}) if everywhere else place
        )
        instead = None if isinstance(held, str) else held.pack.title
        said = wording.unbound(everywhere=everywhere, instead=instead)
        return f"{said} {wording.still_paused(place.platform)}" if own.paused else said

    async def _pause(self, claimed: Claimed) -> str:
        """Pause or resume this channel, or with the word "pack" its pack everywhere."""
        incoming = claimed.incoming
        pausing = incoming.action is Action.PAUSE
        said = wording.PAUSED if pausing else wording.RESUMED
        what = (incoming.reason or "").strip()
        if what and what != PACK:
            return wording.how(incoming.place.platform)
        if what != PACK:
            own = await self._read_binding(incoming.place, incoming.place.channel)
            changed = {"paused": pausing, "by": claimed.asker}
            await self._mailbox.bind(own.model_copy(update=changed))
            return said
        if not self._rules.runs(incoming):
            return wording.OPERATORS_ONLY
        held = await self._router.find_pack(incoming.place)
        if isinstance(held, str):
            return held
        if pausing:
            await self._mailbox.pause(held.pack.id, claimed.asker)
        else:
            await self._mailbox.resume(held.pack.id)
        return said

    async def _read_binding(self, place: Place, channel: str) -> Binding:
        """Return the binding of a channel itself, an empty one where it has none."""
        for binding in await self._mailbox.bindings(place.platform):
            if (binding.tenant, binding.channel) == (place.tenant, channel):
                return binding
        return Binding(platform=place.platform, tenant=place.tenant, channel=channel)


def _apply(own: Binding, order: Order) -> Binding:
    """Apply an order to a binding; what it does not name stays."""
    named = {
        "people": order.people,
        "tags": order.tags,
        "role_tags": order.role_tags,
    }
    changed = {name: value for name, value in named.items() if value is not None}
    always = {"pack": order.pack, "private": order.private}
    return own.model_copy(update={**changed, **always})


def _split_names(names: str) -> tuple[str, ...]:
    return tuple(name for name in names.split(",") if name)
