"""The daily report: one CSV file for each day."""

import csv
from collections.abc import Sequence
from pathlib import Path

from tidelog.readings import Reading

COLUMNS = ("gauge", "lowest", "highest", "mean", "count")
MINIMUM_READINGS = 20


def summary(readings: Sequence[Reading]) -> tuple[float, float, float] | None:
    """Lowest, highest and mean level of one gauge on one day.

    A gauge with fewer than twenty readings on a day is left out of the report. The mean
    is rounded to one decimal place; the lowest and the highest level are not rounded.
    """
    if len(readings) < MINIMUM_READINGS:
        return None
    levels = [reading.level for reading in readings]
    return min(levels), max(levels), round(sum(levels) / len(levels), 1)


def write(folder: Path, day: str, rows: Sequence[Sequence[object]]) -> Path:
    """Write the report of a day and return its path.

    The file is named after the day. An existing report of the same day is overwritten.
    Rows are sorted by the name of the gauge.
    """
    file = folder / f"{day}.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream, delimiter=";")
        out.writerow(COLUMNS)
        out.writerows(sorted(rows))
    return file
