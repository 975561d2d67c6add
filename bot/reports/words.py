"""Words for figures and reasons where people read them."""

from collections.abc import Mapping

from engine.model.codes import Reason

REASONS: Mapping[str, str] = {
    Reason.NO_RESULTS: "nothing was found",
    Reason.FILTERED_OUT: "everything found was withheld",
    Reason.LOW_TRUST: "no trusted source says it",
    Reason.LOW_SCORE: "nothing close enough",
    Reason.RECENCY_FAIL: "the pages are out of date",
    Reason.LOW_DIVERSITY: "only one page says it",
    Reason.INSUFFICIENT_CITATIONS: "too few passages say it",
    Reason.OUT_OF_SCOPE: "not what these documents are about",
    Reason.INSUFFICIENT_CONTEXT: "the selected text does not say it",
    Reason.INSUFFICIENT_FACTS: "the asker has to say more first",
    Reason.CITATION_MISMATCH: "a quotation was not found again",
    Reason.UNSUPPORTED_LANGUAGE: "another language",
    Reason.BUDGET_EXCEEDED: "more than may be spent",
    Reason.BUSY: "too busy",
    Reason.PROVIDER_FAILED: "a language model failed",
    Reason.INTERNAL: "a fault of ours",
    Reason.AUDIT_FAILED: "it could not be put on record",
    Reason.STOPPED: "somebody stopped it",
    Reason.FIXED_TEXT: "answered in fixed words",
}
FIGURES = {
    "routing_compliance_rate": "answers that begin with the section they should",
    "supported_claim_rate": "chosen sentences that stood every check",
    "unanchored_quote_rate": "quotations that were not found again",
    "citations_per_response": "sources named in an answer",
}


def name_reason(code: str | None) -> str:
    """Name a reason in words; one of a later release stays as it is."""
    return REASONS.get(code, code) if code else ""


def name_figure(name: str) -> str:
    """Name a figure in words; what a pack counts itself keeps the name that it has."""
    return FIGURES.get(name, name)
