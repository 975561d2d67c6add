"""Where an index stands on a Weaviate server: its collection, tenants and heads."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar
from uuid import UUID

from weaviate.classes.query import Filter
from weaviate.classes.tenants import Tenant
from weaviate.collections import CollectionAsync
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.upkeep import TenantInactive
from adapters.index.weaviate_calls import Calls, Client, Unreachable
from adapters.index.weaviate_objects import HEAD, Head, head_of
from adapters.index.weaviate_schema import Names, family, target, tenant_name
from engine.model.errors import IndexFailed

Collection: TypeAlias = CollectionAsync[dict[str, object], None]
Answer = TypeVar("Answer")

_INACTIVE = "tenant not active"  # also of one that was moved to a cloud
_LOOKS_S = (0, 0, 0.01, 0.1)  # before each look for a head
# What the server says when the collection was replaced by another one.
_REPLACED = (
    "could not find class",
    "class not found",
    "not present in schema",
    "tenant not found",
    "non-existing index",
    "looking for a tenant: 422",  # it gives no reason
)


class Replaced(IndexFailed):
    """Another collection took the place of the one that was asked."""


class Shelf:
    """The collection that the alias names, looked up once and again when it is gone.

    Tenants that exist are remembered; one that does not is looked for every time.

    Args:
        calls: of the server.
        names: what its collections are called.
        spelled: what the server calls a tenant.
    """

    def __init__(
        self, calls: Calls, names: Names, spelled: Callable[[str], str] = tenant_name
    ) -> None:
        self.calls = calls
        self.names = names
        self._spelled = spelled
        self._collection: str | None = None
        self.begun = False
        self._tenants: set[str] = set()

    async def collection(self) -> str | None:
        """The collection's name; None where nothing was ever written.

        Raises:
            IndexFailed: what is there cannot be read by this program.
        """
        if self._collection is None:
            found = await target(self.calls, self.names)
            if found is None:
                await self._started()
                found = await target(self.calls, self.names)
            if found is None and await family(self.calls, self.names):
                # An empty index beside it would answer that nothing was found.
                raise IndexFailed(
                    f"the Weaviate server at {self.calls.server.place} holds this "
                    "index as another embedder, chunker or word list made it, or one "
                    "that is not complete: run `groundrule reindex`"
                )
            if found is not None and not self.names.readable(found):
                raise IndexFailed(
                    f"the collection {found} has another schema than this program "
                    "reads: run `groundrule reindex`, which makes one beside it"
                )
            self._collection = found
        return self._collection

    async def needed(self) -> str:
        """The collection's name.

        Raises:
            IndexFailed: there is none.
        """
        found = await self.collection()
        if found is None:
            raise IndexFailed(
                f"the Weaviate server at {self.calls.server.place} holds no index for "
                "this embedder and chunker: run `groundrule reindex`"
            )
        return found

    def turn_to(self, collection: str | None, *, begun: bool = False) -> None:
        """Use another collection, or the one that the alias names.

        Args:
            collection: which; None: that of the alias.
            begun: it is filled here, and nobody reads it yet.
        """
        self._collection = collection
        self.begun = begun
        self._tenants.clear()

    def as_listed(self) -> "Shelf":
        """The same collection, with tenants called as `tenants` lists them.

        Not for askers: whoever names another's tenant so would read it.
        """
        shelf = Shelf(self.calls, self.names, spelled=str)
        shelf.turn_to(self._collection, begun=self.begun)
        return shelf

    async def is_read(self) -> None:
        """See that others read the collection that is written to here.

        Raises:
            Replaced: the alias names another one by now.
        """
        if self.begun:
            return
        if await target(self.calls, self.names) != await self.needed():
            raise Replaced("another process made the index anew: try again")

    async def tenants(self) -> list[str]:
        """All that anything was ever written for, as the server calls them."""
        name = await self.needed()
        found = await self.calls.call(
            "listing tenants",
            lambda client: client.collections.use(name).tenants.get(),
            self.calls.server.patience,
        )
        return sorted(found)

    async def has(self, tenant: str) -> bool:
        """Whether anything was ever written for a tenant."""
        if tenant not in self._tenants:
            name = await self.needed()
            if not await self.calls.call(
                "looking for a tenant",
                lambda client: client.collections.use(name).tenants.exists(
                    self._spelled(tenant)
                ),
            ):
                return False
            self._tenants.add(tenant)
        return True

    async def add(self, tenant: str) -> None:
        """Make a tenant unless it is there."""
        if await self.has(tenant):
            return
        name, made = await self.needed(), Tenant(name=self._spelled(tenant))
        await self.calls.call(
            "making a tenant",
            lambda client: client.collections.use(name).tenants.create([made]),
            self.calls.server.patience,
        )

    async def ask(
        self,
        tenant: str,
        doing: str,
        ask: Callable[[Collection], Awaitable[Answer]],
        deadline: float | None = None,
    ) -> Answer:
        """Ask about the objects of one tenant.

        Raises:
            TenantInactive: it is switched off on the server.
            IndexFailed: there is no answer.
        """
        name = await self.needed()

        def of(client: Client) -> Awaitable[Answer]:
            return ask(
                client.collections.use(
                    name, data_model_properties=dict[str, object]
                ).with_tenant(self._spelled(tenant))
            )

        try:
            return await self.calls.call(doing, of, deadline)
        except IndexFailed as error:
            if _INACTIVE in str(error):
                spelled = self._spelled(tenant)
                known = "" if spelled == tenant else f" (there {spelled})"
                raise TenantInactive(
                    f"the tenant {tenant} is inactive on the Weaviate server at "
                    f"{self.calls.server.place}{known}, and is not looked at: activate "
                    "it there"
                ) from error
            if was_replaced(error):
                await self._started()
            raise

    async def _started(self) -> None:
        """Refuse to believe that something is missing while the server starts.

        Raises:
            Unreachable: it has not read all it holds.
        """
        if not await self.calls.call("asking if it is ready", lambda c: c.is_ready()):
            raise Unreachable(
                f"the Weaviate server at {self.calls.server.place} is starting: try "
                "again in some seconds"
            )

    async def head(self, tenant: str) -> Head | None:
        """What a tenant shows now; None for one that nothing was written for.

        The server looks an object up twice and passes over one that is replaced
        between both, so what is not there is asked for again.

        Raises:
            IndexFailed: it cannot be read, or is lost.
        """
        if not await self.has(tenant):
            return None
        for pause in _LOOKS_S:
            await asyncio.sleep(pause)
            found = await self.ask(
                tenant,
                "reading the head",
                lambda c: c.query.fetch_object_by_id(
                    HEAD, return_properties=["revision", "flip", "purged"]
                ),
            )
            if found is not None:
                return head_of(found.properties)
        later = Filter.by_property("born").greater_than(1)
        if await self.count(tenant, "looking for what was written", later):
            raise IndexFailed(
                "the index holds documents and not what says which of them are in "
                "force: run `groundrule reindex --fresh`"
            )
        return Head()

    async def heads(self, tenants: Sequence[str]) -> tuple[Head | None, ...]:
        """What several tenants show now."""
        return tuple(await asyncio.gather(*(self.head(t) for t in tenants)))

    async def fetch(
        self,
        tenant: str,
        doing: str,
        where: FilterReturn,
        fields: Sequence[str],
        limit: int,
    ) -> list[tuple[UUID, Mapping[str, object]]]:
        """Objects by a filter: their names and these properties."""
        found = await self.ask(
            tenant,
            doing,
            lambda c: c.query.fetch_objects(
                filters=where, limit=limit, return_properties=list(fields)
            ),
        )
        return [(one.uuid, one.properties) for one in found.objects]

    async def count(self, tenant: str, doing: str, where: FilterReturn) -> int:
        """How many objects a filter finds."""
        found = await self.ask(
            tenant, doing, lambda c: c.aggregate.over_all(filters=where)
        )
        return found.total_count or 0

    async def fetch_by_name(
        self, tenant: str, doing: str, names: Sequence[UUID], fields: Sequence[str]
    ) -> list[tuple[UUID, Mapping[str, object]]]:
        """Those objects of these names that are there, with these properties."""
        found = await self.ask(
            tenant,
            doing,
            lambda c: c.query.fetch_objects_by_ids(
                names, limit=len(names), return_properties=list(fields)
            ),
        )
        return [(one.uuid, one.properties) for one in found.objects]


def was_replaced(error: IndexFailed) -> bool:
    """Whether a call failed since the collection it asked is no more."""
    said = str(error).lower()
    return isinstance(error, Replaced) or any(sign in said for sign in _REPLACED)
