"""Shares of a whole run: the measured targets of R-O1, and evidence dependence (R-E6).

Each is a check with its denominator, and none where there is nothing to divide by. A
gate compares with a baseline; a target holds whatever the baseline was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evals.deciding.pairing import ALL
from evals.deciding.sentences import percent
from evals.deciding.statistics import wilson
from evals.deciding.verdict import Check, Status, Tally, tally
from evals.forms import Result, Score

# R-O1
SUPPORTED = 0.95
UNANCHORED = 0.05
ROUTED = 0.90

ByMetric = Mapping[str, Sequence[Score]]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; `what` names what was counted, `lost` rows could not be."""

    good: int
    of: int
    what: str
    lost: int = 0

    @property
    def rate(self) -> float:
        """Between 0 and 1."""
        return self.good / self.of

    def said(self) -> str:
        """The share with all that it is of."""
        lost = f", and {self.lost} errors beside them" if self.lost else ""
        return f"{percent(self.rate)}, {self.good} of {self.of} {self.what}{lost}"


def measured(scores: ByMetric) -> Iterator[Check]:
    """The targets that can be measured, and the rate of evidence dependence.

    Args:
        scores: of the run, by metric.
    """
    claims = parts(scores.get("support", ()), "claims")
    if claims.of:
        yield _check(
            "target supported_claim_rate",
            "support",
            claims,
            (claims.rate >= SUPPORTED, f"at least {percent(SUPPORTED)} (R-O1)"),
        )
    quoted = parts(scores.get("quote_anchor", ()), "quotations")
    if quoted.of:
        loose = Share(quoted.of - quoted.good, quoted.of, quoted.what, quoted.lost)
        yield _check(
            "target unanchored_quote_rate",
            "quote_anchor",
            loose,
            (loose.rate < UNANCHORED, f"below {percent(UNANCHORED)} (R-O1)"),
        )
    routed = rows(scores.get("routing", ()))
    if routed.of:
        yield _check(
            "target routing_compliance_rate",
            "routing",
            routed,
            (routed.rate >= ROUTED, f"at least {percent(ROUTED)} (R-O1)"),
        )
    yield from _citations(scores.get("citation", ()))
    yield from _dependence(scores.get("evidence_dependence", ()))


def parts(scores: Iterable[Score], what: str) -> Share:
    """How many parts of all judged answers are right, such as their claims."""
    judged = [s for s in scores if s.result in (Result.PASS, Result.FAIL)]
    counted = [(s.value or 0.0, s.parts) for s in judged if s.parts]
    good = sum(round(value * of) for value, of in counted)
    return Share(good, sum(of for _, of in counted), what, _errors(scores))


def rows(scores: Iterable[Score]) -> Share:
    """How many of the rows that were judged passed; an error is one that did not."""
    found = tally(scores)
    return Share(found.passed, found.counted, "rows")


def _errors(scores: Iterable[Score]) -> int:
    return sum(score.result is Result.ERROR for score in scores)


def _check(name: str, metric: str, share: Share, wanted: tuple[bool, str]) -> Check:
    met, target = wanted
    return Check(
        check=name,
        result=Status.PASS if met else Status.FAIL,
        why=f"It is {share.said()}; the target is {target}.",
        metric=metric,
        slice=ALL,
        counts=_counts(share),
    )


def _counts(share: Share) -> Tally:
    return Tally(passed=share.good, failed=share.of - share.good, errors=share.lost)


def _citations(scores: Iterable[Score]) -> Iterator[Check]:
    """R-O1 names no target for it: it is told."""
    answers = [s for s in scores if s.result in (Result.PASS, Result.FAIL)]
    if answers:
        cited = sum(score.parts or 0 for score in answers)
        mean = cited / len(answers)
        yield Check(
            check="measured citations_per_response",
            result=Status.PASS,
            why=f"It is {mean:.2f}: {cited} citations in {len(answers)} answers.",
            metric="citation",
            slice=ALL,
        )


def _dependence(scores: Iterable[Score]) -> Iterator[Check]:
    """The gate compares it case by case; here it stands with its interval."""
    share = rows(scores)
    interval = wilson(share.good, share.of)
    if interval is not None:
        low, high = percent(interval.low), percent(interval.high)
        why = f"{share.said()} follow their evidence: between {low} and {high} "
        yield Check(
            check="measured evidence_dependence_rate",
            result=Status.PASS,
            why=f"{why}(Wilson, 95 %, cases taken for independent).",
            metric="evidence_dependence",
            slice=ALL,
            counts=_counts(share),
            interval=(interval.low, interval.high),
        )
