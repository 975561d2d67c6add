"""What the rows of a table state: each cell with what heads it."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

import re2

from engine.model.answer import Quote
from engine.model.document import Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.text.notes import unmarked

CELLS = " | "  # between the cells of a row; stands inside none
EMPTY = "\u2013"  # an empty cell
# The unit that a head or a caption ends with: "Fee in euros", "Weight (kg)".
_UNIT = re2.compile(r"\bin (\S+)$|[(\[]([^()\[\]]+)[)\]]$")
_LONGEST_UNIT = 20
_BARE = re2.compile(r"^\pN[\pN.,\x{2013}-]*$")


def above(row: str, heads: Iterable[str], *, cut: bool = False) -> list[str]:
    """What heads each cell of a row, by position; nothing said twice.

    A head with other positions is of another table, an empty one heads nothing. A row
    that is `cut` has fewer cells than what heads it.
    """
    found: list[list[str]] = [[] for _ in row.split(CELLS)]
    for head in (text.split(CELLS) for text in heads):
        if len(head) == len(found) > 1 or (cut and len(head) > len(found)):
            for told, said in zip(found, head, strict=False):
                told += [said][: said != EMPTY and said not in told]
    return [" ".join(told) for told in found]


def headed(
    row: str, heads: Iterable[str], caption: str = "", *, cut: bool = False
) -> str:
    """A row as it is read: "30" below "Days a year" is "30 Days a year".

    A bare figure gets the unit of its head, or else of the caption: "5" below "Fee in
    euros" is "5 euros Fee in euros".
    """
    cells = zip(row.split(CELLS), above(row, heads, cut=cut), strict=True)
    return CELLS.join(_headed(cell, head, caption) for cell, head in cells)


def _headed(cell: str, head: str, caption: str) -> str:
    unit = _unit(head) or _unit(caption)
    if unit and _BARE.match(cell):
        money = unicodedata.category(unit[0]) == "Sc"
        cell = f"{unit}{cell}" if money else f"{cell} {unit}"
    return f"{cell} {head}" if head else cell


def _unit(head: str) -> str:
    found = _UNIT.search(head)
    unit = str(found.group(1) or found.group(2)) if found else ""
    figures = any(map(str.isdigit, unit))
    return "" if figures or len(unit) > _LONGEST_UNIT else unit


def heads_of(chunk: Chunk, sentence: Sentence) -> Sequence[str]:
    """The rows that head a sentence of a chunk; none where it is no row."""
    return _texts(chunk, sentence.heads)


def _texts(chunk: Chunk, spans: Iterable[Span | None]) -> Sequence[str]:
    """The texts of sentences, in a chunk or in its context."""
    places = {(span.start, span.end) for span in spans if span is not None}
    if not places:
        return ()
    inside = (_of(chunk, s) for s in chunk.sentences if (s.start, s.end) in places)
    beside = (e.text for e in chunk.context if (e.start, e.end) in places)
    return (*inside, *beside)


def stated(chunk: Chunk, sentence: Sentence) -> str:
    """What a sentence of a chunk states, marks of notes apart.

    Of a row its caption, and the cells with what heads them.
    """
    text, heads = unmarked(_of(chunk, sentence)), heads_of(chunk, sentence)
    if not heads:
        return text
    caption = " ".join(_texts(chunk, [sentence.lead_in]))
    return f"{caption} {headed(text, heads, caption, cut=sentence.cut)}".lstrip()


def as_read(quotes: Iterable[Quote], chunks: Mapping[str, Chunk]) -> str:
    """What quotations state: as they stand, but for the rows of tables."""
    return "\n".join(_as_read(quote, chunks[quote.chunk]) for quote in quotes)


def _as_read(quote: Quote, chunk: Chunk) -> str:
    parts, at = [], quote.start
    for sentence in chunk.sentences:
        if sentence.heads and at <= sentence.start and sentence.end <= quote.end:
            parts.append(quote.text[at - quote.start : sentence.start - quote.start])
            parts.append(stated(chunk, sentence))
            at = sentence.end
    return unmarked("".join((*parts, quote.text[at - quote.start :])))


def _of(chunk: Chunk, sentence: Sentence) -> str:
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def pieces(chunk: Chunk) -> Iterator[tuple[str, int, bool]]:
    """A chunk as it is read, in pieces: each with the offset that it stands for.

    A row is read as "Plotter: Bay B1, Rated power 3 kW": what heads a cell stands
    before it, and says True, since it stands for its row alone. The first cell names
    the row.
    """
    at = chunk.start
    for sentence in chunk.sentences:
        heads = heads_of(chunk, sentence)
        if not heads:
            continue
        yield chunk.text[at - chunk.start : sentence.start - chunk.start], at, False
        at, row = sentence.start, _of(chunk, sentence)
        told = above(row, heads, cut=sentence.cut)
        first, *others = zip(row.split(CELLS), told, strict=True)
        yield first[0], at, False
        at += len(first[0])
        for number, (cell, head) in enumerate(others):
            yield f"{', ' if number else ': '}{head} ", sentence.start, True
            at += len(CELLS)
            yield cell, at, False
            at += len(cell)
    yield chunk.text[at - chunk.start :], at, False
