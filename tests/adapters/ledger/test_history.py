"""Stored outcomes in bulk (R-D4), on SQLite and PostgreSQL."""

from datetime import timedelta

import pytest

from adapters.ledger import history
from adapters.ledger.history import Wanted
from adapters.ledger.store import SqlLedger
from tests.adapters.ledger.samples import answered, document, refused
from tests.fakes import FixedClock


async def test_outcomes_come_with_how_they_were_asked_R_D4(ledger: SqlLedger) -> None:
    """Newest first; tenant and tags from the chain, the rest from what is personal."""
    source = document()
    await ledger.store_document("oncology", source)
    await ledger.record(answered(source, id="q-1", tenant="slack:T1"))
    said = {"previous": "Before?", "tags": frozenset({"board"})}
    await ledger.record(refused(id="q-2", **said))
    second, first = [stored async for stored in ledger.outcomes(Wanted())]
    assert (first.record.id, second.record.id) == ("q-1", "q-2")
    assert first.tenant == "slack:T1"
    assert (second.previous, second.tags) == ("Before?", frozenset({"board"}))
    assert first.asker == "asker-4711"
    assert first.record == await ledger.read(first.audit_id)


async def test_what_was_forgotten_is_blank_R_S5(ledger: SqlLedger) -> None:
    await ledger.record(refused())
    await ledger.forget("asker-4711")
    [stored] = [one async for one in ledger.outcomes(Wanted())]
    assert (stored.asker, stored.session, stored.record.question) == (None, None, "")


async def test_pages_and_bounds_bring_each_outcome_once(
    dated: SqlLedger, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By pack, day and whether it was refused; a page is no bound."""
    monkeypatch.setattr(history, "PAGE", 2)
    source = document()
    await dated.store_document("oncology", source)
    for number in range(5):
        clock.moment += timedelta(days=1)
        await dated.record(refused(id=f"r{number}"))
    await dated.record(answered(source, id="a", pack="textbook"))

    async def ids(wanted: Wanted, most: int | None = None) -> list[str]:
        return [stored.record.id async for stored in dated.outcomes(wanted, most)]

    assert await ids(Wanted()) == ["a", "r4", "r3", "r2", "r1", "r0"]
    assert await ids(Wanted(), 3) == ["a", "r4", "r3"]
    assert await ids(Wanted(pack="textbook")) == ["a"]
    assert await ids(Wanted(refused=True), 1) == ["r4"]
    since = clock.moment - timedelta(days=1)
    assert await ids(Wanted(pack="oncology", since=since)) == ["r4", "r3"]
    assert await ids(Wanted(until=since)) == ["r2", "r1", "r0"]
    assert await dated.count(Wanted(pack="oncology")) == 5
