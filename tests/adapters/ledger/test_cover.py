"""Every table is listed with what covers it, and what is covered is watched (R-D3)."""

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Table,
    create_engine,
    delete,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.engine import URL

from adapters.ledger import recalls
from adapters.ledger.commitments import COMMITTED
from adapters.ledger.gaps import Board, Place
from adapters.ledger.guards import COVERS, Cover
from adapters.ledger.mail_records import Verdict
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.report import Fault
from adapters.ledger.schema import apart, metadata, selection_uses
from adapters.ledger.store import SqlLedger
from adapters.ledger.verify import verify
from tests.adapters.ledger.samples import answered, document, refused

HERE = Place(pack="oncology", tenant="shared", tags=())
DOCS = Path("docs/audit-queries.md")
WATCHED = (*COMMITTED, selection_uses)


@pytest.fixture
async def filled(dated: SqlLedger, mailbox: Mailbox) -> SqlLedger:
    """A row in each table that is committed to, and one answer on a selection."""
    cited = document()
    await dated.store_document("oncology", cited)
    board = Board(dated)
    asked = await dated.record(refused(id="q-1"))
    answer = await dated.record(answered(cited, id="q-2"))
    await dated.record(refused(id="q-3"))
    selected = document("I took two pills today.", "selection-1")
    await dated.store_selection(selected)
    await dated.record(refused(id="q-4", selection=selected.text, asker="asker-5"))
    await mailbox.feedback(Verdict(audit_id=answer, asker="asker-1", helpful=True))
    await mailbox.feedback(
        Verdict(audit_id=answer, asker="asker-2", helpful=False, reason="old")
    )
    await mailbox.wish(asked, "asker-1")
    await mailbox.pause("oncology", "ward")
    await mailbox.pause("textbook", "ward")
    await mailbox.resume("textbook")
    new = await board.uncollected("oncology")
    unit = [np.eye(len(new), dtype=np.float32)[at] for at in range(len(new))]
    await board.put(HERE, list(zip(new, unit, strict=True)))
    opened = await board.gaps()
    await board.dismiss(opened[0].id, "none of ours")
    await board.explain(opened[1].id, "no document yet")
    now = dated.clock.now()
    await dated.transactions.append(lambda c: recalls.mark(c, answer, (), now))
    return dated


def test_every_table_is_listed_R_D3() -> None:
    """A new one cannot be forgotten: here, and in the table of the documents."""
    known = {*metadata.tables.values(), *apart.tables.values()}
    assert COVERS.keys() == known
    told = DOCS.read_text(encoding="utf-8")
    for cover in Cover:
        names = ", ".join(f"`{t.name}`" for t, by in COVERS.items() if by is cover)
        assert f"| {names} | {cover.value} |" in told


async def test_what_is_committed_to_verifies_R_D3(filled: SqlLedger) -> None:
    """Also after rows went: by a person's wish, and by age."""
    assert (await filled.verify_all()).ok
    await filled.forget("asker-1")
    assert (await filled.verify_all()).ok
    await filled.forget("asker-5")
    assert (await filled.verify_all()).ok
    await filled.expire(filled.clock.now())
    assert (await filled.verify_all()).ok


def other(column: Column[object], value: object) -> object:
    if isinstance(column.type, Boolean):
        return not value
    if isinstance(value, int):
        return value + 1
    written = str(value or "x")
    return ("a" if written[0] != "a" else "b") + written[1:]


async def test_a_row_changed_by_hand_is_found_R_D3(
    filled: SqlLedger, vault: Connection
) -> None:
    """In any column of any row but the vectors, which are made of the question."""
    changed = 0
    for table in WATCHED:
        rows = vault.execute(select(table)).mappings().all()
        assert rows, table
        for row in rows:
            this = [key == row[key] for key in table.primary_key]
            for column in table.columns:
                if column.name == "vector":
                    continue
                value = {column.name: other(column, row[column])}
                vault.execute(update(table).where(*this).values(value))
                assert not verify(vault, None).ok, (column, row)
                vault.rollback()
                changed += 1
    assert changed > 40


async def test_a_row_deleted_or_added_by_hand_is_found_R_D3(
    filled: SqlLedger, vault: Connection
) -> None:
    """A verdict that nobody gave counts for nothing without being noticed."""
    for table in WATCHED:
        row = dict(vault.execute(select(table)).mappings().all()[0])
        this = [key == row[key.name] for key in table.primary_key]
        vault.execute(delete(table).where(*this))
        found = {failure.fault for failure in verify(vault, None).failures}
        assert Fault.ROW_MISSING in found, table
        vault.rollback()
        vault.execute(insert(table).values(forged(table, row)))
        found = {failure.fault for failure in verify(vault, None).failures}
        assert Fault.ROW_UNKNOWN in found, table
        vault.rollback()


def forged(table: Table, row: dict[str, object]) -> dict[str, object]:
    """The row again, with another key."""
    key = list(table.primary_key)[-1].name
    return {**row, key: other(table.c[key], row[key])}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE beside (note TEXT)",
        "CREATE VIEW quiet AS SELECT * FROM feedback",
        "CREATE UNIQUE INDEX one_each ON feedback (helpful)",
    ],
)
async def test_what_was_added_to_the_database_is_named_R_D3(
    dated: SqlLedger, url: URL, statement: str
) -> None:
    """A table, a view, and an index that would keep rows out."""
    assert (await dated.verify_all()).ok
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
    [failure] = (await dated.verify_all()).failures
    assert failure.fault is Fault.TABLE_ADDED
    assert failure.detail == statement.replace("UNIQUE ", "").split()[2]
