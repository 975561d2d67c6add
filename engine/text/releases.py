"""Releases that a question names, and whether a passage is about one of them.

A statement about release 3.10 says nothing of release 4.0: where no passage has the
number of the release that is asked about, none answers.
"""

from collections.abc import Sequence

import re2

from engine.model.passage import Chunk
from engine.text.patterns import fold

# "release 4.0", "version 2", "v1.2.3", "the 4.0 release".
_NAMED = re2.compile(
    r"(?i)\b(?:(?:releases?|versions?|revisions?|rev\.?|editions?) "
    r"(?:number |no\.? )?v?"
    r"(?P<one>\d{1,4}(?:\.\d+)*)|v(?P<two>\d{1,4}(?:\.\d+)+)"
    r"|v?(?P<three>\d{1,4}(?:\.\d+)+) (?:releases?|versions?|edition))\b"
)
_NUMBER = re2.compile(r"\d+(?:\.\d+)*")


def find_unmentioned_releases(text: str, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Return the releases that a question names and that no passage mentions.

    Empty where a passage mentions one of them.
    """
    named = {
        _strip_zeros(str(m["one"] or m["two"] or m["three"])): m.group()
        for m in _NAMED.finditer(fold(text))
    }
    if not named:
        return ()
    said = {
        _strip_zeros(number)
        for chunk in chunks
        for part in (chunk.title, *chunk.section, chunk.text)
        for number in _NUMBER.findall(part)
    }
    return () if named.keys() & said else tuple(named.values())


def _strip_zeros(number: str) -> str:
    """Strip trailing zeros: 4.0 is 4, and 3.10 is not 3.1."""
    while number.endswith(".0"):
        number = number[:-2]
    return number
