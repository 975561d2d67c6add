"""What a reader counts that reads the catalogue while dropped versions are deleted."""

import asyncio

import pytest

from adapters.index import weaviate_catalogue
from adapters.index.upkeep import SHARED
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_catalogue import Catalogue
from engine.model.question import Scope
from tests.adapters.index.held import Held
from tests.adapters.index.on_server import Open, index, make
from tests.contracts.index_entries import PACK, entries

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

DOCUMENTS = 3


@pytest.mark.parametrize("at", range(DOCUMENTS))
async def test_no_version_is_counted_that_was_deleted_meanwhile_R_C5(
    index: WeaviateIndex, make: Open, monkeypatch: pytest.MonkeyPatch, at: int
):
    """The reader starts; at some place of its reading, all but one are deleted."""
    monkeypatch.setattr(weaviate_catalogue, "_WINDOW", 1)
    monkeypatch.setattr(weaviate_catalogue, "_AT_ONCE", 1)
    names = [f"d{number}" for number in range(DOCUMENTS)]
    for name in names:
        await index.put(PACK, name, entries(name, "rash"))
    shelf = Held(index._shelf, at)
    reading = asyncio.create_task(Catalogue(shelf).view(SHARED))
    await shelf.stopped.wait()
    for name in names[1:]:
        await index.withdraw(PACK, name)
    assert await index.compact(grace=0) == DOCUMENTS - 1
    shelf.go.set()
    seen = (await reading).seen(Scope(pack=PACK)).statistics
    assert seen.documents == 1
    assert (await make().statistics(Scope(pack=PACK))).documents == 1
