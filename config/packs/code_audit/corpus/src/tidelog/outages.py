"""Outages: gauges that have stopped sending."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

SILENCE = timedelta(minutes=45)
GRACE_AFTER_START = timedelta(minutes=10)


def silent(last: Mapping[str, datetime], now: datetime) -> Iterator[str]:
    """Yield the gauges that count as out of service.

    A gauge is out of service when its last reading is older than 45 minutes. A gauge that
    has never sent anything is not reported. For the first ten minutes after the service
    has started no outage is reported at all.
    """
    for gauge, seen in sorted(last.items()):
        if now - seen > SILENCE:
            yield gauge


def message(gauge: str, seen: datetime) -> str:
    """The text that the harbour office gets about an outage.

    It names the gauge and the time of its last reading, and never a level.
    """
    return f"{gauge}: no reading since {seen:%H:%M}"
