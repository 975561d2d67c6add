"""Writing to a Weaviate server so that every reader sees a whole document or none.

A server knows no transactions, and a search that runs while an object is changed may
miss that object. So nothing that a reader may see is ever changed. Objects say with
which revision they came, another object says with which a version ended, and a
tenant's head says which revision is in force. A writer changes the head last: whatever
it wrote before that belongs to a revision that nobody reads. A writer that was stopped
leaves such objects behind; the next one takes them away before it writes, and writes
under names that were never used. One writer works at a time (weaviate_turns.py), and
proves that it was the only one before it acknowledges anything.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TypeAlias, TypeVar
from uuid import uuid4

from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_before_delay,
    wait_random_exponential,
)
from weaviate.classes.data import DataObject
from weaviate.collections.classes.batch import BatchObjectReturn

from adapters.index.catalogue import Identity
from adapters.index.packing import check
from adapters.index.weaviate_calls import Unreachable
from adapters.index.weaviate_catalogue import Catalogue, Part
from adapters.index.weaviate_heads import Heads
from adapters.index.weaviate_leftovers import Leftovers
from adapters.index.weaviate_objects import (
    End,
    Head,
    Properties,
    Version,
    asked_key,
    spread,
    token_key,
    vector_of,
)
from adapters.index.weaviate_proof import Proof
from adapters.index.weaviate_schema import (
    VECTOR,
    Quantizer,
    create,
    drop,
    name_first,
)
from adapters.index.weaviate_shelf import Collection, Shelf
from adapters.index.weaviate_turns import Overtaken
from adapters.index.weaviate_written import (
    asked_properties,
    copied,
    copied_asked,
    copied_chunk,
    copied_tokens,
    end_properties,
    new_version,
    token_properties,
    version_properties,
)
from adapters.index.writer import end_of_force
from engine.model.passage import Chunk
from engine.model.ports import Entry

GRACE_S = 60.0  # what ended so long ago is read by no search that still runs
_PAUSE_S = 2.0  # between two attempts at most
_BATCH = 100  # objects of one call, about 2 MB
_AT_ONCE = 2  # batches on their way
_RIPE = 50  # versions that ended long ago, deleted together

Object: TypeAlias = DataObject[Properties, None]
Answer = TypeVar("Answer")
Ask: TypeAlias = Callable[[Collection], Awaitable[Answer]]
# The properties of a chunk, of its token vectors, and of its questions if it has some.
Passage: TypeAlias = tuple[Properties, Properties, Properties | None]
# Writes for the next revision; whether there was anything to write.
Write: TypeAlias = Callable[[Part], Awaitable[bool]]


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
        self.quantizer = quantizer
        self._proof = Proof(shelf)
        self._leftovers = Leftovers(shelf)
        self._heads = Heads(shelf)
        self._one = asyncio.Lock()
        self._clean: dict[str, Head] = {}  # heads with nothing unfinished above them

    async def prepare(self) -> None:
        """Make the collection where there is none."""
        if await self._shelf.collection() is None:
            calls, names = self._shelf.calls, self._shelf.names
            made = await create(calls, names, self.quantizer)
            if await name_first(calls, names, made):
                self._shelf.turn_to(made)
            else:
                await drop(calls, names, made)

    def on(self, shelf: Shelf, catalogue: Catalogue) -> "Writer":
        """The same for another shelf."""
        return Writer(shelf, catalogue, self._identity, self.quantizer)

    async def mend(self, tenant: str) -> None:
        """Take away what a stopped writer left, and write anew what a stop broke."""
        async with self._one, self._heads.alone():
            head = await self._heads.of(tenant)
            await self._mended(await self._catalogue.part(tenant, head))

    async def put(
        self, pack: str, document: str, entries: Sequence[Entry], tenant: str
    ) -> None:
        """Make these entries the current version of a document."""
        entries = sorted(entries, key=lambda entry: entry.chunk.ordinal)
        check(document, entries, self._identity)

        def made(born: int) -> tuple[Version, list[Passage]]:
            version, chunks = new_version(entries, uuid4(), pack, born)
            return version, [
                (chunk, token_properties(one, version), asked_properties(one, version))
                for chunk, one in zip(chunks, entries, strict=True)
            ]

        async def write(before: Part) -> bool:
            born = before.head.revision + 1
            # In a thread: meanwhile the server hears that this writer is still there.
            version, passages = await asyncio.to_thread(made, born)
            ended = await self._retired(before, version, entries[0].chunk)
            await self._write(before, version, passages)
            await self._end(before, ended)
            return True

        await self._change(tenant, write)

    async def withdraw(self, pack: str, document: str, tenant: str) -> None:
        """Take all versions of a document out of search."""
        await self.prepare()
        if not await self._shelf.has(tenant):
            return

        async def write(before: Part) -> bool:
            found = before.of(pack, document)
            await self._end(before, found)
            return bool(found)

        await self._change(tenant, write)

    async def compact(self, tenant: str, grace: float) -> int:
        """Delete what ended longer than `grace` seconds ago; chunks removed."""
        if await self._shelf.collection() is None or not await self._shelf.has(tenant):
            return 0
        async with self._one, self._heads.alone():
            self._clean.pop(tenant, None)
            part = await self._catalogue.part(tenant, await self._heads.of(tenant))
            return sum(end.chunks for end in await self._purge(part, grace))

    async def dropped(self, tenant: str) -> int:
        """How many chunks wait for compaction."""
        if not await self._shelf.has(tenant):
            return 0
        part = await self._catalogue.part(tenant, await self._heads.of(tenant))
        return sum(end.chunks for end in part.gone)

    async def lost(self, tenant: str, versions: Sequence[Version]) -> int:
        """How many passages of some versions their vectors do not find."""
        return await self._proof.lost(tenant, versions)

    # --- one change of a tenant ---------------------------------------------------

    async def _change(self, tenant: str, write: Write) -> None:
        """Carry a change out and show it, again where the server was away meanwhile."""
        flip = uuid4().hex
        async with self._one:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception_type((Unreachable, Overtaken)),
                wait=wait_random_exponential(multiplier=0.5, max=_PAUSE_S),
                stop=stop_before_delay(self._shelf.calls.server.patience),
                reraise=True,
            ):
                with attempt:
                    await self.prepare()
                    async with self._heads.alone():
                        await self._try(tenant, write, flip)

    async def _try(self, tenant: str, write: Write, flip: str) -> None:
        await self._shelf.add(tenant)
        head = await self._heads.of(tenant)
        if head.flip == flip:
            return  # an earlier attempt was done and its answer was lost
        part = await self._catalogue.part(tenant, head)
        clean = self._clean.pop(tenant, None) == head
        if not clean or await self._leftovers.above(tenant, head):
            part = await self._repair(part)
        elif len(_ripe(part, GRACE_S)) >= _RIPE:
            part = await self._purged(part)
        if await write(part):
            self._clean[tenant] = await self._show(part, flip)
        else:
            self._clean[tenant] = part.head

    async def _show(self, part: Part, flip: str) -> Head:
        """Let readers see what was written for the next revision; the head of that."""
        shown = replace(part.head, revision=part.head.revision + 1, flip=flip)
        await self._heads.change(part, shown)
        return shown

    async def _repair(self, part: Part) -> Part:
        """Mend a tenant and delete what ended long ago; what it shows after that."""
        return await self._purged(await self._mended(part))

    async def _mended(self, part: Part) -> Part:
        """Take away what a stopped writer left, and write anew what a stop broke.

        Returns:
            What the tenant shows after that.
        """
        await self._heads.turn.confirm()
        await self._leftovers.clear(part.tenant, part)
        await self._heads.was_alone()
        broken = await self._proof.broken(part.tenant, part.newest())
        if broken:
            for version in broken:
                await self._copy(part, version, version.ends)
            await self._end(part, broken)
            head = await self._show(part, uuid4().hex)
            part = await self._catalogue.part(part.tenant, head)
        return part

    async def _purged(self, part: Part) -> Part:
        """Delete what ended long ago; what the tenant shows after that."""
        await self._purge(part, GRACE_S)
        head = await self._heads.of(part.tenant)
        return await self._catalogue.part(part.tenant, head)

    async def _purge(self, part: Part, grace: float) -> Sequence[End]:
        """Say up to which revision is deleted, before it is."""
        ripe = _ripe(part, grace)
        latest = max((part.head.purged, *(end.born for end in ripe)))
        after = replace(part.head, purged=latest)
        if after != part.head:
            await self._heads.change(part, after)
        await self._leftovers.bury(part.tenant, ripe)
        return ripe

    # --- what is written ----------------------------------------------------------

    async def _retired(
        self, before: Part, version: Version, first: Chunk
    ) -> list[Version]:
        """The earlier versions that end when a new one comes.

        Those that are searched on for days inside their period of force are written
        anew with its end.
        """
        ended = []
        for at, earlier in enumerate(before.of(version.pack, version.document)):
            ends = end_of_force(earlier.row(at, before.tenant), first)
            if ends is None or earlier.version == version.version:
                ended.append(earlier)
            elif ends != earlier.ends:
                await self._copy(before, earlier, ends)
                ended.append(earlier)
        return ended

    async def _copy(self, before: Part, version: Version, ends: date | None) -> None:
        """Write a version anew for the next revision, out of force after a day."""
        copy = copied(version, uuid4(), before.head.revision + 1, ends)
        stored = await self._proof.stored(before.tenant, version)
        packed = await self._proof.stored_tokens(before.tenant, version)
        asked = await self._proof.stored_asked(before.tenant, version)
        passages: list[Passage] = [
            (
                copied_chunk(chunk, copy),
                copied_tokens(tokens, copy),
                copied_asked(questions, copy) if questions else None,
            )
            for (chunk, _), tokens, questions in zip(stored, packed, asked, strict=True)
        ]
        await self._write(before, copy, passages)

    async def _write(
        self, before: Part, version: Version, passages: Sequence[Passage]
    ) -> None:
        """Store a version and prove that it is found.

        Its own object comes after its passages: see weaviate_proof.py.
        """
        tenant = before.tenant
        objects = await asyncio.to_thread(_objects, version, passages)
        await self._insert(tenant, objects)
        said = version_properties(version)
        await self._insert(tenant, [DataObject(said, uuid=version.key)])
        await self._proof.show(tenant, version, [chunk for chunk, *_ in passages])

    async def _end(self, before: Part, versions: Sequence[Version]) -> None:
        """Say that versions are seen by nobody from the next revision on."""
        if not versions:
            return
        born, now = before.head.revision + 1, time.time()
        ends: list[Object] = [
            DataObject(end_properties(version, born, now), uuid=uuid4())
            for version in versions
        ]
        await self._insert(before.tenant, ends)
        await self._proof.ended(before.tenant, born, len(ends))

    async def _insert(self, tenant: str, objects: Sequence[Object]) -> None:
        """Insert objects in batches, one made ready while the server takes another."""
        firsts = iter(range(0, len(objects), _BATCH))

        async def send() -> None:
            for first in firsts:
                batch = objects[first : first + _BATCH]
                await self._heads.turn.check()
                done = await self._ask(tenant, partial(_insert, batch))
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

    async def _ask(self, tenant: str, ask: Ask[Answer]) -> Answer:
        patience = self._shelf.calls.server.patience
        return await self._shelf.ask(tenant, "writing", ask, patience)


async def _insert(
    objects: Sequence[Object], collection: Collection
) -> BatchObjectReturn:
    return await collection.data.insert_many(objects)


def _ripe(part: Part, grace: float) -> list[End]:
    """What ended so long ago that nobody reads it any more."""
    latest = time.time() - grace
    return [end for end in part.gone if end.at <= latest]


def _objects(version: Version, passages: Sequence[Passage]) -> list[Object]:
    """The passages of a new version, each with what belongs to it behind it."""
    made: list[Object] = []
    named = zip(version.chunk_keys(), passages, strict=True)
    for key, (properties, tokens, asked) in named:
        vector = spread(key, vector_of(properties))
        passage = {VECTOR: vector.astype(float).tolist()}
        made.append(DataObject(properties, uuid=key, vector=passage))
        made.append(DataObject(tokens, uuid=token_key(key)))
        if asked is not None:
            made.append(DataObject(asked, uuid=asked_key(key)))
    return made
