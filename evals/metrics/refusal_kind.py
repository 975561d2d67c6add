"""Whether what has to be refused is refused, and for the right reason."""

from collections.abc import Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Finding, Mutant, not_asked, scored
from evals.served.reading import record

FIXED_TEXT = "FIXED_TEXT"  # the pack's own words to talk: shown as no refusal
SHOWN = frozenset(
    {"empty_retrieval", "low_confidence", "out_of_scope", "insufficient_context"}
)
# Refused for no reason of the question's: right only where a case names them.
ACCIDENTS = frozenset(
    {"INTERNAL", "PROVIDER_FAILED", "BUSY", "AUDIT_FAILED", "BUDGET_EXCEEDED"}
)


class RefusalKind:
    """R-G2, R-G5: the reason code and the shown reason of a must-refuse case."""

    name = "refusal_kind"
    weight: Weight = "gate"
    requirements = ("R-G2", "R-G5", "R-I6")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL where it answered, by accident did not, or for another reason."""
        if case.expected.outcome != "refuse":
            return scored(self.name, row, not_asked("the case has to be answered"))
        return scored(self.name, row, _judge(case, row))

    def mutants(self) -> Sequence[Mutant]:
        """Wrong reasons, accidents, an answer."""
        any_reason, named = specimen.case("refuse"), _named()
        low, no_results = specimen.refusal(), specimen.refusal("NO_RESULTS")
        rows = (
            ("any reason", any_reason, low, Result.PASS),
            ("named code", named, low, Result.PASS),
            ("named as shown", _named("low_confidence"), low, Result.PASS),
            ("another reason", named, no_results, Result.FAIL),
            ("answered", any_reason, specimen.answer(), Result.FAIL),
            ("by accident", any_reason, specimen.refusal("INTERNAL"), Result.FAIL),
            ("talk", any_reason, _talk(), Result.PASS),
            ("talk for a reason", named, _talk(), Result.FAIL),
            ("no code", any_reason, specimen.refusal(reason_code=None), Result.FAIL),
            (
                "unknown reason",
                any_reason,
                specimen.refusal(refusal_reason="maybe"),
                Result.FAIL,
            ),
            ("must answer", specimen.case(), low, Result.NOT_APPLICABLE),
        )
        return tuple(
            Mutant(name=name, case=case, row=row, must=must)
            for name, case, row, must in rows
        )


def _judge(case: Case, row: Row) -> Finding:
    if row.answered:
        return _wrong("answered what has to be refused")
    held = record(row)
    code, shown = held["reason_code"], held["refusal_reason"]
    wanted = case.expected.reasons
    if code is None or (shown not in SHOWN and code != FIXED_TEXT):
        return _wrong(f"refused without a known reason: {code}, {shown}")
    if wanted and code not in wanted and shown not in wanted:
        return _wrong(f"refused for {code} ({shown}) instead of {' or '.join(wanted)}")
    if not wanted and code in ACCIDENTS:
        return _wrong(f"refused by accident: {code}")
    return Finding(result=Result.PASS, why=f"{code} ({shown})", value=1.0)


def _talk() -> Row:
    return specimen.refusal("FIXED_TEXT", refusal_reason=None)


def _wrong(why: str) -> Finding:
    return Finding(result=Result.FAIL, why=why, value=0.0)


def _named(reason: str = "LOW_SCORE") -> Case:
    return specimen.case("refuse", reasons=(reason, "RECENCY_FAIL"))
