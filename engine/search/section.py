"""A chosen section: its passages are all the evidence there is.

It is looked for as any passage is, so nobody is shown a section that a search would not
show them: hidden, withdrawn, not in force yet, or a demo text beside real ones.
"""

from collections import Counter

import numpy as np

from engine.model.evidence import Evidence, Trace
from engine.model.passage import CHOSEN, Chunk, Pick
from engine.model.ports import SearchQuery
from engine.model.question import ChosenSection, Intent, Question
from engine.policy.pack import Pack
from engine.search.search import Searcher, begins_on, scope, terms
from engine.text.instructing import is_withheld

FOUND = 60  # passages of a document among which a section is looked for by its title
REACH = 12  # passages before and after one of a section that may belong to it


async def section_evidence(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> Evidence:
    """Return the section that a question names, as a whole, and nothing else.

    From the passage on that came nearest to what was asked; then what stands before it.

    Raises:
        IndexFailed: the index cannot be searched.
    """
    chunks = await _read(searcher, question, intent, pack)
    instructing = tuple(sorted(chunk.id for chunk in chunks if is_withheld(chunk)))
    plain = [chunk for chunk in chunks if chunk.id not in instructing]
    near = question.evidence.near if question.evidence is not None else None
    at = next((n for n, c in enumerate(plain) if near in range(c.start, c.end)), 0)
    first = [*plain[at:], *plain[:at]][: pack.retrieval.final]
    final = tuple(_whole(chunk, near) for chunk in first)
    register = pack.register()
    types = Counter(register[c.source].type for c in final if c.source in register)
    trace = Trace(
        query_type=intent.query_type,
        candidates=len(chunks),
        instructing=instructing,
        removed_filtered=len(instructing),
        sources_by_type=dict(types),
        profile=searcher.embedder.name,
    )
    return Evidence(
        chunks=final, nearest=(), answerability=1.0 if final else 0.0, trace=trace
    )


async def _read(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> list[Chunk]:
    """Return the passages of the section that the asker may see, in order.

    Its document is searched for the words of its title; the meaning says no more.
    """
    chosen = question.evidence
    if chosen is None:
        return []
    seen = scope(question, intent)
    query = SearchQuery(
        terms=terms(f"{question.text}\n{chosen.section}", {}),
        vector=np.eye(1, searcher.embedder.dimension, dtype=np.float32)[0],
        scope=seen,
        limit=FOUND,
        sources=frozenset(source.id for source in pack.sources if source.trusted),
        document=chosen.document_id,
    )
    found = [c.chunk for c in await searcher.index.search(query)]
    mine = [chunk for chunk in found if is_of(chunk, chosen)]
    nearest = (c for c in mine if chosen.near in range(c.start, c.end))
    first = next(nearest, mine[0] if mine else None)
    if first is None:
        return []
    begins = begins_on(first)
    if seen.as_of is not None and begins is not None and begins > seen.as_of:
        return []
    around = await searcher.index.neighbours(pack.id, first, REACH, question.tenant)
    mine = [first, *(chunk for chunk in around if is_of(chunk, chosen))]
    return sorted(mine, key=lambda chunk: chunk.ordinal)


def is_of(chunk: Chunk, chosen: ChosenSection) -> bool:
    """Return whether a passage stands in a section."""
    return chunk.document == chosen.document_id and path(chunk) == chosen.section


def path(chunk: Chunk) -> str:
    """Return the headings above a passage as one line; empty where there is none."""
    return " > ".join(chunk.section)


def _whole(chunk: Chunk, near: int | None) -> Chunk:
    """Return a passage of which every sentence counts, because a person chose it.

    The one that came nearest to what was asked has the best score.
    """
    picks = tuple(
        Pick(sentence=at, score=float(sentence.start == near), relevance=1.0)
        for at, sentence in enumerate(chunk.sentences)
    )
    return chunk.model_copy(
        update={"relevance": 1.0, "parts": {CHOSEN: 1.0}, "picks": picks}
    )
