"""Detection of the head rows of a sheet, only where there is evidence.

Loaders use what a file states (a table, a filter, frozen panes). Otherwise the first
rows are heads where they look different from all below. Without looks the first row is
one where it has words above columns of values, or of a few repeated texts.
"""

from collections.abc import Hashable, Sequence

import re2

from adapters.loaders.tables import LONGEST_HEAD

MOST_HEADS = 4  # head rows above each other
# A value, which a head is not: a figure, a day, an address.
_VALUE = re2.compile(
    r"^[^\pL\pN]{0,3}\pN|^[\w.+-]+@[\w-]+\.|^(?i:https?://|www\.)|^(?i:true|false|yes|no)$"
)
_YEAR = re2.compile(r"^(?:19|20)\pN\pN(?:[/\x{2013}-]\pN{2,4})?$")
Looks = Sequence[Hashable | None]


def count_heads_by_look(looks: Looks) -> int:
    """Count the first rows that look alike, and different from all but the last.

    A look is None for a row that looks like plain text.
    """
    if not looks or looks[0] is None:
        return 0
    count = 0
    while count < len(looks) and looks[count] == looks[0]:
        count += 1
    below = looks[count:]
    alike = looks[0] in below[:-1] or (len(below) == 1 and looks[0] == below[0])
    return count if below and count <= MOST_HEADS and not alike else 0


def count_heads_by_words(rows: Sequence[Sequence[str]]) -> int:
    """Return 1 where the first row names its columns, else 0."""
    if len(rows) < 2:
        return 0
    first, *others = rows
    named = [text for text in first[1:] if text]
    columns = list(zip(*others, strict=True))
    years = not any(_YEAR.search(text) for column in columns for text in column)
    words = all(
        len(text) <= LONGEST_HEAD
        and (not _VALUE.search(text) or (years and _YEAR.search(text)))
        for text in named
    )
    if len(named) < max(1, len(first) - 1) or not words or _VALUE.search(first[0]):
        return 0
    if len(set(first)) < len(first):
        return 0
    if any(text in column for text, column in zip(first, columns, strict=True) if text):
        return 0
    return int(any(map(_is_of_a_kind, columns)))


def _is_of_a_kind(column: Sequence[str]) -> bool:
    """Tell whether a column has values alone, or a few repeated words."""
    held = [text for text in column if text]
    if not held:
        return False
    if all(_VALUE.search(text) for text in held):
        return True
    return len(held) > 2 and len(set(held)) <= len(held) // 2
