"""The weight of a word, by how rare it is in English at large.

Rarity in a corpus would not do: it changes with the other documents, and says nothing
where there are few, or all are about one subject.
"""

from functools import cache
from math import log
from pathlib import Path

FILE = Path(__file__).with_name("background.txt")
PASSAGES = 10_000  # that the counts are of
RARE = 0.5  # weight of a word of at most about one passage in a hundred
NUMERAL = 0.75  # weight of a number: digits are counted nowhere


@cache
def _load_counts() -> dict[str, int]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {name: int(count) for name, count in pairs}


def weigh(stem: str) -> float:
    """Weigh a stem from 0 (in every passage) to 1 (unknown to English at large)."""
    if any(character.isdigit() for character in stem):
        return NUMERAL
    return log((PASSAGES + 1) / (_load_counts().get(stem, 0) + 1)) / log(PASSAGES + 1)
