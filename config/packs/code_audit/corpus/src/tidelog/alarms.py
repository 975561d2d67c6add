"""Alarms: readings that lie outside the range of their gauge."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tidelog.readings import Reading

HYSTERESIS_CM = 2.0


@dataclass(frozen=True)
class Range:
    """The lowest and the highest level that raise no alarm, in centimetres."""

    low: float
    high: float


@dataclass(frozen=True)
class Alarm:
    """A reading outside its range; `above` tells on which side."""

    reading: Reading
    above: bool


def alarms(readings: Iterable[Reading], ranges: Mapping[str, Range]) -> Iterator[Alarm]:
    """Yield an alarm for each reading that lies outside the range of its gauge.

    A gauge without a range never raises an alarm. After an alarm the gauge stays silent
    until the level is back inside the range by two centimetres.
    """
    silent: set[str] = set()
    for reading in readings:
        bounds = ranges.get(reading.gauge)
        if bounds is None:
            continue
        if bounds.low <= reading.level <= bounds.high:
            if _well_inside(reading.level, bounds):
                silent.discard(reading.gauge)
        elif reading.gauge not in silent:
            silent.add(reading.gauge)
            yield Alarm(reading, reading.level > bounds.high)


def _well_inside(level: float, bounds: Range) -> bool:
    return bounds.low + HYSTERESIS_CM <= level <= bounds.high - HYSTERESIS_CM
