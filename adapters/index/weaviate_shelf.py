"""The collections of an index on a Weaviate server, and calls on their objects."""

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
FOREVER = 2**40  # the last day of a version without one
# Stems are written in half units, so that a title's 1.5 is a whole number of them. With
# K1 doubled, the server's BM25 is then ours, except for the corpus of its statistics.
HALVES = 2


class Quantizer(StrEnum):
    """The compression of vectors in memory; the exact ones stay on the disk."""

    NONE = "none"
    RQ = "rq"
    SQ = "sq"


class Kind(StrEnum):
    """The kind of an object of the collection."""

    CHUNK = "chunk"
    TOKENS = "tokens"
    ASKED = "asked"
    VERSION = "version"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the collections of one installation.

    Args:
        installation: tells the bots on one server apart.
        identity: embedder, reducer and chunker of the vectors.
    """

    installation: str
    identity: Identity

    @property
    def family(self) -> str:
        """Return the prefix of the names of all collections of this installation."""
        readable = str(re2.sub(r"[^A-Za-z0-9]+", "", self.installation))
        digest = _hash_parts((self.installation,))[:8]
        return f"Groundrule{readable[:24].capitalize()}{digest}_"

    @property
    def index(self) -> str:
        """Return the name of the index in the ledger."""
        return self.family + _hash_parts((*astuple(self.identity), LEXICON))[:12]

    def fresh(self) -> str:
        """Make the name of a new collection."""
        return f"{self.index}_v{SCHEMA}_{secrets.token_hex(4)}"

    def readable(self, collection: str) -> bool:
        """Tell whether a collection's schema is the one that this program reads."""
        return collection.startswith(f"{self.index}_v{SCHEMA}_")


def make_tenant_name(tenant: str) -> str:
    """Make the server's name of a tenant: a hash, as its alphabet is small."""
    digest = hashlib.sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()
    return "t" + digest[:48]


def _hash_parts(parts: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


async def create_collection(calls: Calls, names: Names, quantizer: Quantizer) -> str:
    """Create an empty collection and return its name."""
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
            properties=_make_properties(),
            inverted_index_config=Configure.inverted_index(
                bm25_b=B,
                bm25_k1=HALVES * K1,
                stopwords_preset=StopwordsPreset.NONE,
            ),
            multi_tenancy_config=Configure.multi_tenancy(enabled=True),
        )

    await calls.call("making the collection", make, calls.server.patience)
    return name


async def list_collections(calls: Calls, names: Names) -> list[str]:
    """List the collections of this installation."""
    listed = await calls.call(
        "listing collections", lambda client: client.collections.list_all(simple=True)
    )
    return sorted(name for name in listed if name.startswith(names.family))


async def delete_collection(calls: Calls, names: Names, collection: str) -> None:
    """Delete a collection with all its objects, if it is of this installation."""
    if collection.startswith(names.family):
        await calls.call(
            "deleting a collection",
            lambda client: client.collections.delete(collection),
            calls.server.patience,
        )


def _make_properties() -> list[Property]:
    text = DataType.TEXT
    names = ("kind", "pack", "owner", "chunk", "document", "source")
    exact = {**dict.fromkeys(names, text), "tags": DataType.TEXT_ARRAY}
    quiet = {
        # As text: the server takes 2.1 ms for the token vectors of one passage as a
        # blob, and .24 ms as text.
        **dict.fromkeys(("body", "version", "tokens", "counts", "exact"), text),
        "length": DataType.NUMBER,
    }
    return [
        *(_make_exact_property(name, kind) for name, kind in exact.items()),
        *(_make_range_property(name) for name in ("begins", "ends", "ordinal")),
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
        *(_make_stored_property(name, kind) for name, kind in quiet.items()),
    ]


def _make_exact_property(name: str, kind: DataType) -> Property:
    """Make a property that filters compare as a whole."""
    return Property(
        name=name,
        data_type=kind,
        index_filterable=True,
        index_searchable=False,
        tokenization=Tokenization.FIELD,
    )


def _make_range_property(name: str) -> Property:
    """Make a property with an integer that filters compare by size."""
    return Property(
        name=name,
        data_type=DataType.INT,
        index_filterable=False,
        index_range_filters=True,
    )


def _make_stored_property(name: str, kind: DataType) -> Property:
    """Make a property that is returned and never searched or filtered."""
    return Property(
        name=name, data_type=kind, index_filterable=False, index_searchable=False
    )


Collection: TypeAlias = CollectionAsync[dict[str, object], None]
Objects: TypeAlias = list[tuple[UUID, Mapping[str, object]]]
Answer = TypeVar("Answer")

_INACTIVE = "tenant not active"  # also where it was moved to a cloud
# The server's messages about a collection or tenant that it does not have, or not yet.
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
    """The collection of one index: the one in force, or a new one filled here.

    Args:
        calls: the calls to the server.
        names: the names of its collections.
        keys: the keys and collections that are in force.
    """

    def __init__(self, calls: Calls, names: Names, keys: IndexKeys) -> None:
        self.calls = calls
        self.names = names
        self.keys = keys
        self.begun: str | None = None  # a new collection, filled here and not read yet
        self._made: set[At] = set()

    async def place(self) -> Place | None:
        """Return the collection to read and write; None where there is none yet.

        Raises:
            IndexFailed: this program cannot read the collection.
        """
        if self.begun is not None:
            return await self.keys.read_place(self.begun)
        found = await self.keys.find_place(self.names.index)
        if found is not None and not self.names.readable(found.name):
            raise IndexFailed(
                f"the collection {found.name} has another schema than this program "
                "reads: run `groundrule reindex`, which makes one beside it"
            )
        if found is None and await self.keys.list_places(self.names.family):
            # An empty index beside it would answer that nothing was found.
            raise IndexFailed(
                "the index was made with another embedder, chunker or word list, or is "
                "not complete: run `groundrule reindex`"
            )
        return found

    async def needed(self) -> Place:
        """Return the collection to read and write.

        Raises:
            IndexFailed: there is none, or this program cannot read it.
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
        """List the tenants of a collection by the server's names."""
        found = await self.calls.call(
            "listing tenants",
            lambda client: client.collections.use(collection).tenants.get(),
            self.calls.server.patience,
        )
        return set(found)

    async def add(self, at: At) -> None:
        """Create a tenant unless it exists."""
        if at in self._made:
            return
        name = make_tenant_name(at.tenant)

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
        """Make a call on the objects of one tenant.

        Raises:
            TenantInactive: it is deactivated on the server.
            Unreachable: the server does not answer in time, or is still starting.
            IndexReplaced: another collection replaced this one.
            IndexFailed: the call failed.
        """
        name = make_tenant_name(at.tenant)

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
                await self.keys.read_place(
                    at.collection
                )  # else it was replaced meanwhile
            raise

    async def started(self) -> None:
        """Check that the server has started, before anything counts as missing.

        Raises:
            Unreachable: it has not loaded all its objects.
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
        """Fetch objects by a filter: their names and these properties."""
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
        """Fetch the objects with these names that exist, with these properties."""
        found = await self.ask(
            at,
            doing,
            lambda c: c.query.fetch_objects_by_ids(
                names, limit=len(names), return_properties=list(fields)
            ),
        )
        return [(one.uuid, one.properties) for one in found.objects]

    async def count(self, at: At, doing: str, where: FilterReturn) -> int:
        """Count the objects that match a filter."""
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
