"""How many chunks of each version hold a term, for statistics over some versions.

A version of 200 chunks has thousands of terms, and an index thousands of versions, so
the terms are numbered and the counts stand in arrays.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adapters.index.lexical import Bools
from engine.model.ports import Int32s


@dataclass(eq=False, slots=True)
class Terms:
    """Terms and their numbers; it only grows."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def tally(self, counts: Mapping[str, int]) -> "Tally":
        """The same counts as arrays; any thread may ask."""
        known = self._numbers
        with self._turn:
            numbers = [known.setdefault(term, len(known)) for term in counts]
        return Tally(
            self, np.array(numbers, np.int32), np.array([*counts.values()], np.int32)
        )

    def named(self, numbers: Int32s, counts: Int32s) -> dict[str, int]:
        """Counts by their terms."""
        with self._turn:
            names = list(self._numbers)
        pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
        return {names[number]: count for number, count in pairs}


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """How many chunks of one version hold each of its terms."""

    terms: Terms
    numbers: Int32s
    counts: Int32s

    def named(self) -> dict[str, int]:
        """The counts by their terms."""
        return self.terms.named(self.numbers, self.counts)


class Counted:
    """The tallies of several versions, with terms of one numbering."""

    def __init__(self, tallies: Sequence[Tally]) -> None:
        none = [np.zeros(0, np.int32)]
        self._terms = tallies[0].terms if tallies else Terms()
        self._number = np.concatenate([one.numbers for one in tallies] or none)
        self._count = np.concatenate([one.counts for one in tallies] or none)
        self._owner: Int32s = np.repeat(
            np.arange(len(tallies), dtype=np.int32), [len(t.numbers) for t in tallies]
        )

    def total(self, visible: Bools) -> Mapping[str, int]:
        """Term -> chunks of the visible versions that hold it."""
        at = visible[self._owner]
        sums = np.bincount(self._number[at], weights=self._count[at])
        held = np.flatnonzero(sums).astype(np.int32)
        return self._terms.named(held, sums[held].astype(np.int32))
