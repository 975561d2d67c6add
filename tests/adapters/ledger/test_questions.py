"""Questions that passages answer in the ledger, on SQLite and PostgreSQL (R-Q1)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from adapters.ledger.database import sqlite_url
from adapters.ledger.report import Fault
from adapters.ledger.store import SqlLedger
from engine.model.document import Document
from engine.model.errors import DocumentError
from engine.model.frozen import Span
from engine.questions.records import Origin, PassageQuestion
from tests.adapters.ledger.samples import document

PACK = "oncology"


def asked(of: Document, text: str, **changes: object) -> PassageQuestion:
    """A person's question about the first sentence."""
    made = PassageQuestion(
        text=text,
        document=of.id,
        version=of.version,
        span=Span(start=0, end=11),
        origin=Origin.PERSON,
        created=datetime(2026, 3, 4, tzinfo=UTC),
    )
    return made.model_copy(update=changes)


async def wrong(ledger: SqlLedger) -> set[Fault]:
    """What a verification finds, but for the triggers that the test took away."""
    report = await ledger.verify_all()
    return {failure.fault for failure in report.failures} - {Fault.GUARD_MISSING}


async def test_questions_come_back_as_they_were_stored_R_Q1(
    ledger: SqlLedger,
) -> None:
    """With where they are from, who reviewed them, and why they are out of use."""
    rest = document()
    await ledger.store_document(PACK, rest)
    both = (
        asked(rest, "May I nap \U0001f634 all day?", reviewed_by="Dr Ada"),
        asked(
            rest,
            "How often should I rest?",
            origin=Origin.MODEL,
            model="openai/x",
            prompt="ab12",
            sentences=(Span(start=0, end=11),),
            kept_out="the gate stays closed",
        ),
    )
    assert await ledger.store_questions(PACK, rest.id, rest.version, both)
    assert not await ledger.store_questions(PACK, rest.id, rest.version, both)
    assert await ledger.questions(PACK, rest.id, rest.version) == both
    assert await ledger.all_questions(PACK) == {rest.id: both}
    assert (await ledger.verify_all()).ok


async def test_each_shelf_has_its_own_questions_R_S8(ledger: SqlLedger) -> None:
    """Of one id and one text; what a tenant asks is told to no other."""
    rest, own = document(), f"{PACK}@slack:T1"
    for shelf in (PACK, own):
        await ledger.store_document(shelf, rest)
    canary = (asked(rest, "Where does the heron sleep?"),)
    await ledger.store_questions(own, rest.id, rest.version, canary)
    assert await ledger.all_questions(PACK) == {}
    assert await ledger.questions("textbook", rest.id, rest.version) == ()
    assert await ledger.questions(own, rest.id, rest.version) == canary


async def test_questions_belong_to_a_version_R_Q1(ledger: SqlLedger) -> None:
    """A new version has none of the old one's; those stay with it."""
    old, new = document(), document("Rest twice a day.")
    await ledger.store_document(PACK, old)
    mine = (asked(old, "May I nap?"),)
    await ledger.store_questions(PACK, old.id, old.version, mine)
    await ledger.store_document(PACK, new)
    assert await ledger.all_questions(PACK) == {}
    assert await ledger.questions(PACK, old.id, old.version) == mine
    with pytest.raises(DocumentError, match="another version"):
        await ledger.store_questions(PACK, new.id, new.version, mine)
    with pytest.raises(DocumentError, match="does not hold"):
        await ledger.store_questions("textbook", old.id, old.version, mine)
    many = [asked(new, f"May I nap {n} times?") for n in range(2_001)]
    with pytest.raises(DocumentError, match="more than 2000"):
        await ledger.store_questions(PACK, new.id, new.version, many)


async def test_questions_go_with_the_withdrawal_R_Q1(ledger: SqlLedger) -> None:
    """From that shelf alone, and the chain says so."""
    rest = document()
    for shelf in (PACK, "textbook"):
        await ledger.store_document(shelf, rest)
        mine = (asked(rest, "May I nap?"),)
        await ledger.store_questions(shelf, rest.id, rest.version, mine)
    await ledger.withdraw(PACK, rest.id)
    assert await ledger.questions(PACK, rest.id, rest.version) == ()
    assert await ledger.questions("textbook", rest.id, rest.version)
    assert (await ledger.verify_all()).ok


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE passage_questions SET questions = replace(questions, 'nap', 'fly')",
        "DELETE FROM passage_questions",
        "UPDATE passage_questions SET version = '0', pack = 'textbook'",
    ],
)
async def test_verify_finds_changed_questions_R_D3(
    ledger: SqlLedger, vault: Connection, change: str
) -> None:
    """Changed, deleted or moved to another shelf past the program."""
    rest = document()
    await ledger.store_document(PACK, rest)
    mine = (asked(rest, "May I nap?"),)
    await ledger.store_questions(PACK, rest.id, rest.version, mine)
    await ledger.store_document(PACK, document(title="Another title"))
    assert await wrong(ledger) == set()
    vault.execute(text(change))
    vault.commit()
    assert await wrong(ledger) == {Fault.MEMBERSHIP_CHANGED}


async def test_a_backup_holds_the_questions_R_U7(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    """They come back with the rest, in either kind of database."""
    rest = document()
    await ledger.store_document(PACK, rest)
    mine = (asked(rest, "May I nap?"),)
    await ledger.store_questions(PACK, rest.id, rest.version, mine)
    before = await ledger.corpus_hash(PACK)
    await ledger.backup(tmp_path / "backup.db")
    await ledger.store_questions(PACK, rest.id, rest.version, ())
    assert await ledger.corpus_hash(PACK) != before
    await ledger.restore(tmp_path / "backup.db")
    assert await ledger.questions(PACK, rest.id, rest.version) == mine
    assert await ledger.corpus_hash(PACK) == before
    other = SqlLedger(sqlite_url(tmp_path / "other.db"))
    await other.restore(tmp_path / "backup.db")
    assert await other.questions(PACK, rest.id, rest.version) == mine
    assert (await other.verify_all()).ok
    await other.close()
