"""What a reader counts that reads the catalogue while dropped versions are deleted."""

import asyncio
from collections.abc import Sequence

import pytest

from adapters.index import weaviate_reading
from adapters.index.upkeep import SHARED
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_catalogue import Catalogue
from adapters.index.weaviate_objects import End
from engine.model.question import Scope
from tests.adapters.index.held import Held
from tests.adapters.index.on_server import Open, index, make
from tests.contracts.index_entries import PACK, entries

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

DOCUMENTS = 3
READINGS = 2 * DOCUMENTS + 1  # of the ends, of each revision, and one that is not


@pytest.mark.parametrize("at", range(READINGS))
async def test_no_version_is_counted_that_was_deleted_meanwhile_R_C5(
    index: WeaviateIndex, make: Open, monkeypatch: pytest.MonkeyPatch, at: int
):
    """Its end must not be gone before the reader comes to it.

    The writer has said that it will delete, and begins; the reader starts; at some
    place of its reading the writer deletes all the rest.
    """
    monkeypatch.setattr(weaviate_reading, "_WINDOW", 1)
    monkeypatch.setattr(weaviate_reading, "_AT_ONCE", 1)
    names = [f"d{number}" for number in range(DOCUMENTS)]
    for name in names:
        await index.put(PACK, name, entries(name, "rash"))
    for name in names[1:]:
        await index.withdraw(PACK, name)
    leftovers = index._writer._leftovers
    bury, said, deleting = leftovers.bury, asyncio.Event(), asyncio.Event()

    async def later(tenant: str, ends: Sequence[End]) -> None:
        said.set()
        await deleting.wait()
        await bury(tenant, ends)

    monkeypatch.setattr(leftovers, "bury", later)
    tidying = asyncio.create_task(index._writer.compact(SHARED, grace=0))
    await said.wait()
    shelf = Held(index._shelf, at)
    reading = asyncio.create_task(Catalogue(shelf).view(SHARED))
    stopping = asyncio.create_task(shelf.stopped.wait())
    await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    deleting.set()
    assert await tidying == DOCUMENTS - 1
    shelf.go.set()
    stopping.cancel()
    seen = (await reading).seen(Scope(pack=PACK)).statistics
    assert seen == await make().statistics(Scope(pack=PACK))
    assert seen.documents == 1
