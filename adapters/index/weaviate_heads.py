"""The heads of an index on a Weaviate server, changed by one writer at a time.

Nothing is acknowledged before the writer has proved that it was the only one all the
while: by its turn, by the head it started from, and by the head that stands there then.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from weaviate.classes.data import DataObject
from weaviate.collections.classes.batch import BatchObjectReturn

from adapters.index.weaviate_catalogue import Part
from adapters.index.weaviate_objects import HEAD, Head, Properties
from adapters.index.weaviate_schema import Kind
from adapters.index.weaviate_shelf import Collection, Shelf
from adapters.index.weaviate_turns import Overtaken, Turn, Turns
from engine.model.errors import IndexFailed


class Heads:
    """Reads and changes the heads of a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._turns = Turns(shelf)
        self._turn: Turn | None = None

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Keep the writers of other processes away; those of this one wait elsewhere.

        Raises:
            IndexAway: others write on and on.
        """
        async with self._turns.taken() as turn:
            self._turn = turn
            yield

    @property
    def turn(self) -> Turn:
        """The turn that was taken."""
        assert self._turn is not None, "a writer changes an index only in its turn"
        return self._turn

    async def of(self, tenant: str) -> Head:
        """What a tenant shows now."""
        return await self._shelf.head(tenant) or Head()

    async def change(self, part: Part, after: Head) -> None:
        """Change a tenant's head, and prove that nobody else wrote meanwhile.

        Raises:
            Overtaken: somebody may have, and nothing was changed here.
            Replaced: what was changed here is read by nobody any more.
            IndexFailed: somebody did at the same moment.
        """
        _, head = await asyncio.gather(self.turn.confirm(), self.of(part.tenant))
        if head != part.head:
            raise Overtaken("another process changed the index meanwhile: try again")
        properties: Properties = {
            "kind": Kind.HEAD.value,
            "revision": after.revision,
            "flip": after.flip,
            "purged": after.purged,
        }
        await self._write(part, properties)
        _, head, _ = await asyncio.gather(
            self.was_alone(), self.of(part.tenant), self._shelf.is_read()
        )
        if head != after:
            raise _collided()

    async def was_alone(self) -> None:
        """Prove that what was changed or deleted until now was nobody else's.

        Raises:
            IndexFailed: it may have been.
        """
        try:
            await self.turn.confirm()
        except Overtaken as error:
            raise _collided() from error

    async def _write(self, part: Part, properties: Properties) -> None:
        patience = self._shelf.calls.server.patience
        made: list[DataObject[Properties, None]] = [DataObject(properties, uuid=HEAD)]

        async def replace(collection: Collection) -> None:
            await collection.data.replace(HEAD, properties)

        async def insert(collection: Collection) -> BatchObjectReturn:
            return await collection.data.insert_many(made)

        if part.head.revision:
            await self._shelf.ask(part.tenant, "writing", replace, patience)
            return
        done = await self._shelf.ask(part.tenant, "writing", insert, patience)
        if done.has_errors:
            why = next(iter(done.errors.values())).message
            raise self._shelf.calls.refused("storing the head", why)


def _collided() -> IndexFailed:
    return IndexFailed(
        "two processes changed the index at the same moment, and what one of them "
        "stored may be lost: run `groundrule reindex`, which puts it in again"
    )
