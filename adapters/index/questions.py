"""The questions that chunks answer, in the embedded index (R-Q1).

Their vectors stand in an array beside those of the chunks, their texts and the row of
the chunk that each belongs to in the catalogue. They are visible where their chunk is.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.model.ports import Asked, Floats, Int32s

Bools = NDArray[np.bool_]
NONE = -2.0  # below any cosine: no question


@dataclass(frozen=True, slots=True)
class StoredQuestions:
    """Texts and rows by number, which is the place of the vector in its array."""

    db: sqlite3.Connection

    def add(self, first: int, asked: Iterable[tuple[int, Asked]]) -> None:
        """Number questions from `first` on, each with the row of its chunk."""
        self.db.executemany(
            "INSERT INTO questions VALUES (?, ?, ?)",
            (
                (number, row, question.text)
                for number, (row, question) in enumerate(asked, first)
            ),
        )

    def rows(self, beyond: int) -> list[int]:
        """The chunk's row of each question numbered `beyond` and up, in order."""
        found = self.db.execute(
            "SELECT row FROM questions WHERE number >= ? ORDER BY number", (beyond,)
        )
        return [row for (row,) in found]

    def texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Texts by number."""
        marks = ",".join("?" * len(numbers))
        found = self.db.execute(
            f"SELECT number, text FROM questions WHERE number IN ({marks})", numbers
        )
        return dict(found.fetchall())

    def within(self, rows: range) -> list[tuple[int, int, str]]:
        """Number, row and text of the questions of these rows, in order."""
        return self.db.execute(
            "SELECT number, row, text FROM questions WHERE row >= ? AND row < ? "
            "ORDER BY number",
            (rows.start, rows.stop),
        ).fetchall()

    def replace(self, kept: Iterable[tuple[int, int, str]]) -> None:
        """Forget all but these."""
        rows = list(kept)
        self.db.execute("DELETE FROM questions")
        self.db.executemany("INSERT INTO questions VALUES (?, ?, ?)", rows)


@dataclass(frozen=True, slots=True)
class Nearest:
    """For each chunk the best cosine of its questions, and the number of that one.

    NONE and -1 where a chunk has no question.
    """

    cosine: Floats
    number: Int32s


def nearest(vectors: Floats, rows: Int32s, vector: Floats, chunks: int) -> Nearest:
    """Compare every stored question with the asker's, one after the other.

    Args:
        vectors: of the stored questions.
        rows: of the chunk that each belongs to.
        vector: of the asker's question.
        chunks: how many there are.
    """
    cosine = np.full(chunks, NONE, np.float32)
    number = np.full(chunks, -1, np.int32)
    found = np.vecdot(vectors, vector)
    # The best is written last; of equal ones the first that came.
    order = np.lexsort((-np.arange(len(found)), found))
    cosine[rows[order]] = found[order]
    number[rows[order]] = order
    return Nearest(cosine, number)
