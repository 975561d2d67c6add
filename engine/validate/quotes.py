"""Quotations of a draft: found, anchored in a cited passage, shown as whole sentences.

A quotation is anchored where its folded text stands in the folded passage, character
for character (R-I7). What is shown is the source's own text at its own offsets, from
the start of the first sentence to the end of the last, with the line that introduces a
list where the quotation is an item of it: no qualifier is cut off.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import re2

from engine.context import led_from, may_quote
from engine.corpus_records import Sentence, Span
from engine.records import Chunk, Quote
from engine.validate.text import MARKS, Folded, find_quotes, fold, known_words

LONGEST_QUOTE = 1_800  # characters, as for one sentence (INTERFACES, Quotability)
PLACES = 20  # of one quotation in one passage that are looked at
DEPTH = 3  # quotations within quotations

# Removed by folding, but no writer puts them inside a word by accident.
_HIDDEN = re2.compile(r"[\x{200b}-\x{200d}\x{2060}\x{feff}]")
_BROKEN = re2.compile(r"[-\x{2010}\x{ad}][ \t]*\n")
_MARKDOWN = frozenset("*_`")
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
_NO_MARKS = str.maketrans(dict.fromkeys(_DOUBLES))


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


@dataclass(frozen=True, slots=True)
class Anchored:
    """A quotation that stands in its source, widened to `sentences` (first, last).

    `whole` says that it was these sentences already, but for marks.
    """

    quote: Quote
    whole: bool
    sentences: tuple[int, int]


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


def without_marks(text: str) -> str:
    """The text without any double quotation mark."""
    return text.translate(_NO_MARKS)


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


# --- anchoring --------------------------------------------------------------------


def anchor(
    quotation: str, chunk: Chunk, folded: Folded, shown: Sequence[Quote] = ()
) -> Anchored | None:
    """The quotation as it stands in a chunk, widened; None where it does not stand.

    Args:
        quotation: the text that is claimed to be verbatim, without its marks.
        chunk: the cited chunk.
        folded: its folded text, with offsets into the canonical text.
        shown: what is quoted beside it already; a list's introduction that stands
            right before it need not be quoted again.
    """
    for span in _places(quotation.strip(), chunk, folded):
        widened = _widened(chunk, span, shown)
        if widened is not None:
            return _anchored(chunk, span, widened)
    return None


def _places(quotation: str, chunk: Chunk, folded: Folded) -> Iterator[Span]:
    """Where it stands: exactly, else folded, else without the Markdown of a model."""
    at = chunk.text.find(quotation) if quotation else -1
    if at >= 0 and _is_whole(chunk, at, at + len(quotation)):
        yield Span(start=chunk.start + at, end=chunk.start + at + len(quotation))
        return
    hidden = _HIDDEN.findall(quotation)
    for needle in _with_fewer_marks(quotation):
        wanted = folded_of(needle, chunk.text)
        for span in islice(find_quotes(wanted, folded), PLACES):
            inside = chunk.start <= span.start and span.end <= chunk.end
            original = chunk.text[span.start - chunk.start : span.end - chunk.start]
            if inside and (not hidden or hidden == _HIDDEN.findall(original)):
                yield span


def _with_fewer_marks(quotation: str) -> Iterator[str]:
    """The quotation, then without one kind of paired Markdown marks after the other."""
    yield quotation
    if _MARKDOWN.isdisjoint(quotation):
        return
    for pattern in MARKS:
        # Twice: neighbours share the space between them.
        fewer = str(pattern.sub(r"\1\2\3", pattern.sub(r"\1\2\3", quotation)))
        if fewer != quotation:
            yield fewer
        quotation = fewer


def folded_of(text: str, source: str) -> Folded:
    """The text folded, its line-end hyphens with the words that `source` knows."""
    return fold(text, known_words(source) if _BROKEN.search(text) else frozenset())


def _is_whole(chunk: Chunk, start: int, end: int) -> bool:
    """Whether [start, end) of the chunk's text begins and ends with a sentence."""
    starts = any(s.start - chunk.start == start for s in chunk.sentences)
    return starts and any(s.end - chunk.start == end for s in chunk.sentences)


def _widened(
    chunk: Chunk, span: Span, shown: Sequence[Quote]
) -> tuple[int, int] | None:
    """First and last sentence to quote, or None where one of them may not be quoted."""
    touched = [
        at
        for at, sentence in enumerate(chunk.sentences)
        if sentence.start < span.end and span.start < sentence.end
    ]
    if not touched:
        return None
    last = touched[-1]
    first = led_from(chunk, touched[0], last, _told_from(chunk, touched[0], shown))
    if first is None or not may_quote(chunk, first, last):
        return None
    run = chunk.sentences[first : last + 1]
    long = run[-1].end - run[0].start > LONGEST_QUOTE
    return None if long and len(run) > 1 and first < touched[0] else (first, last)


def _told_from(chunk: Chunk, first: int, shown: Sequence[Quote]) -> int:
    """Where the quotations begin that are shown right before a sentence, one by one."""
    start = chunk.sentences[first].start
    for quote in reversed(shown):
        same = (quote.document, quote.version) == (chunk.document, chunk.version)
        between = chunk.text[max(0, quote.end - chunk.start) : start - chunk.start]
        if not same or not chunk.start <= quote.start < start or between.strip():
            break
        start = quote.start
    return start


def _anchored(chunk: Chunk, span: Span, widened: tuple[int, int]) -> Anchored:
    run = chunk.sentences[widened[0] : widened[1] + 1]
    start, end = run[0].start, run[-1].end
    text = chunk.text[start - chunk.start : end - chunk.start]
    quote = Quote(
        text=text,
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=start,
        end=end,
    )
    return Anchored(quote, _same_words(chunk, span, run), widened)


def _same_words(chunk: Chunk, span: Span, run: tuple[Sentence, ...]) -> bool:
    """Whether widening added no letter or digit, only marks and white space."""
    before = chunk.text[run[0].start - chunk.start : max(0, span.start - chunk.start)]
    after = chunk.text[span.end - chunk.start : max(0, run[-1].end - chunk.start)]
    return not any(character.isalnum() for character in before + after)
