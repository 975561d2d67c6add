"""What is shown for a sentence: pure, over one chunk, word for word.

A chosen sentence brings its short block or list (`expand`), all its dependencies and
all it announces (`preview_quotation`), and is shown as verbatim runs
(`render_quotation`). Judging a sentence and quoting it use the same rules.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.model.answer import Quote
from engine.model.document import BlockKind, Sentence
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.text.closure import is_selectable

SHORT = 360  # characters of a block or list that is quoted whole
OMITTED = "[\u2026]"  # replaces sentences that a quotation leaves out
TOUCHING = 2  # characters between neighbours: only white space is so short


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """Sentences `first` to `last` (inclusive) of one chunk."""

    first: int
    last: int

    def span(self, chunk: Chunk) -> tuple[int, int]:
        """Return its offsets in the canonical text."""
        return chunk.sentences[self.first].start, chunk.sentences[self.last].end

    def length(self, chunk: Chunk) -> int:
        start, end = self.span(chunk)
        return end - start


def text_of(chunk: Chunk, sentence: Sentence) -> str:
    """Return the text of one sentence of a chunk."""
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def expand(chunk: Chunk, at: int) -> Range:
    """Expand a sentence to its short block, or to its next sentences in a long one.

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
    """Return whether a sentence is in the same block, or in the same list."""
    other, own = chunk.sentences[one], chunk.sentences[at]
    return other.block == own.block or (listed and other.leans_on == own.leans_on)


def _with_list(chunk: Chunk, part: Range) -> Range:
    """Extend a range by the line that opens its list, and by all that it announces."""
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


def merge_ranges(ranges: Sequence[Range]) -> list[Range]:
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
    """The rows that would be shown for sentence `at`.

    `rows` are sentences of its chunk, `outside` the text of its dependencies in other
    chunks.
    """

    at: int
    rows: tuple[int, ...]
    outside: str = ""

    def text(self, chunk: Chunk) -> str:
        """Return all of it as one text."""
        own = (text_of(chunk, chunk.sentences[row]) for row in self.rows)
        return " ".join((self.outside, *own)).strip()


def preview_quotation(chunk: Chunk, at: int) -> Quotation:
    """Collect what is shown where the selectable sentence `at` of a chunk is chosen."""
    sentences = chunk.sentences
    part = expand(chunk, at)
    chosen = [
        n for n in range(part.first, part.last + 1) if is_selectable(sentences[n])
    ]
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


@dataclass(frozen=True, slots=True)
class RenderedQuotation:
    """A quotation: its verbatim runs in order, and all of it as one text.

    `start` and `end` are those of the selected sentences with what they announce: a
    citation points there, so that a list and its items are one.
    """

    text: str
    quotes: tuple[Quote, ...]
    start: int
    end: int


def render_quotation(chunk: Chunk, sentences: Iterable[int]) -> RenderedQuotation:
    """Quote sentences of a chunk with their dependencies and what they announce, in
    order.

    Args:
        chunk: whose sentences they are.
        sentences: indices of selectable ones; at least one.
    """
    chosen = [chunk.sentences[at] for at in sorted(set(sentences))]
    quotes = tuple(cut_quotes(chunk, _collect_spans(chosen)))
    return _render(chunk, chosen, quotes)


def extend_quotation(
    above: Sequence[Quote], chunk: Chunk, sentences: Iterable[int]
) -> RenderedQuotation | None:
    """Extend a quotation that holds what these sentences depend on.

    So the items of one list share its lead-in, and text that is there already is not
    shown again. None where nothing is shared, or where the source has them in another
    order.
    """
    chosen = [chunk.sentences[at] for at in sorted(set(sentences))]
    needed = _collect_spans(chosen)
    new = [span for span in needed if not any(_holds(q, chunk, span) for q in above)]
    before = any(span.start < above[-1].end for span in new)
    if len(new) == len(needed) or before:
        return None
    return _render(chunk, chosen, (*above, *cut_quotes(chunk, new)))


def _render(
    chunk: Chunk, chosen: Sequence[Sentence], quotes: tuple[Quote, ...]
) -> RenderedQuotation:
    ends = (s.announces.end if s.announces else s.end for s in chosen)
    end = min(chunk.end, max(ends))
    text = join_quotes(quotes)
    if is_cut(chunk, quotes[-1]):
        text = f"{text}\n{OMITTED}"
    return RenderedQuotation(text, quotes, chosen[0].start, max(end, chosen[-1].end))


def is_cut(chunk: Chunk, quote: Quote) -> bool:
    """Return whether the sentence at the end of a quote continues behind it."""
    return any(
        sentence.cut and sentence.end == quote.end for sentence in chunk.sentences
    )


def _collect_spans(chosen: Sequence[Sentence]) -> list[Span]:
    needed = [Span(start=s.start, end=s.end) for s in chosen]
    for sentence in chosen:
        needed += sentence.leans_on
        needed += [sentence.announces] if sentence.announces else []
    return needed


def _holds(quote: Quote, chunk: Chunk, span: Span) -> bool:
    same = (quote.document, quote.version) == (chunk.document, chunk.version)
    return same and quote.start <= span.start and span.end <= quote.end


def cut_quotes(chunk: Chunk, needed: Sequence[Span]) -> Iterator[Quote]:
    """Yield quotes of a chunk's spans; spans that overlap or touch in it are one."""
    run: Span | None = None
    for span in sorted(needed, key=lambda s: (s.start, -s.end)):
        if run is None:
            run = span
        elif span.end <= run.end:
            continue
        elif span.start < run.end or _are_touching(chunk, run, span):
            run = Span(start=run.start, end=span.end)
        else:
            yield _quote(chunk, run)
            run = span
    if run is not None:
        yield _quote(chunk, run)


def _are_touching(chunk: Chunk, one: Span, two: Span) -> bool:
    """Return whether only white space of the chunk is between two of its spans."""
    inside = chunk.start <= one.start and two.end <= chunk.end
    between = chunk.text[one.end - chunk.start : two.start - chunk.start]
    return inside and not between.strip()


def _quote(chunk: Chunk, span: Span) -> Quote:
    return Quote(
        text=read_text_at(chunk, span.start, span.end),
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=span.start,
        end=span.end,
    )


def read_text_at(chunk: Chunk, start: int, end: int) -> str:
    """Return the text at [start, end) of a chunk's document: in it, or in its context.

    Raises:
        KeyError: the chunk does not hold it.
    """
    if chunk.start <= start and end <= chunk.end:
        return chunk.text[start - chunk.start : end - chunk.start]
    for excerpt in chunk.context:
        if (excerpt.start, excerpt.end) == (start, end):
            return excerpt.text
    raise KeyError(f"{start} to {end} is not of chunk {chunk.id}")


def join_quotes(quotes: Sequence[Quote]) -> str:
    """Join the runs of one quotation to one text, with marks for omissions."""
    pieces = [quotes[0].text]
    for before, quote in pairwise(quotes):
        if quote.start - before.end > TOUCHING:
            pieces.append(OMITTED)
        pieces.append(quote.text)
    return "\n".join(pieces)
