"""Every set of failure states through the mrd pack, its notices and debug items."""

import pytest

from adapters.packs import load
from bot.debug import make_contract
from config.settings import PACKS
from engine.conclude.settle import Progress, settle
from engine.model import reasons
from engine.model.codes import FailureState, Reason
from engine.model.evidence import Evidence, Seen, Trace
from engine.model.outcome import Outcome, Refusal
from engine.pipeline.events import excluded_band_event
from engine.policy.pack import Pack
from tests.engine.conclude.test_settle import GATE, answer
from tests.engine.model.test_reasons import subsets
from tests.engine.small_pack import intent, question

SHOWN = {
    FailureState.NONE,
    FailureState.STALE_VOLATILE_SOURCE,
    FailureState.NO_BINDING_AUTHORITY,
}
KEYS = {"analysisDate", "failureState", "failureStateInfo", "budget", "retrieval"}


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load(PACKS / "mrd")


def settled(pack: Pack, **walk: object) -> Outcome:
    base = {"question": question(), "intent": intent(), "gate": GATE}
    return settle(Progress.model_validate(base | walk), pack)


@pytest.mark.parametrize("states", subsets(), ids=lambda s: "+".join(sorted(s)) or "-")
def test_every_set_of_states_through_the_pack_R_F2_R_F3_R_F5(
    pack: Pack, states: frozenset[FailureState]
) -> None:
    """All on record, the first decides, each notice once, and the date above it.

    What a refusal says itself is no notice above it.
    """
    outcome = settled(pack, answer=answer(), states=states)
    order = [state for state in FailureState if state in states]
    assert list(outcome.states) == (order or [FailureState.NONE])
    assert outcome.answered is (states <= SHOWN)
    first = outcome.states[0]
    silent = first in reasons.WITHOUT_NOTICE
    speaking = order if first in SHOWN else [first]
    expected = [] if silent else [pack.notices[state].text for state in speaking]
    refused = outcome.result.fallback if isinstance(outcome.result, Refusal) else ""
    assert list(outcome.notices) == [text for text in expected if text not in refused]
    assert outcome.header is not None
    if isinstance(outcome.result, Refusal):
        assert outcome.result.fallback


@pytest.mark.parametrize("reason", sorted(set(Reason) - {Reason.AUDIT_FAILED}))
def test_the_header_stands_on_every_refusal_R_F5(pack: Pack, reason: Reason) -> None:
    """Errors, budgets, scope and language among them."""
    outcome = settled(pack, reason=reason)
    assert isinstance(outcome.result, Refusal)
    assert outcome.header is not None
    assert outcome.header.startswith("Analysis date basis: ")


def test_the_five_items_of_the_debug_contract_R_F8(pack: Pack) -> None:
    assert set(make_contract(settled(pack, answer=answer()), pack)) == KEYS


def test_the_debug_contract_holds_filters_and_tiers_R_F8(pack: Pack) -> None:
    """Which sources were searched, for which day; what the gate asks for, and found."""
    seen = Seen(
        chunk_id="c", document_id="d", source="nccn", type="nccn", relevance=0.9
    )
    trace = Trace(
        query_type="general", seen=(seen,), removed_younger=2, instructing=("x",)
    )
    evidence = Evidence(chunks=(), nearest=(), answerability=0.9, trace=trace)
    told = make_contract(settled(pack, answer=answer(), evidence=evidence), pack)
    retrieval = told["retrieval"]
    assert isinstance(retrieval, dict)
    filters, tiers = retrieval["filters"], retrieval["tiers"]
    assert "nccn" in filters["sources"]
    assert filters["removed"] == {
        "untrusted": 0,
        "younger": 2,
        "withheld": 1,
        "capped": 0,
    }
    assert [rule["documents"] for rule in tiers["openings"]] == [1, 2, 1]
    assert [rule["own"] for rule in tiers["openings"]] == [False, False, True]
    assert tiers["openedBy"] == GATE.rule


def test_an_excluded_band_is_a_warning_event_R_F8(pack: Pack) -> None:
    """How many, between which figures; no event where nothing was left out."""
    trace = Trace(query_type="general", excluded_band=("a", "b"))
    evidence = Evidence(chunks=(), nearest=(), answerability=0.4, trace=trace)
    outcome = settled(pack, reason=Reason.LOW_SCORE, evidence=evidence)
    event = excluded_band_event(outcome, pack)
    assert event is not None
    assert (event["event"], event["level"]) == ("evidence_excluded_band", "warning")
    assert (event["passages"], event["from"], event["below"]) == (2, 0.3, 0.5)
    assert excluded_band_event(settled(pack, answer=answer()), pack) is None
