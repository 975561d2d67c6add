"""No reader of a Weaviate index sees half a document, whatever was left half done."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from uuid import uuid4

import pytest
from weaviate.classes.data import DataObject
from weaviate.classes.query import MetadataQuery

from adapters.index.upkeep import SHARED
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Calls, Server
from adapters.index.weaviate_objects import HEAD
from adapters.index.weaviate_schema import VECTOR, Kind
from adapters.index.weaviate_shelf import Shelf
from adapters.index.weaviate_written import new_version
from engine.model.errors import IndexFailed
from tests.adapters.index.on_server import Open, index, make
from tests.contracts.index_entries import PACK, documents, entries, find, texts
from tests.contracts.index_questions import many

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

ROUNDS = 30
READERS = 3
PAGES = [f"fatigue page {at}" for at in range(6)]
LAW = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2020, 12, 31)}


@pytest.fixture
async def shelf(
    index: WeaviateIndex, weaviate_url: str, weaviate_grpc: int
) -> AsyncIterator[Shelf]:
    """The objects of the index, as they stand on the server."""
    calls = Calls(Server(weaviate_url, str(weaviate_grpc)))
    yield Shelf(calls, index._shelf.names)
    await calls.close()


async def leave(shelf: Shelf, count: int, born: int, tenant: str = SHARED) -> None:
    """Store passages as a writer does that is stopped before it is done."""
    put = entries("left", *(f"fatigue left {at}" for at in range(count)))
    _, chunks = new_version(put, uuid4(), PACK, born)
    objects = [
        DataObject(chunk, uuid=uuid4(), vector={VECTOR: entry.vector.tolist()})
        for chunk, entry in zip(chunks, put, strict=True)
    ]
    await shelf.ask(tenant, "leaving", lambda c: c.data.insert_many(objects))


async def test_a_document_that_is_replaced_is_seen_whole_R_R1(
    make: Open, index: WeaviateIndex
):
    """Every search finds all passages of one version, while versions follow fast."""
    await index.put(PACK, "a", entries("a", *PAGES, version="v0"))
    reader, wrong, done = make(), [], asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            found = await find(reader, "fatigue", limit=1_000)
            if len(found) != len(PAGES) or len({c.chunk.version for c in found}) != 1:
                wrong.append(sorted(candidate.chunk.id for candidate in found))

    readers = [asyncio.create_task(read()) for _ in range(READERS)]
    for number in range(1, ROUNDS):
        await index.put(PACK, "a", entries("a", *PAGES, version=f"v{number}"))
    done.set()
    await asyncio.gather(*readers)
    assert wrong == []


async def test_nothing_that_a_reader_sees_is_ever_changed(
    index: WeaviateIndex, shelf: Shelf
):
    """A search that runs while the server changes an object may miss that object."""
    await index.put(PACK, "law", entries("law", *PAGES, **LAW))
    await index.put(PACK, "law", entries("law", *PAGES, version="v2"))
    await index.put(PACK, "a", entries("a", *PAGES))
    await index.withdraw(PACK, "a")
    assert documents(await find(index, "fatigue", as_of=LAW["in_force_to"])) == {"law"}
    await index.put(PACK, "asked", many("asked", "why so tired?"))
    stored = await shelf.ask(
        SHARED,
        "reading all",
        lambda c: c.query.fetch_objects(
            limit=1_000,
            return_properties=["kind"],
            return_metadata=MetadataQuery(creation_time=True, last_update_time=True),
        ),
    )
    changed = {
        one.properties["kind"]
        for one in stored.objects
        if one.metadata.creation_time != one.metadata.last_update_time
    }
    assert {one.properties["kind"] for one in stored.objects} == {*Kind}
    assert changed == {Kind.HEAD.value}


@pytest.mark.parametrize("born", [1, 2])
async def test_what_a_stop_left_stands_in_nobodys_place(
    make: Open, index: WeaviateIndex, shelf: Shelf, born: int
):
    """Passages that no version owns may pass the server's filters; a writer ends that.

    With revision 1 they look as if everybody should see them, with 2 as if the next
    change had brought them.
    """
    await index.put(PACK, "a", entries("a", *PAGES))
    await leave(shelf, 40, born)
    for reader in (index, make()):
        found = await find(reader, "fatigue", like="fatigue left 3", limit=3)
        assert texts(found) <= set(PAGES)
        assert len(found) >= 3
    writer = make()
    await writer.put(PACK, "b", entries("b", "rash"))
    assert await find(writer, "fatigue", like="fatigue left 3", limit=3) != ()
    assert writer.refused == 0
    assert await writer.doubts() is None


async def test_reindex_takes_away_what_a_stop_left_in_any_tenant(
    make: Open, index: WeaviateIndex, shelf: Shelf
):
    """Also where nobody writes any more."""
    tenants = {SHARED: PAGES, "team-1": PAGES[:3], "team-2": PAGES[:2]}
    for tenant, pages in tenants.items():
        await index.put(PACK, "a", entries("a", *pages), tenant)
    for tenant in tenants:
        await leave(shelf, 40, 2, tenant)
    keeper = make()
    assert await keeper.begin() == 0
    for tenant, pages in tenants.items():
        held = await shelf.ask(tenant, "counting", lambda c: c.aggregate.over_all())
        assert held.total_count == 2 * len(pages) + len(("version", "head"))
        found = await find(index, "fatigue", tenant=tenant)
        assert texts(found) == {*PAGES, *pages}
    assert await keeper.doubts() is None


async def test_an_index_that_lost_its_head_is_no_empty_one(
    make: Open, index: WeaviateIndex, shelf: Shelf
):
    """Nobody is told that nothing was found, and no writer deletes what is there."""
    for name in "abc":
        await index.put(PACK, name, entries(name, *PAGES))
    await shelf.ask(SHARED, "deleting", lambda c: c.data.delete_by_id(HEAD))
    stored = await shelf.ask(SHARED, "counting", lambda c: c.aggregate.over_all())
    other = make()
    for failing in (
        find(other, "fatigue"),
        other.versions(PACK),
        other.put(PACK, "d", entries("d", *PAGES)),
        other.begin(),
    ):
        with pytest.raises(IndexFailed, match="reindex --fresh"):
            await failing
    after = await shelf.ask(SHARED, "counting", lambda c: c.aggregate.over_all())
    assert after.total_count == stored.total_count
