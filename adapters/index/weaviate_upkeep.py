"""What keepers do with an index on a Weaviate server, for all of its tenants.

The server lists its tenants by the names that it has for them, from which ours cannot
be told. So they are gone through on a shelf that takes those names, with a catalogue
and a writer of its own, which no asker ever reads.
"""

import asyncio
from contextlib import suppress

from adapters.index.upkeep import TenantInactive
from adapters.index.weaviate_catalogue import Catalogue
from adapters.index.weaviate_objects import Head
from adapters.index.weaviate_schema import (
    abandoned,
    create,
    drop,
    family,
    point,
    target,
)
from adapters.index.weaviate_shelf import Shelf
from adapters.index.weaviate_writer import Writer

_LOOKED_AT = 5  # newest documents of a tenant whose vectors `doctor` looks for
_AT_ONCE = 4  # tenants looked at side by side


class Upkeep:
    """Begins, mends, tidies and replaces the collection of an index."""

    def __init__(self, shelf: Shelf, catalogue: Catalogue, writer: Writer) -> None:
        self._shelf = shelf
        self._catalogue = catalogue
        self._writer = writer

    async def begin(self, *, fresh: bool) -> int:
        """Write to a new collection where the alias names none that is to be kept.

        One that is kept is repaired first.

        Returns:
            How many collections were deleted that no alias names: others began them
            and did not end. Nobody reads such a one; whether somebody else still fills
            it cannot be told, so only one machine may write.
        """
        calls, names = self._shelf.calls, self._shelf.names
        found = await target(calls, names)
        if found is None and not await family(calls, names):
            await self._writer.prepare()
            return 0
        left = await abandoned(calls, names)
        for collection in left:
            await drop(calls, names, collection)
        if fresh or found is None or not names.readable(found):
            made = await create(calls, names, self._writer.quantizer)
            self._shelf.turn_to(made, begun=True)
            self._catalogue.forget()
        else:
            self._shelf.turn_to(found)
            self._catalogue.forget()
            shelf, _, writer = self._beside()
            for tenant in await shelf.tenants():
                with suppress(TenantInactive):  # `doubts` names it
                    await writer.mend(tenant)
        return len(left)

    async def take_over(self) -> None:
        """Let everybody read what this index holds, and delete all it replaces."""
        calls, names = self._shelf.calls, self._shelf.names
        mine = await self._shelf.needed()
        await point(calls, names, mine)
        self._shelf.turn_to(mine)
        for collection in await family(calls, names):
            if collection != mine:
                await drop(calls, names, collection)

    async def compact(self, grace: float) -> int:
        """Delete what was dropped `grace` seconds ago; how many chunks were removed."""
        if await self._shelf.collection() is None:
            return 0
        shelf, _, writer = self._beside()
        removed = 0
        for tenant in await shelf.tenants():
            with suppress(TenantInactive):
                removed += await writer.compact(tenant, grace)
        return removed

    async def doubts(self) -> str | None:
        """Whether every tenant's newest documents are found by their own vectors."""
        shelf, catalogue, writer = self._beside()
        free = asyncio.Semaphore(_AT_ONCE)
        lost, said = 0, list[str]()

        async def look(tenant: str) -> None:
            nonlocal lost
            async with free:
                try:
                    head = await shelf.head(tenant) or Head()
                    newest = (await catalogue.part(tenant, head)).newest()
                    found = await writer.lost(tenant, newest[-_LOOKED_AT:])
                except TenantInactive as error:
                    said.append(str(error))
                else:
                    lost += found

        await asyncio.gather(*map(look, await shelf.tenants()))
        if lost:
            said.append(
                f"{lost} passages are stored and not found by their vectors, since the "
                "server was stopped hard: run `groundrule reindex`, which mends them"
            )
        return "; ".join(sorted(said)) or None

    def _beside(self) -> tuple[Shelf, Catalogue, Writer]:
        """A shelf whose tenants are called as the server lists them."""
        shelf = self._shelf.as_listed()
        catalogue = Catalogue(shelf)
        return shelf, catalogue, self._writer.on(shelf, catalogue)
