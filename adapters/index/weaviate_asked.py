"""The questions that chunks on a Weaviate server answer, searched in memory (R-Q3).

They are few beside the chunks, and a version never changes, so those of a version are
read once, by the first search that may see it, and compared exactly. What may be seen
is what the catalogue shows: a question never outlives the version it came with.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter

from adapters.index.weaviate_catalogue import Seen
from adapters.index.weaviate_objects import ASKED_FIELDS, Version, asked_of
from adapters.index.weaviate_schema import Kind
from adapters.index.weaviate_shelf import Shelf
from engine.model.ports import Floats

_AT_ONCE = 1_000  # objects of one call, some 6 kB each
_SPARE = 1_000  # versions kept that a view does not hold: those of other tenants

# A chunk: the row of its version in the view, and its place there.
Order: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Held:
    """The questions of one version: the place of each one's chunk, text, vector."""

    ordinals: tuple[int, ...]
    texts: tuple[str, ...]
    vectors: Floats


@dataclass(frozen=True, slots=True)
class Near:
    """The best cosine of a chunk's questions with the asker's, and that question."""

    cosine: float
    text: str


@dataclass
class Questions:
    """The questions of the versions that searches saw."""

    shelf: Shelf
    _held: dict[UUID, Held] = field(default_factory=dict)

    async def near(self, seen: Seen, vector: Floats) -> Mapping[Order, Near]:
        """Every visible chunk that has questions, with the best of them.

        Raises:
            IndexFailed: they cannot be read.
        """
        rows = [int(row) for row in np.flatnonzero(seen.visible)]
        versions = {row: seen.view.versions[row] for row in rows}
        asking = {row: one for row, one in versions.items() if one.asked}
        await self._load(seen, asking)
        best: dict[Order, Near] = {}
        for row, version in asking.items():
            held = self._held.get(version.key)
            if held is None:
                continue
            cosines = np.vecdot(held.vectors, vector.astype(np.float32))
            for ordinal, text, cosine in zip(
                held.ordinals, held.texts, cosines.tolist(), strict=True
            ):
                known = best.get((row, ordinal))
                if known is None or cosine > known.cosine:
                    best[row, ordinal] = Near(cosine, text)
        return best

    async def _load(self, seen: Seen, asking: Mapping[int, Version]) -> None:
        if len(self._held) > len(seen.view.versions) + _SPARE:
            known = {version.key for version in seen.view.versions}
            self._held = {k: held for k, held in self._held.items() if k in known}
        for part, rows in seen.view.rows:
            lacking = [
                version
                for row, version in asking.items()
                if rows.start <= row < rows.stop and version.key not in self._held
            ]
            for batch in _batches(lacking):
                await self._read(part.tenant, batch)

    async def _read(self, tenant: str, versions: Sequence[Version]) -> None:
        """Of a version that is being deleted just now only what is whole is kept."""
        by = Filter.by_property
        owners = [str(version.key) for version in versions]
        where = by("kind").equal(Kind.ASKED.value) & by("owner").contains_any(owners)
        objects = sum(version.asked for version in versions)
        found = await self.shelf.fetch(
            tenant, "reading questions", where, ASKED_FIELDS, objects
        )
        for version in versions:
            mine = [p for _, p in found if str(p["owner"]) == str(version.key)]
            if len(mine) == version.asked:
                self._held[version.key] = _held(mine)


def _held(objects: Sequence[Mapping[str, object]]) -> Held:
    ordinals: list[int] = []
    texts: list[str] = []
    vectors: list[Floats] = []
    for properties in objects:
        said, rows = asked_of(properties)
        ordinals += [int(str(properties["ordinal"]))] * len(said)
        texts += said
        vectors.append(rows)
    return Held(tuple(ordinals), tuple(texts), np.concatenate(vectors))


def _batches(versions: Sequence[Version]) -> Iterator[list[Version]]:
    """Some versions at a time, by how many objects their questions are."""
    batch: list[Version] = []
    for version in versions:
        if batch and sum(one.asked for one in batch) + version.asked > _AT_ONCE:
            yield batch
            batch = []
        batch.append(version)
    if batch:
        yield batch
