"""Whether the clock may be believed that says what is too old; the caller commits.

What is too old is deleted only by a clock that is at most seven days ahead of the last
look, or that has gone on for a day of serving since it was found to be further ahead.

So one wrong step of a clock deletes nothing for a day in which the log and `doctor` say
so, and after an idle month deletion begins a day late. Time counts by looks, an hour
for each at most, because the clock itself cannot say how much has passed.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, func, select

from adapters.ledger.entries import instant
from adapters.ledger.mail_records import ClockDoubt
from adapters.ledger.mail_rows import Value, put
from adapters.ledger.mail_schema import sweeps
from adapters.ledger.schema import messages

STEP = timedelta(days=7)  # between two looks; who serves less often has an idle week
SURE = timedelta(hours=24)  # of serving, until a clock that stepped is believed
LOOK = timedelta(hours=1)  # that one look counts for at most


def believe(connection: Connection, now: datetime) -> ClockDoubt | None:
    """Look at the clock; None where what is too old by it may be deleted."""
    row = _row(connection)
    passed = _passed(row, now) if row else timedelta()
    doubt = _doubt(connection, row, now, passed)
    values: dict[str, Value] = {
        "id": 1,
        "believed": instant(doubt.last if doubt else now),
        "looked": instant(now),
        "passed": int(passed.total_seconds()) if doubt else 0,
    }
    put(connection, sweeps, values)
    return doubt


def doubt(connection: Connection, now: datetime) -> ClockDoubt | None:
    """What the last look leaves to doubt; nothing is noted."""
    row = _row(connection)
    passed = timedelta(seconds=row["passed"]) if row else timedelta()
    return _doubt(connection, row, now, passed)


def _doubt(
    connection: Connection, row: RowMapping | None, now: datetime, passed: timedelta
) -> ClockDoubt | None:
    last = datetime.fromisoformat(row["believed"]) if row else _newest(connection)
    if last is None or now <= last + STEP or passed >= SURE:
        return None
    return ClockDoubt(last=last, clock=now, left=SURE - passed)


def _passed(row: RowMapping, now: datetime) -> timedelta:
    """How much of a day has passed since the clock is in doubt."""
    believed = datetime.fromisoformat(row["believed"])
    looked = datetime.fromisoformat(row["looked"])
    if looked <= believed + STEP:
        return timedelta()  # it was not, at the last look
    since = min(max(now - looked, timedelta()), LOOK)
    return timedelta(seconds=row["passed"]) + since


def _newest(connection: Connection) -> datetime | None:
    """When the last outcome was recorded: of a ledger that no look is on record of."""
    newest = connection.execute(select(func.max(messages.c.created))).scalar()
    return None if newest is None else datetime.fromisoformat(newest)


def _row(connection: Connection) -> RowMapping | None:
    return connection.execute(select(sweeps)).mappings().one_or_none()
