"""How full inbox and outbox are, and how long the oldest waits (R-O1)."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Column, Connection, func, select

from adapters.ledger.entries import instant
from adapters.ledger.mail_schema import State, inbox, outbox


def queue(
    connection: Connection, since: datetime, now: datetime
) -> Mapping[str, float]:
    """Counts and ages in seconds; what is finished is not waiting."""
    waiting, oldest = _open(connection, inbox.c.received)
    outgoing, oldest_out = _open(connection, outbox.c.created)
    buried = select(func.count()).where(
        outbox.c.state == State.BURIED, outbox.c.finished >= instant(since)
    )
    return {
        "waiting": waiting,
        "oldest_s": _age(oldest, now),
        "outgoing": outgoing,
        "outgoing_oldest_s": _age(oldest_out, now),
        "buried_24h": int(connection.execute(buried).scalar_one()),
    }


def _open(connection: Connection, since: Column[str]) -> tuple[int, str | None]:
    query = select(func.count(), func.min(since)).where(
        since.table.c.finished.is_(None)
    )
    number, oldest = connection.execute(query).one()
    return int(number), oldest


def _age(since: str | None, now: datetime) -> float:
    if since is None:
        return 0.0
    return max(0.0, round((now - datetime.fromisoformat(since)).total_seconds(), 1))
