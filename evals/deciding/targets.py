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

SHARES = ("target ", "measured ")  # how the names of these checks begin

_COUNTED = frozenset({Result.PASS, Result.FAIL, Result.ERROR})

ByMetric = Mapping[str, Sequence[Score]]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many are right; `what` names what was counted.

    `errors` are among them: what could not be judged is not right.
    """

    good: int
    of: int
    what: str
    errors: int

    @property
    def rate(self) -> float:
        """Between 0 and 1."""
        return self.good / self.of

    @property
    def counts(self) -> Tally:
        """The same as a check holds it."""
        failed = self.of - self.good - self.errors
        return Tally(passed=self.good, failed=failed, errors=self.errors)

    def said(self, good: int, rate: float) -> str:
        """A share with all that it is of."""
        errors = f", {self.errors} of them errors" if self.errors else ""
        return f"{percent(rate)}, {good} of {self.of} {self.what}{errors}"


def measured(scores: ByMetric, claims: tuple[int, int] = (0, 0)) -> Iterator[Check]:
    """The targets that can be measured, and the rate of evidence dependence.

    Args:
        scores: of the run, by metric.
        claims: how many drafted sentences were supported, and how many there were, in
            rejected drafts too: what is shown is supported by construction (R-V4).
    """
    yield from _judged(scores)
    supported = Share(*claims, "drafted sentences", 0)
    if supported.of:
        yield _least("supported_claim_rate", "", supported, SUPPORTED)
    quoted = parts(scores.get("verbatim", ()), "quotations")
    if quoted.of:
        yield _unanchored(quoted)
    routed = rows(scores.get("routing", ()))
    if routed.of:
        yield _least("routing_compliance_rate", "routing", routed, ROUTED)
    yield from _citations(scores.get("citation", ()))
    yield from _dependence(scores.get("evidence_dependence", ()))


def _judged(scores: ByMetric) -> Iterator[Check]:
    """How many rows each metric judged: what was judged seldom, shows little."""
    counts = {name: tally(each).counted for name, each in sorted(scores.items())}
    if counts:
        why = ", ".join(f"{name} {number}" for name, number in counts.items())
        why = f"Rows that each metric judged: {why}."
        yield Check(check="measured rows", result=Status.PASS, why=why)


def parts(scores: Sequence[Score], what: str) -> Share:
    """How many parts of all judged answers are right, such as their claims.

    A row that could not be judged counts as one part that is not; where there are no
    others, nothing was measured.
    """
    found = [score for score in scores if score.result in _COUNTED]
    counted = [(s.value or 0.0, s.parts) for s in found if s.parts]
    lost = sum(score.result is Result.ERROR for score in found)
    errors = lost if counted else 0
    good = sum(round(value * of) for value, of in counted)
    return Share(good, errors + sum(of for _, of in counted), what, errors)


def rows(scores: Iterable[Score]) -> Share:
    """How many of the rows that were judged, or should have been, passed."""
    found = tally(scores)
    return Share(found.passed, found.counted, "rows", found.errors)


def _least(name: str, metric: str, share: Share, target: float) -> Check:
    said = share.said(share.good, share.rate)
    return Check(
        check=f"target {name}",
        result=Status.PASS if share.rate >= target else Status.FAIL,
        why=f"It is {said}; the target is at least {percent(target)} (R-O1).",
        metric=metric,
        slice=ALL,
        counts=share.counts,
    )


def _unanchored(share: Share) -> Check:
    """The one target that counts what is wrong."""
    wrong = share.of - share.good
    said = share.said(wrong, wrong / share.of)
    return Check(
        check="target unanchored_quote_rate",
        result=Status.PASS if wrong / share.of < UNANCHORED else Status.FAIL,
        why=f"It is {said}; the target is below {percent(UNANCHORED)} (R-O1).",
        metric="verbatim",
        slice=ALL,
        counts=share.counts,
    )


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
        said = share.said(share.good, share.rate)
        low, high = percent(interval.low), percent(interval.high)
        yield Check(
            check="measured evidence_dependence_rate",
            result=Status.PASS,
            why=f"{said} follow their evidence: between {low} and {high} "
            "(Wilson, 95 %, cases taken for independent).",
            metric="evidence_dependence",
            slice=ALL,
            counts=share.counts,
            interval=(interval.low, interval.high),
        )
