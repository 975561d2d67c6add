"""The index on a Weaviate server: the port `Index` for teams and several workers.

It returns the same candidates with the same scores as the embedded index, except those
that the server's approximate vector search misses. The server holds vectors and words
of passages, which never change; the ledger decides which of them are in force. A search
that cannot run raises IndexFailed within the server's deadline. A server that comes
back is used again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter

from adapters.index.catalogue import Identity
from adapters.index.lexical import list_query_stems
from adapters.index.snapshot import MOST_CANDIDATES
from adapters.index.upkeep import (
    SHARED,
    IndexKey,
    IndexKeys,
    IndexReplaced,
    Sizes,
    State,
    Tags,
    TenantInactive,
)
from adapters.index.weaviate_calls import Calls, Server, Unreachable
from adapters.index.weaviate_catalogue import (
    IN_FORCE,
    Catalogue,
    Part,
    list_visible_tenants,
)
from adapters.index.weaviate_objects import (
    Version,
    make_token_key,
    read_chunk,
    read_tokens,
)
from adapters.index.weaviate_search import Searching, make_candidates, rank_hits
from adapters.index.weaviate_shelf import At, Kind, Names, Quantizer, Shelf
from adapters.index.weaviate_writer import GRACE_S, Writer, count_lost
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

_PLACES = 20_000  # chunks of the last searches whose objects are remembered
_MOST_NAMED = 5_000  # objects fetched by name; the server stops at 10,000
_LOOKED_AT = 5  # newest documents of a tenant whose vectors `doctor` searches for
_AT_ONCE = 4  # tenants checked at once

Answer = TypeVar("Answer")


class WeaviateIndex:
    """The port `Index` on a server.

    Documents belong to a tenant; everybody sees those of the tenant "shared". The
    server is not contacted before the first call.

    Args:
        server: the server's address and deadlines.
        names: the names of its collections.
        keys: the keys and collections that are in force.
        quantizer: the compression of new collections.
    """

    def __init__(
        self,
        server: Server,
        names: Names,
        keys: IndexKeys,
        quantizer: Quantizer = Quantizer.RQ,
    ) -> None:
        self._identity: Identity = names.identity
        self._keys = keys
        self._calls = Calls(server)
        self._shelf = Shelf(self._calls, names, keys)
        self._searching = Searching(self._shelf)
        self._catalogue = Catalogue(self._shelf)
        self._writer = Writer(self._shelf, self._identity, quantizer)
        # Asker's tenant, pack and chunk id -> tenant and object, of search results.
        self._places: OrderedDict[tuple[str, str, str], tuple[At, UUID]] = OrderedDict()
        self.refused = 0  # passages that the server returned and the catalogue hides

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Return the candidates of all retrievers, ordered by best rank in any."""
        self._check(query)
        return await self._run_in_time("searching", lambda: self._search(query))

    async def fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str = SHARED
    ) -> Mapping[str, TokenVectors]:
        """Map chunk ids to token vectors; a missing id raises IndexFailed.

        A tenant's own chunk wins over a shared one of the same id.
        """
        wanted = list(dict.fromkeys(chunks))
        return await self._run_in_time(
            "fetching token vectors", lambda: self._fetch_tokens(pack, wanted, tenant)
        )

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        """Count frequencies over the documents of a scope, cached until they change."""

        async def read() -> CorpusStatistics:
            view = await self._catalogue.view(scope.tenant)
            return await asyncio.to_thread(lambda: view.seen(scope).statistics)

        return await self._run_in_time("counting", read)

    async def put(
        self,
        pack: str,
        document: str,
        entries: Sequence[Entry],
        tenant: str = SHARED,
    ) -> None:
        """Make these entries the current version of the document, in one transaction.

        An earlier version stays searchable for dates inside its period of force if that
        has an end: its own `in_force_to`, or the day before the new version begins.
        """
        await self._retry_once(
            lambda: self._writer.put(pack, document, entries, tenant)
        )

    async def withdraw(self, pack: str, document: str, tenant: str = SHARED) -> None:
        """Take all versions of a document out of search."""
        await self._retry_once(lambda: self._writer.withdraw(pack, document, tenant))

    async def versions(self, pack: str, tenant: str = SHARED) -> Mapping[str, str]:
        """Map document ids to current versions; empty where there is no index yet.

        The version is "" where the document is not found completely and has to be put
        again. In a new process this reads the catalogue, which has no deadline as a
        whole (each of its calls has one), because no question waits for it.
        """
        held = await self._retry_once(lambda: self._list_current(pack, tenant))
        broken = self._writer.broken
        return {
            row.document: "" if (tenant, pack, row.document) in broken else row.version
            for row in (version.row for version in held)
        }

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Map document ids to the access tags of their current versions."""
        held = await self._retry_once(lambda: self._list_current(pack, tenant))
        return {version.row.document: version.tags for version in held}

    async def _list_current(self, pack: str, tenant: str) -> Sequence[Version]:
        if await self._shelf.place() is None:
            return ()
        return (await self._read_newest(tenant)).current(pack)

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = SHARED
    ) -> tuple[Chunk, ...]:
        """Return up to `reach` chunks before and after a chunk, without itself."""
        wanted = (pack, chunk.document, chunk.version)

        async def read() -> tuple[Chunk, ...]:
            for holder in reversed(list_visible_tenants(tenant)):
                part = await self._read_newest(holder)
                rows = [version.row for version in part.versions]
                same = [r for r in rows if (r.pack, r.document, r.version) == wanted]
                if same:
                    return await self._read_around(part.at, same[-1], chunk, reach)
            return ()

        return await self._run_in_time("reading what stands around", read)

    async def prepare(self) -> None:
        """Create an empty index where there is none."""
        await self._writer.prepare()

    async def begin(self, *, fresh: bool = False) -> int:
        """Create an empty index to fill, or repair the existing one.

        Other processes go on reading the previous index.

        Args:
            fresh: create one even where this program can read the existing one.

        Returns:
            The number of unfinished indexes of other processes that were deleted.
        """
        return await self._writer.begin(fresh=fresh)

    async def take_over(self) -> None:
        """Put this index in force for all readers and delete those it replaces."""
        await self._writer.take_over()

    async def compact(self, grace: float = GRACE_S) -> int:
        """Delete what was dropped `grace` seconds ago; return the number of chunks."""
        return await self._writer.compact(grace)

    async def sizes(self) -> Sizes:
        """Measure the shared tenant."""
        place = await self._shelf.needed()
        rows = await self._keys.list_keys(place.name, SHARED)
        current = [row.chunks for row in rows if row.state is State.CURRENT]
        dropped = [row.chunks for row in rows if row.state not in IN_FORCE]
        return Sizes(
            bytes=None,
            documents=len(current),
            chunks=sum(current),
            dropped_chunks=sum(dropped),
        )

    async def doubts(self) -> str | None:
        """Check that every tenant's newest documents are found by their own vectors.

        Return a description of the faults, or None.
        """
        place = await self._shelf.needed()
        free = asyncio.Semaphore(_AT_ONCE)
        missed, said = 0, list[str]()

        async def look(tenant: str) -> None:
            nonlocal missed
            async with free:
                try:
                    part = await self._catalogue.part(place, tenant)
                    for version in part.versions[-_LOOKED_AT:]:
                        missed += await count_lost(self._shelf, part.at, version.row)
                except TenantInactive as error:
                    said.append(str(error))

        await asyncio.gather(*map(look, await self._keys.list_tenants(place.name)))
        if missed:
            said.append(
                f"{missed} passages are stored and not found by their vectors, since "
                "the server was stopped hard: run `groundrule reindex`, which mends "
                "them"
            )
        return "; ".join(sorted(said)) or None

    async def describe(self) -> str:
        """Describe the server for people.

        Raises:
            IndexFailed: the server cannot be used: away, wrong key, or no index.
        """
        meta = await self._calls.call("asking its version", lambda c: c.get_meta())
        await self._read_newest(SHARED)
        place = self._calls.server.place
        return f"Weaviate {meta.get('version', 'of unknown version')} at {place}"

    async def close(self) -> None:
        """Close the connection; calls still running fail."""
        await self._catalogue.close()
        await self._calls.close()

    # --- reading ------------------------------------------------------------------

    async def _run_in_time(
        self,
        doing: str,
        read: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """Run the reads of a question, all within the deadline of a search.

        Args:
            doing: the activity, for the message.
            read: make all calls.

        Raises:
            IndexUnread: the catalogue is not read yet; reading it goes on.
        """
        try:
            async with self._calls.within(doing):
                return await self._retry_once(read)
        except Unreachable as error:
            share = self._catalogue.being_read()
            if share is None:
                raise
            raise IndexUnread(
                f"the catalogue of the index is still being read ({share:.0%} of it): "
                "ask again in a moment"
            ) from error

    async def _retry_once(self, read: Callable[[], Awaitable[Answer]]) -> Answer:
        """Read or write, and repeat it once where another collection replaced this one.

        Raises:
            IndexFailed: the collection that was replaced is being filled here.
        """
        try:
            return await read()
        except IndexReplaced as error:
            if self._shelf.begun is not None:
                raise IndexFailed(
                    "the index that was begun here was deleted by another "
                    "`groundrule reindex`: let one of them run alone"
                ) from error
            self._places.clear()
        return await read()

    async def _read_newest(self, tenant: str) -> Part:
        return await self._catalogue.part(await self._shelf.needed(), tenant)

    async def _search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        stems = list_query_stems(query.terms)
        limit = min(query.limit, MOST_CANDIDATES)
        view = await self._catalogue.view(query.scope.tenant)
        # In a thread, because the first call over a large index takes tens of ms.
        seen = await asyncio.to_thread(view.counted, query)
        hits = await self._searching.look(seen, query, stems, limit)
        self.refused += hits.refused
        if not hits.hits:
            return ()
        ordered, scores = rank_hits(seen, hits, query, stems)
        for hit in ordered:
            scope = query.scope
            place = (scope.tenant, scope.pack, str(hit.properties["chunk"]))
            self._places[place] = (hit.at, hit.key)
            self._places.move_to_end(place)
        while len(self._places) > _PLACES:
            self._places.popitem(last=False)
        return make_candidates(hits, ordered, scores, limit)

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
        """Fetch by the objects of earlier search results, and others by chunk id."""
        found: dict[str, TokenVectors] = {}
        shown = [(tenant, pack, chunk) for chunk in chunks]
        for holder in reversed(list_visible_tenants(tenant)):
            keys = {
                place[2]: self._places[place]
                for place in shown
                if place in self._places and self._places[place][0].tenant == holder
            }
            for at in {at for at, _ in keys.values()}:
                mine = {
                    chunk: key for chunk, (where, key) in keys.items() if where == at
                }
                found |= await self._read_tokens(at, mine)
        for holder in reversed(list_visible_tenants(tenant)):
            missing = [chunk for chunk in chunks if chunk not in found]
            if missing:
                part = await self._read_newest(holder)
                places = await self._find_stored_places(part, pack, missing)
                found |= await self._read_tokens(part.at, places)
        missing = [chunk for chunk in chunks if chunk not in found]
        if missing:
            raise IndexFailed(f"the index holds no chunk {missing[0]} in {pack}")
        return {chunk: found[chunk] for chunk in chunks}

    async def _read_tokens(
        self, at: At, places: Mapping[str, UUID]
    ) -> dict[str, TokenVectors]:
        if not places:
            return {}
        names = {make_token_key(key): chunk for chunk, key in places.items()}
        fetched = await self._shelf.fetch_by_name(
            at, "fetching token vectors", list(names), ["tokens"]
        )
        return {names[key]: read_tokens(properties) for key, properties in fetched}

    async def _find_stored_places(
        self, part: Part, pack: str, chunks: Sequence[str]
    ) -> dict[str, UUID]:
        """Find the objects of a tenant's chunks, the newest of each id."""
        rows = [version.row for version in part.versions]
        came = {row.key: row.came for row in rows if row.pack == pack}
        if not came:
            return {}
        by = Filter.by_property
        where = (
            by("kind").equal(Kind.CHUNK.value)
            & by("pack").equal(pack)
            & by("chunk").contains_any(list(chunks))
        )
        doing, fields = "looking for chunks", ["chunk", "owner"]
        found = await self._shelf.fetch(part.at, doing, where, fields, _MOST_NAMED)
        stored = [
            (came[owner], str(properties["chunk"]), key)
            for key, properties in found
            if (owner := str(properties["owner"])) in came
        ]
        return {chunk: key for _, chunk, key in sorted(stored)}

    async def _read_around(
        self, at: At, row: IndexKey, chunk: Chunk, reach: int
    ) -> tuple[Chunk, ...]:
        by = Filter.by_property
        where = (
            by("owner").equal(row.key)
            & by("kind").equal(Kind.CHUNK.value)
            & by("ordinal").greater_or_equal(chunk.ordinal - reach)
            & by("ordinal").less_or_equal(chunk.ordinal + reach)
        )
        doing = "reading what stands around"
        found = [
            read_chunk(properties)
            for _, properties in await self._shelf.fetch(
                at, doing, where, ["body"], _MOST_NAMED
            )
        ]
        found.sort(key=lambda other: other.ordinal)
        return tuple(other for other in found if other.ordinal != chunk.ordinal)
