"""From a picked sentence to a passage that can be read alone: pure, over one chunk."""

from collections.abc import Sequence
from dataclasses import dataclass

import re2

from engine.corpus_records import BlockKind, Sentence
from engine.records import Chunk

LONGEST_LIST = 900  # characters of a list that is shown whole
LONGEST_PASSAGE = 1_600  # characters of one passage
PARAGRAPH = 450  # characters of a paragraph that are shown around a sentence

# A sentence that opens like this leans on the one before it.
_LEANS = re2.compile(
    r"(?i)^(?:this|these|those|that|it|its|they|their|them|he|she|such|both|the (?:first|"
    r"second|third|latter|former|same|other)|however|also|but|in addition|additionally|"
    r"otherwise|instead|then|thus|therefore|for (?:example|instance|this reason|these "
    r"reasons)|as a result|because of this|in this case|in that case|if so|similarly|"
    r"likewise|on the other hand|here|there)\b"
)


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """Sentences `first` to `last` (inclusive) of one chunk."""

    first: int
    last: int

    def span(self, chunk: Chunk) -> tuple[int, int]:
        """Offsets in the canonical text."""
        return chunk.sentences[self.first].start, chunk.sentences[self.last].end


def text_of(chunk: Chunk, sentence: Sentence) -> str:
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def readable(chunk: Chunk, at: int) -> tuple[Range, ...]:
    """The ranges that make sentence `at` readable: itself with what it leans on.

    A list item comes with its lead-in and, where the list is short, its siblings; a
    sentence with as much of its paragraph as fits, and with the list or code that the
    paragraph announces; a heading with the sentences under it; a passage that opens with
    "This" or "However" with the sentence before it.
    """
    sentence = chunk.sentences[at]
    if sentence.kind is BlockKind.LIST_ITEM:
        return _list(chunk, at)
    if sentence.kind is BlockKind.HEADING:
        return (Range(at, _under_heading(chunk, at)),)
    if sentence.kind is BlockKind.CODE:
        return (Range(_before_code(chunk, at), at),)
    first, last = _paragraph(chunk, at)
    if first > 0 and _LEANS.search(text_of(chunk, chunk.sentences[first])):
        before = chunk.sentences[first - 1]
        if before.kind is BlockKind.PARAGRAPH and before.quotable:
            first -= 1
    return (Range(first, _announced(chunk, last)),)


def _paragraph(chunk: Chunk, at: int) -> tuple[int, int]:
    """As much of the paragraph around a sentence as fits, what follows first."""
    sentences = chunk.sentences
    block, kind = sentences[at].block, sentences[at].kind
    first = last = at
    growing = True
    while growing:
        growing = False
        for left, right in ((first, last + 1), (first - 1, last)):
            if left < 0 or right >= len(sentences):
                continue
            edge = sentences[left if left < first else right]
            inside = edge.block == block and edge.kind is kind
            if inside and _fits(chunk, left, right, PARAGRAPH):
                first, last = left, right
                growing = True
    return first, last


def _fits(chunk: Chunk, first: int, last: int, limit: int) -> bool:
    sentences = chunk.sentences
    return sentences[last].end - sentences[first].start <= limit and all(
        s.quotable for s in sentences[first : last + 1]
    )


def _list(chunk: Chunk, at: int) -> tuple[Range, ...]:
    """A list item with its lead-in; the whole list where it is short."""
    sentences = chunk.sentences
    lead = sentences[at].lead_in
    first = last = at
    while first > 0 and _sibling(sentences[first - 1], lead):
        first -= 1
    while last + 1 < len(sentences) and _sibling(sentences[last + 1], lead):
        last += 1
    before = first - 1
    joined = (
        lead is not None
        and before >= 0
        and sentences[before].start <= lead.start < sentences[before].end
    )
    if joined and _fits(chunk, before, last, LONGEST_LIST):
        return (Range(before, last),)
    if lead is None and _fits(chunk, first, last, LONGEST_LIST // 2):
        return (Range(first, last),)
    item = Range(*_item(sentences, at))
    if joined and sentences[before].quotable:
        return (Range(before, before), item)
    return (item,)


def _sibling(sentence: Sentence, lead: object) -> bool:
    return sentence.kind is BlockKind.LIST_ITEM and sentence.lead_in == lead


def _item(sentences: Sequence[Sentence], at: int) -> tuple[int, int]:
    """All sentences of the list item that sentence `at` belongs to."""
    first = last = at
    while first > 0 and sentences[first - 1].block == sentences[at].block:
        first -= 1
    while last + 1 < len(sentences) and sentences[last + 1].block == sentences[at].block:
        last += 1
    return first, last


def _under_heading(chunk: Chunk, at: int) -> int:
    """Index of the last sentence of the paragraph under a heading, two at most."""
    last = at
    for nxt in range(at + 1, min(at + 3, len(chunk.sentences))):
        if chunk.sentences[nxt].kind is BlockKind.HEADING:
            break
        last = nxt
    if last > at and text_of(chunk, chunk.sentences[last]).rstrip().endswith(":"):
        last = _announced(chunk, last)
    return last


def _before_code(chunk: Chunk, at: int) -> int:
    """Index of the sentence that introduces a code block."""
    if at > 0 and chunk.sentences[at - 1].kind is not BlockKind.CODE:
        if _fits(chunk, at - 1, at, LONGEST_PASSAGE):
            return at - 1
    return at


def _announced(chunk: Chunk, at: int) -> int:
    """Index of the last sentence that a colon at the end of sentence `at` announces."""
    text = text_of(chunk, chunk.sentences[at]).rstrip()
    label = len(text) < 60 and text[-1:] not in ".!?"
    if not text.endswith(":") and not label:
        return at
    last = at
    follows = chunk.sentences[at + 1 :]
    if not follows:
        return at
    kind = follows[0].kind
    if kind in (BlockKind.HEADING,):
        return at
    if kind in (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW):
        while (
            last + 1 < len(chunk.sentences)
            and chunk.sentences[last + 1].kind is kind
            and _fits(chunk, at, last + 1, LONGEST_LIST)
        ):
            last += 1
        return last
    return at + 1 if _fits(chunk, at, at + 1, LONGEST_PASSAGE) else at


def join(ranges: Sequence[Range]) -> list[Range]:
    """Merge ranges of one chunk that overlap or touch, in order."""
    merged: list[Range] = []
    for item in sorted(ranges):
        if merged and item.first <= merged[-1].last + 1:
            merged[-1] = Range(merged[-1].first, max(merged[-1].last, item.last))
        else:
            merged.append(item)
    return merged
