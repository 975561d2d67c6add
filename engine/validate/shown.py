"""What a selected sentence is shown as: word for word, with its closure (R-A14)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.documents.records import Sentence, Span
from engine.records import Chunk, Quote

OMITTED = "[\u2026]"  # stands where a quotation leaves sentences out
TOUCHING = 2  # characters between neighbours: only white space is so short


@dataclass(frozen=True, slots=True)
class Shown:
    """A quotation: its verbatim runs in order, and all of it as one text.

    `start` and `end` are those of the selected sentences with what they announce: what
    a citation points to, so that a list and its items are one (R-I3).
    """

    text: str
    quotes: tuple[Quote, ...]
    start: int
    end: int


def shown(chunk: Chunk, sentences: Iterable[int]) -> Shown:
    """Sentences of a chunk with all that they lean on and announce, in its order.

    Args:
        chunk: whose sentences they are.
        sentences: indices of selectable ones; at least one.
    """
    chosen = [chunk.sentences[at] for at in sorted(set(sentences))]
    quotes = tuple(verbatim(chunk, _needed(chosen)))
    return _shown(chunk, chosen, quotes)


def goes_on(
    above: Sequence[Quote], chunk: Chunk, sentences: Iterable[int]
) -> Shown | None:
    """The same as the end of the quotation above, which holds what they lean on.

    So the items of one list share its lead-in, and what stands there already is not
    shown again. None where nothing is shared, or where the source has them in another
    order.
    """
    chosen = [chunk.sentences[at] for at in sorted(set(sentences))]
    needed = _needed(chosen)
    new = [span for span in needed if not any(_holds(q, chunk, span) for q in above)]
    before = any(span.start < above[-1].end for span in new)
    if len(new) == len(needed) or before:
        return None
    return _shown(chunk, chosen, (*above, *verbatim(chunk, new)))


def _shown(
    chunk: Chunk, chosen: Sequence[Sentence], quotes: tuple[Quote, ...]
) -> Shown:
    ends = (s.announces.end if s.announces else s.end for s in chosen)
    end = min(chunk.end, max(ends))
    text = joined(quotes)
    if is_cut(chunk, quotes[-1]):
        text = f"{text}\n{OMITTED}"
    return Shown(text, quotes, chosen[0].start, max(end, chosen[-1].end))


def is_cut(chunk: Chunk, quote: Quote) -> bool:
    """Whether the sentence at the end of a quote of a chunk goes on behind it."""
    return any(
        sentence.cut and sentence.end == quote.end for sentence in chunk.sentences
    )


def _needed(chosen: Sequence[Sentence]) -> list[Span]:
    needed = [Span(start=s.start, end=s.end) for s in chosen]
    for sentence in chosen:
        needed += sentence.leans_on
        needed += [sentence.announces] if sentence.announces else []
    return needed


def _holds(quote: Quote, chunk: Chunk, span: Span) -> bool:
    same = (quote.document, quote.version) == (chunk.document, chunk.version)
    return same and quote.start <= span.start and span.end <= quote.end


def verbatim(chunk: Chunk, needed: Sequence[Span]) -> Iterator[Quote]:
    """The runs of a chunk's spans: what overlaps or touches inside it is one."""
    run: Span | None = None
    for span in sorted(needed, key=lambda s: (s.start, -s.end)):
        if run is None:
            run = span
        elif span.end <= run.end:
            continue
        elif span.start < run.end or _touch(chunk, run, span):
            run = Span(start=run.start, end=span.end)
        else:
            yield _quote(chunk, run)
            run = span
    if run is not None:
        yield _quote(chunk, run)


def _touch(chunk: Chunk, one: Span, two: Span) -> bool:
    """Whether only white space of the chunk stands between two spans of it."""
    inside = chunk.start <= one.start and two.end <= chunk.end
    between = chunk.text[one.end - chunk.start : two.start - chunk.start]
    return inside and not between.strip()


def _quote(chunk: Chunk, span: Span) -> Quote:
    return Quote(
        text=text_at(chunk, span.start, span.end),
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=span.start,
        end=span.end,
    )


def text_at(chunk: Chunk, start: int, end: int) -> str:
    """What stands at [start, end) of a chunk's document: in it, or in its context.

    Raises:
        KeyError: the chunk does not hold it.
    """
    if chunk.start <= start and end <= chunk.end:
        return chunk.text[start - chunk.start : end - chunk.start]
    for excerpt in chunk.context:
        if (excerpt.start, excerpt.end) == (start, end):
            return excerpt.text
    raise KeyError(f"{start} to {end} is not of chunk {chunk.id}")


def joined(quotes: Sequence[Quote]) -> str:
    """The runs of one quotation as one text."""
    pieces = [quotes[0].text]
    for before, quote in pairwise(quotes):
        if quote.start - before.end > TOUCHING:
            pieces.append(OMITTED)
        pieces.append(quote.text)
    return "\n".join(pieces)
