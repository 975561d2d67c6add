"""Writes to the embedded index: one transaction a document, arrays before rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from adapters.index.catalogue import (
    Catalogue,
    Identity,
    StoredChunk,
    StoredVersion,
)
from adapters.index.lexical import pack_terms, weigh
from adapters.index.segments import RECORD, Block, Extent, Segments, Widths
from adapters.index.upkeep import State, find_end_of_force
from adapters.index.written import count_words
from engine.model.errors import IndexFailed
from engine.model.passage import Chunk
from engine.model.ports import Entry

# Set by engine/rank, never stored.
_COMPUTED = {"relevance", "parts", "picks", "question"}


class Writer:
    """The writer of one folder; any number may exist, one writes at a time.

    Raises IndexFailed where nothing was written and the index is unchanged: another
    writer did not finish in time, the disk is full, or the entries are wrong.
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
            extent = self._catalogue.read_head().extent
            block = pack(entries, weights, self._number(weights), self._widths)
            segments = Segments(self._folder, extent.generation, self._widths)
            grown = segments.append(block, extent)
            segments.sync()
            for earlier in self._catalogue.list_searchable(pack_id, tenant, document):
                self._retire(earlier, first)
            key = self._catalogue.add_version(
                _make_version(first, pack_id, tenant, range(extent.rows, grown.rows))
            )
            self._catalogue.words.add(
                key, count_words(entry.chunk for entry in entries)
            )
            self._catalogue.add_chunks(
                _make_chunk(entry.chunk, key, row)
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
            found = self._catalogue.list_searchable(pack_id, tenant, document)
            for version in found:
                self._catalogue.retire(version.key, State.DROPPED)
            if found:
                self._catalogue.advance(self._catalogue.read_head().extent)

    def compact(self) -> int:
        """Rewrite the index without dropped versions; return the number of chunks."""
        with self._catalogue.writing():
            old = self._catalogue.read_head().extent
            self._catalogue.delete_dropped()
            block = Segments(self._folder, old.generation, self._widths).map(old)
            segments = Segments(self._folder, old.generation + 1, self._widths)
            extent = Extent(segments.generation)
            stay: list[tuple[int, int, str]] = []
            for version in self._catalogue.list_versions():
                first, rows = version.first_row, version.rows
                asked = self._catalogue.questions.read_within(
                    range(first, first + rows)
                )
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
        """Map all these stems to numbers; add new ones to the vocabulary."""
        fresh = self._catalogue.read_stems(len(self._numbers))
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
        ends = find_end_of_force(earlier, successor.in_force_from, successor.retrieved)
        if ends is None or earlier.version == successor.version:
            self._catalogue.retire(earlier.key, State.DROPPED)
        else:
            self._catalogue.retire(earlier.key, State.SUPERSEDED, ends)


def _make_version(
    first: Chunk, pack_id: str, tenant: str, rows: range
) -> StoredVersion:
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


def _make_chunk(chunk: Chunk, document: int, row: int) -> StoredChunk:
    return StoredChunk(
        row=row,
        id=chunk.id,
        document=document,
        ordinal=chunk.ordinal,
        body=chunk.model_dump_json(exclude=_COMPUTED),
    )


def check(document: str, entries: Sequence[Entry], identity: Identity) -> None:
    """Refuse entries that would make a document half visible or unsearchable.

    Raises:
        IndexFailed: with the document, the chunk and the fault.
    """
    if not entries:
        raise IndexFailed(
            f"there is nothing to store of {document}: withdraw it instead"
        )
    first = entries[0].chunk
    for entry in entries:
        if entry.chunk.document != document or _shared_fields(
            entry.chunk
        ) != _shared_fields(first):
            raise IndexFailed(
                f"the chunks of {document} differ in document, version, tags, "
                "dates, source or demo mark; all of one document must agree"
            )
        problem = _find_shape_problem(entry, identity)
        if problem:
            raise IndexFailed(f"chunk {entry.chunk.id} of {document}: {problem}")


def pack(
    entries: Sequence[Entry],
    weights: Sequence[Mapping[str, float]],
    numbers: Mapping[str, int],
    widths: Widths,
) -> Block:
    """Pack entries into arrays, in their order.

    Args:
        entries: checked by `check`.
        weights: the weighted stems of each entry.
        numbers: the number of every stem in `weights`.
        widths: the dimensions of the vectors.
    """
    records = np.zeros(len(entries), RECORD)
    for name, counts in (
        ("token", [len(entry.tokens.values) for entry in entries]),
        ("term", [len(of_chunk) for of_chunk in weights]),
    ):
        records[f"{name}_count"] = counts
        records[f"{name}s"] = np.cumsum([0, *counts[:-1]])
    records["length"] = [sum(of_chunk.values()) for of_chunk in weights]
    tokens = np.empty(int(records["token_count"].sum()), widths.token)
    tokens["values"] = np.concatenate([entry.tokens.values for entry in entries])
    tokens["span"] = np.concatenate([entry.tokens.spans for entry in entries])
    asked = [question.vector for entry in entries for question in entry.questions]
    return Block(
        records,
        np.stack([entry.vector for entry in entries]).astype(np.float32),
        tokens,
        pack_terms(weights, numbers),
        np.stack(asked).astype(np.float32)
        if asked
        else np.empty((0, widths.vectors), np.float32),
    )


def _shared_fields(chunk: Chunk) -> tuple[object, ...]:
    """Return the fields that all chunks of a document must share.

    Search filters by document, so they must not differ between its chunks.
    """
    return (
        chunk.version,
        frozenset(chunk.tags),
        chunk.demo,
        chunk.source,
        chunk.in_force_from,
        chunk.in_force_to,
    )


def _find_shape_problem(entry: Entry, identity: Identity) -> str | None:
    tokens = entry.tokens
    count = len(tokens.values)
    if entry.vector.shape != (identity.dimension,):
        return f"the vector has shape {entry.vector.shape}"
    if not np.isfinite(entry.vector).all():
        return "the vector holds values that are no numbers"
    for question in entry.questions:
        shape = question.vector.shape
        if shape != (identity.dimension,) or not np.isfinite(question.vector).all():
            return f"the vector of a question has shape {shape} or holds no numbers"
    if tokens.values.shape != (count, identity.reduced):
        return f"the token vectors have shape {tokens.values.shape}"
    if tokens.spans.shape != (count, 2):
        return f"there are {len(tokens.spans)} spans for {count} token vectors"
    return None
