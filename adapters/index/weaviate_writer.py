"""Writes to a Weaviate server, so that every reader sees a whole document or none.

A server has no transactions, and a search that runs while an object is changed may miss
that object. So no object is ever changed. A version is written under a new key and
checked to be found; then one transaction of the ledger puts its key in force. Objects
whose key is not in force are invisible and are swept: versions that ended, versions
that a stopped writer had begun, and objects without a row in the ledger.

A server that is killed keeps its objects, but may lose the last batch of its vector
index, although it had confirmed it, because it persists the index while it still adds
to it. Any later batch makes it persist the earlier ones. So a version's own object is a
separate batch after all its passages. A passage that is lost nevertheless is found by
its words alone; `reindex` then writes its document again, under another key.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeAlias
from uuid import UUID, uuid4

import numpy as np
from weaviate.classes.data import DataObject
from weaviate.classes.query import BM25Operator, Filter, MetadataQuery
from weaviate.collections.classes.batch import BatchObjectReturn

from adapters.index.catalogue import Identity
from adapters.index.upkeep import (
    IndexKey,
    Place,
    State,
    TenantInactive,
)
from adapters.index.weaviate_calls import Unreachable
from adapters.index.weaviate_catalogue import IN_FORCE, read_versions
from adapters.index.weaviate_objects import (
    Properties,
    StoredObjects,
    make_chunk_key,
    make_objects,
    read_vector,
    spread_vector,
)
from adapters.index.weaviate_shelf import (
    VECTOR,
    At,
    Collection,
    Kind,
    Quantizer,
    Shelf,
    create_collection,
    delete_collection,
    list_collections,
    make_tenant_name,
)
from adapters.index.writer import check
from adapters.retrying import Pauses, again
from engine.model.errors import IndexFailed, LedgerFailed
from engine.model.ports import Entry, Floats

GRACE_S = 60.0  # no running search still reads a version that ended so long ago
WHOLE = 3  # complete versions in a row, after which earlier ones count as complete
_PAUSES = Pauses(0.5, 2.0)
_BATCH = 100  # objects of one call, about 2 MB
_AT_ONCE = 2  # batches sent at once
_RIPE = 50  # keys that are swept together while documents are put
_LOOKED_AT = 1_000  # objects without a row, or versions, checked in one call
SAMPLE = 8  # passages of a new version that are searched for, with the last
WORDS = 8  # of the last passage that are searched for
_LOOKS = 4  # searches at once
_READ = 100  # objects read in one call
_NEAREST = (4, 64, 512)  # limits of a search, raised until it finds the passage
# Among very many similar passages the HNSW graph may lose one of them for good
# (weaviate issue 7977, qdrant issue 1788); the passages found instead say the same. A
# node has 64 edges at most.
_ALIKE, _CROWD = 0.15, 64  # cosine distance; passages

Object: TypeAlias = DataObject[Properties, None]


class Writer:
    """The writer of a shelf.

    Raises IndexFailed where nothing became visible and the index is unchanged.
    """

    def __init__(self, shelf: Shelf, identity: Identity, quantizer: Quantizer) -> None:
        self._shelf = shelf
        self._keys = shelf.keys
        self._identity = identity
        self._quantizer = quantizer
        self.broken: set[tuple[str, str, str]] = set()  # tenant, pack, document

    async def put(
        self, pack: str, document: str, entries: Sequence[Entry], tenant: str
    ) -> None:
        """Make these entries the current version of a document.

        It retries where the server is away meanwhile, each time with another key.
        """
        entries = sorted(entries, key=lambda entry: entry.chunk.ordinal)
        check(document, entries, self._identity)
        first = entries[0].chunk
        patience = self._shelf.calls.server.patience
        async for attempt in again(Unreachable, _PAUSES, within=patience):
            with attempt:
                await self.prepare()
                place = await self._shelf.needed()
                at = At(place.name, tenant)
                row = IndexKey(
                    key=str(uuid4()),
                    tenant=tenant,
                    pack=pack,
                    document=document,
                    version=first.version,
                    chunks=len(entries),
                    in_force_from=first.in_force_from,
                    in_force_to=first.in_force_to,
                )
                await self._write(at, row, entries)
                await self._keys.put_in_force(place.name, row, first.retrieved)
        self.broken.discard((tenant, pack, document))
        with suppress(IndexFailed, LedgerFailed):  # the rest is swept later
            ripe = await self._keys.list_stale(place.name, tenant, GRACE_S)
            if len(ripe) >= _RIPE:
                await self._sweep(at, ripe)

    async def withdraw(self, pack: str, document: str, tenant: str) -> None:
        """Withdraw all versions of a document, in the ledger alone."""
        place = await self._shelf.place()
        if place is not None:
            await self._keys.withdraw(place.name, tenant, pack, document)

    async def prepare(self) -> None:
        """Create the collection where there is none.

        Raises:
            IndexFailed: the server holds the collection of an earlier program that the
                ledger does not know; with an empty one beside it, searches would find
                nothing.
        """
        if await self._shelf.place() is not None:
            return
        calls, names = self._shelf.calls, self._shelf.names
        if not all(map(names.readable, await list_collections(calls, names))):
            raise IndexFailed(
                f"the Weaviate server at {calls.server.place} holds this index as an "
                "earlier program made it: run `groundrule reindex`"
            )
        made = await create_collection(calls, names, self._quantizer)
        if not await self._keys.add_place(names.index, made, in_force=True):
            await delete_collection(calls, names, made)  # another process was faster

    # --- one version ------------------------------------------------------------------

    async def _write(self, at: At, row: IndexKey, entries: Sequence[Entry]) -> None:
        """Store a version under its key and check that it is found."""
        await self._keys.claim(at.collection, row)
        try:
            await self._shelf.add(at)
            stored = await asyncio.to_thread(make_objects, row, entries)
            await self._insert(at, _make_data_objects(stored))
            # A separate batch after the passages; see the module's docstring.
            await self._insert(at, [DataObject(stored.version, uuid=row.uuid)])
            await prove_found(self._shelf, at, row, stored)
        except IndexFailed:
            with suppress(LedgerFailed):  # if that fails, it is swept later
                await self._keys.drop(at.collection, [row.key])
            raise

    async def _insert(self, at: At, objects: Sequence[Object]) -> None:
        """Insert objects in batches, preparing one while the server stores another."""
        firsts = iter(range(0, len(objects), _BATCH))
        patience = self._shelf.calls.server.patience

        async def send() -> None:
            for first in firsts:
                ask = partial(_insert, objects[first : first + _BATCH])
                done = await self._shelf.ask(at, "writing", ask, patience)
                if done.has_errors:
                    said = next(iter(done.errors.values())).message
                    raise self._shelf.calls.refused("storing passages", said)

        # All end before a failure is raised, so that none stores objects afterwards.
        sent = asyncio.gather(
            *(send() for _ in range(_AT_ONCE)), return_exceptions=True
        )
        for failure in await sent:
            if failure is not None:
                raise failure

    # --- upkeep -----------------------------------------------------------------------

    async def begin(self, *, fresh: bool) -> int:
        """Begin a new collection, or repair the one in force where it can be kept.

        Returns:
            The number of deleted collections that were not in force, which other
            processes had begun. Nothing tells whether one of them is still being
            filled, so only one machine may write.
        """
        calls, names, keys = self._shelf.calls, self._shelf.names, self._keys
        await self._shelf.started()
        held, known = (
            await list_collections(calls, names),
            await keys.list_places(names.family),
        )
        left = [place for place, in_force in known.items() if not in_force]
        for place in left:
            await keys.forget_place(place)
            await delete_collection(calls, names, place)
        self._shelf.begun = None
        found = await keys.find_place(names.index)
        if found is None and not held:
            await self.prepare()
        elif (
            fresh
            or found is None
            or found.name not in held
            or not names.readable(found.name)
        ):
            made = await create_collection(calls, names, self._quantizer)
            await keys.add_place(names.index, made, in_force=False)
            self._shelf.begun = made
        else:
            await self._each(found, self._mend)
            await self._sweep_unnamed_tenants(found)
        return len(left)

    async def take_over(self) -> None:
        """Put this index in force for all readers and delete those it replaces."""
        calls, names = self._shelf.calls, self._shelf.names
        mine = await self._shelf.needed()
        await self._keys.take_over(names.index, mine.name, names.family)
        self._shelf.begun = None
        for collection in await list_collections(calls, names):
            if collection != mine.name:
                await delete_collection(calls, names, collection)

    async def compact(self, grace: float) -> int:
        """Delete what was dropped `grace` seconds ago; return the number of chunks."""
        place = await self._shelf.place()
        removed = 0

        async def sweep(at: At) -> None:
            nonlocal removed
            ripe = await self._keys.list_stale(at.collection, at.tenant, grace)
            await self._sweep(at, ripe)
            removed += sum(row.chunks for row in ripe if row.state is State.DROPPED)

        if place is not None:
            await self._each(place, sweep)
        return removed

    async def _each(self, place: Place, do: Callable[[At], Awaitable[None]]) -> None:
        """Run `do` for every active tenant; `doubts` reports the inactive ones."""
        for tenant in await self._keys.list_tenants(place.name):
            with suppress(TenantInactive):
                await do(At(place.name, tenant))

    async def _mend(self, at: At) -> None:
        """Find versions that the server lost, and sweep objects without a row.

        A version whose object is gone is withdrawn. One with passages that are not
        found stays in force until its document is put again (`broken`). A stop loses
        the end of the vector index, so versions are checked from the newest back until
        WHOLE in a row are complete.
        """
        await self._shelf.add(at)
        rows = await self._keys.list_keys(at.collection, at.tenant)
        in_force = [row for row in rows if row.state in IN_FORCE]
        there: set[str] = set()
        for first in range(0, len(in_force), _LOOKED_AT):
            some = in_force[first : first + _LOOKED_AT]
            there |= (await read_versions(self._shelf, at, some, ["kind"])).keys()
        for row in in_force:
            if row.key not in there:
                await self._keys.withdraw(
                    at.collection, at.tenant, row.pack, row.document
                )
        whole = 0
        for row in reversed([row for row in in_force if row.key in there]):
            missed = await count_lost(self._shelf, at, row)
            if missed:
                self.broken.add((at.tenant, row.pack, row.document))
            whole = 0 if missed else whole + 1
            if whole == WHOLE:
                break
        await self._sweep_unnamed(at, {row.key for row in rows})

    async def _sweep(self, at: At, rows: Sequence[IndexKey]) -> None:
        """Delete the objects of keys that are not in force, and then their rows."""
        if not rows:
            return
        keys = [row.key for row in rows if row.state is State.DROPPED]
        claims = [row.key for row in rows if row.state is State.WRITTEN]
        if claims:  # `drop` leaves out those that came into force meanwhile
            keys += sorted(await self._keys.drop(at.collection, claims))
        await self._shelf.add(at)
        for first in range(0, len(keys), _RIPE):
            some = keys[first : first + _RIPE]
            await self._shelf.delete(at, some)
            await self._keys.forget(at.collection, some)

    async def _sweep_unnamed(self, at: At, named: set[str]) -> None:
        """Delete objects whose owner is not one of these keys and has no row now."""
        while named:
            known = Filter.by_property("owner").contains_any(sorted(named))
            doing, strange = "looking for what was left", Filter.not_(known)
            found = await self._shelf.fetch(at, doing, strange, ["owner"], _LOOKED_AT)
            # A key is claimed before anything is written under it.
            rows = await self._keys.list_keys(at.collection, at.tenant)
            named = {row.key for row in rows}
            owners = {str(said.get("owner")) for _, said in found} - named
            if not owners:
                return
            await self._shelf.delete(at, sorted(owners))

    async def _sweep_unnamed_tenants(self, place: Place) -> None:
        """Delete the tenants without a key in the ledger."""
        listed = await self._shelf.listed(place.name)
        named = {make_tenant_name(t) for t in await self._keys.list_tenants(place.name)}
        strange = sorted(listed - named)
        if strange:
            await self._shelf.calls.call(
                "deleting tenants",
                lambda c: c.collections.use(place.name).tenants.remove(strange),
                self._shelf.calls.server.patience,
            )


async def _insert(
    objects: Sequence[Object], collection: Collection
) -> BatchObjectReturn:
    return await collection.data.insert_many(objects)


def _make_data_objects(stored: StoredObjects) -> list[Object]:
    """Make the client's objects of a version: each passage, then those that belong."""
    return [
        DataObject(properties, uuid=key, vector={VECTOR: vector.astype(float).tolist()})
        if (vector := stored.vectors.get(key)) is not None
        else DataObject(properties, uuid=key)
        for key, properties in stored.objects.items()
    ]


async def prove_found(
    shelf: Shelf, at: At, row: IndexKey, stored: StoredObjects
) -> None:
    """Check, before it is visible, that every index of the server finds a new version.

    Filters have to find all its objects. A sample of passages is searched by their
    vectors, and the last by some of its words; more words would take longer with the
    size of the index.

    Raises:
        Unreachable: something is not found.
    """
    keys, last = list(stored.vectors), row.chunks - 1
    sample = sorted({*np.linspace(0, last, min(SAMPLE, last + 1), dtype=int)})
    vectors = {keys[place]: stored.vectors[keys[place]] for place in sample}
    spelled = str(stored.objects[keys[last]]["stems"])
    counted, lost, heard = await asyncio.gather(
        _is_counted(shelf, at, row, stored),
        find_missed(shelf, at, vectors),
        _is_found_by_words(shelf, at, keys[last], spelled),
    )
    ways = {"vector": not lost, "words": heard, "filters": counted}
    if not all(ways.values()):
        by = " and ".join(f"by its {way}" for way, found in ways.items() if not found)
        raise Unreachable(
            f"{row.document} was stored and is not all found {by}: the server may have "
            "been restarted meanwhile; if this happens again, run "
            "`groundrule reindex --fresh`"
        )


async def count_lost(shelf: Shelf, at: At, row: IndexKey) -> int:
    """Count the passages of a version that are gone or not found by their vectors."""
    keys = [make_chunk_key(row.uuid, place) for place in range(row.chunks)]
    vectors: dict[UUID, Floats] = {}
    for first in range(0, len(keys), _READ):
        some = keys[first : first + _READ]
        doing = "reading what was stored"
        for key, said in await shelf.fetch_by_name(at, doing, some, ["exact"]):
            vectors[key] = spread_vector(key, read_vector(said))
    return len(keys) - len(vectors) + len(await find_missed(shelf, at, vectors))


async def find_missed(
    shelf: Shelf, at: At, vectors: Mapping[UUID, Floats]
) -> list[UUID]:
    """List the passages that the vector index does not find by their vectors."""
    free = asyncio.Semaphore(_LOOKS)

    async def found(key: UUID, vector: Floats) -> bool:
        async with free:
            # The search is approximate, and better with a higher limit: of a million
            # passages it misses one in some thousands with the lowest.
            for limit in _NEAREST:
                near = await _search_nearest(shelf, at, vector, limit)
                if key in near:
                    return True
                if len(near) < limit:
                    return False
            alike = sum(distance <= _ALIKE for distance in near.values())
            return alike >= _CROWD

    known = await asyncio.gather(*(found(*item) for item in vectors.items()))
    return [key for key, there in zip(vectors, known, strict=True) if not there]


async def _is_counted(
    shelf: Shelf, at: At, row: IndexKey, stored: StoredObjects
) -> bool:
    """Tell whether the filters of a search find all objects of a version."""
    by, said = Filter.by_property, stored.version
    tags: Sequence[str] = [str(tag) for tag in _as_sequence(said["tags"])]
    mine = by("owner").equal(row.key)
    found = (
        mine
        & by("kind").equal(Kind.CHUNK.value)
        & by("pack").equal(row.pack)
        & by("document").equal(row.document)
        & by("source").equal(str(said["source"]))
        & by("demo").equal(bool(said["demo"]))
        & by("restricted").equal(bool(tags))
        & by("begins").greater_or_equal(0)
        & by("ends").greater_or_equal(0)
    )
    if tags:
        found &= by("tags").contains_all(tags)
    others = (Kind.TOKENS, Kind.ASKED, Kind.VERSION)
    wanted = (found, *(mine & by("kind").equal(kind.value) for kind in others))
    doing = "counting what was stored"
    counts = await asyncio.gather(*(shelf.count(at, doing, one) for one in wanted))
    return counts == [row.chunks, row.chunks, stored.asked, 1]


async def _is_found_by_words(shelf: Shelf, at: At, key: UUID, spelled: str) -> bool:
    """Tell whether a passage is found by some of its words together."""
    words = " ".join(sorted(set(spelled.split()))[:WORDS])
    if not words:
        return True
    found = await shelf.ask(
        at,
        "proving what was stored",
        lambda c: c.query.bm25(
            words,
            query_properties=["stems"],
            operator=BM25Operator.and_(),
            filters=Filter.by_id().equal(key),
            limit=1,
            return_properties=[],
        ),
        shelf.calls.server.patience,
    )
    return bool(found.objects)


async def _search_nearest(
    shelf: Shelf, at: At, vector: Floats, limit: int
) -> Mapping[UUID, float]:
    """Search the vector index without a filter; map the hits to their distances."""
    found = await shelf.ask(
        at,
        "proving what was stored",
        lambda c: c.query.near_vector(
            vector.tolist(),
            target_vector=VECTOR,
            limit=limit,
            return_properties=[],
            return_metadata=MetadataQuery(distance=True),
        ),
        shelf.calls.server.patience,
    )
    return {one.uuid: one.metadata.distance or 0.0 for one in found.objects}


def _as_sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
