"""How many chunks of each version hold a term, for statistics over some versions."""

from collections.abc import Mapping, Sequence

import numpy as np

from adapters.index.lexical import Bools
from engine.ports import Int32s


class Counted:
    """How many chunks of each version hold a term, as three columns."""

    def __init__(self, counts: Sequence[Mapping[str, int]]) -> None:
        self._numbers: dict[str, int] = {}
        numbers = [
            self._numbers.setdefault(term, len(self._numbers))
            for of_version in counts
            for term in of_version
        ]
        self._number: Int32s = np.array(numbers, np.int32)
        self._count: Int32s = np.array(
            [count for of_version in counts for count in of_version.values()], np.int32
        )
        self._owner: Int32s = np.repeat(
            np.arange(len(counts), dtype=np.int32), [len(c) for c in counts]
        )

    def total(self, visible: Bools) -> Mapping[str, int]:
        """Term -> chunks of the visible versions that hold it."""
        at = visible[self._owner]
        sums = np.bincount(
            self._number[at], weights=self._count[at], minlength=len(self._numbers)
        ).astype(np.int64)
        return {
            term: count
            for term, count in zip(self._numbers, sums.tolist(), strict=True)
            if count
        }
