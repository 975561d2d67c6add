"""Snapshots of the embedded index: one revision as arrays, for searches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from adapters.index.catalogue import Head, StoredVersion
from adapters.index.lexical import (
    Bools,
    Postings,
    count_visible_chunks,
    extend,
    score_bm25,
)
from adapters.index.segments import Block
from adapters.index.upkeep import SHARED, State
from engine.model.errors import IndexFailed
from engine.model.ports import CorpusStatistics, Floats, Int32s, SearchQuery
from engine.model.question import Scope

NONE = -2.0  # for a chunk without questions; below any cosine
MOST_CANDIDATES = 1_000  # of each retriever, whatever limit a query has
_BEGINNING = 0
_END = date.max.toordinal()


@dataclass(frozen=True, slots=True)
class Versions:
    """The stored versions as columns, so that a scope is applied to all at once."""

    key: NDArray[np.int64]
    pack: NDArray[np.str_]
    tenant: NDArray[np.str_]
    state: NDArray[np.int8]
    begins: Int32s
    ends: Int32s
    demo: Bools
    tagging: Int32s
    taggings: tuple[frozenset[str], ...]
    source: tuple[str, ...]
    document: NDArray[np.str_]
    rows: Int32s

    @classmethod
    def of(cls, stored: Sequence[StoredVersion]) -> "Versions":
        taggings = tuple({version.tags: None for version in stored})
        number = {tags: at for at, tags in enumerate(taggings)}

        def column(read: Callable[[StoredVersion], object], kind: str) -> NDArray:  # type: ignore[type-arg]  # `kind` says which
            return np.array([read(version) for version in stored], dtype=kind)

        return cls(
            key=column(lambda v: v.key, "i8"),
            pack=column(lambda v: v.pack, "U"),
            tenant=column(lambda v: v.tenant, "U"),
            state=column(lambda v: v.state, "i1"),
            begins=column(lambda v: _to_ordinal(v.in_force_from, _BEGINNING), "i4"),
            ends=column(lambda v: _to_ordinal(v.in_force_to, _END), "i4"),
            demo=column(lambda v: v.demo, "?"),
            tagging=column(lambda v: number[v.tags], "i4"),
            taggings=taggings,
            source=tuple(version.source for version in stored),
            document=column(lambda v: v.document, "U"),
            rows=column(lambda v: v.rows, "i4"),
        )

    def visible(
        self,
        scope: Scope,
        sources: frozenset[str] | None = None,
        document: str | None = None,
    ) -> Bools:
        """Mark the versions that a scope may see, of these sources or this document."""
        own = (self.tenant == SHARED) | (self.tenant == scope.tenant)
        inside = own & (self.pack == scope.pack)
        # Any real document hides all demo documents, even if the asker may not see it,
        # so that the contents of a pack do not depend on who asks.
        if np.any(inside & (self.state == State.CURRENT) & ~self.demo):
            inside &= ~self.demo
        if scope.as_of is None:
            inside &= self.state == State.CURRENT
        else:
            day = scope.as_of.toordinal()
            inside &= self.state <= State.SUPERSEDED
            inside &= (self.begins <= day) & (day <= self.ends)
        allowed = [not tags or bool(tags & scope.tags) for tags in self.taggings]
        inside &= np.array(allowed, dtype=bool)[self.tagging]
        if sources is not None:
            inside &= np.array([name in sources for name in self.source], dtype=bool)
        if document is not None:
            inside &= self.document == document
        return np.asarray(inside, dtype=np.bool_)


def _to_ordinal(day: date | None, otherwise: int) -> int:
    return otherwise if day is None else day.toordinal()


@dataclass(frozen=True, slots=True)
class Nearest:
    """For each chunk the best cosine of its questions, and that question's number.

    NONE and -1 where a chunk has no question.
    """

    cosine: Floats
    number: Int32s


def find_nearest(vectors: Floats, rows: Int32s, vector: Floats, chunks: int) -> Nearest:
    """Find the best stored question of each chunk by cosine to the asker's.

    Args:
        vectors: vectors of the stored questions.
        rows: row of the chunk of each question.
        vector: vector of the asker's question.
        chunks: number of chunks.
    """
    cosine = np.full(chunks, NONE, np.float32)
    number = np.full(chunks, -1, np.int32)
    found = np.vecdot(vectors, vector)
    # The best is written last, and of equal ones the one with the lowest number.
    order = np.lexsort((-np.arange(len(found)), found))
    cosine[rows[order]] = found[order]
    number[rows[order]] = order
    return Nearest(cosine, number)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of every row, and whether it is visible.

    `asked` is None where no chunk has a question.
    """

    visible: Bools
    bm25: Floats
    cosine: Floats
    asked: Nearest | None = None

    def question(self, row: int) -> tuple[float | None, int]:
        """Return the best cosine of a row's questions, and that question's number."""
        if self.asked is None or self.asked.number[row] < 0:
            return None, -1
        return float(self.asked.cosine[row]), int(self.asked.number[row])

    def best(self, limit: int) -> list[int]:
        """Unite the best `limit` rows of each retriever, ordered by their best rank.

        Ties are broken by cosine and row, so that the order is reproducible.
        """
        rank: dict[int, int] = {}
        dense = np.where(self.visible, self.cosine, -np.inf)
        retrievers = [(self.bm25, 0.0), (dense, -np.inf)]
        if self.asked is not None:
            retrievers.append((np.where(self.visible, self.asked.cosine, NONE), NONE))
        for scores, floor in retrievers:
            for place, row in enumerate(_pick_top(scores, floor, limit)):
                rank[row] = min(place, rank.get(row, place))
        return sorted(rank, key=lambda row: (rank[row], -self.cosine[row], row))


def _pick_top(scores: Floats, floor: float, limit: int) -> list[int]:
    found = np.flatnonzero(scores > floor)
    if len(found) > limit:
        bound = np.partition(scores[found], -limit)[-limit]
        found = found[scores[found] >= bound]
    order = np.lexsort((found, -scores[found]))
    return [int(row) for row in found[order][:limit]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The index at one revision. Arrays are mapped, so holding one costs little."""

    head: Head
    versions: Versions
    version_of_row: Int32s
    row_of_question: Int32s
    block: Block
    postings: tuple[Postings, ...]
    vocabulary: tuple[str, ...]
    numbers: Mapping[str, int]

    def scores(
        self, query: SearchQuery, stems: Sequence[str], vector: Floats
    ) -> Scores:
        """Score every row: BM25 over the stems, cosine to the vector, questions."""
        versions = self.versions.visible(query.scope, query.sources, query.document)
        visible = versions[self.version_of_row]
        known = [self.numbers[stem] for stem in stems if stem in self.numbers]
        questions, rows = self.block.questions, self.row_of_question
        return Scores(
            visible,
            score_bm25(self.postings, self.block.records["length"], visible, known),
            # One thread, row by row: a score depends on its row alone, and on a busy
            # machine no core waits for another (with BLAS up to 16 ms).
            np.vecdot(self.block.vectors, vector),
            find_nearest(questions, rows, vector, len(visible)) if len(rows) else None,
        )

    def statistics(
        self, versions: Bools, word_frequency: Mapping[str, int]
    ) -> CorpusStatistics:
        """Count frequencies of stems over some versions; add those of their words."""
        visible = versions[self.version_of_row]
        frequency = count_visible_chunks(self.postings, visible)
        return CorpusStatistics(
            documents=int(np.count_nonzero(versions)),
            chunks=int(np.count_nonzero(visible)),
            chunk_frequency={
                self.vocabulary[number]: int(frequency[number])
                for number in np.flatnonzero(frequency)
            },
            word_frequency=word_frequency,
        )


@dataclass(frozen=True, slots=True)
class Fresh:
    """The part of the catalogue that is newer than an earlier snapshot.

    `stems` of the vocabulary, and of each question the row of its chunk, in order.
    """

    stems: Sequence[str]
    rows_asked: Sequence[int]


def take_snapshot(
    head: Head,
    stored: Sequence[StoredVersion],
    block: Block,
    fresh: Fresh,
    before: Snapshot | None,
) -> Snapshot:
    """Build the snapshot of a revision, reusing an earlier one.

    Args:
        head: the revision.
        stored: all stored versions in the order of their rows.
        block: the arrays up to the committed extent.
        fresh: the part of the catalogue that is newer than `before`.
        before: an earlier snapshot of the same generation, or None.
    """
    versions = Versions.of(stored)
    version_of_row = np.repeat(np.arange(len(stored), dtype=np.int32), versions.rows)
    row_of_question = np.array(
        [*(before.row_of_question if before else ()), *fresh.rows_asked], np.int32
    )
    lengths = (len(version_of_row), len(row_of_question))
    if lengths != (head.extent.rows, head.extent.questions):
        raise IndexFailed(
            "the index is damaged: its catalogue and its arrays differ in length; "
            "delete its folder and ingest again (documents are kept in the ledger)"
        )
    known = before.vocabulary if before else ()
    vocabulary = (*known, *fresh.stems)
    return Snapshot(
        head=head,
        versions=versions,
        version_of_row=version_of_row,
        row_of_question=row_of_question,
        block=block,
        postings=extend(before.postings if before else (), block),
        vocabulary=vocabulary,
        numbers={stem: number for number, stem in enumerate(vocabulary)},
    )
