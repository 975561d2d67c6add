"""The index on a Weaviate server: the port `Index` for teams and several workers.

It gives what the embedded index gives: the same candidates with the same scores, but
for what the server's approximate vector search misses. The server holds vectors and
words of passages that never change; what of them is in force is said by the ledger. A
search that cannot run raises IndexFailed within the server's deadline. A server that
comes back is used again.
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
    asked_tenants,
)
from adapters.index.weaviate_objects import Version, chunk_of, token_key, tokens_of
from adapters.index.weaviate_search import Searching, candidates, ranked
from adapters.index.weaviate_shelf import At, Kind, Names, Quantizer, Shelf
from adapters.index.weaviate_writer import GRACE_S, Writer, lost
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
_LOOKED_AT = 5  # newest documents of a tenant whose vectors `doctor` looks for
_AT_ONCE = 4  # tenants looked at side by side

Answer = TypeVar("Answer")


class WeaviateIndex:
    """the port `Index` on a server.

    Documents belong to a tenant; those of the tenant "shared" are seen by all. Nothing
    is asked of the server before the first call.

    Args:
        server: where it is and how long it may take.
        names: what its collections are called.
        keys: which collection is in force, and which keys in it.
        quantizer: of collections that are made from now on.
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
        # Asker's tenant, pack and chunk id -> tenant and object, for what a search has
        # shown him.
        self._places: OrderedDict[tuple[str, str, str], tuple[At, UUID]] = OrderedDict()
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

        Of a document that is not wholly found it names no version: put it again. No
        question waits for it. A new process reads the catalogue, which has no deadline
        as a whole; each of its calls has.
        """
        held = await self._again(lambda: self._current(pack, tenant))
        broken = self._writer.broken
        return {
            row.document: "" if (tenant, pack, row.document) in broken else row.version
            for row in (version.row for version in held)
        }

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Document id -> access tags of its current version (R-S8)."""
        held = await self._again(lambda: self._current(pack, tenant))
        return {version.row.document: version.tags for version in held}

    async def _current(self, pack: str, tenant: str) -> Sequence[Version]:
        if await self._shelf.place() is None:
            return ()
        return (await self._newest(tenant)).current(pack)

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = SHARED
    ) -> tuple[Chunk, ...]:
        """The chunks up to `reach` before and after, without the chunk itself."""
        wanted = (pack, chunk.document, chunk.version)

        async def read() -> tuple[Chunk, ...]:
            for holder in reversed(asked_tenants(tenant)):
                part = await self._newest(holder)
                rows = [version.row for version in part.versions]
                same = [r for r in rows if (r.pack, r.document, r.version) == wanted]
                if same:
                    return await self._around(part.at, same[-1], chunk, reach)
            return ()

        return await self._steadily("reading what stands around", read)

    async def prepare(self) -> None:
        """Make an empty index where there is none."""
        await self._writer.prepare()

    async def begin(self, *, fresh: bool = False) -> int:
        """Make an empty index to be filled, or mend the one that is there.

        Others go on reading the one before.

        Args:
            fresh: even where there is one that this program can read.

        Returns:
            How many indexes were deleted that others began so and did not end.
        """
        return await self._writer.begin(fresh=fresh)

    async def take_over(self) -> None:
        """Let everybody read what this index holds, and delete all it replaces."""
        await self._writer.take_over()

    async def compact(self, grace: float = GRACE_S) -> int:
        """Delete what was dropped `grace` seconds ago; how many chunks were removed."""
        return await self._writer.compact(grace)

    async def sizes(self) -> Sizes:
        """What the shared tenant holds."""
        place = await self._shelf.needed()
        rows = await self._keys.keys(place.name, SHARED)
        current = [row.chunks for row in rows if row.state is State.CURRENT]
        dropped = [row.chunks for row in rows if row.state not in IN_FORCE]
        return Sizes(
            bytes=None,
            documents=len(current),
            chunks=sum(current),
            dropped_chunks=sum(dropped),
        )

    async def doubts(self) -> str | None:
        """Whether every tenant's newest documents are found by their own vectors."""
        place = await self._shelf.needed()
        free = asyncio.Semaphore(_AT_ONCE)
        missed, said = 0, list[str]()

        async def look(tenant: str) -> None:
            nonlocal missed
            async with free:
                try:
                    part = await self._catalogue.part(place, tenant)
                    for version in part.versions[-_LOOKED_AT:]:
                        missed += await lost(self._shelf, part.at, version.row)
                except TenantInactive as error:
                    said.append(str(error))

        await asyncio.gather(*map(look, await self._keys.tenants(place.name)))
        if missed:
            said.append(
                f"{missed} passages are stored and not found by their vectors, since "
                "the server was stopped hard: run `groundrule reindex`, which mends "
                "them"
            )
        return "; ".join(sorted(said)) or None

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
        except IndexReplaced as error:
            if self._shelf.begun is not None:
                raise IndexFailed(
                    "the index that was begun here was deleted by another "
                    "`groundrule reindex`: let one of them run alone"
                ) from error
            self._places.clear()
        return await read()

    async def _newest(self, tenant: str) -> Part:
        return await self._catalogue.part(await self._shelf.needed(), tenant)

    async def _search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        stems = query_stems(query.terms)
        limit = min(query.limit, MOST_CANDIDATES)
        view = await self._catalogue.view(query.scope.tenant)
        # In a thread: over a large index the first time takes tens of milliseconds.
        seen = await asyncio.to_thread(view.counted, query)
        arms = await self._searching.look(seen, query, stems, limit)
        self.refused += arms.refused
        if not arms.hits:
            return ()
        ordered, scores = ranked(seen, arms, query, stems)
        for hit in ordered:
            scope = query.scope
            place = (scope.tenant, scope.pack, str(hit.properties["chunk"]))
            self._places[place] = (hit.at, hit.key)
            self._places.move_to_end(place)
        while len(self._places) > _PLACES:
            self._places.popitem(last=False)
        return candidates(arms, ordered, scores, limit)

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
                place[2]: self._places[place]
                for place in shown
                if place in self._places and self._places[place][0].tenant == holder
            }
            for at in {at for at, _ in keys.values()}:
                mine = {
                    chunk: key for chunk, (where, key) in keys.items() if where == at
                }
                found |= await self._tokens(at, mine)
        for holder in reversed(asked_tenants(tenant)):
            missing = [chunk for chunk in chunks if chunk not in found]
            if missing:
                part = await self._newest(holder)
                places = await self._stored_places(part, pack, missing)
                found |= await self._tokens(part.at, places)
        missing = [chunk for chunk in chunks if chunk not in found]
        if missing:
            raise IndexFailed(f"the index holds no chunk {missing[0]} in {pack}")
        return {chunk: found[chunk] for chunk in chunks}

    async def _tokens(
        self, at: At, places: Mapping[str, UUID]
    ) -> dict[str, TokenVectors]:
        if not places:
            return {}
        names = {token_key(key): chunk for chunk, key in places.items()}
        fetched = await self._shelf.fetch_by_name(
            at, "fetching token vectors", list(names), ["tokens"]
        )
        return {names[key]: tokens_of(properties) for key, properties in fetched}

    async def _stored_places(
        self, part: Part, pack: str, chunks: Sequence[str]
    ) -> dict[str, UUID]:
        """Where a tenant's chunks stand; the newest of each name."""
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

    async def _around(
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
            chunk_of(properties)
            for _, properties in await self._shelf.fetch(
                at, doing, where, ["body"], _MOST_NAMED
            )
        ]
        found.sort(key=lambda other: other.ordinal)
        return tuple(other for other in found if other.ordinal != chunk.ordinal)
