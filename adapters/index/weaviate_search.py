"""All arms of a search on a Weaviate server, and their scores by our own count.

The server finds candidates; its scores are not used. Its BM25 weighs words by how rare
they are in all that a tenant holds, so a hidden document would shift it; and distances
of compressed vectors are estimates. Both are computed again from what the server gave
back and from what the asker may see.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import FilterReturn
from weaviate.collections.classes.internal import Object

from adapters.index.lexical import damping, rarity
from adapters.index.questions import NONE, Nearest
from adapters.index.snapshot import Scores
from adapters.index.weaviate_asked import Near, Order, Questions
from adapters.index.weaviate_catalogue import Part, Seen
from adapters.index.weaviate_objects import (
    SEARCH_FIELDS,
    chunk_key,
    chunk_of,
    vector_of,
)
from adapters.index.weaviate_schema import HALVES, VECTOR, Kind
from adapters.index.weaviate_shelf import Collection, Shelf
from engine.model.errors import IndexFailed
from engine.model.ports import Candidate, SearchQuery

# A chunk as an arm gives it: its tenant, its object's name and its properties.
Found: TypeAlias = tuple[str, UUID, Mapping[str, object]]
Arm: TypeAlias = Callable[[int], Awaitable[list[Found]]]

# What an arm gives is ranked anew: by other weights of words, and by exact vectors,
# which the server has moved a little. So more is asked for than is given.
MORE = 2
AT_LEAST = 20
MOST_ASKED = 8_000  # passages of one arm; the server stops at 10,000


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk that an arm found.

    `order` settles equal scores: the version that came first, then the place in it.
    """

    tenant: str
    key: UUID
    properties: Mapping[str, object]
    order: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Arms:
    """What arms found. `refused` were found and not to be seen.

    `asked` holds the nearest question of every visible chunk that has some.
    """

    hits: tuple[Hit, ...]
    refused: int
    asked: Mapping[Order, Near] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Searching:
    """All arms over a shelf."""

    shelf: Shelf
    questions: Questions

    async def look(
        self, seen: Seen, query: SearchQuery, stems: Sequence[str], limit: int
    ) -> Arms:
        """Ask every arm in every tenant that holds something for the asker.

        Raises:
            IndexFailed: one of them did not answer, or not as it should.
        """
        arms, asked = await asyncio.gather(
            _both(self.shelf, seen, query, stems, limit),
            self.questions.near(seen, query.vector),
        )
        known = {hit.order for hit in arms.hits}
        best = sorted(asked, key=lambda order: (-asked[order].cosine, order))
        lacking = [order for order in best[:limit] if order not in known]
        brought = await self._brought(seen, lacking)
        return Arms((*arms.hits, *brought), arms.refused, asked)

    async def _brought(self, seen: Seen, orders: Sequence[Order]) -> list[Hit]:
        """Chunks that only their questions found."""
        hits: list[Hit] = []
        for part, rows in seen.view.rows:
            keys = {
                chunk_key(seen.view.versions[row].key, at): (row, at)
                for row, at in orders
                if rows.start <= row < rows.stop
            }
            if not keys:
                continue
            found = await self.shelf.fetch_by_name(
                part.tenant, "searching by questions", list(keys), SEARCH_FIELDS
            )
            hits += [
                Hit(part.tenant, key, properties, keys[key])
                for key, properties in found
            ]
        return hits


async def _both(
    shelf: Shelf, seen: Seen, query: SearchQuery, stems: Sequence[str], limit: int
) -> Arms:
    """The arms of words and of meaning."""
    vector = query.vector.tolist()
    words = " ".join(stem for stem in stems if stem in seen.frequency)
    wanted = max(MORE * limit, limit + AT_LEAST)
    asked = []
    for part in seen.tenants():
        scope = (query.scope.pack, query.scope.as_of, query.scope.tags)
        only = (query.sources, query.document)
        where = seen.kept(
            (part.tenant, *scope, *only), partial(allowed, seen, part, query)
        )
        near = partial(_near, shelf, part.tenant, vector, where)
        asked.append(_enough(near, seen, wanted))
        if words:
            lexical = partial(_with_words, shelf, part.tenant, words, where)
            asked.append(_enough(lexical, seen, wanted))
    arms = await asyncio.gather(*asked)
    hits = {hit.order: hit for arm in arms for hit in arm.hits}
    return Arms(tuple(hits.values()), sum(arm.refused for arm in arms))


def ranked(
    seen: Seen, arms: Arms, query: SearchQuery, stems: Sequence[str]
) -> tuple[list[Hit], Scores]:
    """The hits in a settled order, with the scores of each."""
    ordered = sorted(arms.hits, key=lambda hit: hit.order)
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
    vectors = np.stack([vector_of(hit.properties) for hit in ordered])
    cosine = np.vecdot(vectors, query.vector.astype(np.float32))
    visible = np.ones(len(ordered), dtype=np.bool_)
    near = [arms.asked.get(hit.order) for hit in ordered]
    if not any(near):
        return ordered, Scores(visible, lexical, cosine)
    best = np.array([one.cosine if one else NONE for one in near], np.float32)
    number = np.array([at if one else -1 for at, one in enumerate(near)], np.int32)
    return ordered, Scores(visible, lexical, cosine, Nearest(best, number))


def candidates(
    arms: Arms, ordered: Sequence[Hit], scores: Scores, limit: int
) -> tuple[Candidate, ...]:
    """The best of each arm, as the port returns them."""
    found = []
    for at in scores.best(limit):
        near = arms.asked.get(ordered[at].order)
        found.append(
            Candidate(
                chunk=chunk_of(ordered[at].properties),
                bm25=float(scores.bm25[at]) or None,
                cosine=float(scores.cosine[at]),
                question=near.cosine if near else None,
                asked=near.text if near else None,
            )
        )
    return tuple(found)


def allowed(seen: Seen, part: Part, query: SearchQuery) -> FilterReturn:
    """What the server leaves out before it ranks; the catalogue decides in the end.

    Tags and sources that no visible version has are not even mentioned to it.
    """
    scope = query.scope
    by = Filter.by_property
    where = [
        by("kind").equal(Kind.CHUNK.value),
        by("pack").equal(scope.pack),
        Filter.not_(by("born").greater_than(part.head.revision)),
    ]
    gone = [str(end.owner) for end in part.gone if end.pack == scope.pack]
    if gone:
        where.append(Filter.not_(by("owner").contains_any(gone)))
    if scope.as_of is None:
        where.append(by("past").equal(False))
    else:
        day = scope.as_of.toordinal()
        where += [by("begins").less_or_equal(day), by("ends").greater_or_equal(day)]
    tags, sources, demo = seen.described
    open_to_all = by("restricted").equal(False)
    held = sorted(tags & scope.tags)
    where.append(open_to_all | by("tags").contains_any(held) if held else open_to_all)
    if not demo:
        where.append(by("demo").equal(False))
    if query.sources is not None:
        where.append(by("source").contains_any(sorted(sources & query.sources)))
    if query.document is not None:
        where.append(by("document").equal(query.document))
    return Filter.all_of(where)


async def _enough(ask: Arm, seen: Seen, wanted: int) -> Arms:
    """Ask one arm, and for more where some of what came is not to be seen.

    What a stop left half written, or is being written now, may pass the filters. It is
    held back here, and must not stand in the place of what the asker may see.

    Raises:
        IndexFailed: the arm did not answer, or gave too much of that.
    """
    limit = wanted
    while True:
        found = await ask(limit)
        arm = _checked(seen, found)
        if len(found) < limit or len(arm.hits) >= wanted:
            return arm
        if limit >= MOST_ASKED:
            raise IndexFailed(
                "the index holds passages that its catalogue does not know: run "
                "`groundrule reindex`"
            )
        limit = min(2 * limit, MOST_ASKED)


async def _near(
    shelf: Shelf, tenant: str, vector: Sequence[float], where: FilterReturn, limit: int
) -> list[Found]:
    async def ask(collection: Collection) -> list[Found]:
        found = await collection.query.near_vector(
            vector,
            target_vector=VECTOR,
            limit=limit,
            filters=where,
            return_properties=list(SEARCH_FIELDS),
        )
        return _read(tenant, found.objects)

    return await shelf.ask(tenant, "searching by meaning", ask)


async def _with_words(
    shelf: Shelf, tenant: str, words: str, where: FilterReturn, limit: int
) -> list[Found]:
    async def ask(collection: Collection) -> list[Found]:
        found = await collection.query.bm25(
            words,
            query_properties=["stems"],
            limit=limit,
            filters=where,
            return_properties=list(SEARCH_FIELDS),
        )
        return _read(tenant, found.objects)

    return await shelf.ask(tenant, "searching by words", ask)


def _read(
    tenant: str, objects: Iterable[Object[dict[str, object], None]]
) -> list[Found]:
    """The vectors are properties: the client takes 40 us apart for each of its own."""
    return [(tenant, one.uuid, one.properties) for one in objects]


def _checked(seen: Seen, found: Iterable[Found]) -> Arms:
    """Each chunk once, and only of a version that the catalogue shows to the asker."""
    hits: dict[tuple[int, int], Hit] = {}
    refused = 0
    for tenant, key, properties in found:
        row = seen.view.places.get(str(properties["owner"]))
        if row is None or not seen.visible[row]:
            refused += 1
            continue
        order = row, int(str(properties["ordinal"]))
        hits[order] = Hit(tenant, key, properties, order)
    return Arms(tuple(hits.values()), refused)
