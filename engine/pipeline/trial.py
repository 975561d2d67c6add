"""The round trip of a stored question: does the gate open on its passage?

First it is asked without itself in the index: its nearness to its own words says
nothing about the passage. Two of three questions of the oncology demo, all paraphrases,
reach OWN on their own passage so, and none on one of another page. Then it is asked as
if the passage had it already, by somebody who may see the passage. Nothing is recorded,
no one else can find it meanwhile, and no model is asked.
"""

from dataclasses import dataclass, replace
from datetime import date

from engine.gate import decide
from engine.model.gate import Closed
from engine.model.passage import Chunk
from engine.model.ports import Candidate, Embedder, Index, SearchQuery, StoredQuestion
from engine.model.question import Question, Scope
from engine.parse import intent as intents
from engine.policy.pack import Pack
from engine.rank.reading import Reading
from engine.search.described import ReadOnlyIndex
from engine.search.search import SearchBackend, Searcher, find_candidates

ELSEWHERE = "the gate opens on other passages"
BESIDE = "its passage does not speak of it"
OWN = 0.3  # relevance that a passage needs to have without the question
UNSPOKEN = "it holds no word that could be looked for"


@dataclass(frozen=True, slots=True)
class Carrying(ReadOnlyIndex):
    """An index in which one chunk has one stored question more.

    Or none at all, where `asked` is None.
    """

    chunk: Chunk
    asked: StoredQuestion | None = None

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Return the candidates of the index, and the chunk with its question."""
        found = await self.index.search(query)
        if query.sources is not None and self.chunk.source not in query.sources:
            return found
        if self.asked is None:
            others = tuple(c for c in found if c.chunk.id != self.chunk.id)
            held = [c for c in found if c.chunk.id == self.chunk.id]
            bare = held[0] if held else Candidate(self.chunk, None, None)
            return (replace(bare, question=None, asked=None), *others)
        near = float(query.vector @ self.asked.vector)
        for at, candidate in enumerate(found):
            if candidate.chunk.id == self.chunk.id:
                if near > (-1.0 if candidate.question is None else candidate.question):
                    candidate = replace(candidate, question=near, asked=self.asked.text)
                return (*found[:at], candidate, *found[at + 1 :])
        brought = Candidate(self.chunk, None, None, near, self.asked.text)
        return (brought, *found)


@dataclass(frozen=True, slots=True)
class Trial:
    """Tries questions on a pack's corpus, as a tenant's people search it."""

    index: Index
    embedder: Embedder
    reading: Reading
    pack: Pack
    tenant: str
    today: date

    async def fails(self, text: str, chunk: Chunk) -> str | None:
        """Return why the gate does not open on the chunk for a question; None where it
        does.

        Raises:
            IndexFailed: the index cannot be searched.
            EmbedderFailed: the question cannot be encoded.
        """
        encoded = self.embedder.encode_question(text)
        if not len(encoded.tokens):
            return UNSPOKEN
        carrying = Carrying(self.index, chunk, StoredQuestion(text, encoded.vector))
        pack, tags = self.pack, frozenset(chunk.tags)
        question = Question(
            id="trial",
            session="trial",
            text=text,
            pack=pack.id,
            tags=tags,
            tenant=self.tenant,
        )
        scope = Scope(pack=pack.id, tenant=self.tenant, tags=tags)
        statistics = await self.index.statistics(scope)
        intent = intents.read(question, pack, statistics, self.today)
        bare = SearchBackend(Carrying(self.index, chunk), self.embedder)
        alone = await find_candidates(bare, question, intent, pack, statistics)
        judged = await alone.judge(self.reading)
        own = max((c.relevance for c in judged if c.id == chunk.id), default=0.0)
        if own < OWN:
            return f"{BESIDE} ({own:.2f}, {OWN} needed)"
        searcher = Searcher(carrying, self.embedder, self.reading)
        evidence = await searcher.search(question, intent, pack, statistics)
        decision = decide(evidence, intent, pack, pack.register())
        if isinstance(decision, Closed):
            return f"the gate stays closed: {decision.reason.value}"
        if all(opened.id != chunk.id for opened in decision.chunks):
            return ELSEWHERE
        return None
