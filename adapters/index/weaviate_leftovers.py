"""What is deleted from a Weaviate server: what ended, and what a stop left half done.

A server that is killed may keep an object and lose what its indexes say of it, or the
other way round. So what is not in the catalogue is looked for by what a search would
find it by, and what must be gone for certain is deleted by its name.
"""

import asyncio
from collections.abc import Iterable, Sequence
from uuid import UUID

from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.weaviate_catalogue import Part
from adapters.index.weaviate_objects import End, Head
from adapters.index.weaviate_schema import Kind
from adapters.index.weaviate_shelf import Shelf
from engine.model.errors import IndexFailed

_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.HEAD)
_LOOKED_AT = 1_000  # objects that nobody owns, looked at together
_AT_ONCE = 4  # calls side by side
_DELETED_AT_ONCE = 10_000  # objects that the server deletes in one call at most


class Leftovers:
    """Deletes objects that no reader sees."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    async def above(self, tenant: str, head: Head) -> bool:
        """Whether a writer that was stopped, or failed, left what is not shown yet."""
        later = Filter.by_property("born").greater_than(head.revision)
        return bool(await self._shelf.count(tenant, "counting what was left", later))

    async def clear(self, tenant: str, part: Part) -> None:
        """Take away what writers left that were stopped.

        Raises:
            IndexFailed: there is more than a stopped writer leaves.
        """
        born, revision = Filter.by_property("born"), part.head.revision
        above = born.greater_than(revision + 1)
        if await self._shelf.count(tenant, "counting what was left", above):
            raise IndexFailed(
                f"the index says that it ends with change {revision} and holds later "
                "ones: run `groundrule reindex --fresh`"
            )
        await self._matching(tenant, born.greater_than(revision))
        owners = {str(version.key) for version in part.versions}
        owners |= {str(end.owner) for end in part.gone}
        strange = Filter.by_property("kind").contains_any(list(_KINDS))
        if owners:
            known = Filter.by_property("owner").contains_any(sorted(owners))
            strange &= Filter.not_(known)
        while True:
            found = await self._shelf.fetch(
                tenant, "looking for what was left", strange, ["owner"], _LOOKED_AT
            )
            orphans = [k for k, found in found if str(found.get("owner")) not in owners]
            await self._named(tenant, orphans)
            if not orphans:
                return

    async def bury(self, tenant: str, ends: Sequence[End]) -> None:
        """Delete versions that ended with all their passages, and their ends last."""
        owner = Filter.by_property("owner")
        kind = Filter.by_property("kind")
        for end in ends:
            body = owner.equal(str(end.owner)) & kind.not_equal(Kind.END.value)
            await self._matching(tenant, body)
            # Without its end it would be seen again, should it still be there.
            await self._named(tenant, [end.owner])
            await self._named(tenant, [end.key])

    async def _matching(self, tenant: str, where: FilterReturn) -> None:
        """Delete what matches, however much it is; the server bounds one call."""
        patience = self._shelf.calls.server.patience
        while True:
            done = await self._shelf.ask(
                tenant, "deleting", lambda c: c.data.delete_many(where), patience
            )
            if done.failed:
                # Why, it says only of one that is named.
                doing = "looking for what is not deleted"
                left = await self._shelf.fetch(tenant, doing, where, ["owner"], 1)
                await self._named(tenant, [key for key, _ in left])
                raise IndexFailed("the Weaviate server failed to delete objects")
            if done.matches < _DELETED_AT_ONCE:
                return

    async def _named(self, tenant: str, keys: Iterable[UUID]) -> None:
        """Delete objects by their names, which needs none of the server's indexes."""
        free = asyncio.Semaphore(_AT_ONCE)
        patience = self._shelf.calls.server.patience

        async def one(key: UUID) -> None:
            async with free:
                await self._shelf.ask(
                    tenant, "deleting", lambda c: c.data.delete_by_id(key), patience
                )

        await asyncio.gather(*(one(key) for key in keys))
