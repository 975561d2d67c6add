"""The one table of reasons, refusal reasons and failure states."""

from itertools import chain, combinations

from engine.model import reasons
from engine.model.codes import FailureState, Reason, RefusalReason

STATES = tuple(FailureState)[:-1]
PRECEDENCE = (
    "OUT_OF_SCOPE_SOURCE",
    "BUDGET_EXCEEDED",
    "CITATION_MISMATCH",
    "STALE_VOLATILE_SOURCE",
    "NO_BINDING_AUTHORITY",
    "INSUFFICIENT_EVIDENCE",
    "INSUFFICIENT_FACTS",
    "NONE",
)


def subsets() -> list[frozenset[FailureState]]:
    """All 128 subsets of the seven states."""
    sizes = range(len(STATES) + 1)
    chosen = chain.from_iterable(combinations(STATES, size) for size in sizes)
    return [frozenset(states) for states in chosen]


def test_every_reason_has_its_row_R_F4() -> None:
    assert set(reasons.TABLE) == set(Reason)


def test_every_refusal_reason_and_state_is_reached_R_F4() -> None:
    """But STALE and NO_BINDING, which no reason of the gate means."""
    assert {row.shown for row in reasons.TABLE.values()} == set(RefusalReason)
    reached = {row.state for row in reasons.TABLE.values()}
    assert set(STATES) - reached == {
        FailureState.STALE_VOLATILE_SOURCE,
        FailureState.NO_BINDING_AUTHORITY,
    }


def test_the_closed_list_of_refusals_R_G5() -> None:
    assert reasons.refusal_reason_for(Reason.NO_RESULTS) == "empty_retrieval"
    assert reasons.refusal_reason_for(Reason.LOW_SCORE) == "low_confidence"
    assert reasons.refusal_reason_for(Reason.OUT_OF_SCOPE) == "out_of_scope"
    assert (
        reasons.refusal_reason_for(Reason.INSUFFICIENT_CONTEXT)
        == "insufficient_context"
    )


def test_a_state_and_its_reason_agree_R_F4() -> None:
    """Where a state alone refuses, its reason leads back to it."""
    for state in set(STATES) - reasons.BODY_SHOWN:
        assert reasons.failure_state_for(reasons.reason_of(state)) is state


def test_precedence_over_every_subset_R_F2() -> None:
    """All that apply are kept, in the written order; none at all is NONE."""
    assert len(subsets()) == 128
    for states in subsets():
        found = reasons.sort_states(states)
        expected = [name for name in PRECEDENCE if name in states] or ["NONE"]
        assert [state.value for state in found] == expected
        assert reasons.sort_states(states | {FailureState.NONE}) == found
