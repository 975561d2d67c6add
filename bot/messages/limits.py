"""How much one person and one channel may ask within a minute (R-C5).

What is too much is let be; that it was too much is said once a minute, so that a flood
of messages makes no flood of notices. On Discord who typed a command or pressed a
button waits for a reply that only they see, and is always told.
"""

from dataclasses import dataclass
from datetime import timedelta

from adapters.ledger.mail_records import Claimed, Limit, Most
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Platform
from bot.messages import wording
from bot.messages.steps import Rules
from engine.model.errors import LedgerFailed
from engine.model.ports import Clock

WINDOW = timedelta(minutes=1)  # in which events are counted


@dataclass(frozen=True, slots=True)
class Excess:
    """What is said about too much, and whether it is to be said now."""

    notice: str
    due: bool


class Limits:
    """Counts what came to something.

    Args:
        mailbox: knows what was done.
        rules: how much may be.
        clock: tells the time.
    """

    def __init__(self, mailbox: Mailbox, rules: Rules, clock: Clock) -> None:
        self._mailbox = mailbox
        self._rules = rules
        self._clock = clock

    async def of_questions(self, claimed: Claimed) -> Excess | None:
        """What is said instead of an answer; None within the limits: then it counts.

        What cannot be counted is let through: it cannot be recorded either, and the
        text that says so, and an emergency's notice, are shown all the same (R-I10).
        """
        since = self._clock.now() - WINDOW
        rules = self._rules
        most = Most(person=rules.per_person, channel=rules.per_channel)
        try:
            limit = await self._mailbox.admit(claimed, since, most)
        except LedgerFailed:
            return None
        match limit:
            case Limit.PERSON:
                return await self._excess(claimed, wording.TOO_MANY_OF_PERSON)
            case Limit.CHANNEL:
                whole = wording.TOO_MANY_IN_CHANNEL
                return await self._excess(claimed, whole, whole_channel=True)
            case None:
                return None

    async def of_others(self, claimed: Claimed) -> Excess | None:
        """The same for what is no question: buttons, greetings, notices."""
        since = self._clock.now() - WINDOW
        recent = await self._mailbox.recent(claimed, since)
        if recent.others < self._rules.others:
            return None
        return await self._excess(claimed, wording.TOO_MUCH_ELSE)

    async def _excess(
        self, claimed: Claimed, notice: str, *, whole_channel: bool = False
    ) -> Excess:
        incoming = claimed.incoming
        if incoming.callback and incoming.platform is Platform.DISCORD:
            return Excess(notice, due=True)
        since = self._clock.now() - WINDOW
        due = await self._mailbox.warn(claimed, since, whole_channel=whole_channel)
        return Excess(notice, due)
