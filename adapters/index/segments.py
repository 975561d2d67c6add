"""Append-only arrays of the embedded index, memory-mapped for reading.

Arrays are written and synced before the catalogue commits the extent that makes them
visible. Readers map only the committed extent, so a tail that a crash left beyond it is
invisible, and the next write replaces it. All files of one generation belong together;
compaction writes the next generation and leaves this one unchanged.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.model.errors import IndexFailed
from engine.model.ports import Floats

# Start and number of the tokens and stems of one chunk, and its length.
RECORD = np.dtype(
    [
        ("tokens", "<i8"),
        ("token_count", "<i4"),
        ("terms", "<i8"),
        ("term_count", "<i4"),
        ("length", "<f4"),
    ]
)
# A stem of a chunk: its number in the vocabulary and its weighted frequency.
TERM = np.dtype([("term", "<i4"), ("weight", "<f4")])

_NAMES = ("records", "vectors", "tokens", "terms", "questions")

Structured = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Extent:
    """The committed length of each array of a generation, in elements."""

    generation: int = 1
    rows: int = 0
    tokens: int = 0
    terms: int = 0
    questions: int = 0


@dataclass(frozen=True, slots=True)
class Widths:
    """The dimensions of the vectors: of chunks and of tokens."""

    vectors: int
    tokens: int

    @property
    def token(self) -> np.dtype[np.void]:
        """Return the type of a token: reduced vector, and code points in the chunk."""
        return np.dtype([("values", "i1", (self.tokens,)), ("span", "<i4", (2,))])


@dataclass(frozen=True, slots=True)
class Block:
    """Some chunks as arrays; `records` point into the other arrays of this block.

    `questions` are vectors of questions that chunks answer; the catalogue maps them to
    chunks.
    """

    records: Structured
    vectors: Floats
    tokens: Structured
    terms: Structured
    questions: Floats

    def rows(self, first: int, count: int) -> "Block":
        """Cut the chunks `first` to `first + count` out, without their questions."""
        records = self.records[first : first + count].copy()
        tokens = _span(records, "tokens", "token_count")
        terms = _span(records, "terms", "term_count")
        for name, reach in (("tokens", tokens), ("terms", terms)):
            records[name] -= reach.start
        return Block(
            records,
            self.vectors[first : first + count],
            self.tokens[tokens],
            self.terms[terms],
            self.questions[:0],
        )


def _span(records: Structured, start: str, count: str) -> slice:
    if not len(records):
        return slice(0, 0)
    return slice(
        int(records[0][start]), int(records[-1][start]) + int(records[-1][count])
    )


class Compacted(IndexFailed):
    """A file is gone, because compaction has written the next generation."""


class Segments:
    """The files of one generation in a folder.

    Raises IndexFailed where a file is shorter than committed. The transaction around a
    write turns its OSError into IndexFailed.
    """

    def __init__(self, folder: Path, generation: int, widths: Widths) -> None:
        self._folder = folder
        self.generation = generation
        self._widths = widths
        self._written: set[Path] = set()
        self._created = False

    def append(self, block: Block, extent: Extent) -> Extent:
        """Write a block behind `extent`, not yet synced; return the new extent."""
        records = block.records.copy()
        records["tokens"] += extent.tokens
        records["terms"] += extent.terms
        self._write("records", records, extent.rows)
        self._write("vectors", block.vectors, extent.rows)
        self._write("tokens", block.tokens, extent.tokens)
        self._write("terms", block.terms, extent.terms)
        if len(block.questions):
            self._write("questions", block.questions, extent.questions)
        return Extent(
            self.generation,
            extent.rows + len(block.records),
            extent.tokens + len(block.tokens),
            extent.terms + len(block.terms),
            extent.questions + len(block.questions),
        )

    def map(self, extent: Extent) -> Block:
        """Map the committed extent, read-only; pages are loaded when touched."""
        return Block(
            self._map("records", RECORD, extent.rows, 0),
            self._map("vectors", np.float32, extent.rows, self._widths.vectors),
            self._map("tokens", self._widths.token, extent.tokens, 0),
            self._map("terms", TERM, extent.terms, 0),
            self._map("questions", np.float32, extent.questions, self._widths.vectors),
        )

    def sync(self) -> None:
        """Sync everything that was appended to the disk."""
        for path in self._written:
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        if self._created and os.name != "nt":  # a folder cannot be opened there
            descriptor = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def remove_earlier(self) -> None:
        """Delete the files of earlier generations, where the system allows it now.

        Later ones stay, because another process may be writing them.
        """
        for path in self._folder.iterdir():
            generation = path.suffix[1:]
            if path.stem not in _NAMES or not generation.isdecimal():
                continue
            if int(generation) < self.generation:
                with suppress(OSError):  # a reader has it mapped (Windows): next time
                    path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.{self.generation}"

    def _write(self, name: str, array: NDArray[np.generic], at: int) -> None:
        path = self._path(name)
        self._written.add(path)
        self._created = self._created or not path.exists()
        row_bytes = array.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
        with path.open("ab") as file:
            if file.tell() < at * row_bytes:
                raise _make_damaged(path)
            file.truncate(at * row_bytes)
            file.write(np.ascontiguousarray(array).tobytes())

    # DTypeLike, since one method serves plain and structured arrays.
    def _map(self, name: str, dtype: DTypeLike, rows: int, width: int) -> NDArray:  # type: ignore[type-arg]  # the element type is the argument
        shape = (rows, width) if width else (rows,)
        if rows == 0:
            return np.empty(shape, dtype)
        path = self._path(name)
        try:
            return np.asarray(np.memmap(path, dtype, mode="r", shape=shape))
        except FileNotFoundError as error:
            raise Compacted(f"{path} is gone") from error
        except ValueError as error:
            raise _make_damaged(path) from error


def _make_damaged(path: Path) -> IndexFailed:
    return IndexFailed(
        f"{path} is shorter than its catalogue says: the index is damaged; delete its "
        "folder and ingest again (documents are kept in the ledger)"
    )
