"""Counts of the chunks of each version that have a word as written, for spelling.

They are counted once, when a version is put, and kept in the catalogue, because the
arrays on disk hold stems only, and reading every chunk again took each process a second
for 10,000 chunks.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adapters.index.segments import Structured
from engine.text.words import words

Keys = NDArray[np.int64]

# A word's number, and the number of chunks of a version that have it.
_COUNT = np.dtype([("word", "<i4"), ("chunks", "<i4")])


class Worded(Protocol):
    """The fields of a chunk that have words."""

    @property
    def title(self) -> str: ...
    @property
    def section(self) -> tuple[str, ...]: ...
    @property
    def text(self) -> str: ...


def count_words(chunks: Iterable[Worded]) -> Counter[str]:
    """Count the chunks that have each word."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts.update(set(words("\n".join((chunk.title, *chunk.section, chunk.text)))))
    return counts


@dataclass(frozen=True, slots=True)
class StoredWords:
    """The stored words, numbered from 1, and their counts by a version's key."""

    db: sqlite3.Connection

    def add(self, version: int, counts: Counter[str]) -> None:
        """Store the counts of a version, within the transaction that stores it."""
        self.db.executemany(
            "INSERT INTO words (word) VALUES (?) ON CONFLICT DO NOTHING",
            ((word,) for word in counts),
        )
        numbered = self.db.execute(
            "SELECT number, word FROM words "
            "WHERE word IN (SELECT value FROM json_each(?)) ORDER BY number",
            (json.dumps(list(counts)),),
        )
        packed = [(number, counts[word]) for number, word in numbered]
        body = np.array(packed, _COUNT).tobytes()
        self.db.execute("INSERT INTO counted VALUES (?, ?)", (version, body))

    def read_words(self, beyond: int) -> list[str]:
        """Read the words numbered above `beyond`, in order."""
        found = self.db.execute(
            "SELECT word FROM words WHERE number > ? ORDER BY number", (beyond,)
        )
        return [word for (word,) in found]

    def read_counts(self, beyond: int) -> list[tuple[int, bytes]]:
        """Read the counts of versions with keys above `beyond`, in order."""
        return self.db.execute(
            "SELECT document, counts FROM counted WHERE document > ? ORDER BY document",
            (beyond,),
        ).fetchall()


@dataclass(slots=True)
class WrittenWords:
    """The counts of one generation in memory, for one caller at a time.

    Keys of a generation only grow.
    """

    generation: int
    _words: list[str] = field(default_factory=list)
    _keys: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _sizes: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _counts: Structured = field(default_factory=lambda: np.zeros(0, _COUNT))

    def read(self, stored: StoredWords) -> None:
        """Read new words and counts."""
        self._words += stored.read_words(len(self._words))
        found = stored.read_counts(int(self._keys[-1]) if len(self._keys) else -1)
        if not found:
            return
        sizes = [len(body) // _COUNT.itemsize for _, body in found]
        fresh = np.frombuffer(b"".join(body for _, body in found), _COUNT)
        self._keys = np.append(self._keys, [key for key, _ in found])
        self._sizes = np.append(self._sizes, sizes)
        self._counts = np.concatenate([self._counts, fresh])

    def frequency(self, versions: Keys) -> dict[str, int]:
        """Map words to the number of chunks of these versions that have them."""
        seen = np.repeat(np.isin(self._keys, versions), self._sizes)
        held = self._counts[seen]
        total = np.bincount(held["word"], weights=held["chunks"]).astype(np.int64)
        return {
            self._words[number - 1]: int(total[number])
            for number in np.flatnonzero(total)
        }
