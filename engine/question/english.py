"""Whether English at large knows a word: a list, read on first use."""

from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("english_words.txt")


def known(word: str) -> bool:
    """Whether a word of four letters or more, in lower case, is an English one."""
    return word in _listed()


@cache
def _listed() -> frozenset[str]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))
