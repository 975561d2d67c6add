"""A tenant that an administrator of the server switched off stops no other tenant."""

from collections.abc import Awaitable

import pytest
from weaviate.classes.tenants import TenantActivityStatus

from adapters.index.upkeep import SHARED, TenantInactive
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_shelf import make_tenant_name
from engine.model.question import Scope
from tests.adapters.index.on_server import Open, index, make, switch
from tests.contracts.index_entries import PACK, documents, entries, find

__all__ = ["index", "make"]  # fixtures

pytestmark = pytest.mark.servers

ON, OFF = TenantActivityStatus.ACTIVE, TenantActivityStatus.INACTIVE
TEAMS = ("team-1", "team-2", "team-3")


@pytest.fixture
async def filled(index: WeaviateIndex) -> WeaviateIndex:
    """Everybody has one document and one that was dropped; one team is switched off."""
    for tenant in (SHARED, *TEAMS):
        await index.put(PACK, tenant, entries(tenant, "fatigue"), tenant)
        await index.put(PACK, "gone", entries("gone", "rash"), tenant)
        await index.withdraw(PACK, "gone", tenant)
    await switch(index, "team-2", OFF)
    return index


async def refused(asked: Awaitable[object]) -> None:
    """It says whose tenant it is, what the server calls it, and what to do."""
    with pytest.raises(TenantInactive, match=r"tenant team-2 .*activate") as failed:
        await asked
    assert make_tenant_name("team-2") in str(failed.value)


async def test_an_inactive_tenant_is_refused_and_no_other_R_I10(
    filled: WeaviateIndex, make: Open
):
    """Also a process that knew it; nothing is taken for "nothing found"."""
    for one in (filled, make()):
        await refused(find(one, "fatigue", tenant="team-2"))
        await refused(one.put(PACK, "b", entries("b", "node"), "team-2"))
        for tenant in ("team-1", "team-3"):
            found = await find(one, "fatigue", tenant=tenant)
            assert documents(found) == {SHARED, tenant}
    await refused(make().statistics(Scope(pack=PACK, tenant="team-2")))
    await refused(make().versions(PACK, "team-2"))
    await switch(filled, "team-2", ON)
    found = await find(filled, "fatigue", tenant="team-2")
    assert documents(found) == {SHARED, "team-2"}


async def test_upkeep_passes_an_inactive_tenant_over_and_names_it(
    filled: WeaviateIndex, make: Open
):
    """The others are mended and tidied; the look at all of them is never all right."""
    keeper = make()
    assert await keeper.begin() == 0
    assert await keeper.compact(grace=0) == 3
    doubts = await keeper.doubts()
    assert doubts is not None
    assert make_tenant_name("team-2") in doubts
    assert "activate" in doubts
    await switch(filled, "team-2", ON)
    assert await keeper.doubts() is None
    assert await keeper.compact(grace=0) == 1
