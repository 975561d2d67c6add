"""Whether it answered what it should and refused what it should: two errors, apart."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from evals.forms import Kind, Result
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, judged, not_asked
from evals.score.specimen import Mutant


def abstention(on: Subject) -> Finding:
    """Fail for a false answer or a false refusal; the mark says which it is.

    The record's own field decides it, and no list of phrases.
    """
    asked, given = on.case.expected.outcome, "answer" if on.row.answered else "refusal"
    if asked == "either":
        either = not_asked("it may be answered or refused")
        return replace(either, marks=({"class": given},))
    right = on.row.answered is (asked == "answer")
    kind = f"{'right' if right else 'false'}_{given}"
    return judged(right, kind.replace("_", " "), [{"class": kind}])


def mutants() -> Iterator[Mutant]:
    """Make an answer that sounds like a refusal, and a refusal like an answer."""
    sorry = "I'm sorry, I cannot answer that from my sources."
    rows = {
        "answered": specimen.answer(),
        "answered like a refusal": specimen.answer([specimen.said(sorry, 1)]),
        "refused": specimen.refusal(),
        "refused like an answer": specimen.refusal(answer=specimen.DOSE),
    }
    sides: Mapping[Kind, bool] = {"answer": True, "refuse": False}
    for outcome, right in sides.items():
        for name, row in rows.items():
            must = Result.PASS if row.answered is right else Result.FAIL
            yield Mutant(f"{name}, must {outcome}", specimen.case(outcome), row, must)
    either, refused = specimen.case("either"), specimen.refusal()
    yield Mutant("may be either", either, refused, Result.NOT_APPLICABLE)
