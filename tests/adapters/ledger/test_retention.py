"""Forgetting leaves nothing of a person, and the chain whole (R-S5)."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, func, select

from adapters.ledger.database import sqlite_url
from adapters.ledger.schema import document_versions, personal, selection_uses
from adapters.ledger.store import SqlLedger
from engine.model.answer import Finding
from engine.model.document import Document
from engine.model.errors import LedgerFailed
from engine.model.frozen import Span
from engine.model.outcome import Outcome
from engine.model.prompt import Prompt
from tests.adapters.ledger.samples import answered, document, intent, refused

CANARY = "canary-4f1b"  # stands in every personal field of `everything`


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """The time that was set."""
        return self.time

    def monotonic(self) -> float:
        """Seconds of the time that was set."""
        return self.time.timestamp()


def everything() -> Outcome:
    """An answer whose every field that may repeat the asker holds the canary."""
    selected = selection()
    span = Span(start=0, end=len(selected.text))
    outcome = answered(
        selected,
        [span],
        text=f"What about {CANARY}?",
        asker=f"asker {CANARY}",
        session=f"session {CANARY}",
        previous=f"And {CANARY}?",
        selection=selected.text,
    )
    finding = Finding(
        validator="claims", code="X", severity="drop", message=CANARY, claim=CANARY
    )
    prompt = Prompt(
        module="general",
        model="m",
        program="p",
        messages=({"role": "user", "content": CANARY},),
        answer=CANARY,
    )
    read = intent(f"about {CANARY}").model_copy(
        update={
            "named": (CANARY,),
            "missing_facts": (CANARY,),
            "corrections": ((CANARY, "x"),),
        }
    )
    not_found = outcome.result.model_copy(update={"not_found": (CANARY,)})
    return outcome.model_copy(
        update={
            "intent": read,
            "findings": (finding,),
            "prompts": (prompt,),
            "notices": (f"Understood as {CANARY}",),
            "result": not_found,
        }
    )


def selection() -> Document:
    """A message that somebody selected."""
    return document(f"I am {CANARY} and tired.", f"selection {CANARY}")


def holding(word: str, folder: Path) -> list[str]:
    """The files of a folder whose bytes hold a word."""
    files = sorted(folder.iterdir())
    return [file.name for file in files if word.encode() in file.read_bytes()]


async def test_nothing_of_a_forgotten_person_is_left_in_the_files_R_S5(
    sqlite_ledger: SqlLedger, tmp_path: Path
) -> None:
    """Not in the database, its log, or beside it."""
    await sqlite_ledger.store_selection(selection())
    audit_id = await sqlite_ledger.record(everything())
    kept = await sqlite_ledger.record(refused(text="Not about them."))
    assert holding(CANARY, tmp_path / "data") != []

    assert await sqlite_ledger.forget(f"asker {CANARY}") == 1

    assert holding(CANARY, tmp_path / "data") == []
    assert (await sqlite_ledger.verify_all()).ok
    assert (await sqlite_ledger.verify(audit_id)).ok
    record = await sqlite_ledger.read(audit_id)
    assert (record.question, record.answer, record.findings) == ("", "", ())
    assert record.pack == "oncology"
    assert (await sqlite_ledger.read(kept)).question == "Not about them."


async def test_a_reader_that_keeps_old_pages_alive_is_told_of_R_S5(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it ends deleted text stands in the log; then it is gone."""
    monkeypatch.setattr("adapters.ledger.database.PATIENCE_S", 0.05)
    file = tmp_path / "ledger.db"
    ledger = SqlLedger(sqlite_url(file))
    await ledger.record(refused(text=CANARY, asker=CANARY))
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM messages").fetchone() == (1,)
        with pytest.raises(LedgerFailed, match="another process"):
            await ledger.forget(CANARY)
    monkeypatch.undo()
    await ledger.forget(CANARY)
    assert holding(CANARY, tmp_path) == []
    await ledger.close()


async def test_forgetting_keeps_what_was_cited_R_S5(ledger: SqlLedger) -> None:
    """Documents, quotes and the count of citations are nobody's personal data."""
    cited = document()
    await ledger.store_document("oncology", cited)
    outcome = answered(cited)
    audit_id = await ledger.record(outcome)
    before = await ledger.sensitive_answers()
    assert await ledger.forget(outcome.question.asker) == 1
    assert await ledger.forget(outcome.question.asker) == 0
    assert await ledger.forget("somebody else") == 0
    record = await ledger.read(audit_id)
    assert [source.quote for source in record.sources] == [
        "Rest often.",
        "Drink enough water.",
    ]
    assert await ledger.sensitive_answers() == before
    report = await ledger.verify_all()
    assert report.ok
    assert (report.quotes, report.forgotten) == (2, 1)


async def test_a_selection_stays_while_somebody_elses_answer_rests_on_it_R_S5(
    ledger: SqlLedger,
) -> None:
    """The last to be forgotten takes it along."""
    selected = document("What the neighbour wrote.", "selection")
    await ledger.store_selection(selected)
    for asker in ("asker-1", "asker-2"):
        span = Span(start=0, end=len(selected.text))
        outcome = answered(selected, [span], selection=selected.text, asker=asker)
        await ledger.record(outcome)
    await ledger.forget("asker-1")
    assert await ledger.document(selected.id, selected.version, "oncology") == selected
    await ledger.forget("asker-2")
    assert await ledger.document(selected.id, selected.version, "oncology") is None
    assert (await ledger.verify_all()).ok


async def test_a_selection_without_an_answer_is_forgotten_too_R_S5(
    ledger: SqlLedger,
) -> None:
    """A refused question about a selected text names it by its hash."""
    selected = document("What the neighbour wrote.", "selection")
    await ledger.store_selection(selected)
    await ledger.record(refused(selection=selected.text, asker="asker-1"))
    await ledger.forget("asker-1")
    assert await ledger.document(selected.id, selected.version, "oncology") is None


async def test_the_retention_period_ends_by_the_clock_R_S5(url: URL) -> None:
    """What is older goes, what is younger stays, and doing it again changes nothing."""
    clock = Clock()
    ledger = SqlLedger(url, clock=clock)
    orphan = document("Selected, and never asked about.", "selection")
    await ledger.store_selection(orphan)
    old = [await ledger.record(refused(id=f"q-{n}")) for n in range(3)]
    clock.time += timedelta(days=400)
    young = await ledger.record(refused(id="q-9"))
    assert await ledger.expire(clock.time - timedelta(days=365)) == 3
    assert await ledger.expire(clock.time - timedelta(days=365)) == 0
    assert {(await ledger.read(name)).question for name in old} == {""}
    assert (await ledger.read(young)).question != ""
    assert await ledger.document(orphan.id, orphan.version, "oncology") is None
    assert (await ledger.verify_all()).ok
    await ledger.close()


async def test_many_outcomes_are_forgotten_at_once_R_S5(
    sqlite_ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than one entry names them, and none is left over."""
    monkeypatch.setattr("adapters.ledger.retention.BATCH", 4)
    for number in range(10):
        await sqlite_ledger.record(refused(id=f"q-{number}"))
    assert await sqlite_ledger.forget("asker-4711") == 10
    report = await sqlite_ledger.verify_all()
    assert report.ok
    assert (report.forgotten, report.entries) == (10, 13)


async def test_the_database_holds_no_personal_row_afterwards_R_S5(
    ledger: SqlLedger, url: URL
) -> None:
    """The same on both databases."""
    await ledger.store_selection(selection())
    await ledger.record(everything())
    await ledger.forget(f"asker {CANARY}")
    engine = create_engine(url)
    with engine.connect() as connection:
        for table in (personal, selection_uses, document_versions):
            count = select(func.count()).select_from(table)
            assert connection.scalar(count) == 0, table
    engine.dispose()
