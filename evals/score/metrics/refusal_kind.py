"""Whether what has to be refused is refused, and for the right reason."""

from collections.abc import Iterator
from itertools import starmap

from evals.forms import Case, Result
from evals.reading import record
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, judged, not_asked
from evals.score.specimen import Mutant

FIXED_TEXT = "FIXED_TEXT"  # the pack's own words to talk: shown as no refusal
SHOWN = frozenset(
    {"empty_retrieval", "low_confidence", "out_of_scope", "insufficient_context"}
)
# Refused for no reason of the question's: right only where a case names them.
ACCIDENTS = frozenset(
    {"INTERNAL", "PROVIDER_FAILED", "BUSY", "AUDIT_FAILED", "BUDGET_EXCEEDED"}
)


def refusal_kind(on: Subject) -> Finding:
    """Fail where it answered, by accident did not, or refused for another reason.

    A reason is right by its code or as it is shown.
    """
    if on.case.expected.outcome != "refuse":
        return not_asked("the case has to be answered")
    if on.row.answered:
        return judged(False, "answered what has to be refused")
    held = record(on.row)
    code, shown = held["reason_code"], held["refusal_reason"]
    wanted = on.case.expected.reasons
    if code is None or (shown not in SHOWN and code != FIXED_TEXT):
        return judged(False, f"refused without a known reason: {code}, {shown}")
    if wanted and code not in wanted and shown not in wanted:
        why = f"refused for {code} ({shown}) instead of {' or '.join(wanted)}"
        return judged(False, why)
    if not wanted and code in ACCIDENTS:
        return judged(False, f"refused by accident: {code}")
    return judged(True, f"{code} ({shown})")


def mutants() -> Iterator[Mutant]:
    """Refuse for wrong reasons and by accident, and answer."""
    any_reason, named = specimen.case("refuse"), _named("LOW_SCORE")
    shown = _named("low_confidence")
    low, no_results = specimen.refusal(), specimen.refusal("NO_RESULTS")
    talk = specimen.refusal("FIXED_TEXT", refusal_reason=None)
    maybe = specimen.refusal(refusal_reason="maybe")
    rows = (
        ("any reason", any_reason, low, Result.PASS),
        ("named code", named, low, Result.PASS),
        ("named as shown", shown, low, Result.PASS),
        ("another reason", named, no_results, Result.FAIL),
        ("answered", any_reason, specimen.answer(), Result.FAIL),
        ("by accident", any_reason, specimen.refusal("INTERNAL"), Result.FAIL),
        ("talk", any_reason, talk, Result.PASS),
        ("talk for a reason", named, talk, Result.FAIL),
        ("no code", any_reason, specimen.refusal(reason_code=None), Result.FAIL),
        ("unknown reason", any_reason, maybe, Result.FAIL),
        ("must answer", specimen.case(), low, Result.NOT_APPLICABLE),
    )
    return starmap(Mutant, rows)


def _named(reason: str) -> Case:
    return specimen.case("refuse", reasons=(reason, "RECENCY_FAIL"))
