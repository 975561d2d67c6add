"""Passages that the question of a gap can be attached to (R-Q6).

Only those that everybody may see who asked: the gate opens on no other for them, and
whoever owns the pack holds their tags.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.gap_board import MOST_PASSAGES
from adapters.index.upkeep import SHARED
from adapters.ledger.gaps import Gap
from bot.documents.corpus import Corpus
from bot.documents.indexing import chunks_of
from bot.documents.reindex import current_members, stored
from bot.wiring import Application
from engine.documents.records import Document
from engine.policy.pack import Pack
from engine.ports import Candidate, SearchQuery
from engine.records import Chunk, Scope
from engine.retrieve.search import terms

PER_ARM = 30
_RANK = 60  # of reciprocal rank fusion, as its authors chose it


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage where it stands."""

    corpus: Corpus
    document: Document
    chunk: Chunk


async def search(
    application: Application, pack: Pack, gap: Gap, words: str
) -> Sequence[Chunk]:
    """The passages nearest to some words, of those that all who asked may see.

    Raises:
        IndexFailed: the index cannot be searched.
        EmbedderFailed: the words cannot be encoded.
    """
    found = application.search
    query = SearchQuery(
        terms=terms(words, pack.retrieval.glossary),
        vector=found.embedder.encode_question(words).vector,
        scope=Scope(pack=pack.id, tenant=gap.tenant, tags=gap.tags),
        limit=PER_ARM,
        sources=frozenset(source.id for source in pack.sources if source.trusted),
    )
    candidates = await found.index.search(query)
    return [c.chunk for c in _fused(candidates)[:MOST_PASSAGES]]


def name_of(chunk: Chunk) -> str:
    """A short name of a passage, the same in every process."""
    named = f"{chunk.document}\n{chunk.version}".encode()
    return f"{hashlib.sha256(named).hexdigest()[:16]}-{chunk.start}"


def beginning(chunk: Chunk) -> str:
    """The words of a passage without the headings that it begins with."""
    text = " ".join(chunk.text.split())
    for heading in dict.fromkeys((chunk.title, *chunk.section)):
        text = text.removeprefix(" ".join(heading.split())).lstrip()
    return text


async def named(
    application: Application, pack: Pack, gap: Gap, name: str
) -> Passage | None:
    """The passage of a name; None where it is gone, or not for all who asked.

    Raises:
        LedgerFailed: the documents cannot be read.
    """
    for tenant in (gap.tenant, SHARED):
        corpus = application.corpus(pack, tenant)
        for member in (await current_members(corpus)).values():
            key = f"{member.document}\n{member.version}".encode()
            ours = name.startswith(hashlib.sha256(key).hexdigest()[:16])
            if not ours or (member.tags and not member.tags & gap.tags):
                continue
            document = await stored(corpus, member)
            for chunk in chunks_of(pack, document):
                if name_of(chunk) == name:
                    return Passage(corpus, document, chunk)
    return None


def _fused(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By their ranks in every arm, best first."""
    score = dict.fromkeys((c.chunk.id for c in candidates), 0.0)
    for arm in ("bm25", "cosine", "question"):
        held = [c for c in candidates if getattr(c, arm) is not None]
        held.sort(key=lambda c: getattr(c, arm), reverse=True)
        for rank, candidate in enumerate(held):
            score[candidate.chunk.id] += 1 / (_RANK + rank)
    return sorted(candidates, key=lambda c: -score[c.chunk.id])
