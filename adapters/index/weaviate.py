"""The index on a Weaviate server: the port `Index` for teams and several workers.

It gives what the embedded index gives: the same candidates with the same scores, but
for what the server's approximate vector search misses. A search that cannot run raises
IndexFailed within the server's deadline. A server that comes back is used again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter

from adapters.index.catalogue import Identity
from adapters.index.lexical import query_stems
from adapters.index.snapshot import MOST_CANDIDATES
from adapters.index.upkeep import SHARED, Sizes, Tags
from adapters.index.weaviate_asked import Questions
from adapters.index.weaviate_calls import Calls, Server, Unreachable
from adapters.index.weaviate_catalogue import (
    Catalogue,
    Part,
    Seen,
    View,
    asked_tenants,
)
from adapters.index.weaviate_objects import (
    Head,
    Version,
    chunk_of,
    token_key,
    tokens_of,
)
from adapters.index.weaviate_schema import Kind, Names, Quantizer
from adapters.index.weaviate_search import Arms, Searching, candidates, ranked
from adapters.index.weaviate_shelf import Shelf, was_replaced
from adapters.index.weaviate_upkeep import Upkeep
from adapters.index.weaviate_writer import GRACE_S, Writer
from engine.model.errors import IndexFailed, IndexUnread
from engine.model.passage import Chunk
from engine.model.ports import (
    Candidate,
    CorpusStatistics,
    Entry,
    SearchQuery,
    TokenVectors,
)
from engine.model.question import Scope

_PLACES = 20_000  # chunks whose object is remembered, those of the last searches
_MOST_NAMED = 5_000  # objects asked for by name; the server stops at 10,000

Answer = TypeVar("Answer")


class WeaviateIndex:
    """the port `Index` on a server.

    Documents belong to a tenant; those of the tenant "shared" are seen by all. Nothing
    is asked of the server before the first call.

    Args:
        server: where it is and how long it may take.
        names: what its collections are called.
        quantizer: of collections that are made from now on.
    """

    def __init__(
        self, server: Server, names: Names, quantizer: Quantizer = Quantizer.RQ
    ) -> None:
        self._identity: Identity = names.identity
        self._calls = Calls(server)
        self._shelf = Shelf(self._calls, names)
        self._searching = Searching(self._shelf, Questions(self._shelf))
        self._catalogue = Catalogue(self._shelf)
        self._writer = Writer(self._shelf, self._catalogue, self._identity, quantizer)
        self._upkeep = Upkeep(self._shelf, self._catalogue, self._writer)
        # Asker's tenant, pack and chunk id -> tenant and object, for what a search has
        # shown him.
        self._places: OrderedDict[tuple[str, str, str], tuple[str, UUID]] = (
            OrderedDict()
        )
        self.refused = 0  # passages that the server gave and the catalogue held back

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Candidates of all arms, best rank in any first; scores as in `Candidate`."""
        self._check(query)
        return await self._steadily("searching", lambda: self._search(query))

    async def fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str = SHARED
    ) -> Mapping[str, TokenVectors]:
        """Token vectors by chunk id; a missing id raises IndexFailed.

        Those of a tenant are preferred to shared ones of the same id.
        """
        wanted = list(dict.fromkeys(chunks))
        return await self._steadily(
            "fetching token vectors", lambda: self._fetch_tokens(pack, wanted, tenant)
        )

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        """Frequencies over what a scope may see, kept until the index changes."""

        async def read() -> CorpusStatistics:
            view = await self._catalogue.view(scope.tenant)
            return await asyncio.to_thread(lambda: view.seen(scope).statistics)

        return await self._steadily("counting", read)

    async def put(
        self,
        pack: str,
        document: str,
        entries: Sequence[Entry],
        tenant: str = SHARED,
    ) -> None:
        """Make these entries the current version of the document, in one step.

        An earlier version stays searchable for dates inside its period of force if that
        has an end: its own `in_force_to`, or the day before the new version begins.
        """
        await self._again(lambda: self._writer.put(pack, document, entries, tenant))

    async def withdraw(self, pack: str, document: str, tenant: str = SHARED) -> None:
        """Take all versions of a document out of search."""
        await self._again(lambda: self._writer.withdraw(pack, document, tenant))

    async def versions(self, pack: str, tenant: str = SHARED) -> Mapping[str, str]:
        """Document id -> current version; none where there is no index yet.

        No question waits for it. A new process reads the catalogue, which has no
        deadline as a whole; each of its calls has.
        """

        held = await self._again(lambda: self._current(pack, tenant))
        return {version.document: version.version for version in held}

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Document id -> access tags of its current version (R-S8)."""
        held = await self._again(lambda: self._current(pack, tenant))
        return {version.document: version.tags for version in held}

    async def _current(self, pack: str, tenant: str) -> Sequence[Version]:
        if await self._shelf.collection() is None:
            return ()
        return (await self._newest(tenant)).current(pack)

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = SHARED
    ) -> tuple[Chunk, ...]:
        """The chunks up to `reach` before and after, without the chunk itself."""

        async def read() -> tuple[Chunk, ...]:
            for holder in reversed(asked_tenants(tenant)):
                of_document = (await self._newest(holder)).of(pack, chunk.document)
                same = [v for v in of_document if v.version == chunk.version]
                if same:
                    return await self._around(holder, same[-1], chunk, reach)
            return ()

        return await self._steadily("reading what stands around", read)

    async def prepare(self) -> None:
        """Make an empty index where the server holds none."""
        await self._writer.prepare()

    async def begin(self, *, fresh: bool = False) -> int:
        """Make an empty index to be filled, or mend the one that is there.

        Others go on reading the one before.

        Args:
            fresh: even where there is one that this program can read.

        Returns:
            How many indexes were deleted that others began so and did not end.
        """
        return await self._upkeep.begin(fresh=fresh)

    async def take_over(self) -> None:
        """Let everybody read what this index holds, and delete all it replaces."""
        await self._upkeep.take_over()

    async def compact(self, grace: float = GRACE_S) -> int:
        """Delete what was dropped `grace` seconds ago; how many chunks were removed."""
        return await self._upkeep.compact(grace)

    async def sizes(self) -> Sizes:
        """What the shared tenant holds."""
        part = await self._newest(SHARED)
        current = [version for version in part.versions if version.current]
        return Sizes(
            bytes=None,
            documents=len(current),
            chunks=sum(version.chunks for version in current),
            dropped_chunks=await self._writer.dropped(SHARED),
        )

    async def doubts(self) -> str | None:
        """Whether every tenant's newest documents are found by their own vectors."""
        return await self._upkeep.doubts()

    async def describe(self) -> str:
        """What runs there, for people.

        Raises:
            IndexFailed: the server is not to be used: not there, other key, no index.
        """
        meta = await self._calls.call("asking its version", lambda c: c.get_meta())
        await self._newest(SHARED)
        place = self._calls.server.place
        return f"Weaviate {meta.get('version', 'of unknown version')} at {place}"

    async def close(self) -> None:
        """Close the connection; what is still asked fails."""
        await self._catalogue.close()
        await self._calls.close()

    # --- reading ------------------------------------------------------------------

    async def _steadily(
        self,
        doing: str,
        read: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """Read what a question needs, all of it within the deadline of a search.

        Args:
            doing: what is done, for the message.
            read: makes all its calls.

        Raises:
            IndexUnread: the catalogue was not read by then; it is read on.
        """
        try:
            async with self._calls.within(doing):
                return await self._again(read)
        except Unreachable as error:
            share = self._catalogue.being_read()
            if share is None:
                raise
            raise IndexUnread(
                f"the catalogue of the index is still being read ({share:.0%} of it): "
                "ask again in a moment"
            ) from error

    async def _again(self, read: Callable[[], Awaitable[Answer]]) -> Answer:
        """Read or write, and again where another collection took the place of this.

        What is begun here is never left for the one that others read.
        """
        try:
            return await read()
        except IndexFailed as error:
            if not was_replaced(error):
                raise
            if self._shelf.begun:
                raise IndexFailed(
                    "the index that was begun here was deleted by another `python -m "
                    "bot reindex`: let one of them run alone"
                ) from error
        self._shelf.turn_to(None)
        self._catalogue.forget()
        return await read()

    async def _newest(self, tenant: str) -> Part:
        return await self._catalogue.part(
            tenant, await self._shelf.head(tenant) or Head()
        )

    async def _search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Search what is known, and see at the same time whether it is the newest."""
        tenants = asked_tenants(query.scope.tenant)
        stems = query_stems(query.terms)
        limit = min(query.limit, MOST_CANDIDATES)
        view = self._catalogue.known(query.scope.tenant)
        if view is not None:
            seen = await _seen(view, query)
            heads, arms = await asyncio.gather(
                self._shelf.heads(tenants),
                self._searching.look(seen, query, stems, limit),
            )
            if view.is_at(heads):
                return self._shown(query, seen, arms, stems)
        else:
            heads = await self._shelf.heads(tenants)
        view = await self._catalogue.view(query.scope.tenant, heads)
        seen = await _seen(view, query)
        arms = await self._searching.look(seen, query, stems, limit)
        return self._shown(query, seen, arms, stems)

    def _shown(
        self, query: SearchQuery, seen: Seen, arms: Arms, stems: Sequence[str]
    ) -> tuple[Candidate, ...]:
        self.refused += arms.refused
        if not arms.hits:
            return ()
        ordered, scores = ranked(seen, arms, query, stems)
        found = candidates(arms, ordered, scores, min(query.limit, MOST_CANDIDATES))
        for hit in ordered:
            scope = query.scope
            place = (scope.tenant, scope.pack, str(hit.properties["chunk"]))
            self._places[place] = (hit.tenant, hit.key)
            self._places.move_to_end(place)
        while len(self._places) > _PLACES:
            self._places.popitem(last=False)
        return found

    def _check(self, query: SearchQuery) -> None:
        vector, needed = np.asarray(query.vector), self._identity.dimension
        if vector.shape != (needed,) or not np.isfinite(vector).all():
            raise IndexFailed(
                f"a question's vector has shape {vector.shape} or holds no numbers; "
                f"the index needs {needed} of them"
            )

    async def _fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str
    ) -> Mapping[str, TokenVectors]:
        """By the objects that searches showed, and by name where that was none."""
        found: dict[str, TokenVectors] = {}
        shown = [(tenant, pack, chunk) for chunk in chunks]
        for holder in reversed(asked_tenants(tenant)):
            keys = {
                at[2]: self._places[at][1]
                for at in shown
                if at in self._places and self._places[at][0] == holder
            }
            found |= await self._tokens(holder, keys)
        for holder in reversed(asked_tenants(tenant)):
            missing = [chunk for chunk in chunks if chunk not in found]
            if missing:
                places = await self._stored_places(holder, pack, missing)
                found |= await self._tokens(holder, places)
        missing = [chunk for chunk in chunks if chunk not in found]
        if missing:
            raise IndexFailed(f"the index holds no chunk {missing[0]} in {pack}")
        return {chunk: found[chunk] for chunk in chunks}

    async def _tokens(
        self, tenant: str, places: Mapping[str, UUID]
    ) -> dict[str, TokenVectors]:
        if not places:
            return {}
        names = {token_key(key): chunk for chunk, key in places.items()}
        fetched = await self._shelf.fetch_by_name(
            tenant, "fetching token vectors", list(names), ["tokens"]
        )
        return {names[key]: tokens_of(properties) for key, properties in fetched}

    async def _stored_places(
        self, tenant: str, pack: str, chunks: Sequence[str]
    ) -> dict[str, UUID]:
        """Where a tenant's chunks stand; the newest of each name."""
        part = await self._newest(tenant)
        born = {str(v.key): v.born for v in part.versions if v.pack == pack}
        if not born:
            return {}
        where = (
            Filter.by_property("kind").equal(Kind.CHUNK.value)
            & Filter.by_property("pack").equal(pack)
            & Filter.by_property("chunk").contains_any(list(chunks))
        )
        stored = [
            (born[owner], str(properties["chunk"]), key)
            for key, properties in await self._shelf.fetch(
                tenant, "looking for chunks", where, ["chunk", "owner"], _MOST_NAMED
            )
            if (owner := str(properties["owner"])) in born
        ]
        return {chunk: key for _, chunk, key in sorted(stored)}

    async def _around(
        self, tenant: str, version: Version, chunk: Chunk, reach: int
    ) -> tuple[Chunk, ...]:
        by = Filter.by_property
        where = (
            by("owner").equal(str(version.key))
            & by("kind").equal(Kind.CHUNK.value)
            & by("ordinal").greater_or_equal(chunk.ordinal - reach)
            & by("ordinal").less_or_equal(chunk.ordinal + reach)
        )
        found = [
            chunk_of(properties)
            for _, properties in await self._shelf.fetch(
                tenant, "reading what stands around", where, ["body"], _MOST_NAMED
            )
        ]
        found.sort(key=lambda other: other.ordinal)
        return tuple(other for other in found if other.ordinal != chunk.ordinal)


async def _seen(view: View, query: SearchQuery) -> Seen:
    """In a thread: over a large index the first time takes tens of milliseconds."""
    return await asyncio.to_thread(view.counted, query)
