"""What a team does with the record besides asking: acts, reports, pages of outcomes."""

from collections.abc import Mapping, Sequence
from datetime import date

from sqlalchemy import Connection, func, select

from adapters.ledger import chain, entries, history, mail_outbox, verdicts
from adapters.ledger.entries import AdministeredEntry, ReportedEntry, instant
from adapters.ledger.history import Stored, Wanted
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.schema import audit_chain, message_citations, messages
from adapters.ledger.store import SqlLedger

LATEST = 1_000  # reports that are looked through: a week has one of each pack


class Operations:
    """Every method is one transaction, and raises LedgerFailed where it fails.

    Args:
        ledger: whose record it is.
    """

    def __init__(self, ledger: SqlLedger) -> None:
        self._transactions = ledger.transactions
        self._clock = ledger.clock

    async def administered(
        self, who: str, action: str, pack: str, subject: str
    ) -> None:
        """Put on record that somebody is about to do something."""
        now = instant(self._clock.now())
        entry = AdministeredEntry(
            created=now, who=who, action=action, pack=pack, subject=subject
        )
        await self._transactions.append(lambda c: chain.append(c, entry))

    async def reported(self, pack: str, until: date) -> bool:
        """Whether the report of a pack up to a day went into the outbox."""
        return await self._transactions.read(lambda c: _reported(c, pack, until))

    async def report(self, pack: str, until: date, replies: Sequence[Reply]) -> bool:
        """Put a report into the outbox; False where that was done before."""
        now = self._clock.now()

        def work(connection: Connection) -> bool:
            chain.read_head(connection, lock=True)  # whoever else reports waits here
            if _reported(connection, pack, until):
                return False
            entry = ReportedEntry(
                created=instant(now), pack=pack, until=until.isoformat()
            )
            chain.append(connection, entry)
            for reply in replies:
                mail_outbox.put(connection, reply, now)
            return True

        return await self._transactions.append(work)

    async def outcomes(
        self, wanted: Wanted, before: int | None, most: int
    ) -> Sequence[Stored]:
        """The newest outcomes below a place in the chain, the newest first."""
        return await self._transactions.read(
            lambda c: history.page(c, wanted, before, most)
        )

    async def disliked(self, pack: str, most: int) -> Sequence[str]:
        """Ids of what readers found not helpful, the newest first."""
        return await self._transactions.read(lambda c: verdicts.disliked(c, pack, most))

    async def cited(self, pack: str, documents: Sequence[str]) -> Mapping[str, int]:
        """Document -> how many outcomes of a pack cite it."""
        return await self._transactions.read(lambda c: _cited(c, pack, documents))


def _reported(connection: Connection, pack: str, until: date) -> bool:
    row = audit_chain.c
    kind = ReportedEntry.model_fields["kind"].default
    query = select(row.entry).where(row.kind == kind).order_by(row.sequence.desc())
    found = (entries.read(text) for text in connection.scalars(query.limit(LATEST)))
    this = (pack, until.isoformat())
    return any(
        isinstance(entry, ReportedEntry) and (entry.pack, entry.until) == this
        for entry in found
    )


def _cited(
    connection: Connection, pack: str, documents: Sequence[str]
) -> Mapping[str, int]:
    cited = message_citations.c
    query = (
        select(cited.document, func.count(cited.sequence.distinct()))
        .join(messages, messages.c.sequence == cited.sequence)
        .where(messages.c.pack == pack, cited.document.in_(documents))
        .group_by(cited.document)
    )
    return {document: number for document, number in connection.execute(query)}
