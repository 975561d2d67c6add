"""Footnotes: which sentences a note belongs to, so that none is shown without it.

A loader that knows notes writes a mark at each reference and the note behind the
paragraph (INTERFACES, Notes): "… overnight.[note 1]", then "[note 1] Members only". In
other texts a paragraph that begins with "*", "†" or a raised figure is a note to the
sentences above it that end with that mark.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

from engine.model.document import Block, BlockKind, Sentence

_MARK = re2.compile(r"\[note (\d{1,6})\]")
_TYPED = re2.compile(
    r"^(\*{1,4}|[\x{2020}\x{2021}\x{a7}]{1,3}|[\x{b9}\x{b2}\x{b3}\x{2074}-\x{2079}]{1,3}"
    r"|\^\p{Ll})\)?[\s\x{a0}]*[\pL\pN\"(]"
)
_REFERS = re2.compile(
    r"[\pL\pN.!?)\]%\x{20ac}$\"\x{201d}](\*{1,4}|[\x{2020}\x{2021}\x{a7}]{1,3}|"
    r"[\x{b9}\x{b2}\x{b3}\x{2074}-\x{2079}]{1,3}|\^\p{Ll})\)?(?:[\s.,;:!?)|]|$)"
)
_NOTES = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})
MOST_BLOCKS = 400  # between a reference and a note that only its sign marks


def format_mark(number: int) -> str:
    """Format the mark of a note, in the reference and at its beginning."""
    return f"[note {number}]"


def find_numbers(text: str) -> list[int]:
    """Return the numbers of the notes that a text refers to."""
    return [int(number) for number in _MARK.findall(text)]


def strip_marks(text: str) -> str:
    """Remove the marks of notes: their numbers are no figures of the text."""
    return str(_MARK.sub("", text)) if "[note " in text else text


@dataclass(slots=True)
class Notes:
    """The notes of a document: for each sentence the sentences of the notes it refers
    to.

    `first` is the sentence with the first reference to a note, by the note's sentences.
    """

    of: dict[int, set[int]] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)

    def with_notes(self, needed: frozenset[int]) -> frozenset[int]:
        """Return sentences with the notes to them, and the notes to those."""
        found, new = set(needed), set(needed)
        while new:
            new = {note for at in new for note in self.of.get(at, ())} - found
            found |= new
        return frozenset(found)


def read_notes(
    text: str, blocks: Sequence[Block], sentences: Sequence[Sentence]
) -> Notes:
    """Assign the notes of a document to sentences.

    Notes to a heading belong to every sentence below it.
    """
    noted = Notes()
    inside: dict[int, list[int]] = {}
    for at, sentence in enumerate(sentences):
        inside.setdefault(sentence.block, []).append(at)
    _read_marked(text, blocks, sentences, inside, noted)
    _read_typed(text, blocks, sentences, inside, noted)
    return noted


Inside = dict[int, list[int]]


def _read_marked(
    text: str,
    blocks: Sequence[Block],
    sentences: Sequence[Sentence],
    inside: Inside,
    noted: Notes,
) -> None:
    """Add notes that the loader knows, by the marks that it wrote."""
    known = {
        block.note: inside.get(index, [])
        for index, block in enumerate(blocks)
        if block.note
    }
    if not known:
        return
    above: list[tuple[int, set[int]]] = []  # headings by level, with their notes
    for at, sentence in enumerate(sentences):
        block = blocks[sentence.block]
        marks = find_numbers(sentence.of(text))
        own = {n for each in marks for n in known.get(each, ()) if n != at}
        if block.kind is BlockKind.HEADING:
            above = [held for held in above if held[0] < block.level]
            above.append((block.level, own))
            continue
        if not block.note:
            own = own.union(*(held for _, held in above))
        if own:
            noted.of[at] = own
        for note in own:
            noted.first.setdefault(note, at)


def _read_typed(
    text: str,
    blocks: Sequence[Block],
    sentences: Sequence[Sentence],
    inside: Inside,
    noted: Notes,
) -> None:
    """Add notes without marks, which begin with the sign that others end with."""
    refer: dict[str, list[int]] = {}
    for at, sentence in enumerate(sentences):
        for found in _REFERS.finditer(sentence.of(text)):
            refer.setdefault(str(found.group(1)), []).append(at)
    last: dict[str, int] = {}
    for index, block in enumerate(blocks):
        begins = _TYPED.match(block.of(text)) if block.kind in _NOTES else None
        if begins is None or block.note or not inside.get(index):
            continue
        sign = str(begins.group(1))
        since = max(last.get(sign, -1), index - MOST_BLOCKS)
        last[sign] = index
        for at in _select_between(refer.get(sign, ()), sentences, since, index):
            noted.of.setdefault(at, set()).update(inside[index])


def _select_between(
    refer: Sequence[int], sentences: Sequence[Sentence], since: int, until: int
) -> Iterator[int]:
    """Yield those of some sentences that are between two blocks."""
    first = bisect_right(refer, since, key=lambda at: sentences[at].block)
    for at in refer[first:]:
        if sentences[at].block >= until:
            return
        yield at
