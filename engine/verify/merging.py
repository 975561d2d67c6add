"""Where a section cites too much, neighbours in one passage become one citation."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter

from engine.model.passage import Chunk
from engine.verify.citations import Passage, number
from engine.verify.limits import Part


def merged(parts: list[Part], chunks: Sequence[Chunk], most: int) -> list[Part]:
    """R-I3: where a section cites too much, neighbours in one passage become one.

    Nothing is lost by it: the citation is longer, and still holds what it supports.
    """
    while len(number(chunks, passages_of(parts)).citations) > most:
        near = min(_gaps(passages_of(parts)), key=itemgetter(0), default=None)
        if near is None:
            return parts
        _, one, two = near
        whole = Passage(one.number, one.start, max(one.end, two.end))
        parts = [
            replace(part, passages=tuple(_within(p, whole) for p in part.passages))
            for part in parts
        ]
    return parts


def passages_of(parts: Sequence[Part]) -> list[Passage]:
    return [passage for part in parts for passage in part.passages]


def _gaps(passages: Sequence[Passage]) -> Iterator[tuple[int, Passage, Passage]]:
    """The distance of neighbours in one chunk that do not overlap yet."""
    ordered = sorted(set(passages), key=lambda p: (p.number, p.start, p.end))
    for one, two in pairwise(ordered):
        if one.number == two.number and two.start >= one.end:
            yield two.start - one.end, one, two


def _within(passage: Passage, whole: Passage) -> Passage:
    inside = whole.start <= passage.start and passage.end <= whole.end
    return whole if inside and passage.number == whole.number else passage
