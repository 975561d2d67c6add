"""The catalogue of a large Weaviate index is read in windows, several side by side."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast
from uuid import UUID, uuid4

import pytest

from adapters.index.upkeep import IndexKey, Place, State
from adapters.index.weaviate_catalogue import Catalogue
from adapters.index.weaviate_objects import make_objects
from adapters.index.weaviate_shelf import Shelf
from engine.model.errors import IndexFailed
from tests.contracts.index_entries import PACK, entries

PLACE = Place("somewhere", 10_000)
ROWS = [
    IndexKey(str(uuid4()), "t", PACK, "a", "v1", 1, State.CURRENT) for _ in range(2_000)
]
SAID = make_objects(ROWS[0], entries("a", "fatigue")).version


class _Keys:
    """The rows of a tenant."""

    async def list_keys(self, place: str, tenant: str) -> Sequence[IndexKey]:
        return ROWS


class _Slow:
    """A shelf whose calls overlap, and fail from one on."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.calls = self.now = self.most = 0
        self.keys = _Keys()
        self._fails_at = fails_at

    async def needed(self) -> Place:
        return PLACE

    async def fetch_by_name(
        self, at: object, doing: str, names: Sequence[UUID], fields: Sequence[str]
    ) -> list[tuple[UUID, Mapping[str, object]]]:
        self.calls += 1
        number, self.now = self.calls, self.now + 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        if self._fails_at is not None and number >= self._fails_at:
            raise IndexFailed("the server is gone")
        return [(name, SAID) for name in names]


def catalogue(shelf: _Slow) -> Catalogue:
    """A catalogue of it."""
    return Catalogue(cast(Shelf, shelf))


async def test_windows_are_read_side_by_side_and_bounded() -> None:
    """20,000 documents took a new process 9 s one after the other (issue 5)."""
    shelf = _Slow()
    part = await catalogue(shelf).part(PLACE, "t")
    assert [version.row for version in part.versions] == ROWS
    assert shelf.calls == len(ROWS) / 200
    assert 1 < shelf.most <= 4


async def test_what_fails_ends_the_reading_and_says_why_R_I10() -> None:
    """Half a catalogue is none, and nobody asks for the rest of it."""
    shelf = _Slow(fails_at=3)
    with pytest.raises(IndexFailed, match="the server is gone"):
        await catalogue(shelf).part(PLACE, "t")
    assert shelf.calls < 8
