"""Administration of the record: acts, weekly reports, and pages of outcomes."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import Connection, func, select

from adapters.ledger import chain, entries, history, mail_outbox, mail_places
from adapters.ledger.entries import AdministeredEntry, ReportedEntry, format_instant
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.schema import audit_chain, message_citations, messages
from adapters.ledger.transactions import LedgerPart, appending, reading

LATEST = 1_000  # newest reports that are searched: each pack has one a week


def report(
    connection: Connection,
    now: datetime,
    pack: str,
    until: date,
    replies: Sequence[Reply],
) -> bool:
    """Put a report into the outbox; return False where that was done before."""
    if was_reported(connection, pack, until):
        return False
    entry = ReportedEntry(
        created=format_instant(now), pack=pack, until=until.isoformat()
    )
    chain.append(connection, entry)
    for reply in replies:
        mail_outbox.put(connection, reply, now)
    return True


def was_reported(connection: Connection, pack: str, until: date) -> bool:
    """Tell whether the report of a pack up to a day went into the outbox."""
    row = audit_chain.c
    kind = ReportedEntry.model_fields["kind"].default
    query = select(row.entry).where(row.kind == kind).order_by(row.sequence.desc())
    found = (entries.read(text) for text in connection.scalars(query.limit(LATEST)))
    this = (pack, until.isoformat())
    return any(
        isinstance(entry, ReportedEntry) and (entry.pack, entry.until) == this
        for entry in found
    )


def count_citing(
    connection: Connection, pack: str, documents: Sequence[str]
) -> Mapping[str, int]:
    """Count for each document how many outcomes of a pack cite it."""
    cited = message_citations.c
    query = (
        select(cited.document, func.count(cited.sequence.distinct()))
        .join(messages, messages.c.sequence == cited.sequence)
        .where(messages.c.pack == pack, cited.document.in_(documents))
        .group_by(cited.document)
    )
    return {document: number for document, number in connection.execute(query)}


class Operations(LedgerPart):
    """Acts, reports and pages of outcomes on one ledger."""

    reported = reading(was_reported)
    report = appending(report)
    outcomes = reading(history.read_page)
    cited = reading(count_citing)
    disliked = reading(mail_places.list_disliked)

    async def administered(
        self, who: str, action: str, pack: str, subject: str
    ) -> None:
        """Record an administrator's act before it is done."""
        now = format_instant(self.clock.now())
        entry = AdministeredEntry(
            created=now, who=who, action=action, pack=pack, subject=subject
        )
        await self.transactions.append(lambda c: chain.append(c, entry))
