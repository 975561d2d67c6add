"""Both arms of a search on a Weaviate server, and their scores by our own count.

The server finds candidates; its scores are not used. Its BM25 weighs words by how rare
they are in all that a tenant holds, so a hidden document would shift it; and distances
of compressed vectors are estimates. Both are computed again from what the server gave
back and from what the asker may see.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import FilterReturn
from weaviate.collections.classes.internal import Object

from adapters.index.lexical import damping, rarity
from adapters.index.snapshot import Scores
from adapters.index.weaviate_catalogue import Part, Seen
from adapters.index.weaviate_objects import SEARCH_FIELDS, chunk_of
from adapters.index.weaviate_schema import HALVES, VECTOR
from adapters.index.weaviate_shelf import Collection, Shelf
from engine.ports import Candidate, Floats, SearchQuery

# A chunk as an arm gives it: its tenant, its object's name, its properties, its vector.
Found: TypeAlias = tuple[str, UUID, Mapping[str, object], Floats]

# The lexical arm is ranked anew by other weights, so more is asked for than is given.
MORE = 2
AT_LEAST = 20


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk that an arm found."""

    tenant: str
    row: int
    key: UUID
    properties: Mapping[str, object]
    vector: Floats

    @property
    def order(self) -> tuple[int, int]:
        """Settles equal scores: the version that came first, then the place in it."""
        return self.row, int(str(self.properties["ordinal"]))


@dataclass(frozen=True, slots=True)
class Arms:
    """What both arms found in all tenants. `refused` were found and not to be seen."""

    hits: tuple[Hit, ...]
    refused: int


async def look(
    shelf: Shelf, seen: Seen, query: SearchQuery, stems: Sequence[str], limit: int
) -> Arms:
    """Ask both arms in every tenant that holds something for the asker.

    Raises:
        IndexFailed: one of them did not answer.
    """
    vector = query.vector.tolist()
    words = [stem for stem in stems if stem in seen.frequency]
    asked = []
    for part in seen.tenants():
        where = allowed(seen, part, query)
        asked.append(_near(shelf, part.tenant, vector, where, limit))
        if words:
            most = max(MORE * limit, limit + AT_LEAST)
            asked.append(_with_words(shelf, part.tenant, words, where, most))
    found = [hit for arm in await asyncio.gather(*asked) for hit in arm]
    return _checked(seen, found)


def ranked(
    seen: Seen, hits: Sequence[Hit], query: SearchQuery, stems: Sequence[str]
) -> tuple[list[Hit], Scores]:
    """The hits in a settled order, with both scores of each."""
    ordered = sorted(hits, key=lambda hit: hit.order)
    lengths = np.array([hit.properties["length"] for hit in ordered], dtype=np.float32)
    damped = damping(lengths, seen.average_length)
    lexical = np.zeros(len(ordered), dtype=np.float32)
    spelled = [str(hit.properties["stems"]) for hit in ordered]
    for stem in stems:
        frequency = seen.frequency.get(stem, 0)
        if frequency:
            counts = [words.count(f" {stem} ") for words in spelled]
            weights = np.array(counts, dtype=np.float32) / HALVES
            lexical += rarity(seen.chunks, frequency) * weights / (weights + damped)
    vectors = np.stack([hit.vector for hit in ordered])
    cosine = np.vecdot(vectors, query.vector.astype(np.float32))
    visible = np.ones(len(ordered), dtype=np.bool_)
    return ordered, Scores(visible, lexical, cosine)


def candidates(
    ordered: Sequence[Hit], scores: Scores, limit: int
) -> tuple[Candidate, ...]:
    """The best of each arm, as the port returns them."""
    return tuple(
        Candidate(
            chunk=chunk_of(ordered[at].properties),
            bm25=float(scores.bm25[at]) or None,
            cosine=float(scores.cosine[at]),
        )
        for at in scores.best(limit)
    )


def allowed(seen: Seen, part: Part, query: SearchQuery) -> FilterReturn:
    """What the server leaves out before it ranks; the catalogue decides in the end.

    Tags and sources that no visible version has are not even mentioned to it.
    """
    scope, revision = query.scope, part.head.revision
    by = Filter.by_property
    where = [
        by("pack").equal(scope.pack),
        Filter.not_(by("born").greater_than(revision)),
    ]
    if scope.as_of is None:
        where.append(by("replaced").greater_than(revision))
    else:
        day = scope.as_of.toordinal()
        current = by("replaced").greater_than(revision)
        where += [
            by("died").greater_than(revision),
            by("begins").less_or_equal(day),
            by("ends").greater_or_equal(day),
            current | by("replaced_ends").greater_or_equal(day),
        ]
    tags, sources, demo = seen.described
    open_to_all = by("restricted").equal(False)
    held = sorted(tags & scope.tags)
    where.append(open_to_all | by("tags").contains_any(held) if held else open_to_all)
    if not demo:
        where.append(by("demo").equal(False))
    if query.sources is not None:
        where.append(by("source").contains_any(sorted(sources & query.sources)))
    return Filter.all_of(where)


async def _near(
    shelf: Shelf, tenant: str, vector: Sequence[float], where: FilterReturn, limit: int
) -> list[Found]:
    async def ask(collection: Collection) -> list[Found]:
        found = await collection.query.near_vector(
            vector,
            target_vector=VECTOR,
            limit=limit,
            filters=where,
            include_vector=True,
            return_properties=list(SEARCH_FIELDS),
        )
        return _read(tenant, found.objects)

    return await shelf.ask(tenant, "searching by meaning", ask)


async def _with_words(
    shelf: Shelf, tenant: str, words: Sequence[str], where: FilterReturn, limit: int
) -> list[Found]:
    async def ask(collection: Collection) -> list[Found]:
        found = await collection.query.bm25(
            " ".join(words),
            query_properties=["stems"],
            limit=limit,
            filters=where,
            include_vector=True,
            return_properties=list(SEARCH_FIELDS),
        )
        return _read(tenant, found.objects)

    return await shelf.ask(tenant, "searching by words", ask)


def _read(
    tenant: str, objects: Iterable[Object[dict[str, object], None]]
) -> list[Found]:
    return [
        (tenant, one.uuid, one.properties, np.asarray(one.vector[VECTOR], np.float32))
        for one in objects
    ]


def _checked(seen: Seen, found: Iterable[Found]) -> Arms:
    """Each chunk once, and only of a version that the catalogue shows to the asker."""
    hits: dict[tuple[int, int], Hit] = {}
    refused = 0
    for tenant, key, properties, vector in found:
        row = seen.view.places.get(str(properties["owner"]))
        if row is None or not seen.visible[row]:
            refused += 1
            continue
        hit = Hit(tenant, row, key, properties, vector)
        hits[hit.order] = hit
    return Arms(tuple(hits.values()), refused)
