"""Places in a repository as they are written: `path:line` or `path:first-last` (R-V6).

A path is written with everything percent-encoded that could end a token, start a line
or turn characters round, so that a hostile file name is still one token on one line.
"""

import os
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

import re2

_SAFE = "/@+=~$!'()[]#&;^{}"
_TOKEN = re2.compile(r"([^\s,:`\"<>|]+):(\d{1,9})(?:-(\d{1,9}))?")


def quoted(path: str) -> str:
    """A path of the file system as tokens write it; `unquoted` gives it back."""
    return quote(os.fsencode(path), safe=_SAFE)


def unquoted(path: str) -> str:
    """The path of the file system that a token writes."""
    return os.fsdecode(unquote_to_bytes(path))


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Lines of one file, both ends included; `path` as tokens write it."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        end = f"-{self.last}" if self.last != self.first else ""
        return f"{self.path}:{self.first}{end}"

    def within(self, other: "Place") -> bool:
        """Whether the other holds all of these lines (R-P8)."""
        inside = other.first <= self.first and self.last <= other.last
        return self.path == other.path and inside


def place(token: str) -> Place | None:
    """The place that a token names; None where it names none."""
    found = _TOKEN.fullmatch(token.strip())
    if found is None:
        return None
    first = int(found[2])
    last = int(found[3]) if found[3] else first
    return Place(found[1], first, last) if 1 <= first <= last else None
