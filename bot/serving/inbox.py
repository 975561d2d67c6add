"""The door that event listeners get: our events are committed, others let go."""

from collections import OrderedDict, deque
from collections.abc import Callable
from datetime import datetime, timedelta

from adapters.ledger.mailbox import Mailbox
from adapters.mail import Accepted, Action, Incoming
from bot.messages.pseudonym import Pseudonyms
from engine.text.talk import reads_as_question

CHANGES = frozenset({Action.EDITED, Action.DELETED})
# Busy notices that a channel is shown: a flood of questions makes no flood of ours.
MOST_NOTICES, NOTICED = 5, timedelta(minutes=1)
MOST_CHANNELS = 1_000  # that are kept in mind; beyond it the longest quiet one is not


class Inbox:
    """Accepts events.

    Nothing is kept of what people say to each other: without naming the bot, what is
    said in a thread that is not the bot's, or reads as no question to it (see
    engine/text/talk.py). A message may be deleted before its question arrives, so a
    digest of each deletion is kept for a day. An edit of what never was a question is
    itself the question if it names the bot.

    Args:
        mailbox: where events wait.
        pseudonyms: stand for persons from here on.
        limit: how many may wait; a question beyond it is FULL.
        wake: called when there is something to answer.
        answering: whether a worker is there to answer it.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        pseudonyms: Pseudonyms,
        limit: int,
        wake: Callable[[], None],
        answering: Callable[[], bool],
    ) -> None:
        self._mailbox = mailbox
        self._pseudonyms = pseudonyms
        self._limit = limit
        self._wake = wake
        self._answering = answering
        self._notices = _Notices()

    @property
    def answering(self) -> bool:
        return self._answering()

    async def accept(self, incoming: Incoming) -> Accepted:
        """Commit an event, see `Door`; what is not ours is a REPEAT: nothing to do.

        FULL makes the listener show the busy notice directly: it is in no outbox, which
        would be a queue without a bound just when too much is waiting. It is shown once
        for an event, whose repeats are REPEATs, and at most MOST_NOTICES times a minute
        in a channel; beyond that the answer is REPEAT. An interaction always gets the
        notice, because only the person sees that.

        Raises:
            LedgerFailed: it could not be committed: do not acknowledge.
        """
        event = await self._select(incoming)
        if event is None:
            return Accepted.REPEAT
        accepted = await self._keep(event)
        if accepted is Accepted.REPEAT and event.action is not incoming.action:
            # The message itself came in a moment ago: this is its edit after all.
            accepted = await self._keep(incoming)
        if accepted is Accepted.NEW:
            self._wake()
        if accepted is Accepted.FULL and not self._notices.allow(incoming):
            return Accepted.REPEAT
        return accepted

    async def _keep(self, incoming: Incoming) -> Accepted:
        event = incoming.model_copy(update={"subject": _find_subject(incoming)})
        asker = self._pseudonyms.of(incoming)
        return await self._mailbox.accept(event, asker, self._limit)

    async def _select(self, incoming: Incoming) -> Incoming | None:
        """Return the event as it is to be kept; None where it is not for the bot."""
        if incoming.action not in CHANGES:
            if incoming.addressed:
                return incoming
            ours = reads_as_question(incoming.text) and await self._mailbox.owns(
                incoming.place
            )
            return incoming if ours else None
        about = incoming.about or ""
        if await self._mailbox.knows(incoming.place, about):
            return incoming
        if incoming.action is Action.DELETED:
            await self._mailbox.miss(incoming.place, about)
            return None
        if not incoming.addressed:
            return None
        return incoming.model_copy(update={"action": Action.ASK, "about": None})


class _Notices:
    """The last times that channels were told that the bot is busy."""

    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, ...], deque[datetime]] = OrderedDict()

    def allow(self, incoming: Incoming) -> bool:
        """Tell whether another notice may be shown; if so, it counts."""
        if incoming.callback:
            return True
        place, now = incoming.place, incoming.received
        channel = (place.platform, place.tenant, place.channel)
        told = self._told.setdefault(channel, deque(maxlen=MOST_NOTICES))
        self._told.move_to_end(channel)
        if len(self._told) > MOST_CHANNELS:
            self._told.popitem(last=False)
        if len(told) == MOST_NOTICES and now - told[0] < NOTICED:
            return False
        told.append(now)
        return True


def _find_subject(incoming: Incoming) -> str | None:
    """Return what tells a question from its repeats: the message, where there is one.

    The mention that asks it, its twin, and an earlier edit are one question.
    """
    place = incoming.place
    if incoming.subject or incoming.action is not Action.ASK or place.message is None:
        return incoming.subject
    return f"{place.platform}:{place.tenant}:{place.channel}:{place.message}"
