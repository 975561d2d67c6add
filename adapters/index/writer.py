"""Writing to the embedded index: one transaction a document, arrays before rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from adapters.index.catalogue import (
    Catalogue,
    Identity,
    State,
    StoredChunk,
    StoredVersion,
)
from adapters.index.lexical import weigh
from adapters.index.packing import check, pack
from adapters.index.segments import Extent, Segments, Widths
from adapters.index.written import count
from engine.model.passage import Chunk
from engine.model.ports import Entry

# Set by engine/rank, never stored.
_COMPUTED = {"relevance", "parts", "picks", "question"}


class Writer:
    """The write side of one folder; any number may exist, one writes at a time.

    Raises IndexFailed where nothing was written: another writer did not finish in time,
    the disk is full, or the entries are wrong. What was there before is then unchanged.
    """

    def __init__(self, folder: Path, identity: Identity, patience: float) -> None:
        self._folder = folder
        self._identity = identity
        self._widths = Widths(identity.dimension, identity.reduced)
        self._catalogue = Catalogue(folder, identity, patience)
        self._numbers: dict[str, int] = {}  # committed stems, which never change

    def close(self) -> None:
        self._catalogue.close()

    def put(
        self, pack_id: str, document: str, entries: Sequence[Entry], tenant: str
    ) -> None:
        """Make these entries the current version of a document."""
        entries = sorted(entries, key=lambda entry: entry.chunk.ordinal)
        check(document, entries, self._identity)
        first = entries[0].chunk
        weights = [weigh(entry.chunk) for entry in entries]
        with self._catalogue.writing():
            extent = self._catalogue.head().extent
            block = pack(entries, weights, self._number(weights), self._widths)
            segments = Segments(self._folder, extent.generation, self._widths)
            grown = segments.append(block, extent)
            segments.sync()
            for earlier in self._catalogue.versions_of(pack_id, tenant, document):
                self._retire(earlier, first)
            key = self._catalogue.add_version(
                _version(first, pack_id, tenant, range(extent.rows, grown.rows))
            )
            self._catalogue.words.add(key, count(entry.chunk for entry in entries))
            self._catalogue.add_chunks(
                _stored(entry.chunk, key, row)
                for row, entry in enumerate(entries, extent.rows)
            )
            self._catalogue.questions.add(
                extent.questions,
                (
                    (row, question)
                    for row, entry in enumerate(entries, extent.rows)
                    for question in entry.questions
                ),
            )
            self._catalogue.advance(grown)

    def withdraw(self, pack_id: str, document: str, tenant: str) -> None:
        """Drop all versions of a document."""
        with self._catalogue.writing():
            found = self._catalogue.versions_of(pack_id, tenant, document)
            for version in found:
                self._catalogue.retire(version.key, State.DROPPED)
            if found:
                self._catalogue.advance(self._catalogue.head().extent)

    def compact(self) -> int:
        """Write what is not dropped as the next generation; chunks removed."""
        with self._catalogue.writing():
            old = self._catalogue.head().extent
            self._catalogue.delete_dropped()
            block = Segments(self._folder, old.generation, self._widths).map(old)
            segments = Segments(self._folder, old.generation + 1, self._widths)
            extent = Extent(segments.generation)
            stay: list[tuple[int, int, str]] = []
            for version in self._catalogue.versions():
                first, rows = version.first_row, version.rows
                asked = self._catalogue.questions.within(range(first, first + rows))
                numbers = [number for number, _, _ in asked]
                kept = replace(
                    block.rows(first, rows), questions=block.questions[numbers]
                )
                shift = first - extent.rows
                stay += [
                    (number, row - shift, text)
                    for number, (_, row, text) in enumerate(asked, extent.questions)
                ]
                self._catalogue.move_version(version, extent.rows)
                extent = segments.append(kept, extent)
            self._catalogue.questions.replace(stay)
            segments.sync()
            self._catalogue.advance(extent)
            removed = old.rows - extent.rows
        segments.remove_earlier()
        return removed

    def _number(self, weights: Iterable[Mapping[str, float]]) -> dict[str, int]:
        """Numbers of all these stems; new ones are added to the vocabulary."""
        fresh = self._catalogue.vocabulary(len(self._numbers))
        self._numbers.update(zip(fresh, range(len(self._numbers), 2**31), strict=False))
        used: dict[str, int] = {}
        added: dict[str, int] = {}
        for stem in (stem for of_chunk in weights for stem in of_chunk):
            if stem in self._numbers:
                used[stem] = self._numbers[stem]
            elif stem not in added:
                added[stem] = len(self._numbers) + len(added)
        self._catalogue.add_stems(added)
        return used | added

    def _retire(self, earlier: StoredVersion, successor: Chunk) -> None:
        ends = end_of_force(earlier, successor)
        if ends is None or earlier.version == successor.version:
            self._catalogue.retire(earlier.key, State.DROPPED)
        else:
            self._catalogue.retire(earlier.key, State.SUPERSEDED, ends)


def _version(first: Chunk, pack_id: str, tenant: str, rows: range) -> StoredVersion:
    return StoredVersion(
        key=0,
        pack=pack_id,
        tenant=tenant,
        document=first.document,
        version=first.version,
        state=State.CURRENT,
        first_row=rows.start,
        rows=len(rows),
        in_force_from=first.in_force_from,
        in_force_to=first.in_force_to,
        tags=frozenset(first.tags),
        demo=first.demo,
        source=first.source,
    )


def _stored(chunk: Chunk, document: int, row: int) -> StoredChunk:
    return StoredChunk(
        row=row,
        id=chunk.id,
        document=document,
        ordinal=chunk.ordinal,
        body=chunk.model_dump_json(exclude=_COMPUTED),
    )


def end_of_force(earlier: StoredVersion, successor: Chunk) -> date | None:
    """Last day on which a superseded version held; None if that cannot be said.

    A successor that does not say when it begins ends a period that is still running on
    the day before it was retrieved, so that two versions are not in force together.
    """
    begins = successor.in_force_from
    if begins is None and earlier.in_force_to is not None:
        begins = successor.retrieved
    ends = [
        day
        for day in (earlier.in_force_to, begins and begins - timedelta(days=1))
        if day is not None
    ]
    if not ends or (earlier.in_force_from and min(ends) < earlier.in_force_from):
        return None
    return min(ends)
