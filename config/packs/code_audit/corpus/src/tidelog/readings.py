"""Readings of a gauge: what one line of a log file says."""

from dataclasses import dataclass
from datetime import UTC, datetime

FIELDS = 3  # gauge, time, level


class ReadingError(ValueError):
    """A line of a log file is not a reading; the message names the line and the fault."""


@dataclass(frozen=True)
class Reading:
    """The level of the water at one gauge, at one time.

    The level is in centimetres above chart datum. The time always has a time zone.
    """

    gauge: str
    at: datetime
    level: float


def parse_line(line: str, number: int) -> Reading:
    """Read one line of a log file.

    Fields are separated by semicolons. A time without a time zone is taken as UTC.

    Raises:
        ReadingError: the line has too few fields, or its level is not a number.
    """
    fields = [part.strip() for part in line.split(";")]
    if len(fields) != FIELDS:
        raise ReadingError(f"line {number}: {len(fields)} fields, expected {FIELDS}")
    gauge, time, level = fields
    at = datetime.fromisoformat(time)
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    try:
        return Reading(gauge, at, float(level))
    except ValueError as error:
        raise ReadingError(f"line {number}: {level!r} is not a number") from error
