"""Searches on a Weaviate server: retrieval by all three retrievers, and exact scores.

The server's hybrid search finds candidates by words and by meaning, but its scores are
not used. Its BM25 takes frequencies over all passages of a tenant, so that a hidden
document would shift them, and its distances of compressed vectors are estimates. Both
are computed again from the returned objects and what the asker may see.

Questions that passages answer are searched in memory. They are few compared with the
passages and a version never changes, so the questions of a version are read once, by
the first search that may see it, and compared exactly.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter, HybridFusion
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.lexical import compute_damping, compute_rarity
from adapters.index.snapshot import NONE, Nearest, Scores
from adapters.index.upkeep import IndexKey, State
from adapters.index.weaviate_catalogue import Part, Seen
from adapters.index.weaviate_objects import (
    ASKED_FIELDS,
    SEARCH_FIELDS,
    Version,
    make_chunk_key,
    read_chunk,
    read_questions,
    read_vector,
)
from adapters.index.weaviate_shelf import (
    HALVES,
    VECTOR,
    At,
    Collection,
    Kind,
    Objects,
    Shelf,
)
from engine.model.errors import IndexFailed
from engine.model.ports import Candidate, Floats, SearchQuery

# A chunk: the row of its version in the view, and its place there.
Order: TypeAlias = tuple[int, int]

# The server's results are ranked again, with other weights of words and with exact
# vectors. So each retriever fetches more candidates than the search returns.
MORE = 2
AT_LEAST = 20
ARMS = 2
MOST_ASKED = 8_000  # passages of one call; the server stops at 10,000
_AT_ONCE = 1_000  # objects with questions of one call, some 6 kB each
_SPARE = 1_000  # cached versions beyond those of a view, for other tenants


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk that a retriever found.

    `order` breaks ties of scores: the earlier version, then the place in it.
    """

    at: At
    key: UUID
    properties: Mapping[str, object]
    order: Order


@dataclass(frozen=True, slots=True)
class Near:
    """The best cosine of a chunk's questions to the asker's, and that question."""

    cosine: float
    text: str


@dataclass(frozen=True, slots=True)
class Hits:
    """The hits of retrievers; `refused` counts hits that are not visible.

    `asked` maps every visible chunk with questions to the nearest one.
    """

    hits: tuple[Hit, ...]
    refused: int
    asked: Mapping[Order, Near] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Questions:
    """The questions of one version: ordinal of the chunk, text and vector of each."""

    ordinals: tuple[int, ...]
    texts: tuple[str, ...]
    vectors: Floats


class Searching:
    """The searches of a shelf with all retrievers."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._questions: dict[str, _Questions] = {}

    async def look(
        self, seen: Seen, query: SearchQuery, stems: Sequence[str], limit: int
    ) -> Hits:
        """Run every retriever in every tenant with versions visible to the asker.

        Raises:
            IndexFailed: one of them did not answer, or not correctly.
        """
        words = " ".join(stem for stem in stems if stem in seen.frequency)
        wanted = ARMS * max(MORE * limit, limit + AT_LEAST)
        asking = (self._hybrid(p, seen, query, words, wanted) for p in seen.tenants())
        near, parts = await asyncio.gather(
            self._find_nearest_questions(seen, query.vector), asyncio.gather(*asking)
        )
        hits = {hit.order: hit for part in parts for hit in part.hits}
        best = sorted(near, key=lambda order: (-near[order].cosine, order))
        lacking = [order for order in best[:limit] if order not in hits]
        fetched = await self._fetch_found_by_questions(seen, lacking)
        refused = sum(part.refused for part in parts)
        return Hits((*hits.values(), *fetched), refused, near)

    async def _hybrid(
        self, part: Part, seen: Seen, query: SearchQuery, words: str, wanted: int
    ) -> Hits:
        """Find a tenant's best passages in force by words and by meaning.

        Passages that a stopped writer left may pass the filters. They are dropped here,
        and the limit is doubled so that they do not displace visible ones.

        Raises:
            IndexFailed: the server did not answer, or returned too many of these.
        """
        scope = (query.scope.pack, query.scope.as_of, query.scope.tags)
        named = (part.at, *scope, query.sources, query.document)
        where = seen.kept(named, partial(make_filter, seen, part, query))
        limit = wanted
        while True:
            found = await self._search_server(part.at, query, words, where, limit)
            checked = _check_hits(seen, part.at, found)
            if len(found) < limit or len(checked.hits) >= wanted:
                return checked
            if limit >= MOST_ASKED:
                raise IndexFailed(
                    "the index holds passages that the ledger does not know: run "
                    "`groundrule reindex`"
                )
            limit = min(2 * limit, MOST_ASKED)

    async def _search_server(
        self, at: At, query: SearchQuery, words: str, where: FilterReturn, limit: int
    ) -> Objects:
        """Search on the server; exact vectors come as properties, which is faster."""
        vector, fields = query.vector.tolist(), list(SEARCH_FIELDS)

        async def ask(collection: Collection) -> Objects:
            if not words:
                near = await collection.query.near_vector(
                    vector,
                    target_vector=VECTOR,
                    limit=limit,
                    filters=where,
                    return_properties=fields,
                )
                return [(one.uuid, one.properties) for one in near.objects]
            both = await collection.query.hybrid(
                words,
                vector=vector,
                target_vector=VECTOR,
                fusion_type=HybridFusion.RELATIVE_SCORE,
                alpha=0.5,
                query_properties=["stems"],
                limit=limit,
                filters=where,
                return_properties=fields,
            )
            return [(one.uuid, one.properties) for one in both.objects]

        return await self._shelf.ask(at, "searching", ask)

    async def _fetch_found_by_questions(
        self, seen: Seen, orders: Sequence[Order]
    ) -> list[Hit]:
        """Fetch the chunks that were found by their questions alone."""
        hits: list[Hit] = []
        for part, rows in seen.view.rows:
            keys = {
                make_chunk_key(seen.view.versions[row].row.uuid, at): (row, at)
                for row, at in orders
                if rows.start <= row < rows.stop
            }
            if not keys:
                continue
            found = await self._shelf.fetch_by_name(
                part.at, "searching by questions", list(keys), SEARCH_FIELDS
            )
            if len(found) < len(keys):
                raise IndexFailed(
                    f"the Weaviate server lacks {len(keys) - len(found)} passages that "
                    "are in force: run `groundrule reindex --fresh`"
                )
            hits += [Hit(part.at, key, said, keys[key]) for key, said in found]
        return hits

    async def _find_nearest_questions(
        self, seen: Seen, vector: Floats
    ) -> Mapping[Order, Near]:
        """Map every visible chunk with questions to the nearest of them."""
        rows = map(int, np.flatnonzero(seen.visible))
        asking = {row: v for row in rows if (v := seen.view.versions[row]).asked}
        await self._read_questions(seen, asking)
        best: dict[Order, Near] = {}
        for row, version in asking.items():
            held = self._questions[version.row.key]
            cosines = np.vecdot(held.vectors, vector.astype(np.float32))
            for ordinal, text, cosine in zip(
                held.ordinals, held.texts, cosines.tolist(), strict=True
            ):
                known = best.get((row, ordinal))
                if known is None or cosine > known.cosine:
                    best[row, ordinal] = Near(cosine, text)
        return best

    async def _read_questions(self, seen: Seen, asking: Mapping[int, Version]) -> None:
        if len(self._questions) > len(seen.view.versions) + _SPARE:
            known = {version.row.key for version in seen.view.versions}
            kept = {k: held for k, held in self._questions.items() if k in known}
            self._questions = kept
        for part, rows in seen.view.rows:
            lacking = [
                version
                for row, version in asking.items()
                if rows.start <= row < rows.stop
                and version.row.key not in self._questions
            ]
            for batch in _split(lacking):
                await self._read_batch(part.at, batch)

    async def _read_batch(self, at: At, versions: Sequence[Version]) -> None:
        """Read the questions of versions.

        Raises:
            IndexFailed: the server lacks some of them.
        """
        by = Filter.by_property
        owners = [version.row.key for version in versions]
        where = by("kind").equal(Kind.ASKED.value) & by("owner").contains_any(owners)
        objects = sum(version.asked for version in versions)
        found = await self._shelf.fetch(
            at, "reading questions", where, ASKED_FIELDS, objects
        )
        for version in versions:
            mine = [said for _, said in found if str(said["owner"]) == version.row.key]
            if len(mine) != version.asked:
                raise IndexFailed(
                    f"the Weaviate server lacks questions of {version.row.document}: "
                    "run `groundrule reindex --fresh`"
                )
            self._questions[version.row.key] = _join_questions(mine)


def make_filter(seen: Seen, part: Part, query: SearchQuery) -> FilterReturn:
    """Make the server's filter for a query; the catalogue checks each hit again.

    It names only tags and sources of visible versions.
    """
    scope = query.scope
    by = Filter.by_property
    where = [by("kind").equal(Kind.CHUNK.value), by("pack").equal(scope.pack)]
    ended = (v.row for v in part.versions if _has_ended(v.row, query))
    hidden = [k.key for k in (*part.hidden, *ended) if k.pack == scope.pack]
    if hidden:
        where.append(Filter.not_(by("owner").contains_any(hidden)))
    if scope.as_of is not None:
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


def rank_hits(
    seen: Seen, hits: Hits, query: SearchQuery, stems: Sequence[str]
) -> tuple[list[Hit], Scores]:
    """Sort hits by their order and compute their scores."""
    ordered = sorted(hits.hits, key=lambda hit: hit.order)
    lengths = np.array([hit.properties["length"] for hit in ordered], dtype=np.float32)
    damped = compute_damping(lengths, seen.average_length)
    lexical = np.zeros(len(ordered), dtype=np.float32)
    spelled = [str(hit.properties["stems"]) for hit in ordered]
    for stem in stems:
        frequency = seen.frequency.get(stem, 0)
        if frequency:
            counts = [words.count(f" {stem} ") for words in spelled]
            weights = np.array(counts, dtype=np.float32) / HALVES
            lexical += (
                compute_rarity(seen.chunks, frequency) * weights / (weights + damped)
            )
    vectors = np.stack([read_vector(hit.properties) for hit in ordered])
    cosine = np.vecdot(vectors, query.vector.astype(np.float32))
    visible = np.ones(len(ordered), dtype=np.bool_)
    near = [hits.asked.get(hit.order) for hit in ordered]
    if not any(near):
        return ordered, Scores(visible, lexical, cosine)
    best = np.array([one.cosine if one else NONE for one in near], np.float32)
    number = np.array([at if one else -1 for at, one in enumerate(near)], np.int32)
    return ordered, Scores(visible, lexical, cosine, Nearest(best, number))


def make_candidates(
    hits: Hits, ordered: Sequence[Hit], scores: Scores, limit: int
) -> tuple[Candidate, ...]:
    """Make the candidates of the port from the best hits of each retriever."""
    found = []
    for at in scores.best(limit):
        near = hits.asked.get(ordered[at].order)
        found.append(
            Candidate(
                chunk=read_chunk(ordered[at].properties),
                bm25=float(scores.bm25[at]) or None,
                cosine=float(scores.cosine[at]),
                question=near.cosine if near else None,
                asked=near.text if near else None,
            )
        )
    return tuple(found)


def _has_ended(row: IndexKey, query: SearchQuery) -> bool:
    """Tell whether a superseded version is not in force on the day of a query."""
    if row.state is not State.SUPERSEDED:
        return False
    day = query.scope.as_of
    return day is None or row.in_force_to is None or row.in_force_to < day


def _check_hits(seen: Seen, at: At, found: Objects) -> Hits:
    """Keep each chunk once, and only of versions that are visible to the asker."""
    hits: dict[Order, Hit] = {}
    refused = 0
    for key, properties in found:
        row = seen.view.places.get(str(properties["owner"]))
        if row is None or not seen.visible[row]:
            refused += 1
            continue
        order = row, int(str(properties["ordinal"]))
        hits[order] = Hit(at, key, properties, order)
    return Hits(tuple(hits.values()), refused)


def _join_questions(objects: Sequence[Mapping[str, object]]) -> _Questions:
    ordinals: list[int] = []
    texts: list[str] = []
    vectors: list[Floats] = []
    for properties in objects:
        said, rows = read_questions(properties)
        ordinals += [int(str(properties["ordinal"]))] * len(said)
        texts += said
        vectors.append(rows)
    return _Questions(tuple(ordinals), tuple(texts), np.concatenate(vectors))


def _split(versions: Sequence[Version]) -> Iterator[list[Version]]:
    """Split versions into batches by the number of their objects with questions."""
    batch: list[Version] = []
    for version in versions:
        if batch and sum(one.asked for one in batch) + version.asked > _AT_ONCE:
            yield batch
            batch = []
        batch.append(version)
    if batch:
        yield batch
