"""Each floor of the immigration pack, lowered one by one, and every set of states."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from shutil import copytree

import pytest

from adapters.packs import check, load
from bot.debug import make_contract
from config.settings import PACKS
from engine.conclude.settle import Progress, settle
from engine.model import reasons
from engine.model.codes import FailureState, Reason
from engine.model.outcome import Outcome, Refusal
from engine.model.question import Basis
from engine.policy.pack import Pack
from tests.engine.conclude.test_settle import GATE, answer
from tests.engine.model.test_reasons import subsets
from tests.engine.small_pack import intent, question

NAME = "immigration"
DAY = date(2024, 3, 1)
SHOWN = {FailureState.NONE, FailureState.STALE_VOLATILE_SOURCE}


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load(PACKS / NAME)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The pack's folder, to be spoilt."""
    target = tmp_path / NAME
    copytree(PACKS / NAME, target, ignore=lambda *_: ["corpus"])
    return target


def lowered(old: str, new: str, file: str = "pack.yaml") -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        place = folder / file
        text = place.read_text(encoding="utf-8")
        assert old in text, old
        place.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lowered("minimum_sensitive: 1", "minimum_sensitive: 0"), "minimum_sensitive"),
        (lowered("  used: 0.6", "  used: 0.4"), "gate.used"),
        (lowered("  best: 0.5", "  best: 0.2"), "gate.best"),
        (
            lowered("relevance: 0.6 ", "relevance: 0.4 "),
            "gate.openings[0].relevance",
        ),
        (lowered("anchors_per_item: 3", "anchors_per_item: 2"), "anchors_per_item"),
        (
            lowered("schema_retry_attempts: 1", "schema_retry_attempts: 4"),
            "answer.schema_retry_attempts",
        ),
        (lowered("strict_quotes: true", "strict_quotes: false"), "strict_quotes"),
        (lowered("  seconds: 30", "  seconds: .inf"), "budget.seconds"),
        (lowered("  tokens: 20000", "  tokens: 0"), "budget.tokens"),
        (lowered("  model_calls: 4", "  model_calls: 0"), "budget.model_calls"),
        (lowered("  cost: 0.25", "  cost: .nan"), "budget.cost"),
        (
            lowered("widening_allowed: false", "widening_allowed: true"),
            "wording.widened",
        ),
        (
            lowered("    window_days: 365 ", "    # ", "sources.yaml"),
            "sources[2].window_days",
        ),
        (
            lowered(
                "severity: info\n    show_body: false",
                "severity: info\n    show_body: true",
            ),
            "notices.INSUFFICIENT_EVIDENCE.show_body",
        ),
        (lowered("query_types: [fees,", "query_types: [tolls,"), "query_types"),
        (
            lowered(
                'relevance: 0.6\n      comparison: ">="\n      query',
                'relevance: 0.4\n      comparison: ">="\n      query',
            ),
            "gate.openings[1].relevance",
        ),
        (lowered("  minimum: 1 ", "  minimum: 0 "), "citations.minimum"),
        (
            lowered("maximum_per_section: 5", "maximum_per_section: 6"),
            "citations.maximum_per_section",
        ),
        (lowered("  per_arm: 30", "  per_arm: 31"), "retrieval.per_arm"),
        (lowered("  final: 10", "  final: 11"), "retrieval.final"),
        (lowered("  seconds: 30", "  seconds: 0"), "budget.seconds"),
        (lowered("    tier: 1 ", "    tier: 0 ", "sources.yaml"), "sources[0].tier"),
        (
            lowered(
                "authority: binding\n    trusted",
                "authority: godly\n    trusted",
                "sources.yaml",
            ),
            "sources[0].authority",
        ),
    ],
)
def test_no_floor_of_the_law_can_be_lowered_R_I9(
    copy: Path, change: Callable[[Path], None], field: str
) -> None:
    """`pack check` names the file and the field."""
    assert check(copy).passed
    change(copy)
    problems = check(copy).problems
    assert any(field in str(problem) for problem in problems), problems


def test_the_figures_of_the_gate_R_G10(pack: Pack) -> None:
    """One passage that binds, or two where persuasive authority is enough.

    How long an office takes no act says, so nothing that binds opens for that.
    """
    binding, *others = pack.gate.openings
    assert (binding.authority, binding.documents, binding.chunks) == ("binding", 1, 1)
    assert {opening.chunks for opening in others} == {2}
    assert min(opening.relevance for opening in pack.gate.openings) >= 0.5
    for rule in pack.intents:
        persuaded = any(opening.opens_for(rule.query_type) for opening in others)
        assert rule.needs_binding != persuaded
        waiting = rule.query_type == "processing_times"
        assert binding.opens_for(rule.query_type) != waiting


def test_no_rule_is_taken_from_what_only_persuades_R_F1(pack: Pack) -> None:
    assert pack.binding_alone(needed=True)
    assert not pack.binding_alone(needed=False)


def settled(pack: Pack, **walk: object) -> Outcome:
    read = intent(basis=Basis.EXPLICIT, as_of=DAY)
    base = {"question": question(), "intent": read, "gate": GATE}
    return settle(Progress.model_validate(base | walk), pack)


@pytest.mark.parametrize("states", subsets(), ids=lambda s: "+".join(sorted(s)) or "-")
def test_every_set_of_states_through_the_pack_R_F2_R_F3_R_F5(
    pack: Pack, states: frozenset[FailureState]
) -> None:
    """All on record, the first decides; each notice once; the header in any case."""
    outcome = settled(pack, answer=answer(), states=states)
    order = [state for state in FailureState if state in states]
    assert list(outcome.states) == (order or [FailureState.NONE])
    assert outcome.answered is (states <= SHOWN)
    assert outcome.header == "Analysis date basis: 2024-03-01 (explicit_as_of)"
    first = outcome.states[0]
    silent = first in reasons.WITHOUT_NOTICE
    speaking = order if pack.notices.get(first) and first in SHOWN else [first]
    expected = [] if silent else [pack.notices[state].text for state in speaking]
    named = "This is for 2024-03-01, the day that you named."
    refused = outcome.result.fallback if isinstance(outcome.result, Refusal) else ""
    told = [n for n in outcome.notices if n != named]
    assert told == [text for text in expected if text not in refused]
    assert named in outcome.notices
    if isinstance(outcome.result, Refusal):
        assert outcome.result.fallback


@pytest.mark.parametrize("reason", sorted(set(Reason) - {Reason.AUDIT_FAILED}))
def test_the_header_stands_on_every_refusal_R_F5(pack: Pack, reason: Reason) -> None:
    """Errors, budgets, scope and language among them."""
    outcome = settled(pack, reason=reason)
    assert isinstance(outcome.result, Refusal)
    assert outcome.header == "Analysis date basis: 2024-03-01 (explicit_as_of)"


def test_the_five_items_of_the_debug_contract_R_F8(pack: Pack) -> None:
    told = make_contract(settled(pack, answer=answer()), pack)
    assert set(told) == {
        "analysisDate",
        "failureState",
        "failureStateInfo",
        "budget",
        "retrieval",
    }
    assert told["analysisDate"] == {"basis": "explicit_as_of", "asOf": "2024-03-01"}
