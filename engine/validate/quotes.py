"""Quotations in the prose of a model: found, so that made-up ones count (R-V4).

Whether one stands in its source is exact comparison after folding (text.py, R-I7).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import re2

from engine.documents.records import Span

_BLOCK_LINE = re2.compile(r"[ \t]{0,3}(?:>[ \t]*)+")

# A mark that may open a quotation, and those that close what it opened.
_CLOSERS = {
    '"': '"',
    "\uff02": "\uff02",
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u201f": "\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u203a": "\u2039",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "'": "'\u2019",
    "\u2018": "'\u2019",
    "\u201a": "\u2018\u2019",
}
_SINGLES = frozenset("'\u2018\u2019\u201a\u201b")
_DOUBLES = frozenset({*_CLOSERS, *"\u300d\u300f"}) - _SINGLES


@dataclass(frozen=True, slots=True)
class Quotation:
    """An outermost quotation at [start, end) of a text, its marks included.

    `inner` is what it quotes: the text between the marks, or the lines of a block
    quotation without their ">".
    """

    start: int
    end: int
    inner: str
    block: bool = False


# --- finding ----------------------------------------------------------------------


def quotations(text: str) -> tuple[Quotation, ...]:
    """The outermost quotations of a text, in order, in linear time.

    Straight, curly, low, angle and corner marks, nested and over several lines, and
    block quotations. A double mark that nothing closes quotes up to the end: what looks
    like a quotation to a reader is treated as one. An apostrophe is no mark.
    """
    found: list[Quotation] = []
    for span, block in _stretches(text):
        if block:
            lines = span.of(text).splitlines()
            inner = "\n".join(_unquoted(line) for line in lines)
            found.append(Quotation(span.start, span.end, inner, block=True))
        else:
            found += _marked(text, span)
    return tuple(found)


def _unquoted(line: str) -> str:
    match = _BLOCK_LINE.match(line)
    return line[match.end() :] if match else line


def _stretches(text: str) -> Iterator[tuple[Span, bool]]:
    """Runs of lines that are a block quotation or not, with which they are."""
    if ">" not in text:
        yield Span(start=0, end=len(text)), False
        return
    start = at = 0
    block: bool | None = None
    for line in text.splitlines(keepends=True):
        quoted = _BLOCK_LINE.match(line) is not None
        if block is not None and quoted is not block:
            yield Span(start=start, end=at), block
            start = at
        block = quoted
        at += len(line)
    if block is not None:
        yield Span(start=start, end=at), block


def _marked(text: str, span: Span) -> list[Quotation]:
    found, unclosed = _scan(text, span, _SINGLES | _DOUBLES)
    if unclosed is not None and text[unclosed] in _SINGLES:
        found, unclosed = _scan(text, span, _DOUBLES)
    if unclosed is not None:
        found.append(Quotation(unclosed, span.end, text[unclosed + 1 : span.end]))
    return found


def _scan(
    text: str, span: Span, marks: frozenset[str]
) -> tuple[list[Quotation], int | None]:
    """The closed outermost quotations, and where one opens that nothing closes."""
    found: list[Quotation] = []
    opened: list[int] = []  # places, outermost first
    awaited: Counter[str] = Counter()  # marks that would close one of them
    for at in range(span.start, span.end):
        mark = text[at]
        if mark not in marks:
            continue
        if awaited[mark] and (mark not in _SINGLES or _closes_single(text, at)):
            bottom = _close(text, opened, awaited, mark)
            if not opened:
                found.append(Quotation(bottom, at + 1, text[bottom + 1 : at]))
        elif mark in _CLOSERS and _opens(text, at):
            opened.append(at)
            awaited.update(_CLOSERS[mark])
    return found, opened[0] if opened else None


def _close(text: str, opened: list[int], awaited: Counter[str], mark: str) -> int:
    """Close the innermost quotation that `mark` closes, with all in it; its place."""
    while True:
        at = opened.pop()
        awaited.subtract(_CLOSERS[text[at]])
        if mark in _CLOSERS[text[at]]:
            return at


def _opens(text: str, at: int) -> bool:
    """Whether the mark at `at` opens: no apostrophe, and no inch sign (a 5" screen)."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] in _SINGLES:
        return not before.isalnum() and bool(after.strip())
    return not (text[at] == '"' and before.isdecimal() and not after.isalnum())


def _closes_single(text: str, at: int) -> bool:
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    return bool(before.strip()) and not after.isalnum()
