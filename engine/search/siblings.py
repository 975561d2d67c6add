"""Neighbouring passages that belong to those to be quoted.

The exceptions of a long section are in its last passage, the level of evidence of a
recommendation often in another section of its page, a record's fields in several
passages. They are read after the gate, so that they open none.
"""

from collections.abc import Iterator, Sequence

from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.policy.mix import FieldRule, LimitRule
from engine.policy.pack import Pack
from engine.search.search import Searcher
from engine.text.instructing import is_withheld
from engine.text.patterns import fold, matches

REACH = 12  # neighbours of a passage that may belong to its section or page
SECTIONS = 5  # whose other passages are read


async def add_siblings(
    searcher: Searcher, opened: Open, question: Question, intent: Intent, pack: Pack
) -> Open:
    """Add to the open gate passages that limit or complete its own, behind them.

    Raises:
        IndexFailed: the index cannot be searched.
    """
    if question.selection is not None or question.evidence is not None:
        return opened
    rule = pack.rule(intent.query_type)
    fields = [field for section in rule.sections for field in section.fields]
    if pack.answer.limits is None and not fields and rule.blocks is None:
        return opened
    sections: dict[tuple[str, str, tuple[str, ...]], list[Chunk]] = {}
    for chunk in opened.chunks:
        sections.setdefault(_section_key(chunk), []).append(chunk)
    found: dict[str, Chunk] = {}
    for own in list(sections.values())[:SECTIONS]:
        first = own[0]
        around = await searcher.index.neighbours(pack.id, first, REACH, question.tenant)
        if pack.answer.limits is not None:
            found |= {c.id: c for c in _find_limiting(own, around, pack.answer.limits)}
        page = [c for c in opened.chunks if c.document == first.document]
        if any(thing.kind == rule.blocks for thing in first.things):
            found |= {c.id: c for c in _find_of_page(page, around)}
        found |= {c.id: c for c in _find_stating(page, around, fields)}
    known = {chunk.id for chunk in opened.chunks}
    more = (chunk for chunk in found.values() if chunk.id not in known)
    return opened.model_copy(update={"chunks": (*opened.chunks, *more)})


def _find_of_page(page: Sequence[Chunk], around: Sequence[Chunk]) -> Iterator[Chunk]:
    """Yield neighbours of the same page: a record's fields may be in any of them."""
    first = page[0]
    for chunk in around:
        same = (chunk.document, chunk.version) == (first.document, first.version)
        if same and not is_withheld(chunk):
            yield chunk.model_copy(update={"relevance": first.relevance, "picks": ()})


def _find_stating(
    page: Sequence[Chunk], around: Sequence[Chunk], fields: Sequence[FieldRule]
) -> Iterator[Chunk]:
    """Yield neighbours of the same page with a field that its passages do not state."""
    said = fold(" ".join(f"{c.title} {c.text}" for c in page))
    lacking = [field for field in fields if not matches(field.patterns, said)]
    for chunk in _find_of_page(page, around):
        if any(matches(field.patterns, fold(chunk.text)) for field in lacking):
            yield chunk


def _section_key(chunk: Chunk) -> tuple[str, str, tuple[str, ...]]:
    return chunk.document, chunk.version, chunk.section


def _find_limiting(
    own: Sequence[Chunk], around: Sequence[Chunk], rule: LimitRule
) -> Iterator[Chunk]:
    """Yield neighbours of the same section that limit it; all, where it names its
    limits.
    """
    known = {chunk.id for chunk in own}
    names = any(matches(rule.named, fold(chunk.text)) for chunk in own)
    for chunk in around:
        if chunk.id in known or _section_key(chunk) != _section_key(own[0]):
            continue
        limits = names or matches(rule.patterns, fold(chunk.text))
        if limits and not is_withheld(chunk):
            yield chunk.model_copy(update={"relevance": own[0].relevance, "picks": ()})
