"""Places in a repository, written `path:line` or `path:first-last`.

Everything in a path that could end a token, start a line or reverse characters is
percent-encoded, so that a hostile file name is still one token on one line.
"""

import os
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

import re2

_SAFE = "/@+=~$!'()[]#&;^{}"
_TOKEN = re2.compile(r"([^\s,:`\"<>|]+):(\d{1,9})(?:-(\d{1,9}))?")


def encode_path(path: str) -> str:
    """Percent-encode a file path for a token; `decode_path` reverses it."""
    return quote(os.fsencode(path), safe=_SAFE)


def decode_path(path: str) -> str:
    """Return the path of the file system that a token encodes."""
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
        """Return whether `other` holds all of these lines."""
        inside = other.first <= self.first and self.last <= other.last
        return self.path == other.path and inside


def parse_place(token: str) -> Place | None:
    """Parse a token as a place; None where it is none."""
    found = _TOKEN.fullmatch(token.strip())
    if found is None:
        return None
    first = int(found[2])
    last = int(found[3]) if found[3] else first
    return Place(found[1], first, last) if 1 <= first <= last else None
