"""Releases that a question names, and whether a passage speaks of one (R-A16).

What holds for release 3.10 says nothing of release 4.0: where no passage has the number
of the release that is asked about, nothing there answers.
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


def releases_without(text: str, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The releases that a question names and that no passage speaks of.

    None where a passage has one of those that are named.
    """
    named = {
        _plain(str(m["one"] or m["two"] or m["three"])): m.group()
        for m in _NAMED.finditer(fold(text))
    }
    if not named:
        return ()
    said = {
        _plain(number)
        for chunk in chunks
        for part in (chunk.title, *chunk.section, chunk.text)
        for number in _NUMBER.findall(part)
    }
    return () if named.keys() & said else tuple(named.values())


def _plain(number: str) -> str:
    """4.0 is 4, and 3.10 is not 3.1."""
    while number.endswith(".0"):
        number = number[:-2]
    return number
