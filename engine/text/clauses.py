"""A sentence that is longer than a quotation may be, in parts that may be quoted.

Statutes, terms and lists in words have such sentences. Their first words, up to the
colon, say what all that follows is about; so each clause behind a semicolon is quoted
with them, and marks stand where something is left out. What begins in the middle of a
clause is never quoted: nobody could tell what it says. Code is parted between its
lines, and shown with its first; of a row of a table the first cells alone are quoted,
so that no value stands under another head.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import re2

from engine.model.document import BlockKind
from engine.model.frozen import Span

MOST_OPENING = 400  # characters of the first words, which each part is shown with
USUAL = 600  # characters of some clauses together, about as many as are read at once
MOST = 1_100  # characters of one part; with the opening still one quotation
_OPENS = re2.compile(r"[:\x{2014}\x{ff1a}]\s+")
_CLAUSE = re2.compile(r"[;:\x{ff1b}]\s+")
_LINE = re2.compile(r"\n")
_CELL = re2.compile(r"[.;!?]\s+|\s\|\s")
_BREATH = re2.compile(r"[,)]?\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence; `whole` says that it begins where a clause does."""

    span: Span
    whole: bool = True


def parts(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> list[Part]:
    """A long sentence in parts, in order; all of it but white space is in one."""
    if kind is BlockKind.TABLE_ROW:
        return _first_cells(text)
    code = kind is BlockKind.CODE
    opening, ends = (_end(text, _LINE), _LINE) if code else (_opening(text), _CLAUSE)
    if opening is None:
        return list(_broken(text, 0, len(text)))
    found = [Part(Span(start=0, end=len(text[:opening].rstrip())))]
    start = opening
    while start < len(text):
        end = _end_of_clauses(text, start, ends)
        found += _broken(text, start, end)
        start = end
    return found


def _first_cells(text: str) -> list[Part]:
    """As many cells and sentences of a row as one part holds, and the rest."""
    ends = [match for match in _CELL.finditer(text[:MOST])]
    if not ends:
        return list(_broken(text, 0, len(text)))
    last = ends[-1]
    end = int(last.start()) + (text[int(last.start())] in ".;!?")
    rest = Span(start=int(last.end()), end=len(text))
    return [Part(Span(start=0, end=end)), Part(rest, whole=False)]


def _end(text: str, ends: re2._Regexp) -> int | None:
    match = ends.search(text[:MOST_OPENING])
    return None if match is None else int(match.end())


def _opening(text: str) -> int | None:
    """Where the first words end: at a colon or a dash, else behind the first clause."""
    colon = _end(text, _OPENS)
    return _end(text, _CLAUSE) if colon is None else colon


def _end_of_clauses(text: str, start: int, ends: re2._Regexp) -> int:
    """The end of as many clauses as are usual together; one at least."""
    end = start
    for match in ends.finditer(text[start:]):
        if end > start and match.end() > USUAL:
            return end
        end = start + int(match.end())
    if end > start and len(text) - start > USUAL:
        return end
    return len(text)


def _broken(text: str, start: int, end: int) -> Iterator[Part]:
    """A stretch in parts that are not too long; all but the first begin within it."""
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
