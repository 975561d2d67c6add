"""Writing to a Weaviate server so that every reader sees a whole document or none.

A server knows no transactions. So each object says with which revision it came and
went, a tenant's head says which revision is in force, and a writer changes the head
last: whatever it wrote before that belongs to a revision that nobody reads. A writer
that was killed leaves such objects behind; the next one takes them away before it
writes. One writer works at a time (the lock of the data folder sees to that), and a
head that moved under a writer's hands stops it before it shows anything.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, TypeVar
from uuid import UUID, uuid4

from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_before_delay,
    wait_random_exponential,
)
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter
from weaviate.classes.tenants import Tenant
from weaviate.collections.classes.batch import BatchObjectReturn
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.catalogue import Identity, State
from adapters.index.packing import check
from adapters.index.upkeep import SHARED
from adapters.index.weaviate_calls import Client, Unreachable
from adapters.index.weaviate_catalogue import Catalogue, Part
from adapters.index.weaviate_objects import (
    HEAD,
    Head,
    Properties,
    Version,
    chunk_key,
    new_version,
    token_key,
    token_properties,
    version_key,
    version_properties,
)
from adapters.index.weaviate_proof import Proof
from adapters.index.weaviate_schema import (
    FOREVER,
    VECTOR,
    Kind,
    Quantizer,
    create,
    point,
    target,
    tenant_name,
)
from adapters.index.weaviate_shelf import Collection, Shelf
from adapters.index.writer import end_of_force
from engine.errors import IndexFailed
from engine.ports import Entry
from engine.records import Chunk

GRACE_S = 60.0  # what was replaced so long ago is read by no search that still runs
_PAUSE_S = 2.0  # between two attempts at most
_BATCH = 100  # objects of one call, about 2 MB
_MOST = 1_000  # dropped versions looked at together
_AT_ONCE = 4  # calls that mark objects, side by side

_DELETED_AT_ONCE = 10_000  # objects that the server deletes in one call at most

Object: TypeAlias = DataObject[Properties, None]
Answer = TypeVar("Answer")
Marks: TypeAlias = Mapping[str, object]
Ask: TypeAlias = Callable[[Collection], Awaitable[Answer]]
# What is marked once the change shows; None where there was nothing to change.
Late: TypeAlias = list[tuple[Version, Marks]] | None
Write: TypeAlias = Callable[[Part], Awaitable[Late]]


class Writer:
    """The write side of a shelf.

    Raises IndexFailed where nothing became visible; what was there before is unchanged.
    """

    def __init__(
        self,
        shelf: Shelf,
        catalogue: Catalogue,
        identity: Identity,
        quantizer: Quantizer,
    ) -> None:
        self._shelf = shelf
        self._catalogue = catalogue
        self._identity = identity
        self._quantizer = quantizer
        self._proof = Proof(shelf, identity.dimension)
        self._turn = asyncio.Lock()
        self._clean: dict[str, Head] = {}  # heads with nothing unfinished above them

    async def prepare(self) -> None:
        """Make the collection where there is none."""
        if await self._shelf.collection() is None:
            calls, names = self._shelf.calls, self._shelf.names
            made = await create(calls, names, self._quantizer)
            await point(calls, names, made)
            self._shelf.turn_to(made)

    async def begin(self, *, fresh: bool) -> None:
        """Write to a new collection where the alias names none that is to be kept.

        One that is kept is repaired first.
        """
        calls, names = self._shelf.calls, self._shelf.names
        found = await target(calls, names)
        if found is None:
            await self.prepare()
        elif fresh or not names.readable(found):
            self._shelf.turn_to(await create(calls, names, self._quantizer))
            self._catalogue.forget()
            self._clean.clear()
        elif await self._shelf.has(SHARED):
            async with self._turn:
                await self._repair(SHARED, await self._head(SHARED))

    async def put(
        self, pack: str, document: str, entries: Sequence[Entry], tenant: str
    ) -> None:
        """Make these entries the current version of a document."""
        entries = sorted(entries, key=lambda entry: entry.chunk.ordinal)
        check(document, entries, self._identity)

        async def write(before: Part) -> Late:
            born = before.head.revision + 1
            first = entries[0].chunk
            key = version_key(tenant, first, pack, born)
            version, chunks = new_version(entries, key, pack, born)
            await self._insert(tenant, _objects(version, entries, chunks))
            await self._proof.seal(tenant)
            late = await self._retire(before, version, first)
            await self._proof.show(tenant, version, [e.vector for e in entries])
            return late

        await self._change(tenant, write)

    async def withdraw(self, pack: str, document: str, tenant: str) -> None:
        """Take all versions of a document out of search."""
        await self.prepare()
        if not await self._shelf.has(tenant):
            return

        async def write(before: Part) -> Late:
            found = before.of(pack, document)
            for version in found:
                await self._drop(before, version)
            return [] if found else None

        await self._change(tenant, write)

    async def compact(self, tenant: str, grace: float) -> int:
        """Delete what was dropped longer than `grace` seconds ago; chunks removed."""
        if await self._shelf.collection() is None or not await self._shelf.has(tenant):
            return 0
        async with self._turn:
            removed = await self._purge(tenant, await self._head(tenant), grace)
            self._clean.pop(tenant, None)
            return removed

    async def dropped(self, tenant: str) -> int:
        """How many chunks wait for compaction."""
        if not await self._shelf.has(tenant):
            return 0
        found = await self._dropped(tenant, await self._head(tenant))
        return sum(int(str(properties["chunks"])) for _, properties in found)

    async def lost(self, tenant: str, versions: Sequence[Version]) -> int:
        """How many passages of some versions their vectors do not find."""
        return await self._proof.lost(tenant, versions)

    # --- one change of a tenant ---------------------------------------------------

    async def _change(self, tenant: str, write: Write) -> None:
        """Carry a change out and show it, again where the server was away meanwhile."""
        flip = uuid4().hex
        async with self._turn:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception_type(Unreachable),
                wait=wait_random_exponential(multiplier=0.5, max=_PAUSE_S),
                stop=stop_before_delay(self._shelf.calls.server.patience),
                reraise=True,
            ):
                with attempt:
                    await self._try(tenant, write, flip)

    async def _try(self, tenant: str, write: Write, flip: str) -> None:
        await self.prepare()
        await self._make_tenant(tenant)
        head = await self._head(tenant)
        if head.flip == flip:
            return  # an earlier attempt was done and its answer was lost
        if self._clean.pop(tenant, None) != head:
            head = await self._repair(tenant, head)
        late = await write(await self._catalogue.part(tenant, head))
        shown = replace(head, revision=head.revision + 1, flip=flip)
        if late is not None:
            await self._show(tenant, head, shown)
            for version, marks in late:
                await self._mark(tenant, version.chunk_keys(), marks)
        self._clean[tenant] = head if late is None else shown

    async def _head(self, tenant: str) -> Head:
        return await self._shelf.head(tenant) or Head()

    async def _show(self, tenant: str, before: Head, after: Head) -> None:
        """Let readers see a revision, unless another writer was faster."""
        if await self._head(tenant) != before:
            raise IndexFailed(
                "another process writes to the same index: wait until it is done"
            )
        properties: Properties = {
            "kind": Kind.HEAD.value,
            "revision": after.revision,
            "flip": after.flip,
            "purged": after.purged,
        }
        if before.revision:
            await self._ask(tenant, lambda c: c.data.replace(HEAD, properties))
        else:
            await self._insert(tenant, [DataObject(properties, uuid=HEAD)])

    async def _repair(self, tenant: str, head: Head) -> Head:
        """Take away what a killed writer left, and prove what it showed last.

        Returns:
            The tenant's head after that.
        """
        above = Filter.by_property("born").greater_than(head.revision)
        await self._delete(tenant, above)
        for mark, undone in (
            ("replaced", {"replaced": FOREVER, "replaced_ends": FOREVER}),
            ("died", {"died": FOREVER}),
        ):
            where = Filter.by_property(mark).greater_than(
                head.revision
            ) & Filter.by_property(mark).less_than(FOREVER)
            while found := await self._shelf.fetch(
                tenant, "looking for what was left", where, [], _BATCH
            ):
                await self._mark(tenant, [key for key, _ in found], undone)
        part = await self._catalogue.part(tenant, head)
        await self._proof.mend(tenant, part.versions)
        await self._purge(tenant, head, GRACE_S)
        return await self._head(tenant)

    async def _purge(self, tenant: str, head: Head, grace: float) -> int:
        removed = 0
        while True:
            found = await self._dropped(tenant, head)
            latest = time.time() - grace
            gone = [(k, p) for k, p in found if float(str(p["died_at"])) <= latest]
            head = await self._note(
                tenant, head, (int(str(p["died"])) for _, p in gone)
            )
            for key, _ in gone:
                await self._delete(tenant, Filter.by_property("owner").equal(str(key)))
                await self._delete(tenant, Filter.by_id().equal(key))
            removed += sum(int(str(properties["chunks"])) for _, properties in gone)
            if len(found) < _MOST or not gone:
                return removed

    async def _note(self, tenant: str, head: Head, died: Iterable[int]) -> Head:
        """Say that what died by then is deleted, before it is; the head after that."""
        after = replace(head, purged=max((head.purged, *died)))
        if after != head:
            await self._show(tenant, head, after)
        return after

    async def _dropped(
        self, tenant: str, head: Head
    ) -> list[tuple[UUID, Mapping[str, object]]]:
        """The first of the versions that were dropped and are still there."""
        old = Filter.by_property("kind").equal(Kind.VERSION.value) & Filter.by_property(
            "died"
        ).less_or_equal(head.revision)
        fields = ("chunks", "died", "died_at")
        return await self._shelf.fetch(
            tenant, "looking for what was dropped", old, fields, _MOST
        )

    async def _make_tenant(self, tenant: str) -> None:
        if await self._shelf.has(tenant):
            return
        name = await self._shelf.needed()

        async def make(client: Client) -> None:
            tenants = client.collections.use(name).tenants
            await tenants.create([Tenant(name=tenant_name(tenant))])

        calls = self._shelf.calls
        await calls.call("making a tenant", make, calls.server.patience)

    # --- marks --------------------------------------------------------------------

    async def _retire(self, before: Part, version: Version, first: Chunk) -> Late:
        """Take earlier versions out of force; what is to be marked once that shows.

        A superseded version whose end moves is marked afterwards: until then the
        catalogue, which knows the end, holds its chunks back.
        """
        late: list[tuple[Version, Marks]] = []
        revision = before.head.revision
        for at, earlier in enumerate(before.of(version.pack, version.document)):
            row = earlier.row(at, before.tenant, revision)
            ends = end_of_force(row, first)
            if ends is None or earlier.version == version.version:
                await self._drop(before, earlier)
            elif row.state is State.CURRENT:
                marks = {"replaced": revision + 1, "replaced_ends": ends.toordinal()}
                await self._mark(
                    before.tenant, [*earlier.chunk_keys(), earlier.key], marks
                )
            elif ends != row.in_force_to:
                marks = {"replaced_ends": ends.toordinal()}
                noted = {**marks, "touched": revision + 1}
                await self._mark(before.tenant, [earlier.key], noted)
                late.append((earlier, marks))
        return late

    async def _drop(self, before: Part, version: Version) -> None:
        marks: Properties = {"died": before.head.revision + 1}
        if version.replaced == FOREVER:
            marks["replaced"] = before.head.revision + 1
        await self._mark(before.tenant, version.chunk_keys(), marks)
        await self._mark(
            before.tenant, [version.key], {**marks, "died_at": time.time()}
        )

    async def _mark(self, tenant: str, keys: Iterable[UUID], marks: Marks) -> None:
        """Change properties of objects, some at a time."""
        free = asyncio.Semaphore(_AT_ONCE)

        async def one(key: UUID) -> None:
            async with free:
                await self._ask(
                    tenant, lambda c: c.data.update(key, properties=dict(marks))
                )

        await asyncio.gather(*(one(key) for key in keys))

    # --- objects ------------------------------------------------------------------

    async def _insert(self, tenant: str, objects: Sequence[Object]) -> None:
        """Insert objects in batches; each waits for the one before it."""
        for first in range(0, len(objects), _BATCH):
            batch = objects[first : first + _BATCH]
            done = await self._ask(tenant, partial(_insert, batch))
            if done.has_errors:
                said = next(iter(done.errors.values())).message
                raise self._shelf.calls.refused("storing passages", said)

    async def _delete(self, tenant: str, where: FilterReturn) -> None:
        """Delete what matches, however much it is; the server bounds one call."""
        while True:
            done = await self._ask(tenant, lambda c: c.data.delete_many(where))
            if done.failed:
                raise IndexFailed("the Weaviate server failed to delete objects")
            if done.matches < _DELETED_AT_ONCE:
                return

    async def _ask(self, tenant: str, ask: Ask[Answer]) -> Answer:
        patience = self._shelf.calls.server.patience
        return await self._shelf.ask(tenant, "writing", ask, patience)


async def _insert(
    objects: Sequence[Object], collection: Collection
) -> BatchObjectReturn:
    return await collection.data.insert_many(objects)


def _objects(
    version: Version, entries: Sequence[Entry], chunks: Sequence[Properties]
) -> list[Object]:
    """Everything that is stored of a new version; its own object comes last."""
    made: list[Object] = []
    for at, (entry, properties) in enumerate(zip(entries, chunks, strict=True)):
        key = chunk_key(version.key, at)
        vector = {VECTOR: entry.vector.astype(float).tolist()}
        made.append(DataObject(properties, uuid=key, vector=vector))
        tokens = token_properties(entry, version)
        made.append(DataObject(tokens, uuid=token_key(key)))
    made.append(DataObject(version_properties(version), uuid=version.key))
    return made
