"""The embedded index: `engine.model.ports.Index` in one directory, without a server.

Documents and chunks are in SQLite, vectors and stems in append-only arrays that are
memory-mapped and searched exactly. Every call blocks for some milliseconds, so it runs
in a thread and the event loop never waits for a disk. Searches have one thread per
processor, because more would only compete for the processors.

A version that was replaced or withdrawn is only marked; `compact` frees its space.
Any number of processes may read while one writes: a reader works on a snapshot of one
revision, and takes a new one when the revision has changed.
"""

import asyncio
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from adapters.index.catalogue import Catalogue, Identity
from adapters.index.lexical import list_query_stems
from adapters.index.segments import Compacted, Segments, Widths
from adapters.index.snapshot import (
    MOST_CANDIDATES,
    Fresh,
    Scores,
    Snapshot,
    take_snapshot,
)
from adapters.index.upkeep import SHARED, Sizes, State, Tags
from adapters.index.writer import Writer
from adapters.index.written import WrittenWords
from engine.model.errors import IndexFailed
from engine.model.passage import Chunk
from engine.model.ports import (
    Candidate,
    CorpusStatistics,
    Entry,
    SearchQuery,
    TokenVectors,
)
from engine.model.question import Scope

KEPT = 2_048  # parsed chunks in memory, about 15 kB each, least recently used first out
_KEPT_STATISTICS = 16  # sets of visible versions, least recently counted first out
_ATTEMPTS = 3  # of one search, which a compaction between its reads makes start again


class EmbeddedIndex:
    """`engine.model.ports.Index` over a folder, which is created if it does not exist.

    Documents belong to a tenant; everybody sees those of the tenant "shared".

    Args:
        folder: holds this index and nothing else.
        identity: embedder, reducer and chunker of the vectors.
        patience: seconds to wait for another writer.

    Raises:
        IndexFailed: the folder cannot be used, or was made with another identity or by
            a newer version of this program.
    """

    def __init__(
        self, folder: Path, identity: Identity, patience: float = 10.0
    ) -> None:
        self._folder = folder
        self._identity = identity
        self._widths = Widths(identity.dimension, identity.reduced)
        self._reads = Catalogue(folder, identity, patience)
        self._writer = Writer(folder, identity, patience)
        self._searching = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        # Only one search at a time may invert new rows.
        self._refreshing = threading.Lock()
        self._snapshot: Snapshot | None = None
        # Only one call at a time may read new word counts.
        self._counting = threading.Lock()
        self._written = WrittenWords(generation=0)
        self._statistics: dict[tuple[int, bytes], CorpusStatistics] = {}

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Return the candidates of all retrievers, ordered by their best rank in any.

        Every candidate has a `cosine`, `bm25` where a term occurs in the chunk, and
        `question` where the chunk has one.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._searching, self._search, query)

    async def fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str = SHARED
    ) -> Mapping[str, TokenVectors]:
        """Map chunk ids to token vectors; a missing id raises IndexFailed.

        A tenant's own chunk wins over a shared one of the same id.
        """
        return await asyncio.to_thread(self._fetch_tokens, pack, chunks, tenant)

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        """Count frequencies over the documents that a scope may see.

        They are cached until the index changes, and shared by scopes that see the same
        documents.
        """
        return await asyncio.to_thread(self._statistics_of, scope)

    async def put(
        self,
        pack: str,
        document: str,
        entries: Sequence[Entry],
        tenant: str = SHARED,
    ) -> None:
        """Make these entries the current version of the document, in one transaction.

        An earlier version stays searchable for dates inside its period of force if that
        has an end: its own `in_force_to`, or the day before the new version begins.
        """
        await asyncio.to_thread(self._writer.put, pack, document, entries, tenant)

    async def withdraw(self, pack: str, document: str, tenant: str = SHARED) -> None:
        """Take all versions of a document out of search."""
        await asyncio.to_thread(self._writer.withdraw, pack, document, tenant)

    async def versions(self, pack: str, tenant: str = SHARED) -> Mapping[str, str]:
        """Map document ids to their current versions."""

        def read() -> dict[str, str]:
            with self._reads.reading():
                return self._reads.map_current(pack, tenant)

        return await asyncio.to_thread(read)

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Map document ids to the access tags of their current versions."""

        def read() -> dict[str, Tags]:
            with self._reads.reading():
                held = self._reads.list_versions()
            return {
                version.document: version.tags
                for version in held
                if (version.pack, version.tenant) == (pack, tenant)
                and version.state is State.CURRENT
            }

        return await asyncio.to_thread(read)

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = SHARED
    ) -> tuple[Chunk, ...]:
        """Return up to `reach` chunks before and after a chunk, without itself."""
        ordinals = range(chunk.ordinal - reach, chunk.ordinal + reach + 1)

        def read() -> list[str]:
            with self._reads.reading():
                return self._reads.read_around(pack, chunk, ordinals, tenant)

        found = [_parse_chunk(body) for body in await asyncio.to_thread(read)]
        return tuple(other for other in found if other.ordinal != chunk.ordinal)

    async def compact(self) -> int:
        """Free the space of dropped versions; return the number of removed chunks.

        It rewrites the whole index, so it needs as much free space meanwhile.
        """
        return await asyncio.to_thread(self._writer.compact)

    async def doubts(self) -> str | None:
        """Return None, because opening the index finds what a crash left behind."""
        return None

    async def sizes(self) -> Sizes:
        return await asyncio.to_thread(self._measure)

    async def close(self) -> None:
        await asyncio.to_thread(self._reads.close)
        await asyncio.to_thread(self._writer.close)

    # --- reading ------------------------------------------------------------------

    def _get_snapshot(self) -> Snapshot:
        """Return the snapshot of the newest revision."""
        for _ in range(_ATTEMPTS):
            with suppress(Compacted), self._refreshing, self._reads.reading():
                return self._refresh()
        raise self._make_unsteady()

    def _refresh(self) -> Snapshot:
        head = self._reads.read_head()
        before = self._snapshot
        if before and before.head.revision == head.revision:
            return before
        if before and before.head.extent.generation != head.extent.generation:
            before = None
        segments = Segments(self._folder, head.extent.generation, self._widths)
        self._snapshot = take_snapshot(
            head,
            self._reads.list_versions(),
            segments.map(head.extent),
            Fresh(
                self._reads.read_stems(len(before.vocabulary) if before else 0),
                self._reads.questions.read_rows(
                    len(before.row_of_question) if before else 0
                ),
            ),
            before,
        )
        return self._snapshot

    def _search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        vector = np.asarray(query.vector, dtype=np.float32)
        if vector.shape != (self._identity.dimension,) or not np.isfinite(vector).all():
            raise IndexFailed(
                f"a question's vector has shape {vector.shape} or holds no numbers; "
                f"the index needs {self._identity.dimension} of them"
            )
        stems = list_query_stems(query.terms)
        for _ in range(_ATTEMPTS):
            snapshot = self._get_snapshot()
            scores = snapshot.scores(query, stems, vector)
            rows = scores.best(min(query.limit, MOST_CANDIDATES))
            with self._reads.reading():
                generation = self._reads.read_head().extent.generation
                bodies = self._reads.read_bodies(rows)
                numbers = [n for _, n in map(scores.question, rows) if n >= 0]
                asked = self._reads.questions.read_texts(numbers) if numbers else {}
            if generation == snapshot.head.extent.generation:
                return _make_candidates(rows, bodies, scores, asked)
        raise self._make_unsteady()

    def _fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str
    ) -> dict[str, TokenVectors]:
        for _ in range(_ATTEMPTS):
            with self._reads.reading():
                head = self._reads.read_head()
                rows = self._reads.find_rows(pack, chunks, tenant)
            missing = sorted(set(chunks) - set(rows))
            if missing:
                raise IndexFailed(f"the index holds no chunk {missing[0]} in {pack}")
            snapshot = self._get_snapshot()
            if snapshot.head.extent.generation == head.extent.generation:
                return {
                    name: self._read_tokens(snapshot, rows[name]) for name in chunks
                }
        raise self._make_unsteady()

    def _read_tokens(self, snapshot: Snapshot, row: int) -> TokenVectors:
        stored = snapshot.block.rows(row, 1)
        return TokenVectors(
            stored.tokens["values"].copy(), stored.tokens["span"].copy()
        )

    def _statistics_of(self, scope: Scope) -> CorpusStatistics:
        for _ in range(_ATTEMPTS):
            snapshot = self._get_snapshot()
            visible = snapshot.versions.visible(scope)
            key = (snapshot.head.revision, np.packbits(visible).tobytes())
            with suppress(Compacted), self._counting:
                if key not in self._statistics:
                    written = self._read_words(snapshot)
                    words = written.frequency(snapshot.versions.key[visible])
                    # Statistics of earlier revisions are never needed again.
                    kept = [k for k in self._statistics if k[0] == key[0]]
                    self._statistics = {
                        k: self._statistics[k] for k in kept[1 - _KEPT_STATISTICS :]
                    }
                    self._statistics[key] = snapshot.statistics(visible, words)
                return self._statistics[key]
        raise self._make_unsteady()

    def _read_words(self, snapshot: Snapshot) -> WrittenWords:
        """Return the word counts of all versions of a snapshot; read new ones."""
        generation = snapshot.head.extent.generation
        if self._written.generation != generation:
            self._written = WrittenWords(generation)
        with self._reads.reading():
            if self._reads.read_head().extent.generation != generation:
                raise Compacted("versions have gone")
            self._written.read(self._reads.words)
        return self._written

    def _make_unsteady(self) -> IndexFailed:
        return IndexFailed(
            f"the index in {self._folder} is being compacted again and again, or files "
            "of it are missing: try again, else delete the folder and ingest again"
        )

    def _measure(self) -> Sizes:
        with self._reads.reading():
            versions = self._reads.list_versions()
            held = sum(path.stat().st_size for path in self._folder.iterdir())
        current = [v for v in versions if v.state is State.CURRENT]
        dropped = [v for v in versions if v.state is State.DROPPED]
        return Sizes(
            bytes=held,
            documents=len(current),
            chunks=sum(version.rows for version in current),
            dropped_chunks=sum(version.rows for version in dropped),
        )


def _make_candidates(
    rows: Sequence[int],
    bodies: Mapping[int, str],
    scores: Scores,
    asked: Mapping[int, str],
) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            chunk=_parse_chunk(bodies[row]),
            bm25=float(scores.bm25[row]) or None,
            cosine=float(scores.cosine[row]),
            question=scores.question(row)[0],
            asked=asked.get(scores.question(row)[1]),
        )
        for row in rows
    )


@lru_cache(maxsize=KEPT)
def _parse_chunk(body: str) -> Chunk:
    try:
        return Chunk.model_validate_json(body)
    except ValidationError as error:
        raise IndexFailed(
            "a stored chunk cannot be read: ingest its document again"
        ) from error
