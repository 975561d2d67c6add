"""The closed vocabularies: reasons, what callers see of them, failure states."""

from enum import StrEnum


class Reason(StrEnum):
    """The closed list of reasons that the engine uses itself."""

    NO_RESULTS = "NO_RESULTS"
    FILTERED_OUT = "FILTERED_OUT"
    LOW_TRUST = "LOW_TRUST"
    LOW_SCORE = "LOW_SCORE"
    RECENCY_FAIL = "RECENCY_FAIL"
    LOW_DIVERSITY = "LOW_DIVERSITY"
    INSUFFICIENT_CITATIONS = "INSUFFICIENT_CITATIONS"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"
    INSUFFICIENT_CONTEXT = "INSUFFICIENT_CONTEXT"
    INSUFFICIENT_FACTS = "INSUFFICIENT_FACTS"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    UNSUPPORTED_LANGUAGE = "UNSUPPORTED_LANGUAGE"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    BUSY = "BUSY"
    PROVIDER_FAILED = "PROVIDER_FAILED"
    INTERNAL = "INTERNAL"
    AUDIT_FAILED = "AUDIT_FAILED"
    STOPPED = "STOPPED"  # by a person, where the platform has a button for it
    FIXED_TEXT = "FIXED_TEXT"  # no refusal: the pack's words answer


class RefusalReason(StrEnum):
    """The closed list of reasons that callers see."""

    EMPTY_RETRIEVAL = "empty_retrieval"
    LOW_CONFIDENCE = "low_confidence"
    OUT_OF_SCOPE = "out_of_scope"
    INSUFFICIENT_CONTEXT = "insufficient_context"


class FailureState(StrEnum):
    """What kept an answer from being shown; declared in order of precedence."""

    OUT_OF_SCOPE_SOURCE = "OUT_OF_SCOPE_SOURCE"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    CITATION_MISMATCH = "CITATION_MISMATCH"
    STALE_VOLATILE_SOURCE = "STALE_VOLATILE_SOURCE"
    NO_BINDING_AUTHORITY = "NO_BINDING_AUTHORITY"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    INSUFFICIENT_FACTS = "INSUFFICIENT_FACTS"
    NONE = "NONE"


# The sorts of messages that express a feeling.
FEELINGS = frozenset({"dying", "fear", "grief", "lonely"})
