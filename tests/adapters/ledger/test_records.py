"""Recording outcomes and reading them back."""

import base64
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import URL, create_engine, text
from sqlalchemy.exc import DBAPIError

from adapters.ledger import chain, entries
from adapters.ledger.entries import MembershipEntry, dump_canonical
from adapters.ledger.history import BELOW_MINIMUM, SENSITIVE_ANSWERS
from adapters.ledger.schema import make_storable
from adapters.ledger.store import SqlLedger
from engine.model.document import VersionState
from engine.model.errors import LedgerFailed, UsageError
from engine.model.frozen import Span
from engine.model.outcome import Outcome
from engine.model.record import record_of
from tests.adapters.ledger.samples import (
    FEVER,
    TEXT,
    answered,
    document,
    question,
    refused,
)

TEXTS = st.text(st.characters(), max_size=30)
# What a loader hands over holds no lone surrogates.
PASSAGES = st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=4)


async def test_a_record_is_read_back_as_it_was_made_R_D1(ledger: SqlLedger) -> None:
    """Nothing is lost between an outcome and its stored record."""
    await ledger.store_document("oncology", document())
    for outcome in (answered(document()), refused()):
        audit_id = await ledger.record(outcome)
        stored = await ledger.read(audit_id)
        made = record_of(outcome, stored.created)
        assert stored == made.model_copy(update={"audit_id": audit_id})


@given(
    words=st.tuples(TEXTS, TEXTS, TEXTS, TEXTS),
    passages=PASSAGES,
    score=st.floats(0, 1),
    time=st.floats(),
)
@settings(
    max_examples=40,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)
async def test_any_outcome_round_trips_and_verifies_R_D2(
    ledger: SqlLedger,
    words: tuple[str, str, str, str],
    passages: list[str],
    score: float,
    time: float,
) -> None:
    """Any Unicode, NUL and lone surrogates included, and any number."""
    asked, session, asker, previous = words
    cited = document("".join(passages), "d" + passages[0])
    await ledger.store_document("oncology", cited)
    spans, at = [], 0
    for passage in passages:
        spans.append(Span(start=at, end=at + len(passage)))
        at += len(passage)
    base = answered(
        cited, spans, text=asked, session=session, asker=asker, previous=previous
    )
    source = base.result.citations[0].model_copy(update={"relevance": score})
    result = base.result.model_copy(
        update={"citations": (source, *base.result.citations[1:])}
    )
    outcome = base.model_copy(update={"result": result, "milliseconds": {"t": time}})
    audit_id = await ledger.record(outcome)
    stored = await ledger.read(audit_id)
    made = record_of(outcome, stored.created)
    # As text, because not-a-number does not equal itself.
    assert repr(stored) == repr(made.model_copy(update={"audit_id": audit_id}))
    assert (await ledger.verify(audit_id)).ok


async def test_an_answer_is_found_by_the_beginning_of_its_id_R_D3(
    ledger: SqlLedger,
) -> None:
    """An id that names none or several is refused."""
    ids = [await ledger.record(refused()) for _ in range(40)]
    assert (await ledger.read(ids[0][:11])).audit_id == ids[0]
    assert (await ledger.read(ids[0].upper())).audit_id == ids[0]
    with pytest.raises(UsageError, match="no answer"):
        await ledger.read("0000")  # base32 has no zero
    with pytest.raises(UsageError, match="no answer"):
        await ledger.verify("%")
    shared = next(c for c in "abcdefghijklmnopqrstuvwxyz234567" if _many(ids, c))
    with pytest.raises(UsageError, match="more than one"):
        await ledger.verify(shared)


def _many(ids: list[str], beginning: str) -> bool:
    return sum(name.startswith(beginning) for name in ids) > 1


async def test_a_quote_of_an_uncited_document_is_not_recorded_R_I8(
    ledger: SqlLedger,
) -> None:
    """An answer at odds with itself leaves no record that claims it was whole."""
    await ledger.store_document("oncology", document())
    await ledger.store_document("oncology", document(id="other"))
    before = (await ledger.verify_all()).entries
    outcome = answered(document())
    elsewhere = [
        citation.model_copy(update={"document": "other"})
        for citation in outcome.result.citations
    ]
    result = outcome.result.model_copy(update={"citations": tuple(elsewhere)})
    with pytest.raises(LedgerFailed, match="inconsistent"):
        await ledger.record(outcome.model_copy(update={"result": result}))
    assert (await ledger.verify_all()).entries == before


async def test_sensitive_answers_are_listed_with_their_citations_R_D8(
    ledger: SqlLedger, url: URL
) -> None:
    """Refusals and other answers are not; none has fewer than its minimum."""
    cited = document()
    await ledger.store_document("oncology", cited)
    audit_id = await ledger.record(answered(cited))
    await ledger.record(refused())
    (listed,) = await ledger.sensitive_answers()
    assert (listed.audit_id, listed.minimum_citations) == (audit_id, 2)
    passages = [(p.document, p.version) for p in listed.citations]
    assert passages == [(cited.id, cited.version)] * 2
    assert [TEXT[p.start : p.end] for p in listed.citations] == [
        "Rest often.",
        "Drink enough water.",
    ]
    engine = create_engine(url)
    with engine.connect() as connection:
        assert connection.execute(text(BELOW_MINIMUM)).all() == []
    engine.dispose()


def test_the_documented_queries_are_the_ones_that_run_R_D8(root: Path) -> None:
    """docs/audit-queries.md holds the SQL word for word."""
    page = (root / "docs" / "audit-queries.md").read_text(encoding="utf-8")
    assert SENSITIVE_ANSWERS in page
    assert BELOW_MINIMUM in page


async def test_history_cannot_be_changed_R_D2(ledger: SqlLedger, url: URL) -> None:
    """The database itself refuses; only the personal table gives anything up."""
    cited = document()
    await ledger.store_document("oncology", cited)
    await ledger.record(answered(cited))
    engine = create_engine(url)
    fixed = ("audit_chain", "messages", "message_citations", "message_quotes")
    statements = [f"DELETE FROM {table}" for table in (*fixed, "document_versions")]
    statements += [f"UPDATE {table} SET sequence = sequence + 9" for table in fixed]
    statements.append("UPDATE document_versions SET version = 'x'")
    for statement in statements:
        with engine.connect() as connection, pytest.raises(DBAPIError, match="append"):
            connection.execute(text(statement))
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM personal"))
    engine.dispose()


def test_the_canonical_form_never_changes() -> None:
    """Keys in order, ASCII, floats as strings, for good."""
    value = {"b": [1, 0.1, 1e-7, True, None], "a": "é\0\ud800", "É": {}}
    assert dump_canonical(value) == (
        '{"a":"\\u00e9\\u0000\\ud800","b":[1,"0.1","1e-07",true,null],"\\u00c9":{}}'
    )


def test_the_hash_of_an_entry_never_changes() -> None:
    """An old ledger verifies under every later release."""
    entry = MembershipEntry(
        created=entries.format_instant(datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC)),
        pack="oncology",
        document="rest",
        version="ab",
        state=VersionState.CURRENT,
    )
    written = entries.write(entry)
    assert written == (
        '{"created":"2026-11-22T01:02:03.000000+00:00","document":"rest",'
        '"kind":"membership","pack":"oncology","state":"current","version":"ab"}'
    )
    first = chain.link(chain.hash_genesis("0" * 32), 1, written)
    assert first == "da7aee3d029ccc9390b56a604454fe4b30bba96eba6bd9819bc3d542e1ff46bc"
    assert (
        base64.b32decode(chain.make_audit_id(first).upper() + "====")[:7]
        == (bytes.fromhex(first)[:7])
    )


def test_what_no_database_can_hold_is_shown() -> None:
    """NUL becomes its picture, a lone surrogate a question mark."""
    assert make_storable("a\0b\ud800") == "a\u2400b?"


async def test_a_selected_text_is_quoted_and_verified_R_A6(ledger: SqlLedger) -> None:
    """Its text stands with the personal fields only, and its quotes still verify."""
    selected = document("Call the team about a fever, my neighbour says.", "selection")
    await ledger.store_selection(selected)
    span = Span(start=0, end=27)
    outcome = answered(selected, [span], selection=selected.text)
    audit_id = await ledger.record(outcome)
    assert (await ledger.read(audit_id)).sources == record_of(outcome).sources
    report = await ledger.verify_all()
    assert report.ok
    assert report.quotes == 1


async def test_a_passage_of_a_document_may_be_selected_R_A6(ledger: SqlLedger) -> None:
    """Then the quotes are the document's, and stay when the asker is forgotten."""
    cited = document()
    await ledger.store_document("oncology", cited)
    outcome: Outcome = answered(cited, [FEVER], selection=FEVER.of(TEXT))
    audit_id = await ledger.record(outcome)
    await ledger.forget(question().asker)
    assert (await ledger.read(audit_id)).sources == record_of(outcome).sources
