"""The catalogue of a large Weaviate index is read in windows, several side by side."""

import asyncio
from collections.abc import Mapping
from typing import cast
from uuid import UUID

import pytest

from adapters.index.weaviate_catalogue import Catalogue
from adapters.index.weaviate_objects import Head
from adapters.index.weaviate_shelf import Shelf
from engine.model.errors import IndexFailed

HEAD = Head(10_000, "somebody")


class _Slow:
    """A shelf whose calls overlap, and fail from one on."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.calls = self.now = self.most = 0
        self._fails_at = fails_at

    async def head(self, tenant: str) -> Head:
        return HEAD

    async def fetch(self, *asked: object) -> list[tuple[UUID, Mapping[str, object]]]:
        self.calls += 1
        number, self.now = self.calls, self.now + 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        if self._fails_at is not None and number >= self._fails_at:
            raise IndexFailed("the server is gone")
        return []


async def test_windows_are_read_side_by_side_and_bounded() -> None:
    """20,000 documents took a new process 9 s one after the other (issue 5)."""
    shelf = _Slow()
    part = await Catalogue(cast(Shelf, shelf)).part("t", HEAD)
    assert part.head == HEAD
    assert shelf.calls == HEAD.revision / 200
    assert 1 < shelf.most <= 4


async def test_what_fails_ends_the_reading_and_says_why_R_I10() -> None:
    """Half a catalogue is none, and nobody asks for the rest of it."""
    shelf = _Slow(fails_at=10)
    with pytest.raises(IndexFailed, match="the server is gone"):
        await Catalogue(cast(Shelf, shelf)).part("t", HEAD)
    assert shelf.calls < 20
