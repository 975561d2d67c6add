"""From a picked sentence to a passage that can be read alone: pure, over one chunk."""

from collections.abc import Sequence
from dataclasses import dataclass

import re2

from engine.context import announces, led_from, may_quote, text_of
from engine.corpus_records import BlockKind
from engine.records import Chunk

COMFORTABLE = 600  # characters a passage grows to while its neighbours fit
LONGEST = 1_600  # characters of a passage with all that it cannot do without

# A sentence that opens like this leans on the one before it.
_LEANS = re2.compile(
    r"(?i)^(?:this|these|those|that|it|its|they|their|them|he|she|such|both|the "
    r"(?:first|second|third|latter|former|same|other)|however|also|but|in addition|"
    r"additionally|otherwise|instead|then|thus|therefore|for (?:example|instance|this "
    r"reason|these reasons)|e\.g\.|as a result|because of this|in this case|in that "
    r"case|if so|similarly|likewise|on the other hand|here|there)\b"
)


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


def readable(chunk: Chunk, at: int) -> tuple[Range, ...]:
    """The ranges that make sentence `at` readable: itself with what it leans on.

    A list item comes with its lead-in; a sentence that ends with a colon with what it
    announces; code with the sentence before it; a heading with the text under it; an
    opening "This" or "However" with the sentence before. Then whole blocks after and
    before are added while the passage stays comfortable. None where a lead-in stands
    in another chunk, or too far from its item.
    """
    sentences = chunk.sentences
    alone = _block(chunk, at)
    core = _led(chunk, alone)
    if core is None or (core != alone and not _whole(chunk, core, LONGEST)):
        return ()
    code = sentences[core.first].kind is BlockKind.CODE
    if core == alone and (code or _leans(chunk, core.first)):
        core = _grown(chunk, core, Range(core.first - 1, core.last), LONGEST)
    while leaves_waiting(chunk, core.last):
        wider = _grown(chunk, core, _with_next(chunk, core), LONGEST)
        if wider == core:
            break
        core = wider
    return (_comfortable(chunk, core),)


def _whole(chunk: Chunk, part: Range, limit: int) -> bool:
    """Whether a range exists, may be quoted and fits the limit."""
    if part.first < 0 or part.last >= len(chunk.sentences):
        return False
    return part.length(chunk) <= limit and may_quote(chunk, part.first, part.last)


def _led(chunk: Chunk, part: Range) -> Range | None:
    """The range from what introduces its list items; None where that is not here."""
    first = led_from(chunk, part.first, part.last)
    return None if first is None else Range(first, part.last)


def _grown(chunk: Chunk, part: Range, wider: Range, limit: int) -> Range:
    """The wider range with its lead-ins where that fits, else the range."""
    if not _whole(chunk, wider, limit):
        return part
    led = _led(chunk, wider)
    return led if led is not None and _whole(chunk, led, limit) else part


def _block(chunk: Chunk, at: int) -> Range:
    """The block around a sentence, or as much of it as is comfortable."""
    sentences = chunk.sentences
    part = Range(at, at)
    while True:
        grown = part
        for wider in (
            Range(part.first, part.last + 1),
            Range(part.first - 1, part.last),
        ):
            if not _whole(chunk, wider, COMFORTABLE):
                continue
            edge = wider.last if wider.last > part.last else wider.first
            if sentences[edge].block == sentences[at].block:
                grown = wider
                break
        if grown == part:
            return part
        part = grown


def _with_next(chunk: Chunk, part: Range) -> Range:
    """The range with the whole block that follows it."""
    sentences = chunk.sentences
    last = part.last + 1
    if last >= len(sentences):
        return Range(part.first, last)
    while (
        last + 1 < len(sentences) and sentences[last + 1].block == sentences[last].block
    ):
        last += 1
    return Range(part.first, last)


def _with_previous(chunk: Chunk, part: Range) -> Range:
    """The range with the whole block before it."""
    sentences = chunk.sentences
    first = part.first - 1
    while first > 0 and sentences[first - 1].block == sentences[first].block:
        first -= 1
    return Range(first, part.last)


def _leans(chunk: Chunk, first: int) -> bool:
    return (
        first > 0 and _LEANS.search(text_of(chunk, chunk.sentences[first])) is not None
    )


def leaves_waiting(chunk: Chunk, last: int) -> bool:
    """Whether a range that ends here leaves its reader waiting."""
    if last + 1 >= len(chunk.sentences):
        return False
    sentence, follows = chunk.sentences[last], chunk.sentences[last + 1]
    if sentence.kind is BlockKind.HEADING:
        return True
    if follows.kind is BlockKind.HEADING:
        return False
    return announces(chunk, last)


def _comfortable(chunk: Chunk, core: Range) -> Range:
    """Add whole blocks after and before while the passage stays comfortable."""
    part = core
    while True:
        after = _with_next(chunk, part)
        before = _with_previous(chunk, part)
        for wider in (after, before):
            edge = wider.last if wider.last > part.last else wider.first
            if not _whole(chunk, wider, COMFORTABLE) or _led(chunk, wider) != wider:
                continue
            if wider is after and chunk.sentences[edge].kind is BlockKind.HEADING:
                continue
            part = wider
            break
        else:
            return part


def join(ranges: Sequence[Range]) -> list[Range]:
    """Merge ranges of one chunk that overlap or touch, in order."""
    merged: list[Range] = []
    for item in sorted(ranges):
        if merged and item.first <= merged[-1].last + 1:
            merged[-1] = Range(merged[-1].first, max(merged[-1].last, item.last))
        else:
            merged.append(item)
    return merged
