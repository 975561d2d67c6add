"""No reader of a Weaviate index sees half a document, whatever was left half done."""

import asyncio
from datetime import date
from uuid import uuid4

import pytest
from weaviate.classes.data import DataObject
from weaviate.classes.query import MetadataQuery

from adapters.index.upkeep import SHARED, IndexKey
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_objects import make_objects
from adapters.index.weaviate_shelf import VECTOR, At, Kind, make_tenant_name
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


async def at(index: WeaviateIndex, tenant: str = SHARED) -> At:
    """The objects of an index, as they stand on the server."""
    return At((await index._shelf.needed()).name, tenant)


async def held(index: WeaviateIndex, tenant: str = SHARED) -> int:
    """How many objects the server holds."""
    found = await index._shelf.ask(
        await at(index, tenant), "counting", lambda c: c.aggregate.over_all()
    )
    return found.total_count or 0


async def leave(
    index: WeaviateIndex, count: int, tenant: str = SHARED, *, claimed: bool
) -> None:
    """Store passages as a writer does that is stopped before it is done."""
    put = entries("left", *(f"fatigue left {at}" for at in range(count)))
    row = IndexKey(str(uuid4()), tenant, PACK, "left", "v1", count)
    place = await at(index, tenant)
    if claimed:
        await index._keys.claim(place.collection, row)
    await index._shelf.add(place)
    stored = make_objects(row, put)
    objects = [
        DataObject(stored.objects[key], uuid=key, vector={VECTOR: vector.tolist()})
        for key, vector in stored.vectors.items()
    ]
    await index._shelf.ask(place, "leaving", lambda c: c.data.insert_many(objects))


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


async def test_no_object_is_ever_changed(index: WeaviateIndex):
    """A search that runs while the server changes an object may miss that object."""
    await index.put(PACK, "law", entries("law", *PAGES, **LAW))
    await index.put(PACK, "law", entries("law", *PAGES, version="v2"))
    await index.put(PACK, "a", entries("a", *PAGES))
    await index.withdraw(PACK, "a")
    assert documents(await find(index, "fatigue", as_of=LAW["in_force_to"])) == {"law"}
    await index.put(PACK, "asked", many("asked", "why so tired?"))
    stored = await index._shelf.ask(
        await at(index),
        "reading all",
        lambda c: c.query.fetch_objects(
            limit=1_000,
            return_properties=["kind"],
            return_metadata=MetadataQuery(creation_time=True, last_update_time=True),
        ),
    )
    times = [
        (one.metadata.creation_time, one.metadata.last_update_time)
        for one in stored.objects
    ]
    assert all(created == updated for created, updated in times)
    assert {one.properties["kind"] for one in stored.objects} == {*Kind}


@pytest.mark.parametrize("claimed", [True, False])
async def test_what_a_stop_left_stands_in_nobodys_place(
    make: Open, index: WeaviateIndex, claimed: bool
):
    """Also what no row names, which passes the server's filters."""
    await index.put(PACK, "a", entries("a", *PAGES))
    await leave(index, 40, claimed=claimed)
    for reader in (index, make()):
        found = await find(reader, "fatigue", like="fatigue left 3", limit=3)
        assert texts(found) <= set(PAGES)
        assert len(found) >= 3
        assert (reader.refused == 0) is claimed


async def test_reindex_takes_away_what_no_row_names_in_any_tenant(
    make: Open, index: WeaviateIndex
):
    """Also where nobody writes any more, and a tenant of which nothing is known."""
    tenants = {SHARED: PAGES, "team-1": PAGES[:3], "team-2": PAGES[:2]}
    for tenant, pages in tenants.items():
        await index.put(PACK, "a", entries("a", *pages), tenant)
    for tenant in (*tenants, "team-3"):
        await leave(index, 40, tenant, claimed=False)
    keeper = make()
    assert await keeper.begin() == 0
    for tenant, pages in tenants.items():
        assert await held(index, tenant) == 2 * len(pages) + len(("version",))
        found = await find(index, "fatigue", tenant=tenant)
        assert texts(found) == {*PAGES, *pages}
    listed = await index._shelf.listed((await at(index)).collection)
    assert listed == {make_tenant_name(tenant) for tenant in tenants}
    assert await keeper.doubts() is None


async def test_a_claim_that_a_writer_left_is_swept_when_it_is_old(
    make: Open, index: WeaviateIndex, monkeypatch: pytest.MonkeyPatch
):
    """Not before: its writer may still work."""
    await index.put(PACK, "a", entries("a", *PAGES))
    await leave(index, 40, claimed=True)
    assert await make().begin() == 0
    await index.compact(grace=0)
    assert await held(index) == 40 + 2 * len(PAGES) + 1
    monkeypatch.setattr("adapters.ledger.index_keys.CLAIM_S", 0.0)
    await index.compact(grace=0)
    assert await held(index) == 2 * len(PAGES) + 1


async def test_a_version_in_force_that_the_server_lacks_is_told_R_I10(
    make: Open, index: WeaviateIndex
):
    """Nobody is told that nothing was found; `reindex` finds what to put in again."""
    for name in "abc":
        await index.put(PACK, name, entries(name, *PAGES))
    place = await at(index)
    (lacking,) = [
        row.uuid
        for row in await index._keys.list_keys(place.collection, SHARED)
        if row.document == "b"
    ]
    await index._shelf.ask(place, "losing", lambda c: c.data.delete_by_id(lacking))
    other = make()
    for failing in (find(other, "fatigue"), other.versions(PACK), other.doubts()):
        with pytest.raises(IndexFailed, match=r"lacks 1 versions .* of b .*reindex"):
            await failing
    keeper = make()
    await keeper.begin()
    assert await keeper.versions(PACK) == {"a": "v1", "c": "v1"}
    await keeper.put(PACK, "b", entries("b", *PAGES))
    assert documents(await find(other, "fatigue")) == {"a", "b", "c"}
    await keeper.compact(grace=0)
    assert await held(index) == 3 * (2 * len(PAGES) + 1)


async def test_a_tenant_that_the_server_lost_is_no_empty_one_R_I10(
    make: Open, index: WeaviateIndex
):
    """As after a restart with another disk."""
    await index.put(PACK, "a", entries("a", *PAGES), "team-1")
    place = (await at(index)).collection
    await index._calls.call(
        "losing",
        lambda c: c.collections.use(place).tenants.remove([make_tenant_name("team-1")]),
    )
    for one in (index, make()):
        with pytest.raises(IndexFailed):
            await find(one, "fatigue", tenant="team-1")
    keeper = make()
    await keeper.begin()
    assert await keeper.versions(PACK, "team-1") == {}
