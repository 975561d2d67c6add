"""Decide from scores and a baseline whether a run may go out, and say why not.

Invariants have no tolerance. Gates are compared (gates.py). What cannot be compared
keeps the verdict open, and an open verdict is never green. Advice is reported and
decides nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.model.errors import UsageError
from evals.cases import adversarial, counterfactual
from evals.compare.gates import ALL, RENEW, Compared, check_gates, check_hard_failures
from evals.compare.statistics import bound_of_zero
from evals.compare.stored import hash_case
from evals.compare.verdict import (
    Check,
    Status,
    Tally,
    Verdict,
    count_cases,
    format_percent,
    list_names,
    sort_unique,
    tally,
)
from evals.forms import Case, Json, Result, Score, Weight

SCORE = "Score the run again: python -m evals score RUN"
AGAIN = "Record again when the provider answers: python -m evals record"
SCORING = "scoring"  # the manifest's field on the metrics: their code, their mutants

# Prefixes of the names of suites whose cases are made from answers, over any corpus and
# day: other answers make other cases.
GENERATED = (counterfactual.NAME, adversarial.NAME)

WRONG = frozenset({Result.FAIL, Result.ERROR})

SHARES = ("target ", "measured ")  # prefixes of the names of these checks
# Targets: name, metric, what is counted, the least share.
_SUPPORTED = ("supported_claim_rate", "", "drafted sentences", 0.95)
_ROUTED = ("routing_compliance_rate", "routing", "rows", 0.90)
_UNANCHORED = 0.05  # of quotations, at most

ByMetric = Mapping[str, Sequence[Score]]


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run that was scored: its cases by id, its scores and what it was made from.

    Attributes:
        unheard: the case of each row whose answer was made without the model, because
            its provider failed or was not reached in time.
        claims: how many drafted sentences were supported, and how many there were.
    """

    cases: Mapping[str, Case]
    scores: Sequence[Score]
    manifest: Json
    unheard: Sequence[str] = ()
    claims: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class BaselineScores:
    """The scores that are stored of a run to compare others with.

    Attributes:
        asked: a hash of each case, by id (evals/compare/stored.py).
        made: cases that were made from answers.
    """

    asked: Mapping[str, str]
    made: frozenset[str]
    scores: Sequence[Score]
    manifest: Json


def decide(
    run: RunScores, baseline: BaselineScores | None, weights: Mapping[str, Weight]
) -> Verdict:
    """Decide whether what was run may go out.

    Args:
        run: what is to be released.
        baseline: the committed one; without it nothing can be compared, and the verdict
            is at best inconclusive.
        weights: of every metric.

    Raises:
        UsageError: there is no case or no metric, or a score comes twice.
    """
    _refuse("the run", run.cases.keys(), run.scores, weights)
    if baseline is not None:
        _refuse("the baseline", baseline.asked.keys(), baseline.scores, weights)
    metrics = partial(_list_metrics, weights)
    sides = _pair_sides(run, baseline)
    checks = [
        _check_complete(run, weights),
        *_check_heard(run),
        _check_mutants(run),
        *_report_repeats(run, metrics("invariant", "gate")),
        *_check_comparable(run, baseline, sides, metrics("gate")),
        _check_errors(metrics("invariant", "gate"), sides),
        *(_check_invariant(name, sides) for name in metrics("invariant")),
    ]
    if baseline is not None and not _is_recoded(run, baseline):
        checks += [check_hard_failures(name, sides) for name in metrics("gate")]
        checks += check_gates(metrics("gate"), sides)
    checks += _find_unshown(metrics("gate"), sides)
    checks += check_targets(sides.now, run.claims)
    checks += [_report_advice(name, sides) for name in metrics("advice")]
    return Verdict(tuple(checks))


def _list_metrics(weights: Mapping[str, Weight], *wanted: Weight) -> list[str]:
    return sorted(name for name, each in weights.items() if each in wanted)


def _refuse(
    named: str,
    cases: Collection[str],
    scores: Sequence[Score],
    weights: Mapping[str, Weight],
) -> None:
    if not weights:
        raise UsageError("there is no metric: see evals/score/catalogue.py")
    if not cases or not scores:
        raise UsageError(f"{named} holds no case that was scored: record and score it")
    seen: set[tuple[str, int, str]] = set()
    for score in scores:
        place = (score.case, score.repeat, score.metric)
        if place in seen:
            raise UsageError(f"{named} scores {score.case} twice on {score.metric}")
        seen.add(place)
        if score.case not in cases:
            raise UsageError(f"{named} scores {score.case}, which is none of its cases")


def _pair_sides(run: RunScores, baseline: BaselineScores | None) -> Compared:
    then = baseline.scores if baseline else ()
    held = baseline.asked if baseline else {}
    fair = {
        name: case
        for name, case in run.cases.items()
        if name in held and (_is_generated(case) or hash_case(case) == held[name])
    }
    return Compared(_group_by_metric(run.scores), _group_by_metric(then), fair)


def _group_by_metric(scores: Iterable[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.metric, []).append(score)
    return found


# --- can anything be said ----------------------------------------------------------


def _check_complete(run: RunScores, weights: Mapping[str, Weight]) -> Check:
    """Check that every case was scored on every metric, as often as any."""
    times = {(score.case, score.repeat) for score in run.scores}
    often = 1 + max(repeat for _, repeat in times)
    wanted = {(name, repeat) for name in run.cases for repeat in range(often)}
    short: set[str] = set()
    scores = _group_by_metric(run.scores)
    for metric in weights:
        found = {(score.case, score.repeat) for score in scores.get(metric, ())}
        short |= {name for name, _ in wanted - found}
    if short:
        return _make_open("complete", "Cases that lack a score", short, SCORE)
    rows = len(wanted)
    why = f"Every metric judged all {rows} rows of {len(run.cases)} cases."
    return Check(check="complete", result=Status.PASS, why=why)


def _check_heard(run: RunScores) -> Iterator[Check]:
    """Keep the verdict open where answers were made without the model.

    They say nothing of the model, and score well.
    """
    if run.unheard:
        rows = len({(score.case, score.repeat) for score in run.scores})
        what = f"The model was not heard on {len(run.unheard)} of {rows} rows"
        yield _make_open("heard", what, run.unheard, AGAIN)


def _check_mutants(run: RunScores) -> Check:
    """Check that every metric sees through the wrong answers that it is tested with."""
    killed = run.manifest.get(SCORING, {}).get("mutation", {})
    blind = {name for name, share in killed.items() if share < 1}
    if blind:
        why = f"Wrong answers pass {list_names(blind)}: mend the metric."
        return Check(check="mutants", result=Status.INCONCLUSIVE, why=why)
    why = f"{len(killed)} metrics saw through every wrong answer made to test them."
    return Check(check="mutants", result=Status.PASS, why=why)


def _report_repeats(run: RunScores, metrics: Sequence[str]) -> Iterator[Check]:
    """Report of cases asked more than once how many hold every time, and which flip."""
    times = 1 + max(score.repeat for score in run.scores)
    if times == 1:
        return
    results: dict[tuple[str, str], set[Result]] = {}
    for score in run.scores:
        if score.metric in metrics:
            results.setdefault((score.case, score.metric), set()).add(score.result)
    wrong = {n for (n, _), found in results.items() if found & WRONG}
    flipped = {n for (n, _), found in results.items() if len(found) > 1}
    why = f"Each case was asked {times} times: {len(run.cases) - len(wrong)} of "
    why += f"{len(run.cases)} passed every metric every time (pass^{times}), "
    why += f"{count_cases(flipped)} came out differently"
    why += f": {list_names(flipped)}." if flipped else "."
    held = sort_unique(flipped)
    yield Check(check="repeats", result=Status.PASS, why=why, cases=held)


def _check_comparable(
    run: RunScores,
    baseline: BaselineScores | None,
    sides: Compared,
    metrics: Sequence[str],
) -> Iterator[Check]:
    """Check that the run and its baseline asked and judged the same."""
    checked = partial(Check, check="comparable")
    if baseline is None:
        why = f"There is no baseline to compare with. {RENEW}."
        yield checked(result=Status.INCONCLUSIVE, why=why)
        return
    unlike = [
        _make_open("comparable", what, found, RENEW)
        for what, found in _find_unlike(run, baseline, sides, metrics)
        if found
    ]
    yield from unlike
    if _is_recoded(run, baseline):
        why = f"The code of the metrics has changed since the baseline. {RENEW}."
        yield checked(result=Status.INCONCLUSIVE, why=why)
    elif not unlike:
        why = f"{count_cases(sides.cases)} were asked and judged as in the baseline."
        yield checked(result=Status.PASS, why=why)


def _find_unlike(
    run: RunScores, baseline: BaselineScores, sides: Compared, metrics: Sequence[str]
) -> Iterator[tuple[str, set[str]]]:
    """Yield what prevents a comparison, with its cases.

    Cases that are made from answers come, go and change with them. They are compared by
    their names, and a new one prevents a comparison only where it fails.
    """
    now = {
        n: hash_case(case) for n, case in run.cases.items() if not _is_generated(case)
    }
    then = {n: held for n, held in baseline.asked.items() if n not in baseline.made}
    yield "Cases of the baseline that were not run", then.keys() - now.keys()
    yield "Cases that the baseline does not have", now.keys() - then.keys()
    edited = {name for name in now.keys() & then.keys() if now[name] != then[name]}
    yield "Cases that were edited since the baseline", edited
    made = run.cases.keys() - now.keys() - baseline.asked.keys()
    failed = {
        score.case
        for metric in metrics
        for score in sides.now.get(metric, ())
        if score.case in made and score.result in WRONG
    }
    yield "Generated cases that fail and that the baseline does not have", failed


def _is_generated(case: Case) -> bool:
    return case.suite.startswith(GENERATED)


def _is_recoded(run: RunScores, baseline: BaselineScores) -> bool:
    """Tell whether other code of the metrics judged the baseline, or unknown code.

    Code that says the same of every row may still be other code: a weight is in no
    score, and a row holds less than a metric reads.
    """
    now, then = (side.manifest.get(SCORING, {}).get("code") for side in (run, baseline))
    return now is None or now != then


def _check_errors(metrics: Sequence[str], sides: Compared) -> Check:
    """Check for rows that could not be judged now, and could in the baseline."""
    now, then = (
        {
            (score.case, metric)
            for metric in metrics
            for score in side.get(metric, ())
            if score.result is Result.ERROR
        }
        for side in (sides.now, sides.then)
    )
    new = {name for name, _ in now - then}
    counts = tally(score for metric in metrics for score in sides.now.get(metric, ()))
    if not new:
        why = f"No new errors: {counts.describe()}."
        return Check(check="errors", result=Status.PASS, why=why, counts=counts)
    why = f"{count_cases(new)} could not be run or judged: {list_names(new)}; "
    why += f"{counts.describe()}."
    return Check(
        check="errors",
        result=Status.FAIL,
        why=why,
        counts=counts,
        cases=sort_unique(new),
    )


# --- zero tolerance ---------------------------------------------------------------


def _prepare_check(
    metric: str, name: str, scores: Iterable[Score]
) -> Callable[..., Check]:
    """Prepare a check of a metric over all of its rows, but for result and reason."""
    counts = tally(scores)
    return partial(Check, check=name, metric=metric, slice=ALL, counts=counts)


def _check_invariant(metric: str, sides: Compared) -> Check:
    scores = sides.now.get(metric, ())
    counts = tally(scores)
    broken = {s.case for s in scores if s.result in WRONG}
    judged = {s.case for s in scores if s.result is Result.PASS} - broken
    made = partial(_prepare_check(metric, f"invariant {metric}", scores), required=True)
    if broken:
        why = f"{metric} must never fail and failed in {count_cases(broken)}: "
        why += f"{list_names(broken)}; {counts.describe()}."
        return made(result=Status.FAIL, why=why, cases=sort_unique(broken))
    if not counts.counted:
        why = f"{metric} judged none of {counts.total} rows, so nothing shows it."
        return made(result=Status.NOT_SHOWN, why=why)
    bound = bound_of_zero(len(judged))
    why = f"{metric} failed in none of {count_cases(judged)}, so in at most "
    why += f"{format_percent(bound)} of such questions (at 95 %); {counts.describe()}."
    return made(result=Status.PASS, why=why, bound=bound)


def _find_unshown(metrics: Sequence[str], sides: Compared) -> Iterator[Check]:
    """Find the gates of which these suites ask nothing, now as in the baseline."""
    for metric in metrics:
        counts = tally(sides.now.get(metric, ()))
        if not counts.counted and not tally(sides.then.get(metric, ())).counted:
            why = f"None of {counts.total} rows asks for what {metric} judges."
            made = _prepare_check(metric, f"gate {metric}", sides.now.get(metric, ()))
            yield made(result=Status.NOT_SHOWN, why=why)


# --- reported, not decided on -----------------------------------------------------


def _report_advice(metric: str, sides: Compared) -> Check:
    scores = sides.now.get(metric, ())
    why = f"{metric} advises and decides nothing: {tally(scores).describe()}."
    return _prepare_check(metric, f"advice {metric}", scores)(
        result=Status.PASS, why=why
    )


def _make_open(check: str, what: str, cases: Iterable[str], do: str) -> Check:
    why = f"{what}: {list_names(cases)}. {do}."
    found = sort_unique(cases)
    return Check(check=check, result=Status.INCONCLUSIVE, why=why, cases=found)


# --- shares of a whole run --------------------------------------------------------
# Each is a check with its denominator, and none where there is nothing to divide by. A
# gate compares with a baseline; a target holds whatever the baseline was.


def check_targets(
    scores: ByMetric, claims: tuple[int, int] = (0, 0)
) -> Iterator[Check]:
    """Measure the targets of a run, and the rate of evidence dependence.

    Args:
        scores: of the run, by metric.
        claims: how many drafted sentences were supported, and how many there were, in
            rejected drafts too: what is shown is supported by construction.
    """
    counts = {name: tally(each).counted for name, each in sorted(scores.items())}
    if counts:
        why = ", ".join(f"{name} {number}" for name, number in counts.items())
        why = f"Rows that each metric judged: {why}."
        yield Check(check="measured rows", result=Status.PASS, why=why)
    drafted = Tally(passed=claims[0], failed=claims[1] - claims[0])
    yield from _check_target(_SUPPORTED, drafted)
    yield from _check_unanchored(_tally_parts(scores.get("verbatim", ())))
    yield from _check_target(_ROUTED, _tally_judged(scores.get("routing", ())))
    yield from _report_citations(scores.get("citation", ()))
    yield from _report_dependence(_tally_judged(scores.get("evidence_dependence", ())))


def _tally_judged(scores: Iterable[Score]) -> Tally:
    """Count the rows that were judged, or should have been."""
    found = tally(scores)
    return Tally(passed=found.passed, failed=found.failed, errors=found.errors)


def _tally_parts(scores: Iterable[Score]) -> Tally:
    """Count the parts of all judged answers, such as their quotations.

    A row that could not be judged counts as one part that is not right; where there are
    no others, nothing was measured.
    """
    held = [score for score in scores if score.parts]
    good = sum(round((s.value or 0.0) * (s.parts or 0)) for s in held)
    of = sum(score.parts or 0 for score in held)
    errors = tally(scores).errors if held else 0
    return Tally(passed=good, failed=of - good, errors=errors)


def _describe_share(good: int, counts: Tally, what: str) -> str:
    """Describe a share with its numerator, denominator and errors."""
    errors = f", {counts.errors} of them errors" if counts.errors else ""
    rate = format_percent(good / counts.counted)
    return f"{rate}, {good} of {counts.counted} {what}{errors}"


def _check_target(
    target: tuple[str, str, str, float], counts: Tally
) -> Iterator[Check]:
    name, metric, what, least = target
    if counts.rate is not None:
        said = _describe_share(counts.passed, counts, what)
        yield Check(
            check=f"target {name}",
            result=Status.PASS if counts.rate >= least else Status.FAIL,
            why=f"It is {said}; the target is at least {format_percent(least)} (R-O1).",
            metric=metric,
            slice=ALL,
            counts=counts,
        )


def _check_unanchored(counts: Tally) -> Iterator[Check]:
    """Check the one target that counts what is wrong."""
    if counts.counted:
        wrong = counts.counted - counts.passed
        few = wrong / counts.counted < _UNANCHORED
        said = _describe_share(wrong, counts, "quotations")
        yield Check(
            check="target unanchored_quote_rate",
            result=Status.PASS if few else Status.FAIL,
            why=f"It is {said}; "
            f"the target is below {format_percent(_UNANCHORED)} (R-O1).",
            metric="verbatim",
            slice=ALL,
            counts=counts,
        )


def _report_citations(scores: Iterable[Score]) -> Iterator[Check]:
    """Report a mean that has no target."""
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


def _report_dependence(counts: Tally) -> Iterator[Check]:
    """Report a share with its interval; the gate compares it case by case."""
    interval = counts.interval
    if interval is not None:
        said = _describe_share(counts.passed, counts, "rows")
        low, high = format_percent(interval.low), format_percent(interval.high)
        yield Check(
            check="measured evidence_dependence_rate",
            result=Status.PASS,
            why=f"{said} follow their evidence: between {low} and {high} "
            "(Wilson, 95 %, cases taken for independent).",
            metric="evidence_dependence",
            slice=ALL,
            counts=counts,
            interval=(interval.low, interval.high),
        )
