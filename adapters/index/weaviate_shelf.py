"""The objects of an index on a Weaviate server: which collection, and calls of it."""

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias, TypeVar
from uuid import UUID

import re2
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    StopwordsPreset,
    Tokenization,
    VectorDistances,
)
from weaviate.classes.query import Filter
from weaviate.classes.tenants import Tenant
from weaviate.collections import CollectionAsync
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.catalogue import Identity
from adapters.index.lexical import K1, B
from adapters.index.upkeep import IndexKeys, Place, TenantInactive
from adapters.index.weaviate_calls import Calls, Client, Unreachable
from engine.model.errors import IndexFailed
from engine.text.words import VERSION as LEXICON

SCHEMA = 5
VECTOR = "passage"
FOREVER = 2**40  # the day on which something ends that has no end
# Stems are written in half units, so that a title's 1.5 is a whole number of them; with
# K1 doubled, the server's BM25 is then ours but for what its statistics are taken over.
HALVES = 2


class Quantizer(StrEnum):
    """How vectors are compressed in memory; the exact ones stay on the disk."""

    NONE = "none"
    RQ = "rq"
    SQ = "sq"


class Kind(StrEnum):
    """What an object of the collection is."""

    CHUNK = "chunk"
    TOKENS = "tokens"
    ASKED = "asked"
    VERSION = "version"


@dataclass(frozen=True, slots=True)
class Names:
    """What the collections of one installation are called.

    Args:
        installation: tells the bots on one server apart.
        identity: what the vectors are made with.
    """

    installation: str
    identity: Identity

    @property
    def family(self) -> str:
        """What the names of all collections of this installation begin with."""
        readable = str(re2.sub(r"[^A-Za-z0-9]+", "", self.installation))
        digest = _digest((self.installation,))[:8]
        return f"Groundrule{readable[:24].capitalize()}{digest}_"

    @property
    def index(self) -> str:
        """What the ledger calls the index."""
        return self.family + _digest((*astuple(self.identity), LEXICON))[:12]

    def fresh(self) -> str:
        """A collection that does not exist yet."""
        return f"{self.index}_v{SCHEMA}_{secrets.token_hex(4)}"

    def readable(self, collection: str) -> bool:
        """Whether a collection's schema is the one that this program reads."""
        return collection.startswith(f"{self.index}_v{SCHEMA}_")


def tenant_name(tenant: str) -> str:
    """A tenant in the server's alphabet; two of ours never share one."""
    digest = hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()
    return "t" + digest[:48]


def _digest(parts: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


async def create(calls: Calls, names: Names, quantizer: Quantizer) -> str:
    """Make an empty collection and return its name."""
    name = names.fresh()
    compression = Configure.VectorIndex.Quantizer
    compressed = {
        Quantizer.NONE: compression.none(),
        Quantizer.RQ: compression.rq(),
        Quantizer.SQ: compression.sq(),
    }

    async def make(client: Client) -> None:
        await client.collections.create(
            name,
            description=f"Groundrule, {names.identity}, lexicon {LEXICON}",
            vector_config=Configure.Vectors.self_provided(
                name=VECTOR,
                vector_index_config=Configure.VectorIndex.hnsw(
                    distance_metric=VectorDistances.COSINE,
                    quantizer=compressed[quantizer],
                ),
            ),
            properties=_properties(),
            inverted_index_config=Configure.inverted_index(
                bm25_b=B,
                bm25_k1=HALVES * K1,
                stopwords_preset=StopwordsPreset.NONE,
            ),
            multi_tenancy_config=Configure.multi_tenancy(enabled=True),
        )

    await calls.call("making the collection", make, calls.server.patience)
    return name


async def family(calls: Calls, names: Names) -> list[str]:
    """Every collection of this installation."""
    listed = await calls.call(
        "listing collections", lambda client: client.collections.list_all(simple=True)
    )
    return sorted(name for name in listed if name.startswith(names.family))


async def drop(calls: Calls, names: Names, collection: str) -> None:
    """Delete a collection with everything in it, if it is of this installation."""
    if collection.startswith(names.family):
        await calls.call(
            "deleting a collection",
            lambda client: client.collections.delete(collection),
            calls.server.patience,
        )


def _properties() -> list[Property]:
    text = DataType.TEXT
    names = ("kind", "pack", "owner", "chunk", "document", "source")
    exact = {**dict.fromkeys(names, text), "tags": DataType.TEXT_ARRAY}
    quiet = {
        # As text: the server spends 2.1 ms on the token vectors of one passage where
        # they are a blob, and .24 ms where they are text.
        **dict.fromkeys(("body", "version", "tokens", "counts", "exact"), text),
        "length": DataType.NUMBER,
    }
    return [
        *(_exact(name, kind) for name, kind in exact.items()),
        *(_range(name) for name in ("begins", "ends", "ordinal")),
        *(
            Property(name=name, data_type=DataType.BOOL, index_filterable=True)
            for name in ("demo", "restricted")
        ),
        Property(
            name="stems",
            data_type=text,
            index_filterable=False,
            index_searchable=True,
            tokenization=Tokenization.WHITESPACE,
        ),
        *(_quiet(name, kind) for name, kind in quiet.items()),
    ]


def _exact(name: str, kind: DataType) -> Property:
    """To be compared as a whole."""
    return Property(
        name=name,
        data_type=kind,
        index_filterable=True,
        index_searchable=False,
        tokenization=Tokenization.FIELD,
    )


def _range(name: str) -> Property:
    """A whole number to be compared by size."""
    return Property(
        name=name,
        data_type=DataType.INT,
        index_filterable=False,
        index_range_filters=True,
    )


def _quiet(name: str, kind: DataType) -> Property:
    """To be given back, and never asked for."""
    return Property(
        name=name, data_type=kind, index_filterable=False, index_searchable=False
    )


Collection: TypeAlias = CollectionAsync[dict[str, object], None]
Objects: TypeAlias = list[tuple[UUID, Mapping[str, object]]]
Answer = TypeVar("Answer")

_INACTIVE = "tenant not active"  # also of one that was moved to a cloud
# What the server says of a collection or tenant that it does not have, or not yet.
_MISSING = (
    "could not find class",
    "class not found",
    "not present in schema",
    "tenant not found",
    "non-existing index",
)
_DELETED_AT_ONCE = 10_000  # objects that the server deletes in one call at most


class At(NamedTuple):
    """A tenant in a collection."""

    collection: str
    tenant: str


class Shelf:
    """The collections of one index: that in force, or one that is filled here.

    Args:
        calls: of the server.
        names: what its collections are called.
        keys: which collection is in force, and which keys are.
    """

    def __init__(self, calls: Calls, names: Names, keys: IndexKeys) -> None:
        self.calls = calls
        self.names = names
        self.keys = keys
        self.begun: str | None = None  # a collection that is filled here, read by none
        self._made: set[At] = set()

    async def place(self) -> Place | None:
        """The collection to be read and written; None where nothing was ever written.

        Raises:
            IndexFailed: what there is cannot be read by this program.
        """
        if self.begun is not None:
            return await self.keys.at(self.begun)
        found = await self.keys.in_force(self.names.index)
        if found is not None and not self.names.readable(found.name):
            raise IndexFailed(
                f"the collection {found.name} has another schema than this program "
                "reads: run `groundrule reindex`, which makes one beside it"
            )
        if found is None and await self.keys.places(self.names.family):
            # An empty index beside it would answer that nothing was found.
            raise IndexFailed(
                "the index was made with another embedder, chunker or word list, or is "
                "not complete: run `groundrule reindex`"
            )
        return found

    async def needed(self) -> Place:
        """The same.

        Raises:
            IndexFailed: there is none.
        """
        found = await self.place()
        if found is None:
            raise IndexFailed(
                "the ledger knows no index for this embedder and chunker on the "
                f"Weaviate server at {self.calls.server.place}: run "
                "`groundrule reindex`"
            )
        return found

    async def listed(self, collection: str) -> set[str]:
        """All tenants of a collection, as the server calls them."""
        found = await self.calls.call(
            "listing tenants",
            lambda client: client.collections.use(collection).tenants.get(),
            self.calls.server.patience,
        )
        return set(found)

    async def add(self, at: At) -> None:
        """Make a tenant unless it is there."""
        if at in self._made:
            return
        name = tenant_name(at.tenant)

        async def make(client: Client) -> None:
            tenants = client.collections.use(at.collection).tenants
            if not await tenants.exists(name):
                await tenants.create([Tenant(name=name)])

        await self.calls.call("making a tenant", make, self.calls.server.patience)
        self._made.add(at)

    async def ask(
        self,
        at: At,
        doing: str,
        ask: Callable[[Collection], Awaitable[Answer]],
        deadline: float | None = None,
    ) -> Answer:
        """Ask about the objects of one tenant.

        Raises:
            TenantInactive: it is switched off on the server.
            Unreachable: nobody answers in time, or the server is still starting.
            IndexReplaced: another collection took the place of this one.
            IndexFailed: there is no answer.
        """
        name = tenant_name(at.tenant)

        def of(client: Client) -> Awaitable[Answer]:
            return ask(
                client.collections.use(
                    at.collection, data_model_properties=dict[str, object]
                ).with_tenant(name)
            )

        try:
            return await self.calls.call(doing, of, deadline)
        except IndexFailed as error:
            if _INACTIVE in str(error):
                raise TenantInactive(
                    f"the tenant {at.tenant} is inactive on the Weaviate server at "
                    f"{self.calls.server.place} (there {name}), and is not looked at: "
                    "activate it there"
                ) from error
            if any(sign in str(error).lower() for sign in _MISSING):
                await self.started()
                await self.keys.at(at.collection)  # else it was replaced meanwhile
            raise

    async def started(self) -> None:
        """Refuse to believe that something is missing while the server starts.

        Raises:
            Unreachable: it has not read all it holds.
        """
        if not await self.calls.call("asking if it is ready", lambda c: c.is_ready()):
            raise Unreachable(
                f"the Weaviate server at {self.calls.server.place} is starting: try "
                "again in some seconds"
            )

    async def fetch(
        self,
        at: At,
        doing: str,
        where: FilterReturn,
        fields: Sequence[str],
        limit: int,
    ) -> Objects:
        """Objects by a filter: their names and these properties."""
        found = await self.ask(
            at,
            doing,
            lambda c: c.query.fetch_objects(
                filters=where, limit=limit, return_properties=list(fields)
            ),
        )
        return [(one.uuid, one.properties) for one in found.objects]

    async def fetch_by_name(
        self, at: At, doing: str, names: Sequence[UUID], fields: Sequence[str]
    ) -> Objects:
        """Those objects of these names that are there, with these properties."""
        found = await self.ask(
            at,
            doing,
            lambda c: c.query.fetch_objects_by_ids(
                names, limit=len(names), return_properties=list(fields)
            ),
        )
        return [(one.uuid, one.properties) for one in found.objects]

    async def count(self, at: At, doing: str, where: FilterReturn) -> int:
        """How many objects a filter finds."""
        found = await self.ask(at, doing, lambda c: c.aggregate.over_all(filters=where))
        return found.total_count or 0

    async def delete(self, at: At, owners: Sequence[str]) -> None:
        """Delete all objects of these owners."""
        where = Filter.by_property("owner").contains_any(list(owners))
        patience = self.calls.server.patience
        while True:
            done = await self.ask(
                at, "deleting", lambda c: c.data.delete_many(where), patience
            )
            if done.failed:
                raise self.calls.refused("deleting", f"{done.failed} objects stayed")
            if done.matches < _DELETED_AT_ONCE:
                return
