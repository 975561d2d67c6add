"""How many chunks of each version hold a word as it is written, for spelling (R-U2).

Counted once, when a version is put, and kept in the catalogue beside it: the arrays on
disk hold stems, and reading every chunk again cost each process a second for 10,000.
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

# A word by its number, and how many chunks of a version hold it.
_COUNT = np.dtype([("word", "<i4"), ("chunks", "<i4")])


class Worded(Protocol):
    """What of a chunk has words."""

    @property
    def title(self) -> str: ...
    @property
    def section(self) -> tuple[str, ...]: ...
    @property
    def text(self) -> str: ...


def count(chunks: Iterable[Worded]) -> Counter[str]:
    """How many of these chunks hold each word."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts.update(set(words("\n".join((chunk.title, *chunk.section, chunk.text)))))
    return counts


@dataclass(frozen=True, slots=True)
class StoredWords:
    """Words by number, from 1 on, and their counts by the key of a version."""

    db: sqlite3.Connection

    def add(self, version: int, counts: Counter[str]) -> None:
        """Keep the counts of a version, within the transaction that stores it."""
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

    def numbered(self, beyond: int) -> list[str]:
        """Words numbered above `beyond`, in order of their number."""
        found = self.db.execute(
            "SELECT word FROM words WHERE number > ? ORDER BY number", (beyond,)
        )
        return [word for (word,) in found]

    def counted(self, beyond: int) -> list[tuple[int, bytes]]:
        """The counts of the versions whose key is above `beyond`, in order."""
        return self.db.execute(
            "SELECT document, counts FROM counted WHERE document > ? ORDER BY document",
            (beyond,),
        ).fetchall()


@dataclass(slots=True)
class WrittenWords:
    """The counts of one generation in memory; keys only grow in it.

    For one caller at a time.
    """

    generation: int
    _words: list[str] = field(default_factory=list)
    _keys: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _sizes: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _counts: Structured = field(default_factory=lambda: np.zeros(0, _COUNT))

    def read(self, stored: StoredWords) -> None:
        """Take in what is new."""
        self._words += stored.numbered(len(self._words))
        found = stored.counted(int(self._keys[-1]) if len(self._keys) else -1)
        if not found:
            return
        sizes = [len(body) // _COUNT.itemsize for _, body in found]
        fresh = np.frombuffer(b"".join(body for _, body in found), _COUNT)
        self._keys = np.append(self._keys, [key for key, _ in found])
        self._sizes = np.append(self._sizes, sizes)
        self._counts = np.concatenate([self._counts, fresh])

    def frequency(self, versions: Keys) -> dict[str, int]:
        """Word -> number of chunks of these versions that hold it."""
        seen = np.repeat(np.isin(self._keys, versions), self._sizes)
        held = self._counts[seen]
        total = np.bincount(held["word"], weights=held["chunks"]).astype(np.int64)
        return {
            self._words[number - 1]: int(total[number])
            for number in np.flatnonzero(total)
        }
