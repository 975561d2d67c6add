"""The collection that holds an index on a Weaviate server, and what it is called.

One collection holds everything of an index: its chunks, their token vectors and the
questions that they answer, one object for each version of a document, and one head for
each tenant. So one alias names it, and a re-index beside it takes its place at once.
"""

import hashlib
import secrets
from dataclasses import astuple, dataclass
from enum import StrEnum

import re2
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    StopwordsPreset,
    Tokenization,
    VectorDistances,
)

from adapters.index.catalogue import Identity
from adapters.index.lexical import K1, B
from adapters.index.weaviate_calls import Calls, Client
from engine.model.errors import IndexFailed
from engine.text.words import VERSION as LEXICON

SCHEMA = 4
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
    END = "end"
    HEAD = "head"


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
    def alias(self) -> str:
        """What the index is found by."""
        return self.family + _digest((*astuple(self.identity), LEXICON))[:12]

    def fresh(self) -> str:
        """A collection that does not exist yet."""
        return f"{self.alias}_v{SCHEMA}_{secrets.token_hex(4)}"

    def readable(self, collection: str) -> bool:
        """Whether a collection's schema is the one that this program reads."""
        return collection.startswith(f"{self.alias}_v{SCHEMA}_")


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


async def target(calls: Calls, names: Names) -> str | None:
    """The collection that the alias names; None where there is none."""
    return await _named(calls, names.alias)


async def point(calls: Calls, names: Names, collection: str) -> None:
    """Let the alias name a collection, from now on and for everybody."""
    before = await target(calls, names)

    async def change(client: Client) -> None:
        if before is None:
            await client.alias.create(
                alias_name=names.alias, target_collection=collection
            )
        else:
            await client.alias.update(
                alias_name=names.alias, new_target_collection=collection
            )

    await calls.call("naming the collection", change, calls.server.patience)


async def name_first(calls: Calls, names: Names, collection: str) -> bool:
    """Let the alias name a collection, unless it names another by now; whether it does.

    Of several processes that make the first collection, the server lets one do so.
    """

    async def name_it(client: Client) -> None:
        await client.alias.create(alias_name=names.alias, target_collection=collection)

    try:
        await calls.call("naming the collection", name_it, calls.server.patience)
    except IndexFailed:
        if await target(calls, names) in (None, collection):
            raise
        return False
    return True


async def family(calls: Calls, names: Names) -> list[str]:
    """Every collection of this installation."""
    listed = await calls.call(
        "listing collections", lambda client: client.collections.list_all(simple=True)
    )
    return sorted(name for name in listed if name.startswith(names.family))


async def abandoned(calls: Calls, names: Names) -> list[str]:
    """Those of them that no alias names: begun, and not ended.

    The alias of each is asked for by its own name. A list of all would lack, without
    a word, those that the key may not read, and what they name would look abandoned.
    """
    return [
        collection
        for collection in await family(calls, names)
        if await _named(calls, collection.rpartition("_v")[0]) != collection
    ]


async def _named(calls: Calls, alias: str) -> str | None:
    """The collection that an alias names; None where there is no such alias."""
    found = await calls.call(
        "looking up the collection", lambda client: client.alias.get(alias_name=alias)
    )
    return None if found is None else found.collection


async def drop(calls: Calls, names: Names, collection: str) -> None:
    """Delete a collection with everything in it, and the aliases that name it."""

    async def remove(client: Client) -> None:
        for alias in await client.alias.list_all(collection=collection):
            await client.alias.delete(alias_name=alias)
        await client.collections.delete(collection)

    if collection.startswith(names.family):
        await calls.call("deleting a collection", remove, calls.server.patience)


def _properties() -> list[Property]:
    text = DataType.TEXT
    exact = {
        "kind": text,
        "pack": text,
        "owner": text,
        "chunk": text,
        "document": text,
        "version": text,
        "source": text,
        "tags": DataType.TEXT_ARRAY,
    }
    ranges = ("begins", "ends", "ordinal")
    quiet = {
        **dict.fromkeys(("body", "flip", "force_from", "force_to", "cut"), text),
        # As text: the server spends 2.1 ms on the token vectors of one passage where
        # they are a blob, and .24 ms where they are text.
        **dict.fromkeys(("tokens", "counts", "exact"), text),
        **dict.fromkeys(("revision", "purged", "chunks", "came"), DataType.INT),
        **dict.fromkeys(("length", "ended_at"), DataType.NUMBER),
    }
    return [
        *(_exact(name, kind) for name, kind in exact.items()),
        # Few revisions stand above one that is asked for, so they are compared value by
        # value: 1 ms instead of 4 over 60,000 chunks.
        Property(name="born", data_type=DataType.INT, index_filterable=True),
        *(_range(name) for name in ranges),
        *(
            Property(name=name, data_type=DataType.BOOL, index_filterable=True)
            for name in ("demo", "restricted", "past")
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
