"""Two texts word by word: what stayed, what went, what came."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

LONGEST = 4_000  # words of a text that are compared one by one
_WORD = re.compile(r"\S+|\s+")

Kind = Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words of one kind, with the white space after them."""

    kind: Kind
    text: str


def compare(then: str, now: str) -> Iterator[Piece]:
    """The pieces of both texts, in order.

    The pieces that stayed and went together are the old text, to the letter; those that
    stayed and came are the new one. Very long texts are compared as a whole.
    """
    old, new = _WORD.findall(then), _WORD.findall(now)
    if then == now:
        yield from _piece("same", now)
    elif max(len(old), len(new)) > LONGEST:
        yield from _piece("gone", then)
        yield from _piece("new", now)
    else:
        for kind, a, b, c, d in SequenceMatcher(None, old, new, False).get_opcodes():
            if kind == "equal":
                yield from _piece("same", "".join(new[c:d]))
            else:
                yield from _piece("gone", "".join(old[a:b]))
                yield from _piece("new", "".join(new[c:d]))


def _piece(kind: Kind, text: str) -> Iterator[Piece]:
    if text:
        yield Piece(kind, text)
