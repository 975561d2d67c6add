"""A catalogue of a Weaviate index that is slow to read: as slow as a test wants."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from adapters.index.weaviate_shelf import At, Objects, Shelf


class Held(Shelf):
    """A shelf that stops once, before a reading, until something else is done."""

    def __init__(self, of: Shelf, at: int) -> None:
        super().__init__(of.calls, of.names, of.keys)
        self.left, self.stopped, self.go = at, asyncio.Event(), asyncio.Event()

    async def fetch_by_name(
        self, at: At, doing: str, names: Sequence[UUID], fields: Sequence[str]
    ) -> Objects:
        """The same objects, later where it stops."""
        if self.left == 0:
            self.stopped.set()
            await self.go.wait()
        self.left -= 1
        return await super().fetch_by_name(at, doing, names, fields)
