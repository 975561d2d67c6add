"""Pack schema and floors: what lies below one cannot be built, and is told why."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from engine.model.codes import FailureState, Reason
from engine.policy.pack import Pack, Violation, list_violations
from tests.engine.small_pack import data, small_pack, source

Change = Callable[[dict[str, Any]], object]


def broken(change: Change) -> dict[str, Violation]:
    """The first violation of each field after one change to a valid pack."""
    tables = data()
    change(tables)
    with pytest.raises(ValidationError) as caught:
        Pack.model_validate(tables)
    found: dict[str, Violation] = {}
    for violation in list_violations(caught.value):
        found.setdefault(violation.field, violation)
    return found


def put(path: str, value: object) -> Change:
    """Set one field of the tables, by its path."""

    def change(tables: dict[str, Any]) -> None:
        *parts, last = path.split(".")
        table: Any = tables
        for part in parts:
            table = table[int(part)] if part.isdigit() else table[part]
        table[int(last) if last.isdigit() else last] = value

    return change


def test_the_small_pack_is_valid() -> None:
    assert small_pack().rule("treatment").minimum_chunks == 2
    assert small_pack().rule("never heard of").query_type == "general"


@pytest.mark.parametrize(
    ("field", "value", "floor"),
    [
        ("citations.minimum_sensitive", 1, "at least 2"),
        ("gate.used", 0.49, "at least 0.5"),
        ("gate.best", 0.29, "at least 0.3"),
        ("anchors_per_item", 2, "at least 3"),
        ("answer.schema_retry_attempts", 4, "at most 3"),
        ("answer.strict_quotes", False, "always true"),
        ("audit", False, "always true"),
        ("answer.files", True, "registered sources alone"),
        ("wording.lacks", "These symptoms mean nothing.", "without sensitive words"),
        ("wording.turn_to", "Take an ASPIRIN.", "without sensitive words"),
        ("wording.nearby", "More on symptoms.", "without sensitive words"),
    ],
)
def test_floors_cannot_be_lowered_R_I9(field: str, value: object, floor: str) -> None:
    """The violation names the field and the floor."""
    found = broken(put(field, value))
    assert floor in str(found[field].floor)


def test_an_exempt_text_is_one_sentence_R_M2() -> None:
    """Two would match nothing, because drafts are compared sentence by sentence."""
    found = broken(put("sensitive.exempt_texts", ["Rest.", "Rest now. Ask the team."]))
    assert "one sentence" in found["sensitive.exempt_texts[1]"].message


@pytest.mark.parametrize("number", [0, 1, 2])
def test_no_opening_lies_below_the_relevance_of_an_answer_R_I9(number: int) -> None:
    """0.5 for any opening; 0.7 for one document in a medical pack, tier 1 only."""
    rule: dict[str, Any] = [
        {"name": "x", "documents": 2, "relevance": 0.49},
        {"name": "x", "documents": 1, "relevance": 0.69, "tier": 1, "guideline": True},
        {"name": "x", "documents": 1, "relevance": 0.9},
    ][number]
    field = "gate.openings[0]" + ("" if number == 2 else ".relevance")
    found = broken(put("gate.openings", [rule]))
    assert found[field].floor


def test_other_domains_open_on_one_document_R_G10() -> None:
    """A legal or technical pack may open on one chunk of relevance 0.5."""
    rule = {"name": "x", "documents": 1, "relevance": 0.5, "comparison": ">="}
    pack = small_pack(
        domain="legal",
        gate={"openings": [rule]},
        citations={"minimum_sensitive": 1},
    )
    assert pack.gate.openings[0].reached(0.5)


@pytest.mark.parametrize("field", ["seconds", "cost"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0, -1, 1e9])
def test_every_budget_is_finite_R_I9(field: str, value: float) -> None:
    found = broken(put("budget", {field: value}))
    assert found[f"budget.{field}"].floor == "finite"


def test_a_volatile_source_has_a_window_R_I9() -> None:
    found = broken(put("sources.1", source("two", volatility="volatile")))
    assert "two" in found["sources[1].window_days"].message


def test_widening_needs_a_notice_R_I11() -> None:
    """What a pack allows is at least said."""
    found = broken(put("retrieval", {"widening_allowed": True}))
    assert found["wording.widened"].floor == "widening is visible"


def test_informational_intents_stay_sensitive_R_M1() -> None:
    found = broken(put("intents.0.sensitive", False))
    assert found["intents[0].sensitive"].floor


@pytest.mark.parametrize(
    "state",
    [
        FailureState.BUDGET_EXCEEDED,
        FailureState.CITATION_MISMATCH,
        FailureState.INSUFFICIENT_EVIDENCE,
        FailureState.INSUFFICIENT_FACTS,
    ],
)
def test_no_pack_shows_a_body_that_the_matrix_withholds_R_F3(
    state: FailureState,
) -> None:
    found = broken(put(f"notices.{state}.show_body", True))
    assert found[f"notices.{state}.show_body"].floor


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (put("notices", {}), "notices"),
        (put("wording.reasons", {Reason.NO_RESULTS: "x"}), "wording.reasons"),
        (put("wording.emergencies", []), "wording.emergencies"),
        (
            put("wording.emergencies", [{"kind": "other", "text": "Call 112 now."}]),
            "wording.emergencies",
        ),
        (put("wording.emergencies.1.text", ""), "wording.emergencies[1].text"),
        (put("version", "2.0.0"), "changelog"),
        (put("time_zone", "Mars/Olympus"), "time_zone"),
        (put("gate.warned", 0.9), "gate.warned"),
        (
            put("retrieval", {"covered": {"share": 0.6, "at_most": 0.9}}),
            "retrieval.covered.at_most",
        ),
        (put("intents.0.patterns", []), "intents[0].patterns"),
        (
            put("intents.0.requires", [{"sources": ["nobody"], "least": 1}]),
            "intents[0].requires[0]",
        ),
        (put("intents.0.demoted_types", ["nobody"]), "intents[0]"),
        (
            put("intents.0.sections", [{"heading": "A", "sources": ["nobody"]}]),
            "intents[0].sections[0]",
        ),
        (
            put("retrieval", {"caps": [{"types": ["nobody"], "most": 1}]}),
            "retrieval.caps[0].types",
        ),
        (
            put(
                "retrieval",
                {"caps": [{"types": ["two"], "most": 1, "but_not": ["nothing"]}]},
            ),
            "retrieval.caps[0]",
        ),
        (
            put(
                "retrieval",
                {"caps": [{"types": ["two"], "most": 1, "raised_by": "trial"}]},
            ),
            "retrieval.caps[0].raised_by",
        ),
        (
            put("gate.openings.1.query_types", ["nothing"]),
            "gate.openings[1].query_types",
        ),
        (put("intents.1.query_type", "treatment"), "intents"),
        (put("sources.1.id", "one"), "sources"),
        (put("sources.1.homepage", "https://example.org"), "sources[1].homepage"),
        (put("sources.1.homepage", "javascript://x/"), "sources[1].homepage"),
        (put("intents.0.patterns", ["(?=x)"]), "intents[0].patterns[0]"),
        (put("intents.0.patterns", ["x*"]), "intents[0].patterns[0]"),
        (put("gate.answerabilty", 0.5), "gate.answerabilty"),
        (put("gate.best", float("nan")), "gate.best"),
        (put("gate.best", 0.6), "gate.best"),
        (put("gate.answerability", 0.7), "gate.answerability"),
    ],
)
def test_nothing_is_left_open(change: Change, field: str) -> None:
    """Every gap and slip is named by its field."""
    assert field in broken(change)


def test_no_other_figure_raises_an_opening_unseen_R_G1() -> None:
    """The message names the opening, and where to raise it in sight."""
    found = broken(put("gate.answerability", 0.7))
    message = found["gate.answerability"].message
    assert "raises 'two', which opens at 0.5, unseen" in message
    assert "gate.openings[1].relevance" in message


def test_all_problems_are_told_at_once() -> None:
    """A person mends a pack in one go."""

    def change(tables: dict[str, Any]) -> None:
        tables["gate"]["best"] = 0.1
        tables["gate"]["used"] = 0.1
        tables["time_zone"] = "Nowhere"

    assert {"gate.best", "gate.used", "time_zone"} <= set(broken(change))


def test_a_pack_cannot_change_R_I12() -> None:
    """Every noun is frozen."""
    with pytest.raises(ValidationError):
        small_pack().version = "9.9.9"
