"""Whether a passage is found by its vector, where a server searches roughly.

A real one overlooks a passage only among very many; here one stands in that does so at
will. What a real one finds and loses is in the other modules beside this one.
"""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import cast
from uuid import UUID, uuid4

import numpy as np
import pytest

from adapters.index.weaviate_shelf import At, Shelf
from adapters.index.weaviate_writer import find_missed
from engine.model.ports import Floats

MINE, FAR, ALIKE = uuid4(), 0.2, 0.12
VECTOR: Floats = np.ones(4, dtype=np.float32)


class _Rough:
    """A server whose nearest passages are others until it is asked for so many."""

    def __init__(self, finds_at: int, holds: int, distance: float) -> None:
        self.calls = SimpleNamespace(server=SimpleNamespace(patience=1.0))
        self.query = self
        self.asked: list[int] = []
        self._finds_at, self._holds, self._distance = finds_at, holds, distance

    async def ask(
        self,
        at: At,
        doing: str,
        call: Callable[["_Rough"], Awaitable[object]],
        patience: float,
    ) -> object:
        return await call(self)

    async def near_vector(
        self, vector: object, *, limit: int, **more: object
    ) -> object:
        self.asked.append(limit)
        keys: list[UUID] = [uuid4() for _ in range(min(limit, self._holds))]
        if limit >= self._finds_at:
            keys[-1] = MINE
        away = SimpleNamespace(distance=self._distance)
        return SimpleNamespace(
            objects=[SimpleNamespace(uuid=key, metadata=away) for key in keys]
        )


@pytest.mark.parametrize(
    ("finds_at", "holds", "distance", "lost"),
    [
        (1, 1_000, FAR, []),
        (64, 1_000, FAR, []),  # overlooked at first, among passages that are like it
        (512, 1_000, FAR, []),
        (10_000, 1_000, FAR, [MINE]),
        (10_000, 3, FAR, [MINE]),  # all that there is was looked at
        (10_000, 600, FAR, [MINE]),
        (10_000, 1_000, ALIKE, []),  # a crowd in which the graph lost its way
        (10_000, 63, ALIKE, [MINE]),
    ],
)
async def test_a_passage_is_lost_only_where_much_was_looked_at(
    finds_at: int, holds: int, distance: float, lost: list[UUID]
) -> None:
    """A first look that finds others proves nothing: the search is a rough one."""
    server = _Rough(finds_at, holds, distance)
    found = await find_missed(cast(Shelf, server), At("c", "t"), {MINE: VECTOR})
    assert found == lost
    assert server.asked == sorted(server.asked)
