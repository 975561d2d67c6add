"""How much a word says, by how rare it is in English at large.

Not by how rare it is in a corpus: that turns with what else is in it, and where there
are few documents, or all speak of one thing, it says nothing (R-G6).
"""

from functools import cache
from math import log
from pathlib import Path

FILE = Path(__file__).with_name("background.txt")
PASSAGES = 10_000  # that the counts are of
RARE = 0.5  # weight of a word of at most about one passage in a hundred
NUMERAL = 0.75  # weight of a number: digits are counted nowhere


@cache
def _expected() -> dict[str, int]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {name: int(count) for name, count in pairs}


def weight(stem: str) -> float:
    """0 for a stem of every passage, 1 for one that English at large does not know."""
    if any(character.isdigit() for character in stem):
        return NUMERAL
    return log((PASSAGES + 1) / (_expected().get(stem, 0) + 1)) / log(PASSAGES + 1)
