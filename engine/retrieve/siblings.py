"""The other passages of a section that is to be quoted, where they limit it (R-A14).

A long section is several passages, and its exceptions stand in the last. They are read
after the gate, so that they open none.
"""

from collections.abc import Iterator, Sequence

from engine.patterns import fold, matches
from engine.policy.mix import LimitRule
from engine.policy.pack import Pack
from engine.records import Chunk, Open, Question
from engine.retrieve.instructing import withheld
from engine.retrieve.search import Searcher

REACH = 12  # passages before and after one that may belong to its section
SECTIONS = 5  # whose other passages are read


async def with_siblings(
    searcher: Searcher, opened: Open, question: Question, pack: Pack
) -> Open:
    """The open gate with passages behind its own that limit what those say.

    Raises:
        IndexFailed: the index cannot be searched.
    """
    rule = pack.answer.limits
    if rule is None or question.selection is not None or question.evidence is not None:
        return opened
    sections: dict[tuple[str, str, tuple[str, ...]], list[Chunk]] = {}
    for chunk in opened.chunks:
        sections.setdefault(_section(chunk), []).append(chunk)
    found: list[Chunk] = []
    for own in list(sections.values())[:SECTIONS]:
        first = own[0]
        around = await searcher.index.neighbours(pack.id, first, REACH, question.tenant)
        found += _limiting(own, around, rule)
    return opened.model_copy(update={"chunks": (*opened.chunks, *found)})


def _section(chunk: Chunk) -> tuple[str, str, tuple[str, ...]]:
    return chunk.document, chunk.version, chunk.section


def _limiting(
    own: Sequence[Chunk], around: Sequence[Chunk], rule: LimitRule
) -> Iterator[Chunk]:
    """Those of the same section that limit it, or all where it names what does."""
    known = {chunk.id for chunk in own}
    names = any(matches(rule.named, fold(chunk.text)) for chunk in own)
    for chunk in around:
        if chunk.id in known or _section(chunk) != _section(own[0]):
            continue
        limits = names or matches(rule.patterns, fold(chunk.text))
        if limits and not withheld(chunk):
            yield chunk.model_copy(update={"relevance": own[0].relevance, "picks": ()})
