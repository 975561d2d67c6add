"""What the rows of a table state: each cell with the rows that head it."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

import re2

from engine.model.answer import Quote
from engine.model.document import Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.text.notes import strip_marks

CELLS = " | "  # between the cells of a row; occurs inside none
EMPTY = "\u2013"  # an empty cell
# The unit that a head or a caption ends with: "Fee in euros", "Weight (kg)".
_UNIT = re2.compile(r"\bin (\S+)$|[(\[]([^()\[\]]+)[)\]]$")
_LONGEST_UNIT = 20
_BARE = re2.compile(r"^\pN[\pN.,\x{2013}-]*$")


def join_heads(row: str, heads: Iterable[str], *, cut: bool = False) -> list[str]:
    """Join the heads of each cell of a row, by position, without repetitions.

    A head with another number of cells belongs to another table, an empty one heads
    nothing. A row that is `cut` has fewer cells than its heads.
    """
    found: list[list[str]] = [[] for _ in row.split(CELLS)]
    for head in (text.split(CELLS) for text in heads):
        if len(head) == len(found) > 1 or (cut and len(head) > len(found)):
            for told, said in zip(found, head, strict=False):
                told += [said][: said != EMPTY and said not in told]
    return [" ".join(told) for told in found]


def render_row(
    row: str, heads: Iterable[str], caption: str = "", *, cut: bool = False
) -> str:
    """Render a row with its heads: "30" below "Days a year" is "30 Days a year".

    A bare figure gets the unit of its head, or else of the caption: "5" below "Fee in
    euros" is "5 euros Fee in euros".
    """
    cells = zip(row.split(CELLS), join_heads(row, heads, cut=cut), strict=True)
    return CELLS.join(_render_cell(cell, head, caption) for cell, head in cells)


def _render_cell(cell: str, head: str, caption: str) -> str:
    unit = _find_unit(head) or _find_unit(caption)
    if unit and _BARE.match(cell):
        money = unicodedata.category(unit[0]) == "Sc"
        cell = f"{unit}{cell}" if money else f"{cell} {unit}"
    return f"{cell} {head}" if head else cell


def _find_unit(head: str) -> str:
    found = _UNIT.search(head)
    unit = str(found.group(1) or found.group(2)) if found else ""
    figures = any(map(str.isdigit, unit))
    return "" if figures or len(unit) > _LONGEST_UNIT else unit


def find_heads(chunk: Chunk, sentence: Sentence) -> Sequence[str]:
    """Return the texts of the rows that head a sentence; none where it is no row."""
    return _find_texts(chunk, sentence.heads)


def _find_texts(chunk: Chunk, spans: Iterable[Span | None]) -> Sequence[str]:
    """Return the texts of sentences that are in a chunk or in its context."""
    places = {(span.start, span.end) for span in spans if span is not None}
    if not places:
        return ()
    inside = (_slice(chunk, s) for s in chunk.sentences if (s.start, s.end) in places)
    beside = (e.text for e in chunk.context if (e.start, e.end) in places)
    return (*inside, *beside)


def render_sentence(chunk: Chunk, sentence: Sentence) -> str:
    """Render a sentence without note marks; a row with its caption and the heads of its
    cells.
    """
    text, heads = strip_marks(_slice(chunk, sentence)), find_heads(chunk, sentence)
    if not heads:
        return text
    caption = " ".join(_find_texts(chunk, [sentence.lead_in]))
    return f"{caption} {render_row(text, heads, caption, cut=sentence.cut)}".lstrip()


def render_quotes(quotes: Iterable[Quote], chunks: Mapping[str, Chunk]) -> str:
    """Render quotations as they are read: verbatim, but rows of tables with their
    heads.
    """
    return "\n".join(_render_quote(quote, chunks[quote.chunk]) for quote in quotes)


def _render_quote(quote: Quote, chunk: Chunk) -> str:
    parts, at = [], quote.start
    for sentence in chunk.sentences:
        if sentence.heads and at <= sentence.start and sentence.end <= quote.end:
            parts.append(quote.text[at - quote.start : sentence.start - quote.start])
            parts.append(render_sentence(chunk, sentence))
            at = sentence.end
    return strip_marks("".join((*parts, quote.text[at - quote.start :])))


def _slice(chunk: Chunk, sentence: Sentence) -> str:
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def read_pieces(chunk: Chunk) -> Iterator[tuple[str, int, bool]]:
    """Yield a chunk in pieces as a row is read: text, offset, and whether it is a head.

    A row is read as "Plotter: Bay B1, Rated power 3 kW": the head of a cell comes
    before it, with True, since it belongs to its row alone. The first cell names the
    row.
    """
    at = chunk.start
    for sentence in chunk.sentences:
        heads = find_heads(chunk, sentence)
        if not heads:
            continue
        yield chunk.text[at - chunk.start : sentence.start - chunk.start], at, False
        at, row = sentence.start, _slice(chunk, sentence)
        told = join_heads(row, heads, cut=sentence.cut)
        first, *others = zip(row.split(CELLS), told, strict=True)
        yield first[0], at, False
        at += len(first[0])
        for number, (cell, head) in enumerate(others):
            yield f"{', ' if number else ': '}{head} ", sentence.start, True
            at += len(CELLS)
            yield cell, at, False
            at += len(cell)
    yield chunk.text[at - chunk.start :], at, False
