"""Which keys of an index are in force: compared and set in one transaction."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from uuid import uuid4

import pytest

from adapters.index.upkeep import IndexKey, IndexReplaced, State
from adapters.ledger.index_keys import CLAIM_S, LedgerKeys
from adapters.ledger.store import SqlLedger
from engine.model.errors import IndexAway
from tests.fakes import FixedClock

INDEX, PLACE, OTHER = "Ours_1", "Ours_1_v5_a", "Ours_1_v5_b"
TODAY = date(2026, 11, 27)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
async def keys(ledger: SqlLedger, clock: FixedClock) -> LedgerKeys:
    """Those of an empty index that is in force."""
    made = LedgerKeys(ledger.transactions, clock)
    assert await made.add_place(INDEX, PLACE, in_force=True)
    return made


def key(document: str = "a", version: str = "v1", **fields: object) -> IndexKey:
    """A key that was never used."""
    plain = IndexKey(str(uuid4()), "shared", "oncology", document, version, chunks=2)
    return replace(plain, **fields)


async def put(keys: LedgerKeys, row: IndexKey) -> IndexKey:
    """Claim a key and put it in force."""
    await keys.claim(PLACE, row)
    await keys.put_in_force(PLACE, row, TODAY)
    return row


async def states(keys: LedgerKeys, tenant: str = "shared") -> dict[str, State]:
    """Version -> state."""
    return {row.version: row.state for row in await keys.list_keys(PLACE, tenant)}


async def test_a_key_is_in_force_once_it_is_written_R_R1(keys: LedgerKeys) -> None:
    """Until then, what was in force before is; and every change is told."""
    await put(keys, key())
    before = await keys.find_place(INDEX)
    later = key(version="v2")
    await keys.claim(PLACE, later)
    assert await states(keys) == {"v1": State.CURRENT, "v2": State.WRITTEN}
    await keys.put_in_force(PLACE, later, TODAY)
    assert await states(keys) == {"v1": State.DROPPED, "v2": State.CURRENT}
    after = await keys.find_place(INDEX)
    assert before is not None
    assert after is not None
    assert before.name == after.name == PLACE
    assert before.revision < after.revision


async def test_what_was_swept_meanwhile_is_not_put_in_force(keys: LedgerKeys) -> None:
    """A writer that stood still finds its claim gone; nothing is changed."""
    await put(keys, key())
    slow = key(version="v2")
    await keys.claim(PLACE, slow)
    await keys.drop(PLACE, [slow.key])
    with pytest.raises(IndexAway, match="try again"):
        await keys.put_in_force(PLACE, slow, TODAY)
    assert await states(keys) == {"v1": State.CURRENT, "v2": State.DROPPED}
    await keys.forget(PLACE, [slow.key])
    assert await states(keys) == {"v1": State.CURRENT}


async def test_what_came_into_force_meanwhile_is_not_swept_R_R1(
    keys: LedgerKeys,
) -> None:
    """A sweep found the claim too old; its writer was done before the sweep was."""
    slow, left = key(version="v2"), key("b")
    await keys.claim(PLACE, slow)
    await keys.claim(PLACE, left)
    await keys.put_in_force(PLACE, slow, TODAY)
    assert await keys.drop(PLACE, [slow.key, left.key]) == {left.key}
    assert (await states(keys))["v2"] is State.CURRENT


async def test_of_two_writers_of_a_document_one_version_is_in_force(
    keys: LedgerKeys,
) -> None:
    """Whoever comes later replaces the other's."""
    rows = [key(version=f"v{number}") for number in range(6)]
    await asyncio.gather(*(put(keys, row) for row in rows))
    found = [row for row in await keys.list_keys(PLACE, "shared")]
    current = [row for row in found if row.state is State.CURRENT]
    assert len(current) == 1
    assert current[0].came == max(row.came for row in found)
    assert len({row.came for row in found}) == len(rows)


async def test_a_superseded_version_holds_until_the_next_begins_R_F5(
    keys: LedgerKeys,
) -> None:
    """Without such a day it is dropped; put again, it is not searched twice."""
    until = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2030, 1, 1)}
    await put(keys, key(version="v1", **until))
    await put(keys, key(version="v2", in_force_from=date(2025, 1, 1)))
    first, second = await keys.list_keys(PLACE, "shared")
    assert (first.state, first.in_force_to) == (State.SUPERSEDED, date(2024, 12, 31))
    assert (second.state, second.in_force_to) == (State.CURRENT, None)
    await put(keys, key(version="v2", in_force_from=date(2025, 1, 1)))
    assert [row.state for row in await keys.list_keys(PLACE, "shared")] == [
        State.SUPERSEDED,
        State.DROPPED,
        State.CURRENT,
    ]


async def test_documents_tenants_and_packs_are_apart_R_C5(keys: LedgerKeys) -> None:
    """Of two with one name, neither ends the other."""
    await put(keys, key())
    await put(keys, key(tenant="team-1", version="theirs"))
    await put(keys, key(pack="textbook", version="other"))
    await keys.withdraw(PLACE, "shared", "oncology", "a")
    assert await states(keys) == {"v1": State.DROPPED, "other": State.CURRENT}
    assert await states(keys, "team-1") == {"theirs": State.CURRENT}
    assert await keys.list_tenants(PLACE) == ["shared", "team-1"]


async def test_what_is_swept_waits_for_who_still_reads_or_writes(
    keys: LedgerKeys, clock: FixedClock
) -> None:
    """A dropped key for readers, a claim for its writer."""
    gone, claimed = await put(keys, key()), key("b")
    await keys.claim(PLACE, claimed)
    await keys.withdraw(PLACE, "shared", "oncology", "a")
    assert await keys.list_stale(PLACE, "shared", 60) == []
    clock.moment += timedelta(seconds=61)
    assert [row.key for row in await keys.list_stale(PLACE, "shared", 60)] == [gone.key]
    clock.moment += timedelta(seconds=CLAIM_S)
    found = {row.key for row in await keys.list_stale(PLACE, "shared", 60)}
    assert found == {gone.key, claimed.key}


async def test_one_place_of_an_index_is_in_force(keys: LedgerKeys) -> None:
    """Another takes over whole; whoever writes on in the first is told."""
    row = await put(keys, key())
    late = key("late")
    await keys.claim(PLACE, late)
    assert not await keys.add_place(INDEX, OTHER, in_force=True)
    assert await keys.add_place(INDEX, OTHER, in_force=False)
    assert await keys.list_places("Ours_") == {PLACE: True, OTHER: False}
    assert await keys.list_places("ours") == {}
    await keys.take_over(INDEX, OTHER, "Ours_")
    found = await keys.find_place(INDEX)
    assert found is not None
    assert found.name == OTHER
    assert await keys.list_places("Ours_") == {OTHER: True}
    for change in (
        keys.claim(PLACE, key("b")),
        keys.put_in_force(PLACE, late, TODAY),
        keys.withdraw(PLACE, "shared", "oncology", "a"),
        keys.drop(PLACE, [row.key]),
        keys.read_place(PLACE),
    ):
        with pytest.raises(IndexReplaced):
            await change
    await keys.forget_place(OTHER)
    assert await keys.find_place(INDEX) is None
