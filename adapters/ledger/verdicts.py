"""What readers said of answers (R-O3)."""

from collections.abc import Mapping, Sequence
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


def disliked(connection: Connection, pack: str, most: int) -> Sequence[str]:
    """The answers and refusals that readers found not helpful, by id, newest first."""
    row = feedback.c
    query = (
        select(row.audit_id, func.max(row.created).label("last"))
        .join(messages, messages.c.audit_id == row.audit_id)
        .where(messages.c.pack == pack, row.helpful.is_(False))
        .group_by(row.audit_id)
        .order_by(func.max(row.created).desc())
        .limit(most)
    )
    return [audit_id for audit_id, _ in connection.execute(query)]
