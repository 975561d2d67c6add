"""An index whose passages are described as the ledger describes them.

An index is a copy that anybody with write access may change. The text of a passage is
checked against the ledger when it is recorded; its metadata are read there at once:
title, dates and publisher, and the address that it is linked to, which has to be one of
its source's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.model.document import Description
from engine.model.passage import Chunk
from engine.model.ports import (
    Candidate,
    CorpusStatistics,
    Entry,
    Index,
    Ledger,
    SearchQuery,
    TokenVectors,
)
from engine.model.question import Scope
from engine.policy.links import permit_link
from engine.policy.pack import Pack, Source

TOLD = ("title", "published", "retrieved", "in_force_from", "in_force_to")


@dataclass(frozen=True, slots=True)
class ReadOnlyIndex:
    """The Index port over an index, unchanged; a subclass overrides one method.

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
        """Leave the index open: its owner closes it."""


@dataclass(frozen=True, slots=True)
class DescribedIndex(ReadOnlyIndex):
    """The Index port over an index, with the ledger's description of each document.

    Args:
        index: finds the passages.
        ledger: describes their documents.
        packs: by id; their registers permit links.
    """

    ledger: Ledger
    packs: Mapping[str, Pack]

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Return the candidates of the index, as the ledger describes them."""
        found = await self.index.search(query)
        chunks = await self._describe([one.chunk for one in found], query.scope)
        return tuple(
            replace(one, chunk=chunk) for one, chunk in zip(found, chunks, strict=True)
        )

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = "shared"
    ) -> tuple[Chunk, ...]:
        """Return the neighbours of a chunk, described as it is: they are of one
        version.
        """
        found = await self.index.neighbours(pack, chunk, reach, tenant)
        told = {name: getattr(chunk, name) for name in (*TOLD, "url", "publisher")}
        return tuple(one.model_copy(update=told) for one in found)

    async def _describe(self, chunks: Sequence[Chunk], scope: Scope) -> list[Chunk]:
        register = self.packs[scope.pack].register()
        versions = {(chunk.document, chunk.version) for chunk in chunks}
        known = await self.ledger.described(scope, versions) if versions else {}
        return [
            describe_chunk(
                chunk,
                known.get((chunk.document, chunk.version)),
                register.get(chunk.source),
            )
            for chunk in chunks
        ]


def link_chunk(chunk: Chunk, source: Source | None) -> Chunk:
    """Set publisher and link of a passage from its source."""
    url = permit_link(chunk.url, source)
    publisher = source.publisher if source else None
    return chunk.model_copy(update={"url": url, "publisher": publisher})


def describe_chunk(
    chunk: Chunk, told: Description | None, source: Source | None
) -> Chunk:
    """Describe a passage by ledger and register; without a link where neither has one.

    Args:
        chunk: as an index has it.
        told: the ledger's description of its version, None where it has none.
        source: of the register, None where it has none.
    """
    known = {name: getattr(told, name) for name in TOLD} if told else {}
    known["url"] = told.url if told else None
    return link_chunk(chunk.model_copy(update=known), source)
