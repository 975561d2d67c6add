"""An answer that could not be proven later is not recorded, and so not shown."""

import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, update

from adapters.ledger.schema import document_versions
from adapters.ledger.store import SqlLedger
from adapters.recall import Reader, recall
from adapters.reply import Quotation
from engine.model.codes import Reason
from engine.model.document import Document
from engine.model.errors import LedgerFailed, VerificationFailed
from engine.model.frozen import Span
from engine.model.outcome import Refusal
from tests.adapters.ledger.samples import (
    TEXT,
    WATER,
    answered,
    document,
    leaning,
    refused,
)
from tests.adapters.outcomes import TODAY
from tests.demo import Demo
from tests.engine.small_pack import small_pack

FALSE = TEXT.replace("enough water", "little water")


@pytest.fixture
async def cited(ledger: SqlLedger) -> Document:
    """A stored document."""
    await ledger.store_document("oncology", document())
    return document()


@pytest.mark.parametrize("content", [zlib.compress(FALSE.encode()), b"nothing packed"])
async def test_a_stored_text_that_was_changed_is_not_answered_from_R_I3(
    ledger: SqlLedger, vault: Connection, cited: Document, content: bytes
) -> None:
    """Neither a quote that was changed nor one that still stands; a refusal may go."""
    vault.execute(update(document_versions).values(text=content))
    vault.commit()
    for outcome in (answered(cited), answered(document(FALSE), [WATER])):
        with pytest.raises(VerificationFailed, match="rest"):
            await ledger.record(outcome)
    with pytest.raises(LedgerFailed, match="rest: its stored"):
        await ledger.document(cited.id, cited.version, "oncology")
    before = await ledger.verify_all()
    assert (before.entries, before.answers) == (3, 0)
    await ledger.record(refused())


async def test_what_is_not_stored_is_not_answered_from_R_I3(ledger: SqlLedger) -> None:
    """An index may know a document that the ledger has lost."""
    with pytest.raises(VerificationFailed, match=r"not stored.*reindex --fresh"):
        await ledger.record(answered(document()))


@pytest.mark.parametrize(
    "part", [{"start": 1, "end": 12}, {"text": "Rest often!"}, {"end": 10}]
)
async def test_a_quote_that_stands_elsewhere_is_not_recorded_R_I3(
    ledger: SqlLedger, cited: Document, part: dict[str, object]
) -> None:
    """Word for word at its offsets, or not at all."""
    whole = answered(cited)
    (section,) = whole.result.sections
    first, *others = section.claims
    quote = first.quotes[0].model_copy(update=part)
    claims = (first.model_copy(update={"quotes": (quote,)}), *others)
    changed = section.model_copy(update={"claims": claims})
    result = whole.result.model_copy(update={"sections": (changed,)})
    with pytest.raises(VerificationFailed, match="does not stand"):
        await ledger.record(whole.model_copy(update={"result": result}))


async def test_what_a_quotation_leans_on_is_proven_where_it_stands_R_A14_R_D3(
    ledger: SqlLedger, cited: Document
) -> None:
    """Outside the cited passage, in the same version; elsewhere it is not recorded."""
    audit_id = await ledger.record(leaning(cited))
    report = await ledger.verify(audit_id)
    assert (report.ok, report.quotes) == (True, 2)
    record = await ledger.read(audit_id)
    (source,) = record.sources
    assert [quote.text for quote in source.quotes] == [
        "Rest often.",
        "Call the team about a fever.",
    ]
    assert source.quotes[0].end < source.start

    whole = leaning(cited)
    (claim,) = whole.result.sections[0].claims
    moved = claim.quotes[0].model_copy(update={"start": 1, "end": 12})
    claims = (claim.model_copy(update={"quotes": (moved, claim.quotes[1])}),)
    section = whole.result.sections[0].model_copy(update={"claims": claims})
    result = whole.result.model_copy(update={"sections": (section,)})
    with pytest.raises(VerificationFailed, match="does not stand"):
        await ledger.record(whole.model_copy(update={"result": result}))


async def test_a_stored_quotation_is_shown_with_what_it_leans_on_R_A14_R_D5(
    ledger: SqlLedger, cited: Document
) -> None:
    """As one quotation, in the order of its text, with the mark between."""
    record = await ledger.read(await ledger.record(leaning(cited)))
    reader = Reader({cited.id: cited}, frozenset(), TODAY)
    (_, block) = recall(record, reader, small_pack()).body
    assert isinstance(block, Quotation)
    assert [piece.text for piece in block.pieces] == [
        "Rest often.",
        "[\u2026]",
        "Call the team about a fever.",
    ]


async def test_a_citation_outside_its_text_is_not_recorded_R_I3(
    ledger: SqlLedger, cited: Document
) -> None:
    """Also where nothing is quoted from it."""
    whole = answered(cited, [Span(start=0, end=11)])
    citation = whole.result.citations[0].model_copy(update={"end": len(TEXT) + 1})
    result = whole.result.model_copy(update={"citations": (citation,)})
    with pytest.raises(VerificationFailed, match="does not stand"):
        await ledger.record(whole.model_copy(update={"result": result}))


async def test_a_question_over_a_changed_text_gets_no_answer_R_I3_R_I10(
    demo: Demo, tmp_path: Path
) -> None:
    """The whole way: the index still finds the passage, and nobody sees it."""
    data = Path(shutil.copytree(demo.data, tmp_path / "data"))
    with closing(sqlite3.connect(data / "ledger.db")) as connection, connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in connection.execute(query).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        changed = zlib.compress(b"Something else.")
        connection.execute("UPDATE document_versions SET text = ?", (changed,))
    async with Demo(data, demo.embedder).open() as room:
        outcome = await room.ask("textbook", "What is integral windup?")
        assert isinstance(outcome.result, Refusal)
        assert outcome.result.reason in (Reason.AUDIT_FAILED, Reason.INTERNAL)
        assert "windup" not in outcome.result.fallback.lower()
        (event,) = room.observer.named("engine_failed")
        assert event["code"] == VerificationFailed.code
