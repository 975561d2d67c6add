"""A chosen section: its passages are all the evidence.

It is searched for as any passage is, so that no section is shown that a search would
not show: hidden, withdrawn, not in force yet, or a demo text beside real ones.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.model.document import BlockKind
from engine.model.evidence import Evidence, Trace
from engine.model.passage import CHOSEN, Chunk, Pick
from engine.model.ports import SearchQuery
from engine.model.question import ChosenSection, Intent, Question
from engine.policy.pack import Pack
from engine.search.search import Searcher, find_start, make_scope, make_terms
from engine.text.instructing import is_withheld

SHORT = 600  # characters of a section with a list that is read in its own order
FOUND = 60  # passages of a document among which a section is looked for by its title
REACH = 12  # neighbours of a passage that may belong to its section


async def find_section_evidence(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> Evidence:
    """Return the section that a question chose, as a whole, and nothing else.

    It starts with the passage that came nearest to the question; those before it
    follow. A short one with a list keeps its order: what to do first comes first.

    Raises:
        IndexFailed: the index cannot be searched.
    """
    chunks = await _read_section(searcher, question, intent, pack)
    instructing = tuple(sorted(chunk.id for chunk in chunks if is_withheld(chunk)))
    plain = [chunk for chunk in chunks if chunk.id not in instructing]
    near = question.evidence.near if question.evidence is not None else None
    near = None if keeps_order(plain) else near
    at = next((n for n, c in enumerate(plain) if near in range(c.start, c.end)), 0)
    first = [*plain[at:], *plain[:at]][: pack.retrieval.final]
    final = tuple(pick_all(chunk, near) for chunk in first)
    trace = Trace(
        query_type=intent.query_type,
        candidates=len(chunks),
        instructing=instructing,
        profile=searcher.embedder.name,
    )
    return make_evidence(final, trace, pack)


def keeps_order(section: Sequence[Chunk]) -> bool:
    """Return whether a section is short and has a list, which may be steps."""
    kinds = [each.kind for chunk in section for each in chunk.sentences]
    length = sum(len(chunk.text) for chunk in section)
    return kinds.count(BlockKind.LIST_ITEM) > 1 and length <= SHORT


def make_evidence(chosen: Sequence[Chunk], trace: Trace, pack: Pack) -> Evidence:
    """Return passages that were asked for by their place as all the evidence.

    What instructs was taken out of them, and is counted.
    """
    register = pack.register()
    types = Counter(register[c.source].type for c in chosen if c.source in register)
    counted = {
        "removed_filtered": len(trace.instructing),
        "sources_by_type": dict(types),
    }
    return Evidence(
        chunks=tuple(chosen),
        nearest=(),
        answerability=1.0 if chosen else 0.0,
        trace=trace.model_copy(update=counted),
    )


async def _read_section(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> list[Chunk]:
    """Return the passages of the section that the asker may see, in order.

    Its document is searched for the words of its title; its meaning adds nothing.
    """
    chosen = question.evidence
    if chosen is None:
        return []
    seen = make_scope(question, intent)
    query = SearchQuery(
        terms=make_terms(f"{question.text}\n{chosen.section}", {}),
        vector=np.eye(1, searcher.embedder.dimension, dtype=np.float32)[0],
        scope=seen,
        limit=FOUND,
        sources=frozenset(source.id for source in pack.sources if source.trusted),
        document=chosen.document_id,
    )
    found = [c.chunk for c in await searcher.index.search(query)]
    mine = [chunk for chunk in found if is_in_section(chunk, chosen)]
    nearest = (c for c in mine if chosen.near in range(c.start, c.end))
    first = next(nearest, mine[0] if mine else None)
    if first is None:
        return []
    begins = find_start(first)
    if seen.as_of is not None and begins is not None and begins > seen.as_of:
        return []
    around = await searcher.index.neighbours(pack.id, first, REACH, question.tenant)
    mine = [first, *(chunk for chunk in around if is_in_section(chunk, chosen))]
    return sorted(mine, key=lambda chunk: chunk.ordinal)


def is_in_section(chunk: Chunk, chosen: ChosenSection) -> bool:
    """Return whether a passage is in a section."""
    return chunk.document == chosen.document_id and path(chunk) == chosen.section


def path(chunk: Chunk) -> str:
    """Join the headings above a passage to one line; empty where there is none."""
    return " > ".join(chunk.section)


def pick_all(chunk: Chunk, near: int | None) -> Chunk:
    """Pick every sentence of a passage, because a person chose it.

    The one that came nearest to the question has the best score.
    """
    picks = tuple(
        Pick(sentence=at, score=float(sentence.start == near), relevance=1.0)
        for at, sentence in enumerate(chunk.sentences)
    )
    return chunk.model_copy(
        update={"relevance": 1.0, "parts": {CHOSEN: 1.0}, "picks": picks}
    )
