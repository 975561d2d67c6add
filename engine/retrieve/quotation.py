"""What is shown where a sentence is chosen: pure, over one chunk.

The same to whoever judges a sentence and to whoever quotes it: its short block or list,
with all that it leans on and announces (R-A14).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.documents.closure import selectable
from engine.documents.records import BlockKind, Sentence
from engine.records import Chunk

SHORT = 360  # characters of a block or list that is quoted whole


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """Sentences `first` to `last` (inclusive) of one chunk."""

    first: int
    last: int

    def span(self, chunk: Chunk) -> tuple[int, int]:
        """Offsets in the canonical text."""
        return chunk.sentences[self.first].start, chunk.sentences[self.last].end

    def length(self, chunk: Chunk) -> int:
        start, end = self.span(chunk)
        return end - start


def text_of(chunk: Chunk, sentence: Sentence) -> str:
    """The text of one sentence of a chunk."""
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def around(chunk: Chunk, at: int) -> Range:
    """A sentence with what a reader wants with it: its short block, or how it goes on.

    An item of a short list brings the list; so that two picks of one list are one
    quotation.
    """
    sentences = chunk.sentences
    listed = sentences[at].kind is BlockKind.LIST_ITEM
    first = last = at
    while first and _fits(chunk, Range(first - 1, last), at, listed):
        first -= 1
    if first and _belongs(chunk, first - 1, at, listed):
        first = at  # cut at its beginning, a block is not taken from there
    while last + 1 < len(sentences) and _fits(
        chunk, Range(first, last + 1), at, listed
    ):
        last += 1
    return _with_list(chunk, Range(first, last))


def _fits(chunk: Chunk, part: Range, at: int, listed: bool) -> bool:
    edge = part.first if part.first < at else part.last
    return part.length(chunk) <= SHORT and _belongs(chunk, edge, at, listed)


def _belongs(chunk: Chunk, one: int, at: int, listed: bool) -> bool:
    """Whether a sentence is of the same block, or of the same list."""
    other, own = chunk.sentences[one], chunk.sentences[at]
    return other.block == own.block or (listed and other.leans_on == own.leans_on)


def _with_list(chunk: Chunk, part: Range) -> Range:
    """The range with the line that opens its list, and with all that it announces."""
    first, last = part.first, part.last
    sentences = chunk.sentences
    begins = sentences[first].start
    opened = [span for span in sentences[first].leans_on if span.start < begins][-1:]
    if first and opened and opened[0].start == sentences[first - 1].start:
        first -= 1
    end = max(
        (s.announces.end for s in sentences[first : last + 1] if s.announces), default=0
    )
    while last + 1 < len(sentences) and sentences[last + 1].end <= end:
        last += 1
    return Range(first, last)


def join(ranges: Sequence[Range]) -> list[Range]:
    """Merge ranges of one chunk that overlap or touch, in order."""
    merged: list[Range] = []
    for item in sorted(ranges):
        if merged and item.first <= merged[-1].last + 1:
            merged[-1] = Range(merged[-1].first, max(merged[-1].last, item.last))
        else:
            merged.append(item)
    return merged


@dataclass(frozen=True, slots=True)
class Quotation:
    """What would be shown for sentence `at`.

    `rows` are the sentences of its chunk that are shown, `outside` the text of what
    they lean on and another chunk holds.
    """

    at: int
    rows: tuple[int, ...]
    outside: str = ""

    def text(self, chunk: Chunk) -> str:
        """All of it as one text."""
        own = (text_of(chunk, chunk.sentences[row]) for row in self.rows)
        return " ".join((self.outside, *own)).strip()


def quotation(chunk: Chunk, at: int) -> Quotation:
    """What is shown where the selectable sentence `at` of a chunk is chosen."""
    sentences = chunk.sentences
    part = around(chunk, at)
    chosen = [n for n in range(part.first, part.last + 1) if selectable(sentences[n])]
    rows = {at, *chosen}
    spans: set[tuple[int, int]] = set()
    for row in rows:
        sentence = sentences[row]
        announced = (sentence.announces,) if sentence.announces else ()
        spans.update((s.start, s.end) for s in (*sentence.leans_on, *announced))
    for start, end in spans:
        rows |= {
            n for n, s in enumerate(sentences) if start <= s.start and s.end <= end
        }
    texts = (e.text for e in chunk.context if (e.start, e.end) in spans)
    return Quotation(at, tuple(sorted(rows)), " ".join(texts))
