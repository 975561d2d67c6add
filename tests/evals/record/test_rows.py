"""Outcomes to rows: a fault of ours is an error, never a refusal that was right."""

from datetime import date

import pytest

from adapters import packs
from config.settings import PACKS
from engine.model.codes import Reason
from engine.model.outcome import Outcome, Refusal
from engine.model.prompt import Prompt, Usage
from engine.model.question import Question
from engine.model.reasons import refusal_reason_for
from engine.parse import intent as intents
from evals.forms import Case, Expected
from evals.record.rows import make_row, round_floats, sum_costs
from evals.record.runner import Item

PACK = packs.load(PACKS / "oncology")
TODAY = date(2026, 7, 1)
CASE = Case(id="a", question="Why?", expected=Expected(outcome="refuse"))
QUESTION = Question(id="q", session="s", text="Why?", pack=PACK.id)


def refused(reason: Reason, **changes: object) -> Outcome:
    """A refusal for one reason."""
    result = Refusal(
        reason=reason,
        shown_reason=refusal_reason_for(reason),
        explanation="Something.",
        fallback="My sources do not answer this.",
    )
    base = {
        "question": QUESTION,
        "intent": intents.make_blank(PACK),
        "result": result,
        "audit_id": "never-shown",
        "milliseconds": {"total": 1.23456},
    }
    return Outcome.model_validate(base | changes)


@pytest.mark.parametrize(
    "reason",
    [
        Reason.INTERNAL,
        Reason.PROVIDER_FAILED,
        Reason.AUDIT_FAILED,
        Reason.BUSY,
        Reason.BUDGET_EXCEEDED,
    ],
)
def test_a_fault_is_an_error_and_no_right_refusal_R_E2(reason: Reason) -> None:
    """A bot that crashes on every question refuses nothing."""
    row = make_row(Item(CASE, 2, "k"), refused(reason), PACK, TODAY)
    assert row.error == f"{reason}: Something."
    assert row.record is None
    assert not row.refused
    assert (row.case, row.repeat, row.key) == ("a", 2, "k")


def test_a_refusal_is_kept_with_its_reason() -> None:
    """With the text that a person reads, and without what the ledger adds."""
    row = make_row(Item(CASE), refused(Reason.OUT_OF_SCOPE), PACK, TODAY)
    assert row.refused
    assert row.error is None
    assert row.record is not None
    assert row.record["reason_code"] == "OUT_OF_SCOPE"
    assert "audit_id" not in row.record
    assert "My sources do not answer this." in row.served
    assert "never-shown" not in row.served
    assert row.sections == row.evidence == ()


def test_costs_are_known_or_unknown_never_guessed() -> None:
    """One call without a price makes the price of the question unknown."""
    usage = Usage(calls=1, cost=0.25)
    prompt = Prompt(module="writer", model="m", program="p", usage=usage)
    free = prompt.model_copy(update={"usage": Usage(calls=1, cost=None)})
    asked = refused(Reason.OUT_OF_SCOPE)
    assert sum_costs(asked)["cost"] == 0
    paid = asked.model_copy(update={"prompts": (prompt, prompt)})
    assert sum_costs(paid)["cost"] == 0.5
    assert (
        sum_costs(asked.model_copy(update={"prompts": (prompt, free)}))["cost"] is None
    )
    assert sum_costs(asked)["milliseconds"] == {"total": 1.2346}


def test_figures_have_four_digits() -> None:
    """The last bits of a machine stay out of a row."""
    found = round_floats({"a": [0.123456, -0.00001], "b": 3, "c": "0.123456"})
    assert found == {"a": [0.1235, 0.0], "b": 3, "c": "0.123456"}
    assert str(found["a"][1]) == "0.0"
