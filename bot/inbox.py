"""The door that a doorbell is handed: what is ours is committed, the rest let go."""

from collections.abc import Callable

from adapters.ledger.mailbox import Mailbox
from adapters.mail import Accepted, Action, Incoming
from bot.pseudonym import Pseudonyms

CHANGES = frozenset({Action.EDITED, Action.DELETED})


class Inbox:
    """Accepts events.

    Nothing is kept of what people say to each other: in a thread without naming the
    bot, where the thread is not the bot's, or of edits and deletions of what never was
    a question here.

    Args:
        mailbox: where events wait.
        pseudonyms: stand for persons from here on.
        limit: how many may wait; one more is FULL.
        wake: called when there is something to answer.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        pseudonyms: Pseudonyms,
        limit: int,
        wake: Callable[[], None],
    ) -> None:
        self._mailbox = mailbox
        self._pseudonyms = pseudonyms
        self._limit = limit
        self._wake = wake

    async def accept(self, incoming: Incoming) -> Accepted:
        """Commit an event, see `Door`; what is not ours is a REPEAT: nothing to do.

        Raises:
            LedgerFailed: it could not be committed: do not acknowledge.
        """
        if not await self._ours(incoming):
            return Accepted.REPEAT
        asker = self._pseudonyms.of(incoming)
        accepted = await self._mailbox.accept(incoming, asker, self._limit)
        if accepted is Accepted.NEW:
            self._wake()
        return accepted

    async def _ours(self, incoming: Incoming) -> bool:
        if incoming.action in CHANGES:
            return await self._mailbox.knows(incoming.place, incoming.about or "")
        return incoming.addressed or await self._mailbox.owns(incoming.place)
