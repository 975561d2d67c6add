"""Whatever was changed, deleted, moved or cut is found and named (R-D3)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    Integer,
    Table,
    create_engine,
    delete,
    select,
    text,
    update,
)

from adapters.ledger import chain
from adapters.ledger.chain import Head
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.messages import append
from adapters.ledger.report import Fault, Report
from adapters.ledger.schema import (
    audit_chain,
    bindings,
    chain_head,
    document_versions,
    memberships,
    message_citations,
    message_quotes,
    messages,
    metadata,
    personal,
)
from adapters.ledger.store import SqlLedger
from adapters.ledger.verify import verify
from engine.model.errors import LedgerFailed
from engine.model.frozen import Span
from engine.model.outcome import Outcome
from tests.adapters.ledger.mail_samples import bound
from tests.adapters.ledger.samples import TEXT, answered, document, refused

CHAINED = [
    *audit_chain.c,
    *messages.c,
    *message_citations.c,
    *message_quotes.c,
    *personal.c,
    chain_head.c.ledger,
    chain_head.c.sequence,
    chain_head.c.hash,
    document_versions.c.document,
    document_versions.c.version,
    document_versions.c.text,
    memberships.c.pack,
    memberships.c.document,
    memberships.c.version,
    memberships.c.state,
    memberships.c.changed,
    memberships.c.description,
    document_versions.c.ephemeral,
    document_versions.c.folded,
    document_versions.c.layout,
    document_versions.c.description,
    *bindings.c,
]
ROW_NUMBERS = {"audit_chain.sequence", "messages.sequence"}


@pytest.fixture
async def ids(ledger: SqlLedger) -> list[str]:
    """Two documents, one superseded; outcomes, one forgotten; a channel's binding."""
    cited = document()
    await ledger.store_document("oncology", cited)
    await ledger.store_document("oncology", document("Other.", "other"))
    await ledger.store_document("oncology", document("Another.", "other"))
    forgotten = answered(cited, asker="asker-9", id="q-9")
    made = [await ledger.record(o) for o in (answered(cited), refused(), forgotten)]
    await ledger.forget("asker-9")
    await Mailbox(ledger).bind(bound())
    return made


@contextmanager
def tampering(connection: Connection) -> Iterator[None]:
    """What is done within is undone afterwards."""
    yield
    connection.rollback()


def faults(report: Report) -> set[Fault]:
    """The kinds of failure."""
    return {failure.fault for failure in report.failures}


def other(column: Column[object], value: object) -> object:
    """A value of the same type that differs a little."""
    if isinstance(column.type, Boolean):
        return not value
    if isinstance(column.type, Integer) or isinstance(value, int):
        return int(str(value or 0)) + 1_000
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    written = str(value or "")
    return ("a" if written[:1] != "a" else "b") + written[1:]


async def test_an_untouched_ledger_verifies_R_D3(
    ledger: SqlLedger, ids: list[str]
) -> None:
    """The report says what was looked at."""
    report = await ledger.verify_all()
    assert report.ok
    # 3 stored and twice described, 1 superseded, 3 outcomes, 1 forgotten, 1 bound
    assert report.entries == 15
    assert (report.answers, report.quotes, report.versions) == (3, 4, 3)
    assert report.forgotten == 1
    for name in ids:
        assert (await ledger.verify(name[:10])).ok


async def test_a_change_of_any_column_is_found_R_D3(
    ids: list[str], vault: Connection
) -> None:
    """In every row of every table that the chain covers."""
    changes = 0
    for column in CHAINED:
        table = column.table
        assert isinstance(table, Table)
        for row in vault.execute(select(table)).mappings().all():
            this = [key == row[key] for key in table.primary_key]
            changed = {column.name: other(column, row[column])}
            with tampering(vault):
                vault.execute(update(table).where(*this).values(changed))
                assert not verify(vault, None).ok, (column, row)
            changes += 1
    assert changes > 150


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("value", [b"\xff\0", "\u00e9\U0001f600", -1])
async def test_nonsense_in_a_column_is_a_finding_R_D3(
    ids: list[str], vault: Connection, value: object
) -> None:
    """SQLite takes any value in any column; a verification outlives them all."""
    for column in CHAINED:
        name, table = column.name, column.table.description
        if isinstance(column.type, Boolean) or str(column) in ROW_NUMBERS:
            continue  # SQLite itself keeps these in order
        with tampering(vault):
            statement = f"UPDATE OR IGNORE {table} SET {name} = ?"
            vault.exec_driver_sql(statement, (value,))
            assert not verify(vault, None).ok, column


async def test_a_deleted_row_is_found_R_D3(ids: list[str], vault: Connection) -> None:
    """Of any table but the links from outcomes to selections."""
    for table in metadata.sorted_tables:
        for row in vault.execute(select(table)).mappings().all():
            this = [key == row[key] for key in table.primary_key]
            with tampering(vault):
                vault.execute(delete(table).where(*this))
                assert not verify(vault, None).ok, (table, row)


async def test_a_changed_answer_is_named_R_D3(
    ids: list[str], vault: Connection
) -> None:
    """The report says which answer and what, and repeats no personal text."""
    with tampering(vault):
        vault.execute(update(messages).values(reason_code="NO_RESULTS"))
        report = verify(vault, None)
        assert faults(report) == {Fault.ROW_CHANGED}
        assert [failure.audit_id for failure in report.failures] == ids
        assert report.failures[0].detail == "messages.reason_code ()"
    with tampering(vault):
        question = personal.c.field == "question"
        vault.execute(update(personal).where(question).values(value='"You may."'))
        report = verify(vault, None, ids[0])
        assert faults(report) == {Fault.PERSONAL_CHANGED}
        assert report.failures[0].detail == "question"


async def test_a_forged_outcome_is_found_R_D3(
    ids: list[str], vault: Connection
) -> None:
    """A message that no entry of the chain covers belongs to nobody."""
    row = dict(vault.execute(select(messages)).mappings().all()[0])
    with tampering(vault):
        forged = row | {"sequence": 99, "audit_id": "aaaaaaaaaaaa"}
        vault.execute(messages.insert().values(forged))
        assert faults(verify(vault, None)) == {Fault.ROW_UNKNOWN}


async def test_entries_that_changed_places_are_found_R_D3(
    ids: list[str], vault: Connection
) -> None:
    """Each entry is bound to its number and to the entry before."""
    numbers = audit_chain.c.sequence
    with tampering(vault):
        for old, new in ((11, 50), (12, 11), (50, 12)):
            move = update(audit_chain).where(numbers == old).values(sequence=new)
            vault.execute(move)
        report = verify(vault, None)
        assert Fault.ENTRY_CHANGED in faults(report)
        changed = [f for f in report.failures if f.fault == Fault.ENTRY_CHANGED]
        assert {failure.sequence for failure in changed} == {11, 12, 13}


async def test_a_gap_is_found_R_D3(ids: list[str], vault: Connection) -> None:
    """An entry taken out of the middle is named by its number."""
    with tampering(vault):
        vault.execute(delete(audit_chain).where(audit_chain.c.sequence == 4))
        report = verify(vault, None)
        assert report.failures[0].fault == Fault.ENTRY_MISSING
        assert report.failures[0].sequence == 4


async def test_a_cut_tail_is_found_R_D3(ids: list[str], vault: Connection) -> None:
    """By the head; and by the anchor where the head was cut back with it."""
    anchored = chain.read_head(vault)
    with tampering(vault):
        cut_back(vault, 12, move_head=False)
        assert faults(verify(vault, None)) == {Fault.TAIL_CUT}
    with tampering(vault):
        cut_back(vault, 12, move_head=True)
        assert verify(vault, None).ok
        assert faults(verify(vault, anchored)) == {Fault.TAIL_CUT}


def cut_back(connection: Connection, last: int, *, move_head: bool) -> None:
    """Take out every trace of what came after an entry."""
    for table in (personal, message_quotes, message_citations, messages, audit_chain):
        connection.execute(delete(table).where(table.c.sequence > last))
    connection.execute(delete(bindings))  # the last entry
    if move_head:
        query = select(audit_chain.c.hash).where(audit_chain.c.sequence == last)
        digest = connection.scalars(query).one()
        connection.execute(update(chain_head).values(sequence=last, hash=digest))


async def test_a_chain_made_anew_differs_from_its_anchor_R_D3(
    ids: list[str], vault: Connection
) -> None:
    """Who rewrites the whole database cannot rewrite the copy of its head elsewhere."""
    anchored = chain.read_head(vault)
    with tampering(vault):
        previous = chain.hash_genesis(anchored.ledger)
        for row in vault.execute(select(audit_chain)).mappings().all():
            entry = row["entry"] + " "
            digest = chain.link(previous, row["sequence"], entry)
            this = audit_chain.c.sequence == row["sequence"]
            values = {"entry": entry, "previous": previous, "hash": digest}
            vault.execute(update(audit_chain).where(this).values(values))
            new_id = chain.make_audit_id(digest)
            named = messages.c.sequence == row["sequence"]
            vault.execute(update(messages).where(named).values(audit_id=new_id))
            previous = digest
        vault.execute(update(chain_head).values(hash=previous))
        assert verify(vault, None).ok
        assert faults(verify(vault, anchored)) == {Fault.ANCHOR_CHANGED}
        foreign = Head("f" * 32, 1, "0" * 64)
        assert faults(verify(vault, foreign)) == {Fault.ANCHOR_CHANGED}


async def test_the_anchor_file_is_checked_R_D3(
    ledger: SqlLedger, ids: list[str], tmp_path: Path
) -> None:
    """Behind the chain is no fault; unreadable, gone or ahead is one."""
    anchor = tmp_path / "head.json"
    written = anchor.read_text()
    await ledger.record(refused())
    assert anchor.read_text() != written
    anchor.write_text(written)
    assert (await ledger.verify_all()).ok
    anchor.write_text(written.replace('"sequence":15', '"sequence":150'))
    assert faults(await ledger.verify_all()) == {Fault.TAIL_CUT}
    anchor.write_text("{")
    assert faults(await ledger.verify_all()) == {Fault.ANCHOR_CHANGED}
    anchor.unlink()
    assert faults(await ledger.verify_all()) == {Fault.ANCHOR_MISSING}
    await ledger.record(refused())
    assert (await ledger.verify_all()).ok


async def test_a_quote_must_stand_at_its_offsets_R_D3(
    ledger: SqlLedger, vault: Connection
) -> None:
    """Word for word: one character off is no quote, nor is one without its document."""

    def slip_in(outcome: Outcome) -> str:
        """Append past the check of `record`."""
        head = append(vault, outcome, datetime.now(UTC))
        vault.commit()
        return chain.make_audit_id(head.hash)

    await ledger.store_document("oncology", document("Other.", "other"))
    cited = document()
    shifted = answered(cited, [Span(start=1, end=12)]).model_copy()
    quote = shifted.result.sections[0].claims[0].quotes[0]
    claim = (
        shifted.result.sections[0]
        .claims[0]
        .model_copy(
            update={"quotes": (quote.model_copy(update={"text": "Rest often."}),)}
        )
    )
    section = shifted.result.sections[0].model_copy(update={"claims": (claim,)})
    result = shifted.result.model_copy(update={"sections": (section,)})
    audit_id = slip_in(shifted.model_copy(update={"result": result}))
    assert faults(await ledger.verify(audit_id)) == {Fault.VERSION_MISSING}
    await ledger.store_document("oncology", cited)
    assert faults(await ledger.verify(audit_id)) == {Fault.QUOTE_MISPLACED}
    outside = slip_in(answered(cited, [Span(start=60, end=len(TEXT) + 1)]))
    assert faults(await ledger.verify(outside)) == {Fault.QUOTE_MISPLACED}


@pytest.mark.parametrize(
    ("column", "old", "new"),
    [
        (memberships.c.description, '"tags":[]', '"tags":["staff"]'),
        (memberships.c.description, "//example.org", "//elsewhere.example"),
        (document_versions.c.description, '"clinic"', '"ministry"'),
    ],
)
async def test_what_decides_access_and_trust_is_covered_R_D3(
    ids: list[str], vault: Connection, column: Column[str], old: str, new: str
) -> None:
    """A change of tags, URL or source names the row and its column."""
    held = vault.scalars(select(column)).first()
    assert held is not None
    assert old in held
    changed = {column.name: held.replace(old, new)}
    with tampering(vault):
        vault.execute(update(column.table).where(column == held).values(changed))
        failures = verify(vault, None).failures
        assert [failure.detail.rpartition(": ")[2] for failure in failures] == [
            "description"
        ]


async def test_each_description_that_ingest_writes_is_an_entry_R_D3(
    ledger: SqlLedger, ids: list[str]
) -> None:
    """New tags on a version that stands already are in the chain, and verify."""
    entries = (await ledger.verify_all()).entries
    await ledger.store_document("oncology", document(tags=("staff",)))
    report = await ledger.verify_all()
    assert report.ok
    assert report.entries == entries + 2  # of the version, and in the pack
    await ledger.store_document("oncology", document(tags=("staff",)))
    assert (await ledger.verify_all()).entries == report.entries


async def test_no_trace_of_a_selection_is_in_the_chain_R_S5(ledger: SqlLedger) -> None:
    """Who selected a text may have it forgotten; a hash of it would stay for good."""
    await ledger.store_selection(document("My own words.", "selection"))
    report = await ledger.verify_all()
    assert (report.ok, report.entries, report.versions) == (True, 0, 1)


async def test_a_missing_trigger_is_named_R_D3(ledger: SqlLedger, url: URL) -> None:
    """Dropped, or switched off: what the chain covers is append-only no more."""
    gone = "message_quotes_keep"
    drop = [f"DROP TRIGGER {gone}_update"]
    if url.get_backend_name() == "postgresql":
        off = "ALTER TABLE messages DISABLE TRIGGER messages_fill"
        drop = [f"DROP TRIGGER {gone} ON message_quotes", off]
    assert (await ledger.verify_all()).ok
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in drop:
            connection.execute(text(statement))
    engine.dispose()
    report = await ledger.verify_all()
    assert faults(report) == {Fault.GUARD_MISSING}
    assert len(report.failures) == len(drop)


async def test_an_added_trigger_is_named_R_D3(ledger: SqlLedger, url: URL) -> None:
    """It may change or drop what is to be kept, and no table shows it."""
    if url.get_backend_name() == "postgresql":
        add = "CREATE RULE quiet AS ON INSERT TO feedback DO INSTEAD NOTHING"
    else:
        add = (
            "CREATE TRIGGER quiet AFTER INSERT ON feedback "
            "BEGIN DELETE FROM feedback; END"
        )
    assert (await ledger.verify_all()).ok
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(add))
    engine.dispose()
    report = await ledger.verify_all()
    assert [(f.fault, f.detail) for f in report.failures] == [
        (Fault.GUARD_ADDED, "quiet")
    ]


async def test_a_damaged_text_is_named_R_D3(ids: list[str], vault: Connection) -> None:
    """Bytes that do not unpack are a finding, not a crash."""
    with tampering(vault):
        vault.execute(update(document_versions).values(text=b"nothing packed"))
        report = verify(vault, None)
        assert faults(report) == {Fault.VERSION_CHANGED}
    with tampering(vault):
        vault.execute(update(audit_chain).values(entry="["))
        assert Fault.ENTRY_UNREADABLE in faults(verify(vault, None))


async def test_nothing_is_recorded_on_a_damaged_chain_R_I10(
    ledger: SqlLedger, ids: list[str], vault: Connection
) -> None:
    """A ledger whose end was cut off answers nobody before somebody has looked."""
    cut_back(vault, 12, move_head=False)
    vault.commit()
    with pytest.raises(LedgerFailed, match="damaged"):
        await ledger.record(refused())


async def test_personal_fields_deleted_behind_the_ledgers_back_are_missed_R_D3(
    ids: list[str], vault: Connection
) -> None:
    """Only a forgetting that the chain tells of is one."""
    with tampering(vault):
        vault.execute(delete(personal).where(personal.c.sequence == 11))
        assert faults(verify(vault, None)) == {Fault.PERSONAL_MISSING}
    with tampering(vault):
        values = {"sequence": 13, "field": "asker", "salt": "0" * 32, "value": '"x"'}
        vault.execute(personal.insert().values(values))
        found = faults(verify(vault, None))
        assert Fault.PERSONAL_LEFT in found
