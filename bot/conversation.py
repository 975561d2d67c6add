"""What happens once per message: who may ask what here, and what is to be done.

`Conversation.hear` turns one event into a step; bot/delivery.py does the step and
commits it. A step words nothing for a platform and asks no engine. Where a pack answers
is decided here for every way in: bound, allowed on the platform (R-C6), not paused
(R-U5), with its texts taken in, within the limits (R-C5).

Access tags: everybody in a channel holds those of its binding. Those that a role gives
count only where the asker alone sees the reply; in public they would show a channel
what only some of it may see (R-C5).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import NAMESPACE_URL, uuid5

from adapters.ledger.mail_records import Binding, Claimed, PostedReply, Verdict
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Action, Incoming, Place
from bot import wording
from bot.administration import Administration
from bot.readiness import Readiness
from bot.recollection import Recollection
from bot.steps import (
    Ask,
    Ignore,
    Library,
    PassOn,
    Remove,
    Room,
    Rules,
    Say,
    Show,
    Step,
    Wait,
)
from engine.audit import Record
from engine.dates import today_in
from engine.errors import UsageError
from engine.outcome import header
from engine.policy import Pack
from engine.ports import Clock
from engine.records import Basis, Question

WINDOW = timedelta(minutes=1)  # in which questions are counted (R-C5)
MOMENT_S = 1.0  # until a reply that is being posted stands there


class Conversation:
    """Decides what an event asks for.

    Args:
        mailbox: what is known of channels, threads and replies.
        library: the packs.
        recollection: what was answered before.
        administration: hears what is no matter of a pack's.
        readiness: knows which packs can answer.
        rules: what the settings say.
        clock: tells the time.
    """

    def __init__(  # noqa: PLR0913 (the seams of one room, named at the one call)
        self,
        mailbox: Mailbox,
        library: Library,
        *,
        recollection: Recollection,
        administration: Administration,
        readiness: Readiness,
        rules: Rules,
        clock: Clock,
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._recollection = recollection
        self._readiness = readiness
        self._rules = rules
        self._clock = clock
        hear = administration.hear
        self._ways: Mapping[Action, Callable[[Claimed], Awaitable[Step]]] = {
            Action.ASK: self._ask,
            Action.EDITED: self._ask_anew,
            Action.DELETED: self._remove,
            Action.SOURCES: self._show,
            Action.WHY: self._show,
            Action.ASK_AGAIN: self._ask_again,
            Action.HELPFUL: self._note,
            Action.NOT_HELPFUL: self._note,
            Action.ASK_PERSON: self._pass_on,
            Action.BIND: hear,
            Action.PAUSE: hear,
            Action.RESUME: hear,
            Action.MY_DATA: hear,
            Action.FORGET: hear,
        }

    async def hear(self, claimed: Claimed) -> Step:
        """What is to be done about an event.

        Raises:
            LedgerFailed: the database did not say what is known.
        """
        return await self._ways[claimed.incoming.action](claimed)

    # --- questions --------------------------------------------------------------------

    async def _ask(self, claimed: Claimed) -> Step:
        """A question; what was said to others is none once the thread is not ours."""
        incoming = claimed.incoming
        if not incoming.addressed and not await self._mailbox.owns(incoming.place):
            return Ignore(incoming)
        return await self._ask_here(claimed)

    async def _ask_here(self, claimed: Claimed) -> Say | Ask:
        if not claimed.incoming.text.strip():
            return Say(claimed.incoming, wording.NO_QUESTION)
        room = await self._open_room(claimed)
        if isinstance(room, Say):
            return room
        return await self._asked(claimed, room, claimed.incoming.text)

    async def _ask_again(self, claimed: Claimed) -> Step:
        """The question of a refusal, in the sources' own words (R-A13)."""
        room = await self._open_room(claimed)
        if isinstance(room, Say):
            return room
        record = await self._record(claimed, room)
        if isinstance(record, Say):
            return record
        text = _understood(record)
        if text is None:
            return Say(claimed.incoming, wording.NOT_KNOWN, aside=True)
        own_words = room.pack.answer.model_copy(update={"mode": "deterministic"})
        pack = room.pack.model_copy(update={"answer": own_words})
        return await self._asked(claimed, replace(room, pack=pack), text)

    async def _ask_anew(self, claimed: Claimed) -> Step:
        """An edited question is answered where its answer stands (R-U4).

        As a new one where none stands: nobody has seen an answer before the edit.
        """
        posted = await self._standing(claimed)
        if isinstance(posted, Wait):
            return posted
        if not posted:
            return await self._ask(claimed)
        step = await self._ask_here(claimed)
        if not isinstance(step, Ask):
            return step
        return replace(step, replaces=tuple(post.message for post in posted))

    async def _remove(self, claimed: Claimed) -> Step:
        posted = await self._standing(claimed)
        if isinstance(posted, Wait):
            return posted
        incoming = claimed.incoming
        thread = incoming.place.thread or incoming.about
        place = incoming.place.model_copy(update={"thread": thread})
        await self._mailbox.leave(place)
        return Remove(incoming, tuple(post.message for post in posted))

    async def _standing(self, claimed: Claimed) -> Sequence[PostedReply] | Wait:
        """The visible replies to the message that an event is about."""
        incoming = claimed.incoming
        if incoming.about is None:
            return ()
        if await self._mailbox.hold_back(incoming.place, incoming.about):
            return Wait(MOMENT_S)
        return await self._mailbox.posts_of(incoming.place, incoming.about)

    async def _asked(self, claimed: Claimed, room: Room, text: str) -> Say | Ask:
        """The step that asks, unless too much was asked."""
        incoming, pack = room.incoming, room.pack
        since = self._clock.now() - WINDOW
        recent = await self._mailbox.recent(claimed, since)
        if recent.person >= self._rules.per_person:
            return Say(incoming, self._worded(pack, wording.TOO_MANY_OF_PERSON))
        if recent.channel >= self._rules.per_channel:
            return Say(incoming, self._worded(pack, wording.TOO_MANY_IN_CHANNEL))
        greeting = None
        if await self._mailbox.greet(claimed.model_copy(update={"incoming": incoming})):
            kept = wording.kept(self._rules.retention_days)
            greeting = f"{pack.wording.first_use} {kept}"
        question = await self._question(claimed, room, text)
        return Ask(
            incoming,
            question,
            pack,
            greeting=greeting,
            remember=_remembered(claimed.incoming),
            people=bool(room.people),
        )

    async def _question(self, claimed: Claimed, room: Room, text: str) -> Question:
        incoming, place = room.incoming, room.incoming.place
        held = f"{claimed.asker}/{place.channel}/{place.thread}"
        return Question(
            id=uuid5(NAMESPACE_URL, f"{place.platform}:{incoming.event}").hex,
            session=uuid5(NAMESPACE_URL, held).hex,
            text=text,
            pack=room.pack.id,
            asker=claimed.asker,
            tenant=f"{place.platform}:{place.tenant}",
            tags=room.tags,
            selection=incoming.selection,
            previous=await self._previous(claimed, room),
        )

    async def _previous(self, claimed: Claimed, room: Room) -> str | None:
        """The question before: of the reply that is replied to, else of the thread."""
        incoming, place = claimed.incoming, room.incoming.place
        if incoming.action is Action.ASK and incoming.about is not None:
            post = await self._mailbox.post_of(
                place.platform, place.tenant, place.channel, incoming.about
            )
            if post is not None and post.audit_id is not None:
                mine = post.asker == claimed.asker or not post.private
                if not mine or post.pack != room.pack.id:
                    return None
                return _understood(await self._recollection.record(post.audit_id))
        thread = await self._mailbox.thread(place)
        if thread is None or thread.pack != room.pack.id:
            return None
        mine = thread.asker == claimed.asker or not place.private
        return thread.previous if mine else None

    # --- replies ----------------------------------------------------------------------

    async def _show(self, claimed: Claimed) -> Say | Show:
        room = await self._room(claimed)
        if isinstance(room, Say):
            return room
        record = await self._record(claimed, room)
        if isinstance(record, Say):
            return record
        reply = await self._recollection.reply(record, room.pack, room.tags)
        if claimed.incoming.action is Action.WHY:
            return Show(claimed.incoming, "why", reply)
        if not reply.sources:
            return Say(claimed.incoming, wording.NO_SOURCES, aside=True)
        return Show(claimed.incoming, "sources", reply)

    async def _note(self, claimed: Claimed) -> Say:
        incoming = claimed.incoming
        post = await self._post(claimed)
        if post is None or post.audit_id is None:
            return Say(incoming, wording.NOT_KNOWN, aside=True)
        verdict = Verdict(
            audit_id=post.audit_id,
            asker=claimed.asker,
            helpful=incoming.action is Action.HELPFUL,
            reason=incoming.reason,
        )
        await self._mailbox.feedback(verdict)
        return Say(incoming, wording.THANKS, aside=True)

    async def _pass_on(self, claimed: Claimed) -> Say | PassOn:
        room = await self._room(claimed)
        if isinstance(room, Say):
            return room
        if not room.people:
            return Say(claimed.incoming, wording.NOBODY_TO_ASK, aside=True)
        record = await self._record(claimed, room)
        if isinstance(record, Say):
            return record
        reply = await self._recollection.reply(record, room.pack, room.tags)
        return PassOn(claimed.incoming, room.people, record.question, reply)

    async def _record(self, claimed: Claimed, room: Room) -> Record | Say:
        """What is on record of the reply that an event is about."""
        post = await self._post(claimed)
        if post is None or post.audit_id is None or post.pack != room.pack.id:
            return Say(claimed.incoming, wording.NOT_KNOWN, aside=True)
        return await self._recollection.record(post.audit_id)

    async def _post(self, claimed: Claimed) -> PostedReply | None:
        """The reply that an event is about, where the person may see it."""
        incoming = claimed.incoming
        return await self._mailbox.reply_in(
            incoming.place, claimed.asker, incoming.audit_id
        )

    # --- where ------------------------------------------------------------------------

    async def _open_room(self, claimed: Claimed) -> Room | Say:
        """The room of an event, where questions are answered at present."""
        room = await self._room(claimed)
        if isinstance(room, Say):
            return room
        binding = await self._mailbox.binding(claimed.incoming.place)
        stopped = binding is not None and binding.paused
        if stopped or await self._mailbox.paused(room.pack.id):
            return Say(room.incoming, self._worded(room.pack, room.pack.wording.paused))
        if not await self._readiness.ready(room.pack):
            said = wording.preparing(room.pack.title)
            return Say(room.incoming, self._worded(room.pack, said))
        return room

    async def _room(self, claimed: Claimed) -> Room | Say:
        """The pack that is bound to where an event came from, and what holds there."""
        incoming = claimed.incoming
        place = incoming.place
        binding = await self._mailbox.binding(place)
        name = (binding and binding.pack) or self._rules.packs.get(place.platform)
        if name is None:
            return Say(incoming, wording.no_pack(place.platform))
        try:
            pack = self._library.pack(name)
        except UsageError:
            return Say(incoming, wording.pack_missing(name))
        if place.platform.value in pack.platforms_forbidden:
            return Say(incoming, wording.forbidden(pack.title, place.platform))
        if binding is None:
            return Room(incoming, pack, frozenset())
        if binding.private and not place.private:
            alone = place.model_copy(update={"private": True})
            incoming = incoming.model_copy(update={"place": alone})
        return Room(incoming, pack, _tags(binding, incoming), binding.people)

    def _worded(self, pack: Pack, text: str) -> str:
        """A notice under the header that the pack wants on every reply (R-F5)."""
        today = today_in(pack.time_zone, self._clock.now())
        top = header(pack, Basis.TODAY, today)
        return f"{top}\n\n{text}" if top else text


def _tags(binding: Binding, incoming: Incoming) -> frozenset[str]:
    """The access tags of a person; see the module."""
    tags = binding.tags
    if incoming.place.private:
        given = (binding.role_tags.get(role, frozenset()) for role in incoming.roles)
        tags = tags.union(*given)
    return tags


def _understood(record: Record) -> str | None:
    """A stored question as it was understood; None where it was forgotten."""
    intent = record.intent
    return (intent.text if intent.follow_up else record.question) or None


def _remembered(incoming: Incoming) -> Place | None:
    """The thread, or the direct messages, in which a question may lean on this one."""
    place = incoming.place
    direct = place.private and place.message is not None
    return place if place.thread is not None or direct else None
