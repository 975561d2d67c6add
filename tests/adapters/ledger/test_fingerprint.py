"""The hash of a corpus changes with whatever may change an answer, and only then."""

from datetime import date

import pytest

from adapters.ledger.store import SqlLedger
from engine.model.document import Sentence
from tests.adapters.ledger.samples import TEXT, document, refused


@pytest.fixture
async def before(ledger: SqlLedger) -> str:
    """The hash of a corpus of two documents."""
    await ledger.store_document("oncology", document())
    await ledger.store_document("oncology", document("Other.", "other"))
    return await ledger.corpus_hash("oncology")


HALVES = (
    Sentence(start=0, end=31, kind="paragraph"),
    Sentence(start=33, end=61, kind="paragraph"),
)


@pytest.mark.parametrize(
    "changes",
    [
        {"text": f"{TEXT} Eat."},
        {"id": "new"},
        {"title": "Rest"},
        {"published": date(2026, 1, 1)},
        {"in_force_to": date(2026, 1, 1)},
        {"tags": ("staff",)},
        {"sentences": HALVES},
    ],
    ids=lambda changes: next(iter(changes)),
)
async def test_a_change_of_a_document_changes_the_hash(
    ledger: SqlLedger, before: str, changes: dict[str, object]
) -> None:
    """Its text, what is said of it, and where its sentences are."""
    await ledger.store_document("oncology", document(**changes))
    assert await ledger.corpus_hash("oncology") != before


async def test_a_withdrawal_changes_the_hash(ledger: SqlLedger, before: str) -> None:
    """And the document's return brings the old one back."""
    await ledger.withdraw("oncology", "other")
    assert await ledger.corpus_hash("oncology") != before
    await ledger.store_document("oncology", document("Other.", "other"))
    assert await ledger.corpus_hash("oncology") == before


async def test_what_changes_no_answer_does_not_change_the_hash(
    ledger: SqlLedger, before: str
) -> None:
    """A file that moved, what was asked, a selection, the corpus of another pack."""
    await ledger.store_document("oncology", document(path="elsewhere/rest.md"))
    await ledger.record(refused())
    await ledger.store_selection(document("Selected.", "selection"))
    await ledger.store_document("textbook", document("More.", "more"))
    assert await ledger.corpus_hash("oncology") == before
    assert await ledger.corpus_hash("textbook") != before
