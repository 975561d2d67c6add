"""What the rows of a table state: each cell with what heads it."""

from collections.abc import Iterable, Iterator
from itertools import repeat

CELLS = " | "  # between the cells of a row, as every loader writes it


def headed(row: str, heads: Iterable[str]) -> str:
    """A row as it is read: "30" below "Days a year" is "30 Days a year".

    As it stands, where none of the rows that may head it has as many cells.
    """
    cells = row.split(CELLS)
    for head in map(str.split, heads, repeat(CELLS)):
        if len(head) == len(cells) > 1:
            return CELLS.join(map(" ".join, zip(cells, head, strict=True)))
    return row


def each_headed(text: str) -> str:
    """A quotation as it is read: its first row heads those with as many cells."""
    return "\n".join(_headed(text.splitlines()))


def _headed(lines: Iterable[str]) -> Iterator[str]:
    first: list[str] = []
    for line in lines:
        yield headed(line, first)
        first = first or [line][: CELLS in line]
