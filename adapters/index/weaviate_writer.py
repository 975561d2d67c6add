"""Writing to a Weaviate server so that every reader sees a whole document or none.

A server knows no transactions, and a search that runs while an object is changed may
miss that object. So no object is ever changed. A version is written under a key that
was never used and is proved to be found; then one transaction of the ledger puts its
key in force. Whatever no row of the ledger has in force is seen by nobody, and is swept
away: what ended, what a writer that was stopped had begun, and what no row names.

A server that is killed keeps its objects and may lose the last batch of its vector
index, although it had confirmed it: it writes the index down while it still adds to it.
The next batch, whatever is in it, makes it write down what came before. So a version's
own object is a batch of its own, after all its passages. What is lost all the same is
found by its words alone; `reindex` then writes the document again, under another key.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeAlias
from uuid import UUID, uuid4

import numpy as np
from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_before_delay,
    wait_random_exponential,
)
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
    Written,
    chunk_key,
    spread,
    vector_of,
    written,
)
from adapters.index.weaviate_shelf import (
    VECTOR,
    At,
    Collection,
    Kind,
    Quantizer,
    Shelf,
    create,
    drop,
    family,
    tenant_name,
)
from adapters.index.writer import check
from engine.model.errors import IndexFailed, LedgerFailed
from engine.model.ports import Entry, Floats

GRACE_S = 60.0  # what ended so long ago is read by no search that still runs
WHOLE = 3  # versions in a row that are found say that those before them are, too
_PAUSE_S = 2.0  # between two attempts at most
_BATCH = 100  # objects of one call, about 2 MB
_AT_ONCE = 2  # batches on their way
_RIPE = 50  # keys that are swept together while documents are put in
_LOOKED_AT = 1_000  # objects that no row names, or versions, looked at together
SAMPLE = 8  # passages of a new version that are looked for; the last always is
WORDS = 8  # of the last passage
_LOOKS = 4  # side by side
_READ = 100  # objects of one call
_NEAREST = (4, 64, 512)  # asked for, one after the other, until it is among them
# In a crowd of passages that are all alike the graph of a server may lose the way to
# one of them for good (weaviate issue 7977, qdrant issue 1788); what it finds instead
# says the same. A node keeps 64 ways at most.
_ALIKE, _CROWD = 0.15, 64  # cosine distance; passages

Object: TypeAlias = DataObject[Properties, None]


class Writer:
    """The write side of a shelf.

    Raises IndexFailed where nothing became visible; what was there before is unchanged.
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

        Tried again where the server was away meanwhile, each time under another key.
        """
        entries = sorted(entries, key=lambda entry: entry.chunk.ordinal)
        check(document, entries, self._identity)
        first = entries[0].chunk
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(Unreachable),
            wait=wait_random_exponential(multiplier=0.5, max=_PAUSE_S),
            stop=stop_before_delay(self._shelf.calls.server.patience),
            reraise=True,
        ):
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
        with suppress(IndexFailed, LedgerFailed):  # what is left is swept later
            ripe = await self._keys.stale(place.name, tenant, GRACE_S)
            if len(ripe) >= _RIPE:
                await self._sweep(at, ripe)

    async def withdraw(self, pack: str, document: str, tenant: str) -> None:
        """Take all versions of a document out of force, in the ledger alone."""
        place = await self._shelf.place()
        if place is not None:
            await self._keys.withdraw(place.name, tenant, pack, document)

    async def prepare(self) -> None:
        """Make the collection where there is none.

        Raises:
            IndexFailed: the server holds the collection of an earlier program, of which
                the ledger knows nothing: an empty one beside it would answer that
                nothing was found.
        """
        if await self._shelf.place() is not None:
            return
        calls, names = self._shelf.calls, self._shelf.names
        if not all(map(names.readable, await family(calls, names))):
            raise IndexFailed(
                f"the Weaviate server at {calls.server.place} holds this index as an "
                "earlier program made it: run `groundrule reindex`"
            )
        made = await create(calls, names, self._quantizer)
        if not await self._keys.add_place(names.index, made, in_force=True):
            await drop(calls, names, made)  # another process was faster

    # --- one version ------------------------------------------------------------------

    async def _write(self, at: At, row: IndexKey, entries: Sequence[Entry]) -> None:
        """Store a version under its key and prove that it is found."""
        await self._keys.claim(at.collection, row)
        try:
            await self._shelf.add(at)
            stored = await asyncio.to_thread(written, row, entries)
            await self._insert(at, _objects(stored))
            # A batch of its own, after its passages: see above.
            await self._insert(at, [DataObject(stored.version, uuid=row.uuid)])
            await prove(self._shelf, at, row, stored)
        except IndexFailed:
            with suppress(LedgerFailed):  # else it is swept in time
                await self._keys.drop(at.collection, [row.key])
            raise

    async def _insert(self, at: At, objects: Sequence[Object]) -> None:
        """Insert objects in batches, one made ready while the server takes another."""
        firsts = iter(range(0, len(objects), _BATCH))
        patience = self._shelf.calls.server.patience

        async def send() -> None:
            for first in firsts:
                ask = partial(_insert, objects[first : first + _BATCH])
                done = await self._shelf.ask(at, "writing", ask, patience)
                if done.has_errors:
                    said = next(iter(done.errors.values())).message
                    raise self._shelf.calls.refused("storing passages", said)

        # None is left on its way when one fails: what it brings would come late.
        sent = asyncio.gather(
            *(send() for _ in range(_AT_ONCE)), return_exceptions=True
        )
        for failure in await sent:
            if failure is not None:
                raise failure

    # --- upkeep -----------------------------------------------------------------------

    async def begin(self, *, fresh: bool) -> int:
        """Write to a collection of our own where none is to be kept, else mend that.

        Returns:
            How many collections were deleted that were not in force: others began them
            and did not end. Whether somebody else still fills one cannot be told, so
            only one machine may write.
        """
        calls, names, keys = self._shelf.calls, self._shelf.names, self._keys
        await self._shelf.started()
        held, known = await family(calls, names), await keys.places(names.family)
        left = [place for place, in_force in known.items() if not in_force]
        for place in left:
            await keys.forget_place(place)
            await drop(calls, names, place)
        self._shelf.begun = None
        found = await keys.in_force(names.index)
        if found is None and not held:
            await self.prepare()
        elif (
            fresh
            or found is None
            or found.name not in held
            or not names.readable(found.name)
        ):
            made = await create(calls, names, self._quantizer)
            await keys.add_place(names.index, made, in_force=False)
            self._shelf.begun = made
        else:
            await self._each(found, self._mend)
            await self._sweep_unnamed_tenants(found)
        return len(left)

    async def take_over(self) -> None:
        """Let everybody read what this index holds, and delete all it replaces."""
        calls, names = self._shelf.calls, self._shelf.names
        mine = await self._shelf.needed()
        await self._keys.take_over(names.index, mine.name, names.family)
        self._shelf.begun = None
        for collection in await family(calls, names):
            if collection != mine.name:
                await drop(calls, names, collection)

    async def compact(self, grace: float) -> int:
        """Delete what was dropped `grace` seconds ago; how many chunks were removed."""
        place = await self._shelf.place()
        removed = 0

        async def sweep(at: At) -> None:
            nonlocal removed
            ripe = await self._keys.stale(at.collection, at.tenant, grace)
            await self._sweep(at, ripe)
            removed += sum(row.chunks for row in ripe if row.state is State.DROPPED)

        if place is not None:
            await self._each(place, sweep)
        return removed

    async def _each(self, place: Place, do: Callable[[At], Awaitable[None]]) -> None:
        """Do something for every tenant that is not switched off; `doubts` names it."""
        for tenant in await self._keys.tenants(place.name):
            with suppress(TenantInactive):
                await do(At(place.name, tenant))

    async def _mend(self, at: At) -> None:
        """Find what the server lost, and sweep what no row names.

        A version whose object is gone is taken out of force. One whose passages are not
        all found is in force until its document is put again (`broken`). What a stop
        takes from the vector index is the last that came, so the search for it goes
        back until some versions are whole.
        """
        await self._shelf.add(at)
        rows = await self._keys.keys(at.collection, at.tenant)
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
            missed = await lost(self._shelf, at, row)
            if missed:
                self.broken.add((at.tenant, row.pack, row.document))
            whole = 0 if missed else whole + 1
            if whole == WHOLE:
                break
        await self._sweep_unnamed(at, {row.key for row in rows})

    async def _sweep(self, at: At, rows: Sequence[IndexKey]) -> None:
        """Delete what stands under keys that are not in force, and their rows last."""
        if not rows:
            return
        keys = [row.key for row in rows if row.state is State.DROPPED]
        claims = [row.key for row in rows if row.state is State.WRITTEN]
        if claims:  # one that its writer put in force meanwhile is not among these
            keys += sorted(await self._keys.drop(at.collection, claims))
        await self._shelf.add(at)
        for first in range(0, len(keys), _RIPE):
            some = keys[first : first + _RIPE]
            await self._shelf.delete(at, some)
            await self._keys.forget(at.collection, some)

    async def _sweep_unnamed(self, at: At, named: set[str]) -> None:
        """Delete objects whose owner is none of these keys and has no row since."""
        while named:
            known = Filter.by_property("owner").contains_any(sorted(named))
            doing, strange = "looking for what was left", Filter.not_(known)
            found = await self._shelf.fetch(at, doing, strange, ["owner"], _LOOKED_AT)
            # A key is claimed before anything is written under it.
            rows = await self._keys.keys(at.collection, at.tenant)
            named = {row.key for row in rows}
            owners = {str(said.get("owner")) for _, said in found} - named
            if not owners:
                return
            await self._shelf.delete(at, sorted(owners))

    async def _sweep_unnamed_tenants(self, place: Place) -> None:
        """Delete the tenants of which the ledger has no key."""
        listed = await self._shelf.listed(place.name)
        named = {tenant_name(t) for t in await self._keys.tenants(place.name)}
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


def _objects(stored: Written) -> list[Object]:
    """The passages of a version with what belongs to each behind it."""
    return [
        DataObject(properties, uuid=key, vector={VECTOR: vector.astype(float).tolist()})
        if (vector := stored.vectors.get(key)) is not None
        else DataObject(properties, uuid=key)
        for key, properties in stored.objects.items()
    ]


async def prove(shelf: Shelf, at: At, row: IndexKey, stored: Written) -> None:
    """Look for a new version in every index before anybody sees it.

    Its filters have to find all of it. Some passages are looked for by their vectors,
    and the last by some of its words; more words take the server longer the more it
    holds.

    Raises:
        Unreachable: something is not found.
    """
    keys, last = list(stored.vectors), row.chunks - 1
    sample = sorted({*np.linspace(0, last, min(SAMPLE, last + 1), dtype=int)})
    vectors = {keys[place]: stored.vectors[keys[place]] for place in sample}
    spelled = str(stored.objects[keys[last]]["stems"])
    counted, lost, heard = await asyncio.gather(
        _counted(shelf, at, row, stored),
        missed(shelf, at, vectors),
        _heard(shelf, at, keys[last], spelled),
    )
    ways = {"vector": not lost, "words": heard, "filters": counted}
    if not all(ways.values()):
        by = " and ".join(f"by its {way}" for way, found in ways.items() if not found)
        raise Unreachable(
            f"{row.document} was stored and is not all found {by}: the server may have "
            "been restarted meanwhile; if this happens again, run "
            "`groundrule reindex --fresh`"
        )


async def lost(shelf: Shelf, at: At, row: IndexKey) -> int:
    """How many passages of a version are gone, or not found by their vectors."""
    keys = [chunk_key(row.uuid, place) for place in range(row.chunks)]
    vectors: dict[UUID, Floats] = {}
    for first in range(0, len(keys), _READ):
        some = keys[first : first + _READ]
        doing = "reading what was stored"
        for key, said in await shelf.fetch_by_name(at, doing, some, ["exact"]):
            vectors[key] = spread(key, vector_of(said))
    return len(keys) - len(vectors) + len(await missed(shelf, at, vectors))


async def missed(shelf: Shelf, at: At, vectors: Mapping[UUID, Floats]) -> list[UUID]:
    """Which passages the vector index does not find by their vectors."""
    free = asyncio.Semaphore(_LOOKS)

    async def found(key: UUID, vector: Floats) -> bool:
        async with free:
            # The server searches roughly, and less so the more it is asked for: of a
            # million passages it overlooks one in some thousands at first.
            for limit in _NEAREST:
                near = await _nearest(shelf, at, vector, limit)
                if key in near:
                    return True
                if len(near) < limit:
                    return False
            alike = sum(distance <= _ALIKE for distance in near.values())
            return alike >= _CROWD

    known = await asyncio.gather(*(found(*item) for item in vectors.items()))
    return [key for key, there in zip(vectors, known, strict=True) if not there]


async def _counted(shelf: Shelf, at: At, row: IndexKey, stored: Written) -> bool:
    """Whether the filters of a search find all of it."""
    by, said = Filter.by_property, stored.version
    tags: Sequence[str] = [str(tag) for tag in _listed(said["tags"])]
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


async def _heard(shelf: Shelf, at: At, key: UUID, spelled: str) -> bool:
    """Whether a passage is found by some of its words together."""
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


async def _nearest(
    shelf: Shelf, at: At, vector: Floats, limit: int
) -> Mapping[UUID, float]:
    """What the vector index finds, with its distance; without a filter."""
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


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
