"""What others' follow-up questions repeat of somebody who is forgotten."""

from pathlib import Path

import pytest
from sqlalchemy import insert, select

from adapters.ledger import retention
from adapters.ledger.report import Fault
from adapters.ledger.schema import personal
from adapters.ledger.store import SqlLedger
from engine.model.outcome import Outcome
from engine.parse.context import find_context
from tests.adapters.ledger.samples import refused

ANNA, BEN, CARL, DORA = "anna", "ben", "carl", "dora"
RASH = "How is a rash treated?"
ADULTS = "How is a rash treated for adults?"


def follow_up(asker: str, text: str, previous: str, understood: str) -> Outcome:
    """A question that leans on the one before it."""
    outcome = refused(id=f"of {asker}", asker=asker, text=text, previous=previous)
    intent = outcome.intent.model_copy(update={"text": understood, "follow_up": True})
    return outcome.model_copy(update={"intent": intent})


async def told(ledger: SqlLedger) -> dict[str, str]:
    """Anna asks; Ben asks on, Carl from there, Dora something else; audit ids."""
    outcomes = (
        refused(id="of anna", asker=ANNA, text=RASH),
        follow_up(BEN, "And for adults?", RASH, ADULTS),
        follow_up(CARL, "And then?", ADULTS, f"{ADULTS} And then?"),
        follow_up(DORA, "And for adults?", "How is fever treated?", "Fever, adults?"),
    )
    return {o.question.asker: await ledger.record(o) for o in outcomes}


async def test_only_what_repeats_it_goes_R_S5(ledger: SqlLedger) -> None:
    """From everybody who asked on; their own words stay, and the chain verifies."""
    answers = await told(ledger)
    assert await ledger.forget(ANNA) == 1
    records = {asker: await ledger.read(answers[asker]) for asker in answers}
    assert records[ANNA].question == ""
    for asker, own in ((BEN, "And for adults?"), (CARL, "And then?")):
        assert records[asker].question == own
        assert "rash" not in records[asker].model_dump_json()
    assert records[DORA].intent.text == "Fever, adults?"
    report = await ledger.verify_all()
    assert report.ok
    assert report.forgotten == 1
    assert await ledger.forget(BEN) == 1
    assert (await ledger.verify_all()).ok


async def test_what_follows_a_choice_repeats_the_question_before_it_R_S5_R_U14(
    ledger: SqlLedger,
) -> None:
    """Ben takes what Anna's refusal offers; Carl asks on from there."""
    chose = refused(
        id="of ben", asker=BEN, text="Rashes", previous=RASH, chosen_from="a"
    )
    left = find_context(chose)
    outcomes = (
        refused(id="of anna", asker=ANNA, text=RASH),
        chose,
        follow_up(CARL, "And then?", str(left), f"{RASH} And then?"),
    )
    answers = [await ledger.record(outcome) for outcome in outcomes]
    await ledger.forget(ANNA)
    for audit_id in answers:
        assert RASH not in (await ledger.read(audit_id)).model_dump_json()
    assert (await ledger.verify_all()).ok


async def test_a_field_that_was_blanked_may_not_come_back_R_S5(
    sqlite_ledger: SqlLedger,
) -> None:
    """A verification says which one is there again."""
    await told(sqlite_ledger)
    query = select(personal).where(personal.c.field == retention.UNDERSTOOD)
    row = await sqlite_ledger.transactions.read(
        lambda c: c.execute(query.order_by(personal.c.sequence)).mappings().all()[1]
    )
    await sqlite_ledger.forget(ANNA)
    await sqlite_ledger.transactions.write(
        lambda c: c.execute(insert(personal).values(dict(row)))
    )
    report = await sqlite_ledger.verify_all()
    [failure] = report.failures
    assert (failure.fault, failure.detail) == (Fault.PERSONAL_LEFT, "intent.text")


async def test_a_restore_brings_nothing_of_it_back_R_S5(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    """Neither the person's records nor what others repeat."""
    answers = await told(ledger)
    copy = tmp_path / "monday.db"
    await ledger.backup(copy)
    await ledger.forget(ANNA)
    await ledger.restore(copy)
    record = await ledger.read(answers[CARL])
    assert record.question == "And then?"
    assert "rash" not in record.model_dump_json()
    assert (await ledger.verify_all()).ok


@pytest.mark.parametrize("batch", [1, 500])
async def test_many_are_found_in_batches_R_S5(
    sqlite_ledger: SqlLedger, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few values a query takes."""
    monkeypatch.setattr(retention, "BATCH", batch)
    await told(sqlite_ledger)
    found = await sqlite_ledger.transactions.read(
        lambda c: retention.find_follow_ups(c, [1])
    )
    assert [asked.asker for asked in found] == [BEN, CARL]
