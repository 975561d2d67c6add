"""The embedded index: `engine.model.ports.Index` in one directory, without a server.

Documents and chunks stand in SQLite, vectors and stems in append-only arrays that are
mapped and searched exactly. Everything here blocks for some milliseconds, so it runs in
a thread; the event loop never waits for a disk. Searches have as many threads as there
are processors: more would only make each of them wait for its turn many times over.

A version that was replaced or withdrawn is only marked; `compact` gives back its space.
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
from adapters.index.lexical import query_stems
from adapters.index.segments import Compacted, Segments, Widths
from adapters.index.snapshot import (
    MOST_CANDIDATES,
    Fresh,
    Scores,
    Snapshot,
    take,
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

KEPT = 2_048  # chunks in memory, about 15 kB each; the least recently used go first
_KEPT_STATISTICS = 16  # sets of visible versions, least recently counted go first
_ATTEMPTS = 3  # a compaction between two reads of one search makes it start again


class EmbeddedIndex:
    """`engine.model.ports.Index` over a folder, which is made when it does not exist.

    Documents belong to a tenant; those of the tenant "shared" are seen by all.

    Args:
        folder: holds this index and nothing else.
        identity: what the vectors are made with.
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
        # Two searches must not both invert the rows that are new to them.
        self._refreshing = threading.Lock()
        self._snapshot: Snapshot | None = None
        # Nor must they read the same chunks for their words.
        self._counting = threading.Lock()
        self._written = WrittenWords(generation=0)
        self._statistics: dict[tuple[int, bytes], CorpusStatistics] = {}

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]:
        """Candidates of all arms, best rank in any first.

        `cosine` is given for every candidate, `bm25` where a term occurs, `question`
        where the chunk has one.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._searching, self._search, query)

    async def fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str = SHARED
    ) -> Mapping[str, TokenVectors]:
        """Token vectors by chunk id; a missing id raises IndexFailed.

        Those of a tenant are preferred to shared ones of the same id.
        """
        return await asyncio.to_thread(self._fetch_tokens, pack, chunks, tenant)

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        """Frequencies over what a scope may see, kept until the index changes.

        Scopes that see the same documents share them.
        """
        return await asyncio.to_thread(self._statistics_of, scope)

    async def put(
        self,
        pack: str,
        document: str,
        entries: Sequence[Entry],
        tenant: str = SHARED,
    ) -> None:
        """Make these entries the current version of the document, in one step.

        An earlier version stays searchable for dates inside its period of force if that
        has an end: its own `in_force_to`, or the day before the new version begins.
        """
        await asyncio.to_thread(self._writer.put, pack, document, entries, tenant)

    async def withdraw(self, pack: str, document: str, tenant: str = SHARED) -> None:
        """Take all versions of a document out of search."""
        await asyncio.to_thread(self._writer.withdraw, pack, document, tenant)

    async def versions(self, pack: str, tenant: str = SHARED) -> Mapping[str, str]:
        """Document id -> current version."""

        def read() -> dict[str, str]:
            with self._reads.reading():
                return self._reads.current(pack, tenant)

        return await asyncio.to_thread(read)

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Document id -> access tags of its current version (R-S8)."""

        def read() -> dict[str, Tags]:
            with self._reads.reading():
                held = self._reads.versions()
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
        """The chunks up to `reach` before and after, without the chunk itself."""
        ordinals = range(chunk.ordinal - reach, chunk.ordinal + reach + 1)

        def read() -> list[str]:
            with self._reads.reading():
                return self._reads.around(pack, chunk, ordinals, tenant)

        found = [_chunk(body) for body in await asyncio.to_thread(read)]
        return tuple(other for other in found if other.ordinal != chunk.ordinal)

    async def compact(self) -> int:
        """Give back the space of dropped versions; how many chunks were removed.

        Writes the whole index anew, so it needs that much free space meanwhile.
        """
        return await asyncio.to_thread(self._writer.compact)

    async def doubts(self) -> str | None:
        """None: what a crash may leave behind is found when it is opened."""
        return None

    async def sizes(self) -> Sizes:
        return await asyncio.to_thread(self._sizes)

    async def close(self) -> None:
        await asyncio.to_thread(self._reads.close)
        await asyncio.to_thread(self._writer.close)

    # --- reading ------------------------------------------------------------------

    def _current(self) -> Snapshot:
        """The snapshot of the newest revision."""
        for _ in range(_ATTEMPTS):
            with suppress(Compacted), self._refreshing, self._reads.reading():
                return self._refresh()
        raise self._unsteady()

    def _refresh(self) -> Snapshot:
        head = self._reads.head()
        before = self._snapshot
        if before and before.head.revision == head.revision:
            return before
        if before and before.head.extent.generation != head.extent.generation:
            before = None
        segments = Segments(self._folder, head.extent.generation, self._widths)
        self._snapshot = take(
            head,
            self._reads.versions(),
            segments.map(head.extent),
            Fresh(
                self._reads.vocabulary(len(before.vocabulary) if before else 0),
                self._reads.questions.rows(
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
        stems = query_stems(query.terms)
        for _ in range(_ATTEMPTS):
            snapshot = self._current()
            scores = snapshot.scores(query, stems, vector)
            rows = scores.best(min(query.limit, MOST_CANDIDATES))
            with self._reads.reading():
                generation = self._reads.head().extent.generation
                bodies = self._reads.bodies(rows)
                numbers = [n for _, n in map(scores.question, rows) if n >= 0]
                asked = self._reads.questions.texts(numbers) if numbers else {}
            if generation == snapshot.head.extent.generation:
                return _candidates(rows, bodies, scores, asked)
        raise self._unsteady()

    def _fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str
    ) -> dict[str, TokenVectors]:
        for _ in range(_ATTEMPTS):
            with self._reads.reading():
                head = self._reads.head()
                rows = self._reads.rows_of(pack, chunks, tenant)
            missing = sorted(set(chunks) - set(rows))
            if missing:
                raise IndexFailed(f"the index holds no chunk {missing[0]} in {pack}")
            snapshot = self._current()
            if snapshot.head.extent.generation == head.extent.generation:
                return {name: self._tokens(snapshot, rows[name]) for name in chunks}
        raise self._unsteady()

    def _tokens(self, snapshot: Snapshot, row: int) -> TokenVectors:
        stored = snapshot.block.rows(row, 1)
        return TokenVectors(
            stored.tokens["values"].copy(), stored.tokens["span"].copy()
        )

    def _statistics_of(self, scope: Scope) -> CorpusStatistics:
        for _ in range(_ATTEMPTS):
            snapshot = self._current()
            visible = snapshot.versions.visible(scope)
            key = (snapshot.head.revision, np.packbits(visible).tobytes())
            with suppress(Compacted), self._counting:
                if key not in self._statistics:
                    written = self._written_in(snapshot)
                    words = written.frequency(snapshot.versions.key[visible])
                    # Those of earlier revisions are never asked for again.
                    kept = [k for k in self._statistics if k[0] == key[0]]
                    self._statistics = {
                        k: self._statistics[k] for k in kept[1 - _KEPT_STATISTICS :]
                    }
                    self._statistics[key] = snapshot.statistics(visible, words)
                return self._statistics[key]
        raise self._unsteady()

    def _written_in(self, snapshot: Snapshot) -> WrittenWords:
        """The words of all versions of a snapshot; reads those that are new."""
        generation = snapshot.head.extent.generation
        if self._written.generation != generation:
            self._written = WrittenWords(generation)
        with self._reads.reading():
            if self._reads.head().extent.generation != generation:
                raise Compacted("versions have gone")
            self._written.read(self._reads.words)
        return self._written

    def _unsteady(self) -> IndexFailed:
        return IndexFailed(
            f"the index in {self._folder} is being compacted again and again, or files "
            "of it are missing: try again, else delete the folder and ingest again"
        )

    def _sizes(self) -> Sizes:
        with self._reads.reading():
            versions = self._reads.versions()
            held = sum(path.stat().st_size for path in self._folder.iterdir())
        current = [v for v in versions if v.state is State.CURRENT]
        dropped = [v for v in versions if v.state is State.DROPPED]
        return Sizes(
            bytes=held,
            documents=len(current),
            chunks=sum(version.rows for version in current),
            dropped_chunks=sum(version.rows for version in dropped),
        )


def _candidates(
    rows: Sequence[int],
    bodies: Mapping[int, str],
    scores: Scores,
    asked: Mapping[int, str],
) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            chunk=_chunk(bodies[row]),
            bm25=float(scores.bm25[row]) or None,
            cosine=float(scores.cosine[row]),
            question=scores.question(row)[0],
            asked=asked.get(scores.question(row)[1]),
        )
        for row in rows
    )


@lru_cache(maxsize=KEPT)
def _chunk(body: str) -> Chunk:
    try:
        return Chunk.model_validate_json(body)
    except ValidationError as error:
        raise IndexFailed(
            "a stored chunk cannot be read: ingest its document again"
        ) from error
