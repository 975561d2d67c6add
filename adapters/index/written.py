"""The words of every stored version as they are written, for spelling (R-U2).

They stand in memory only: the arrays on disk hold stems.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from pydantic import BaseModel, ValidationError

from adapters.index.lexical import Bools
from engine.errors import IndexFailed
from engine.lexicon import words
from engine.ports import Int32s


class _Texts(BaseModel):
    """What of a stored chunk has words."""

    title: str
    section: tuple[str, ...]
    text: str


class WrittenWords:
    """How many chunks of each version hold a word; for one generation.

    Versions are added in the order of their rows, which never changes within a
    generation. For one caller at a time.
    """

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self._numbers: dict[str, int] = {}
        self._counted: list[tuple[Int32s, Int32s]] = []

    @property
    def versions(self) -> int:
        """How many versions are counted."""
        return len(self._counted)

    def add(self, bodies: Iterable[str]) -> None:
        """Count the chunks of the next version; none for one that nobody sees.

        Raises:
            IndexFailed: a stored chunk cannot be read.
        """
        counts: Counter[str] = Counter()
        for body in bodies:
            counts.update(_words(body))
        numbers = [self._numbers.setdefault(w, len(self._numbers)) for w in counts]
        self._counted.append(
            (np.array(numbers, np.int32), np.array(list(counts.values()), np.int32))
        )

    def frequency(self, visible: Bools) -> dict[str, int]:
        """Word -> number of chunks that hold it, over some of the counted versions."""
        total = np.zeros(len(self._numbers), dtype=np.int64)
        for version in np.flatnonzero(visible):
            numbers, counts = self._counted[version]
            total[numbers] += counts
        known = list(self._numbers)
        return {known[number]: int(total[number]) for number in np.flatnonzero(total)}


def _words(body: str) -> set[str]:
    try:
        chunk = _Texts.model_validate_json(body)
    except ValidationError as error:
        raise IndexFailed(
            "a stored chunk cannot be read: ingest its document again"
        ) from error
    return set(words("\n".join((chunk.title, *chunk.section, chunk.text))))
