"""Proof that what was stored is found by its vector, and the cure where it is not.

A server that is killed keeps its objects and may lose the last batch of its vector
index, although it had confirmed it: it writes the index down while it still adds to it.
The next batch, whatever is in it, makes it write down what came before. So a version's
own object is a batch of its own, after all its passages.
What is lost all the same is found by its words alone, and whoever put it in again would
change nothing, because the server skips an object that it has. So its whole version is
written anew under names that were never used, and takes the place of the broken one.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

import numpy as np
from weaviate.classes.query import BM25Operator, Filter, MetadataQuery

from adapters.index.weaviate_calls import Unreachable
from adapters.index.weaviate_objects import (
    ASKED_FIELDS,
    Properties,
    Version,
    asked_key,
    spread,
    token_key,
    vector_of,
)
from adapters.index.weaviate_schema import VECTOR, Kind
from adapters.index.weaviate_shelf import Collection, Shelf
from engine.model.errors import IndexFailed
from engine.model.ports import Floats

WHOLE = 3  # versions in a row that are found say that those before them are, too
SAMPLE = 8  # passages of a new version that are looked for; the last always is
WORDS = 8  # of the last passage
_AT_ONCE = 4
_READ = 100  # objects of one call
_NEAREST = (4, 64, 512)  # asked for, one after the other, until it is among them
# In a crowd of passages that are all alike the graph of a server may lose the way to
# one of them for good (weaviate issue 7977, qdrant issue 1788); what it finds instead
# says the same. A node keeps 64 ways at most.
_ALIKE, _CROWD = 0.15, 64  # cosine distance; passages


class Proof:
    """Looks for passages by their own vectors, without a filter."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    async def show(
        self, tenant: str, version: Version, chunks: Sequence[Properties]
    ) -> None:
        """Look for a new version in every index before anybody sees it.

        Its filters have to find all of it. Some passages are looked for by their
        vectors, and the last by some of its words; more words take the server longer
        the more it holds.

        Raises:
            Unreachable: something is not found.
        """
        last = len(chunks) - 1
        sample = sorted({*np.linspace(0, last, min(SAMPLE, last + 1), dtype=int)})
        keys = version.chunk_keys()
        counted, lost, heard = await asyncio.gather(
            self._counted(tenant, version),
            self.missed(
                tenant,
                {keys[at]: spread(keys[at], vector_of(chunks[at])) for at in sample},
            ),
            self._heard(tenant, keys[last], str(chunks[last]["stems"])),
        )
        ways = {"vector": not lost, "words": heard, "filters": counted}
        if not all(ways.values()):
            by = " and ".join(
                f"by its {way}" for way, found in ways.items() if not found
            )
            raise Unreachable(
                f"{version.document} was stored and is not all found {by}: the server "
                "may have been restarted meanwhile; if this happens again, "
                "run `groundrule reindex --fresh`"
            )

    async def ended(self, tenant: str, born: int, ends: int) -> None:
        """Look for the ends of versions before a revision is shown.

        Raises:
            Unreachable: not all are found.
        """
        by = Filter.by_property
        where = by("kind").equal(Kind.END.value) & by("born").equal(born)
        if await self._shelf.count(tenant, "counting what ended", where) < ends:
            raise Unreachable(
                "the Weaviate server was restarted while it was written to"
            )

    async def broken(self, tenant: str, versions: Sequence[Version]) -> list[Version]:
        """The newest versions of which a passage is not found by its vector.

        What a stop takes from the vector index is the last that came, so the search
        for it goes back until some versions are whole.

        Args:
            tenant: whose versions.
            versions: all of them, the newest last.
        """
        broken: list[Version] = []
        whole = 0
        for version in reversed(versions):
            lost = await self.lost(tenant, [version])
            if lost:
                broken.append(version)
            whole = 0 if lost else whole + 1
            if whole == WHOLE:
                break
        return broken

    async def lost(self, tenant: str, versions: Sequence[Version]) -> int:
        """How many of the passages of some versions their vectors do not find."""
        lost = 0
        for version in versions:
            stored = await self.stored(tenant, version)
            vectors = [vector for _, vector in stored]
            named = zip(version.chunk_keys(), vectors, strict=True)
            lost += len(await self.missed(tenant, dict(named)))
        return lost

    async def _counted(self, tenant: str, version: Version) -> bool:
        """Whether the filters of a search and of the catalogue find all of it."""
        by = Filter.by_property
        mine = by("owner").equal(str(version.key)) & by("born").equal(version.born)
        tagged, sourced = bool(version.tags), by("source").equal(version.source)
        found = (
            mine
            & by("kind").equal(Kind.CHUNK.value)
            & by("pack").equal(version.pack)
            & by("past").equal(not version.current)
            & by("demo").equal(version.demo)
            & by("restricted").equal(tagged)
            & sourced
            & by("begins").greater_or_equal(0)
            & by("ends").greater_or_equal(0)
        )
        if tagged:
            found &= by("tags").contains_all(sorted(version.tags))
        known = mine & by("kind").equal(Kind.VERSION.value)
        tokens = mine & by("kind").equal(Kind.TOKENS.value)
        asked = mine & by("kind").equal(Kind.ASKED.value)
        counts = await asyncio.gather(
            *(
                self._shelf.count(tenant, "counting what was stored", where)
                for where in (found, tokens, asked, known)
            )
        )
        return counts == [version.chunks, version.chunks, version.asked, 1]

    async def _heard(self, tenant: str, key: UUID, spelled: str) -> bool:
        """Whether a passage is found by some of its words together."""
        words = " ".join(sorted(set(spelled.split()))[:WORDS])
        if not words:
            return True
        found = await self._shelf.ask(
            tenant,
            "proving what was stored",
            lambda c: c.query.bm25(
                words,
                query_properties=["stems"],
                operator=BM25Operator.and_(),
                filters=Filter.by_id().equal(key),
                limit=1,
                return_properties=[],
            ),
            self._shelf.calls.server.patience,
        )
        return bool(found.objects)

    async def missed(self, tenant: str, vectors: Mapping[UUID, Floats]) -> list[UUID]:
        """Which passages the vector index does not find by their vectors."""
        free = asyncio.Semaphore(_AT_ONCE)

        async def found(key: UUID, vector: Floats) -> bool:
            async with free:
                # The server searches roughly, and less so the more it is asked for: of
                # a million passages it overlooks one in some thousands at first.
                for limit in _NEAREST:
                    near = await self._nearest(tenant, vector, limit)
                    if key in near:
                        return True
                    if len(near) < limit:
                        return False
                alike = sum(distance <= _ALIKE for distance in near.values())
                return alike >= _CROWD

        known = await asyncio.gather(*(found(*item) for item in vectors.items()))
        return [key for key, there in zip(vectors, known, strict=True) if not there]

    async def _nearest(
        self, tenant: str, vector: Floats, limit: int
    ) -> Mapping[UUID, float]:
        """What the vector index finds, with its distance."""
        found = await self._shelf.ask(
            tenant,
            "proving what was stored",
            lambda c: c.query.near_vector(
                vector.tolist(),
                target_vector=VECTOR,
                limit=limit,
                return_properties=[],
                return_metadata=MetadataQuery(distance=True),
            ),
            self._shelf.calls.server.patience,
        )
        return {one.uuid: one.metadata.distance or 0.0 for one in found.objects}

    async def stored(
        self, tenant: str, version: Version
    ) -> list[tuple[Properties, Floats]]:
        """The chunks of a version as they are stored, in order, each with its vector.

        That is the one in the server's graph, not always the exact one.

        Raises:
            IndexFailed: some are not there.
        """
        keys = version.chunk_keys()
        stored: dict[UUID, tuple[Properties, Floats]] = {}

        async def read(part: list[UUID], collection: Collection) -> None:
            found = await collection.query.fetch_objects_by_ids(
                part, limit=len(part), include_vector=True
            )
            for one in found.objects:
                vector = np.asarray(one.vector[VECTOR], dtype=np.float32)
                stored[one.uuid] = (dict(one.properties), vector)

        for first in range(0, len(keys), _READ):
            await self._shelf.ask(
                tenant,
                "reading what was stored",
                partial(read, keys[first : first + _READ]),
                self._shelf.calls.server.patience,
            )
        if len(stored) < len(keys):
            raise _incomplete(version, len(keys) - len(stored))
        return [stored[key] for key in keys]

    async def stored_tokens(self, tenant: str, version: Version) -> list[Properties]:
        """What is stored of the token vectors of its chunks, in order.

        Raises:
            IndexFailed: some are not there.
        """
        keys = [token_key(key) for key in version.chunk_keys()]
        stored: dict[UUID, Properties] = {}
        for first in range(0, len(keys), _READ):
            part = keys[first : first + _READ]
            doing = "reading token vectors"
            found = await self._shelf.fetch_by_name(tenant, doing, part, ["tokens"])
            stored |= {key: dict(properties) for key, properties in found}
        if len(stored) < len(keys):
            raise _incomplete(version, len(keys) - len(stored))
        return [stored[key] for key in keys]

    async def stored_asked(
        self, tenant: str, version: Version
    ) -> list[Properties | None]:
        """What is stored of the questions of its chunks, in order; None for no object.

        Raises:
            IndexFailed: some are not there.
        """
        keys = [asked_key(key) for key in version.chunk_keys()]
        if not version.asked:
            return [None] * len(keys)
        stored: dict[UUID, Properties] = {}
        for first in range(0, len(keys), _READ):
            part, doing = keys[first : first + _READ], "reading questions"
            found = await self._shelf.fetch_by_name(tenant, doing, part, ASKED_FIELDS)
            stored |= {key: dict(properties) for key, properties in found}
        if len(stored) < version.asked:
            raise _incomplete(version, version.asked - len(stored))
        return [stored.get(key) for key in keys]


def _incomplete(version: Version, missing: int) -> IndexFailed:
    return IndexFailed(
        f"{missing} passages of {version.document} are not on the server: run "
        "`groundrule reindex --fresh`"
    )
