"""An index that only answers: what stands over another one for a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model.passage import Chunk
from engine.model.ports import (
    Candidate,
    CorpusStatistics,
    Entry,
    Index,
    SearchQuery,
    TokenVectors,
)
from engine.model.question import Scope


@dataclass(frozen=True, slots=True)
class ReadOnlyIndex:
    """The Index port over an index, unchanged; whoever builds on it changes one answer.

    Nothing is written through it, and closing it leaves the index open.
    """

    index: Index

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        return await self.index.search(query)

    async def fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str = "shared"
    ) -> Mapping[str, TokenVectors]:
        return await self.index.fetch_tokens(pack, chunks, tenant)

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        return await self.index.statistics(scope)

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = "shared"
    ) -> tuple[Chunk, ...]:
        return await self.index.neighbours(pack, chunk, reach, tenant)

    async def versions(self, pack: str) -> Mapping[str, str]:
        return await self.index.versions(pack)

    async def put(self, pack: str, document: str, entries: Sequence[Entry]) -> None:
        raise NotImplementedError("nothing is written through it")

    async def withdraw(self, pack: str, document: str) -> None:
        raise NotImplementedError("nothing is written through it")

    async def close(self) -> None:
        """Leave the index open: it is somebody else's."""
