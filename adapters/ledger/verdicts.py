"""What readers said of answers, in counts (R-O3)."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, func, select

from adapters.ledger.entries import instant
from adapters.ledger.mail_records import NONE_OF_THESE
from adapters.ledger.mail_schema import feedback
from adapters.ledger.schema import messages

HELPFUL, NOT_HELPFUL = "helpful", "not helpful"


def counted(
    connection: Connection, pack: str, since: datetime, until: datetime
) -> Mapping[str, int]:
    """Helpful, not helpful, and "None of these", said in [since, until)."""
    row = feedback.c
    none = row.reason == NONE_OF_THESE
    query = (
        select(row.helpful, none, func.count())
        .join(messages, messages.c.audit_id == row.audit_id)
        .where(
            messages.c.pack == pack,
            row.created >= instant(since),
            row.created < instant(until),
        )
        .group_by(row.helpful, none)
    )
    found = {HELPFUL: 0, NOT_HELPFUL: 0, NONE_OF_THESE: 0}
    for helpful, of_none, number in connection.execute(query):
        said = HELPFUL if helpful else NONE_OF_THESE if of_none else NOT_HELPFUL
        found[said] += number
    return found
