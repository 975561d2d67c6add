"""The one table of what a reason inside the engine is called everywhere else.

A `Reason` is the engine's own vocabulary. A caller sees one of four refusal reasons;
the record carries one of eight failure states.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from engine.model.codes import FailureState, Reason, RefusalReason
from engine.model.frozen import Frozen


class Row(Frozen):
    """One reason with the refusal reason that callers see and its failure state."""

    reason: Reason
    shown: RefusalReason
    state: FailureState


_EMPTY = RefusalReason.EMPTY_RETRIEVAL
_LOW = RefusalReason.LOW_CONFIDENCE
_SCOPE = RefusalReason.OUT_OF_SCOPE
_CONTEXT = RefusalReason.INSUFFICIENT_CONTEXT

_EVIDENCE = FailureState.INSUFFICIENT_EVIDENCE
_BUDGET = FailureState.BUDGET_EXCEEDED
_OUTSIDE = FailureState.OUT_OF_SCOPE_SOURCE

_ROWS = (
    # Something was retrieved and nothing of it may be used: low confidence.
    (Reason.NO_RESULTS, _EMPTY, _EVIDENCE),
    (Reason.FILTERED_OUT, _LOW, _EVIDENCE),
    (Reason.LOW_TRUST, _LOW, _EVIDENCE),
    (Reason.LOW_SCORE, _LOW, _EVIDENCE),
    (Reason.LOW_DIVERSITY, _LOW, _EVIDENCE),
    # Usable chunks, and still no answer from them: insufficient context.
    (Reason.RECENCY_FAIL, _CONTEXT, _EVIDENCE),
    (Reason.INSUFFICIENT_CITATIONS, _CONTEXT, _EVIDENCE),
    (Reason.INSUFFICIENT_CONTEXT, _CONTEXT, _EVIDENCE),
    (Reason.INSUFFICIENT_FACTS, _CONTEXT, FailureState.INSUFFICIENT_FACTS),
    (Reason.CITATION_MISMATCH, _CONTEXT, FailureState.CITATION_MISMATCH),
    (Reason.OUT_OF_SCOPE, _SCOPE, _OUTSIDE),
    (Reason.UNSUPPORTED_LANGUAGE, _SCOPE, _OUTSIDE),
    # A check that could not run has failed: no evidence was established.
    (Reason.BUDGET_EXCEEDED, _CONTEXT, _BUDGET),
    (Reason.BUSY, _CONTEXT, _BUDGET),
    (Reason.PROVIDER_FAILED, _CONTEXT, _EVIDENCE),
    (Reason.INTERNAL, _CONTEXT, _EVIDENCE),
    (Reason.AUDIT_FAILED, _CONTEXT, _EVIDENCE),
    # Nothing failed, and the answer is unknown.
    (Reason.STOPPED, _CONTEXT, FailureState.NONE),
    # The pack's own words answer: nothing failed, and nothing is refused.
    (Reason.FIXED_TEXT, _CONTEXT, FailureState.NONE),
)

TABLE: Mapping[Reason, Row] = MappingProxyType(
    {row[0]: Row(reason=row[0], shown=row[1], state=row[2]) for row in _ROWS}
)

# Reasons that another document could remove. Not here: faults of ours, facts that the
# asker did not give, a language that no pack has.
DOCUMENT_HELPS = frozenset(
    {
        Reason.NO_RESULTS,
        Reason.FILTERED_OUT,
        Reason.LOW_TRUST,
        Reason.LOW_SCORE,
        Reason.RECENCY_FAIL,
        Reason.LOW_DIVERSITY,
        Reason.INSUFFICIENT_CITATIONS,
        Reason.OUT_OF_SCOPE,
        Reason.INSUFFICIENT_CONTEXT,
        Reason.CITATION_MISMATCH,
    }
)

# The states under which an answer may be shown; a pack may only take some away.
BODY_SHOWN = frozenset(
    {
        FailureState.NONE,
        FailureState.STALE_VOLATILE_SOURCE,
        FailureState.NO_BINDING_AUTHORITY,
    }
)
# The states that put no notice of the matrix on top.
WITHOUT_NOTICE = frozenset({FailureState.NONE, FailureState.OUT_OF_SCOPE_SOURCE})

# The reason of a refusal where only a state withholds the body.
_OF_STATE: Mapping[FailureState, Reason] = MappingProxyType(
    {
        FailureState.OUT_OF_SCOPE_SOURCE: Reason.OUT_OF_SCOPE,
        FailureState.BUDGET_EXCEEDED: Reason.BUDGET_EXCEEDED,
        FailureState.CITATION_MISMATCH: Reason.CITATION_MISMATCH,
        FailureState.STALE_VOLATILE_SOURCE: Reason.RECENCY_FAIL,
        FailureState.NO_BINDING_AUTHORITY: Reason.LOW_TRUST,
        FailureState.INSUFFICIENT_EVIDENCE: Reason.INSUFFICIENT_CONTEXT,
        FailureState.INSUFFICIENT_FACTS: Reason.INSUFFICIENT_FACTS,
    }
)

_ORDER = tuple(FailureState)


def refusal_reason_for(reason: Reason) -> RefusalReason:
    """Return the refusal reason that a caller sees."""
    return TABLE[reason].shown


def failure_state_for(reason: Reason) -> FailureState:
    """Return the failure state that a refusal for this reason puts on record."""
    return TABLE[reason].state


def reason_of(state: FailureState) -> Reason:
    """Return the reason of a refusal that only this state caused.

    Raises:
        KeyError: for NONE, which withholds nothing.
    """
    return _OF_STATE[state]


def sort_states(states: Collection[FailureState]) -> tuple[FailureState, ...]:
    """Sort the states by precedence; NONE only where no other applies."""
    applying = sorted(set(states) - {FailureState.NONE}, key=_ORDER.index)
    return tuple(applying) or (FailureState.NONE,)
