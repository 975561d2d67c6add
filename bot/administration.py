"""Commands of administrators (bind, pause, resume) and of persons about their data.

An administrator of a channel, as the platform names them, binds a pack to it and pauses
it. Who runs the bot (`Rules.admins`) may besides give access tags, bind a whole
workspace or guild, and pause a pack everywhere: each of these reaches beyond a channel.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import re2

from adapters.ledger.mail_records import EVERYWHERE, Binding, Claimed
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Action, Incoming, Platform
from bot import wording
from bot.readiness import Readiness
from bot.steps import Library, Rules, Say, Wait
from engine.errors import LedgerFailed, UsageError

NONE = "none"  # as a pack: undoes a binding
PACK = "pack"  # as what to pause: the pack, everywhere
MOST_TRIES = 5  # at taking deleted text out of the database's log
AGAIN_S = 5.0

# A person as they are typed: <@U123|anna>, <@!456>, @U123 or U123.
_PERSON = re2.compile(r"<?@?[!&]?(\w{2,32})(?:\|[^>]*)?>?")


@dataclass(frozen=True, slots=True)
class Order:
    """A command to bind, as it was typed: `PACK [private] [name=A,B …]`."""

    pack: str
    private: bool = False
    everywhere: bool = False
    people: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    role_tags: Mapping[str, frozenset[str]] | None = None

    @property
    def reaches_far(self) -> bool:
        """Whether it does what only who runs the bot may do."""
        return bool(self.everywhere or self.tags or self.role_tags)


def read_order(typed: str) -> Order | None:
    """The order that was typed; None where it is none."""
    words = typed.split()
    if not words or "=" in words[0]:
        return None
    pack, *rest = words
    flags = {word for word in rest if "=" not in word}
    if flags - {"private", "everywhere"}:
        return None
    given = dict(word.split("=", 1) for word in rest if "=" in word)
    people = [_PERSON.fullmatch(name) for name in _listed(given.pop("people", ""))]
    tags = frozenset(_listed(given.pop("tags", "")))
    roles = {name.removeprefix("role."): value for name, value in given.items()}
    if None in people or any(not name.startswith("role.") for name in given):
        return None
    return Order(
        pack=pack,
        private="private" in flags,
        everywhere="everywhere" in flags,
        people=tuple(str(match.group(1)) for match in people if match),
        tags=tags,
        role_tags={name: frozenset(_listed(value)) for name, value in roles.items()},
    )


class Administration:
    """Hears commands.

    Args:
        mailbox: where bindings and pauses are kept.
        library: the packs.
        rules: who runs the bot.
        readiness: takes in what a pack that is bound still lacks.
    """

    def __init__(
        self, mailbox: Mailbox, library: Library, rules: Rules, readiness: Readiness
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._rules = rules
        self._readiness = readiness

    async def hear(self, claimed: Claimed) -> Say | Wait:
        """Do what a command asks, and say so to the person alone.

        Raises:
            LedgerFailed: nothing was done.
        """
        incoming = claimed.incoming
        if incoming.action is Action.FORGET:
            return await self._forget(claimed)
        if incoming.action is Action.MY_DATA:
            held = await self._mailbox.data_of(claimed.asker)
            text = wording.my_data(held)
        elif not (incoming.admin or self._runs(incoming)):
            text = wording.ADMINISTRATORS_ONLY
        elif incoming.action is Action.BIND:
            text = await self._bind(claimed)
        else:
            text = await self._pause(claimed)
        return Say(incoming, text, aside=True)

    async def _forget(self, claimed: Claimed) -> Say | Wait:
        """R-S5. Old bytes stand in the database's log while somebody reads it."""
        try:
            await self._mailbox.forget(claimed.asker)
        except LedgerFailed:
            if claimed.attempts < MOST_TRIES:
                return Wait(AGAIN_S)
        return Say(claimed.incoming, wording.FORGOTTEN, aside=True)

    async def _bind(self, claimed: Claimed) -> str:
        incoming = claimed.incoming
        place = incoming.place
        order = read_order(incoming.reason or "")
        if order is None:
            return wording.how_to_bind(place.platform)
        if order.reaches_far and not self._runs(incoming):
            return wording.OPERATORS_ONLY
        channel = EVERYWHERE if order.everywhere else place.channel
        if order.pack == NONE:
            await self._mailbox.unbind(place.platform, place.tenant, channel)
            return wording.UNBOUND
        try:
            pack = self._library.pack(order.pack)
        except UsageError:
            known = tuple(self._library.pack_names())
            return wording.no_such_pack(order.pack, known)
        if place.platform.value in pack.platforms_forbidden:
            return wording.forbidden(pack.title, place.platform)
        binding = Binding(
            platform=place.platform,
            tenant=place.tenant,
            channel=channel,
            pack=pack.id,
            people=order.people,
            tags=order.tags,
            role_tags=order.role_tags or {},
            private=order.private,
            by=claimed.asker,
        )
        await self._mailbox.bind(binding)
        said = wording.bound(pack.title, len(order.people))
        if await self._readiness.ready(pack):
            return said
        return f"{said} {wording.preparing(pack.title)}"

    async def _pause(self, claimed: Claimed) -> str:
        """R-U5: this channel, or with the word "pack" its pack everywhere."""
        incoming = claimed.incoming
        pausing = incoming.action is Action.PAUSE
        said = wording.PAUSED if pausing else wording.RESUMED
        if (incoming.reason or "").strip() != PACK:
            await self._pause_channel(claimed, paused=pausing)
            return said
        if not self._runs(incoming):
            return wording.OPERATORS_ONLY
        platform = incoming.place.platform
        binding = await self._mailbox.binding(incoming.place)
        pack = (binding and binding.pack) or self._rules.packs.get(platform)
        if pack is None:
            return wording.no_pack(platform)
        if pausing:
            await self._mailbox.pause(pack, claimed.asker)
        else:
            await self._mailbox.resume(pack)
        return said

    async def _pause_channel(self, claimed: Claimed, *, paused: bool) -> None:
        place = claimed.incoming.place
        own = await self._own(place.platform, place.tenant, place.channel)
        changed = {"paused": paused, "by": claimed.asker}
        await self._mailbox.bind(own.model_copy(update=changed))

    async def _own(self, platform: Platform, tenant: str, channel: str) -> Binding:
        """The binding of a channel itself, an empty one where it has none."""
        for binding in await self._mailbox.bindings(platform):
            if (binding.tenant, binding.channel) == (tenant, channel):
                return binding
        return Binding(platform=platform, tenant=tenant, channel=channel)

    def _runs(self, incoming: Incoming) -> bool:
        return f"{incoming.place.platform}:{incoming.person}" in self._rules.admins


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name for name in names.split(",") if name)
