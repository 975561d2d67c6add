"""A sentence that is longer than a quotation may be, in parts that may be quoted.

Statutes, terms and lists in words have such sentences. Their first words, up to the
colon, are the subject of all that follows; so each clause behind a semicolon is quoted
with them, and marks show where something is left out. A part that begins within a
clause is never quoted: its meaning could not be told. Code is divided between its
lines, and shown with its first; of a row of a table the first cells alone are quoted,
so that no value appears under another head.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import re2

from engine.model.document import BlockKind
from engine.model.frozen import Span

MOST_OPENING = 400  # characters of the first words, which are shown with each part
USUAL = 600  # characters of some clauses together, about as many as are read at once
MOST = 1_100  # characters of one part; with the opening still one quotation
_OPENS = re2.compile(r"[:\x{2014}\x{ff1a}]\s+")
_CLAUSE = re2.compile(r"[;:\x{ff1b}]\s+")
_LINE = re2.compile(r"\n")
_CELL = re2.compile(r"[.;!?]\s+|\s\|\s")
_BREATH = re2.compile(r"[,)]?\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence; `whole` is True where it begins with a clause."""

    span: Span
    whole: bool = True


def split_clauses(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> list[Part]:
    """Divide a long sentence into parts that hold all but its white space."""
    if kind is BlockKind.TABLE_ROW:
        return _split_row(text)
    code = kind is BlockKind.CODE
    opening, ends = (
        (_find_end(text, _LINE), _LINE) if code else (_find_opening_end(text), _CLAUSE)
    )
    if opening is None:
        return list(_break_up(text, 0, len(text)))
    found = [Part(Span(start=0, end=len(text[:opening].rstrip())))]
    start = opening
    while start < len(text):
        end = _find_clauses_end(text, start, ends)
        found += _break_up(text, start, end)
        start = end
    return found


def _split_row(text: str) -> list[Part]:
    """Split a row behind as many cells and sentences as one part holds."""
    ends = [match for match in _CELL.finditer(text[:MOST])]
    if not ends:
        return list(_break_up(text, 0, len(text)))
    last = ends[-1]
    end = int(last.start()) + (text[int(last.start())] in ".;!?")
    rest = Span(start=int(last.end()), end=len(text))
    return [Part(Span(start=0, end=end)), Part(rest, whole=False)]


def _find_end(text: str, ends: re2._Regexp) -> int | None:
    match = ends.search(text[:MOST_OPENING])
    return None if match is None else int(match.end())


def _find_opening_end(text: str) -> int | None:
    """Return the end of the first words: a colon or a dash, else the first clause's
    end.
    """
    colon = _find_end(text, _OPENS)
    return _find_end(text, _CLAUSE) if colon is None else colon


def _find_clauses_end(text: str, start: int, ends: re2._Regexp) -> int:
    """Return the end of as many clauses as are quoted together; one at least."""
    end = start
    for match in ends.finditer(text[start:]):
        if end > start and match.end() > USUAL:
            return end
        end = start + int(match.end())
    if end > start and len(text) - start > USUAL:
        return end
    return len(text)


def _break_up(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield a stretch in parts of at most MOST characters.

    All but the first begin within a clause.
    """
    whole = True
    while len(text[start:end].rstrip()) > MOST:
        at = max(
            (m.end() for m in _BREATH.finditer(text[start : start + MOST])),
            default=MOST,
        )
        yield Part(
            Span(start=start, end=start + len(text[start:][:at].rstrip())), whole
        )
        start, whole = start + int(at), False
    last = len(text[:end].rstrip())
    if last > start:
        yield Part(Span(start=start, end=last), whole)
