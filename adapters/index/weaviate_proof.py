"""Proof that what was stored is found by its vector, and the cure where it is not.

A server that is killed keeps its objects and loses the last batch of its vector index,
although it had confirmed it (measured: in every kill, however late). One more vector
makes it write down those before, so every write ends with a seal that nobody searches.
What is lost all the same is found by its words alone, and whoever put it in again would
change nothing, because the server skips an object that it has. So it is deleted first.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

import numpy as np
from weaviate.classes.data import DataObject
from weaviate.classes.query import MetadataQuery

from adapters.index.weaviate_calls import Unreachable
from adapters.index.weaviate_objects import SEAL, Properties, Version
from adapters.index.weaviate_schema import VECTOR, Kind
from adapters.index.weaviate_shelf import Collection, Shelf
from engine.errors import IndexFailed
from engine.ports import Floats

WHOLE = 3  # versions in a row that are found say that those before them are, too
SAMPLE = 8  # passages of a new version that are looked for; the last always is
_AT_ONCE = 4
_READ = 100  # objects of one call
_NEAREST = (4, 64)  # asked for first, and where others have the same vector
_SAME = 1e-5  # cosine distance of equal vectors, as computed in single precision


class Proof:
    """Looks for passages by their own vectors, without a filter."""

    def __init__(self, shelf: Shelf, dimension: int) -> None:
        self._shelf = shelf
        self._dimension = dimension

    async def seal(self, tenant: str) -> None:
        """Make the server write down the vectors that came before."""
        vector = np.random.default_rng().normal(size=self._dimension)
        kind: Properties = {"kind": Kind.SEAL.value}
        seal = DataObject(
            kind,
            uuid=SEAL,
            vector={VECTOR: (vector / np.linalg.norm(vector)).tolist()},
        )
        await self._shelf.ask(
            tenant,
            "sealing what was stored",
            lambda c: c.data.insert_many([seal]),
            self._shelf.calls.server.patience,
        )

    async def show(
        self, tenant: str, version: Version, vectors: Sequence[Floats]
    ) -> None:
        """Look for some passages of a new version before anybody sees it.

        Raises:
            IndexFailed: one of them is not found.
        """
        last = len(vectors) - 1
        sample = sorted({*np.linspace(0, last, min(SAMPLE, last + 1), dtype=int)})
        keys = version.chunk_keys()
        lost = await self._lost(tenant, {keys[at]: vectors[at] for at in sample})
        if lost:
            raise Unreachable(
                f"{version.document} was stored and its passages are not found by "
                "their vectors: the server may have been restarted meanwhile; if this "
                "happens again, run `python -m bot reindex --fresh`"
            )

    async def mend(self, tenant: str, versions: Sequence[Version]) -> int:
        """Look for the passages of the newest versions; put in anew what is not found.

        What a stop takes from the vector index is the last that came, so the search
        for it goes back until some versions are whole.

        Args:
            tenant: whose versions.
            versions: all of them, the newest last.

        Returns:
            How many passages were put in anew.
        """
        mended = whole = 0
        for version in reversed(versions):
            stored = await self._stored(tenant, version)
            lost = await self._lost(
                tenant, {key: vector for key, (_, vector) in stored.items()}
            )
            for key in lost:
                await self._again(tenant, key, *stored[key])
            mended += len(lost)
            whole = 0 if lost else whole + 1
            if whole == WHOLE:
                break
        if mended:
            await self.seal(tenant)
        return mended

    async def lost(self, tenant: str, versions: Sequence[Version]) -> int:
        """How many of the passages of some versions their vectors do not find."""
        lost = 0
        for version in versions:
            stored = await self._stored(tenant, version)
            vectors = {key: vector for key, (_, vector) in stored.items()}
            lost += len(await self._lost(tenant, vectors))
        return lost

    async def _lost(self, tenant: str, vectors: Mapping[UUID, Floats]) -> list[UUID]:
        free = asyncio.Semaphore(_AT_ONCE)

        async def found(key: UUID, vector: Floats) -> bool:
            async with free:
                for limit in _NEAREST:
                    near = await self._nearest(tenant, vector, limit)
                    if key in near:
                        return True
                    if len(near) < limit or max(near.values()) > _SAME:
                        return False
                return True  # so many have this vector that it stands among them

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

    async def _stored(
        self, tenant: str, version: Version
    ) -> dict[UUID, tuple[Properties, Floats]]:
        """The chunks of a version as they are stored.

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
            raise IndexFailed(
                f"{len(keys) - len(stored)} passages of {version.document} are not on "
                "the server: run `python -m bot reindex --fresh`"
            )
        return stored

    async def _again(
        self, tenant: str, key: UUID, properties: Properties, vector: Floats
    ) -> None:
        kept = {n: value for n, value in properties.items() if value is not None}
        again = DataObject(kept, uuid=key, vector={VECTOR: vector.tolist()})

        async def replace(collection: Collection) -> None:
            await collection.data.delete_by_id(key)
            await collection.data.insert_many([again])

        patience = self._shelf.calls.server.patience
        await self._shelf.ask(tenant, "mending the vector index", replace, patience)
