"""A catalogue of a Weaviate index that is slow to read: as slow as a test wants."""

import asyncio
from collections.abc import Mapping, Sequence
from uuid import UUID

from weaviate.collections.classes.filters import FilterReturn

from adapters.index.weaviate_shelf import Shelf


class Held(Shelf):
    """A shelf that stops once, before a reading, until something else is done."""

    def __init__(self, of: Shelf, at: int) -> None:
        super().__init__(of.calls, of.names)
        self.left, self.stopped, self.go = at, asyncio.Event(), asyncio.Event()

    async def fetch(
        self,
        tenant: str,
        doing: str,
        where: FilterReturn,
        fields: Sequence[str],
        limit: int,
    ) -> list[tuple[UUID, Mapping[str, object]]]:
        """The same objects, later where it stops."""
        if self.left == 0:
            self.stopped.set()
            await self.go.wait()
        self.left -= 1
        return await super().fetch(tenant, doing, where, fields, limit)
