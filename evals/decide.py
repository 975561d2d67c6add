"""Scores and a baseline in, a verdict out: may this go out, and why not (R-E3).

Invariants have no tolerance. Gates are compared (deciding/comparison.py). What cannot
be compared keeps the verdict open, and an open verdict is never green. Advice is told.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.model.errors import UsageError
from evals.cases import adversarial, counterfactual
from evals.deciding.comparison import RENEW, Compared, gates, hard_failures
from evals.deciding.pairing import ALL
from evals.deciding.sentences import cases as many
from evals.deciding.sentences import named, percent, unique
from evals.deciding.statistics import bound_of_zero
from evals.deciding.targets import measured
from evals.deciding.verdict import Check, Status, Verdict, tally
from evals.forms import Case, Json, Result, Score, Weight
from evals.kept import asked

SCORE = "Score the run again: python -m evals score RUN"
AGAIN = "Record again when the provider answers: python -m evals record"
SCORING = "scoring"  # the manifest's field on the metrics: their code, their mutants

# How the names of suites begin whose cases are made from answers (R-E6, R-E7), of any
# corpus and day: other answers, other cases.
GENERATED = (counterfactual.NAME, adversarial.NAME)

WRONG = frozenset({Result.FAIL, Result.ERROR})


@dataclass(frozen=True, slots=True)
class Scored:
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
class Held:
    """What is stored of a run to compare others with.

    Attributes:
        asked: a hash of each case, by id (evals/kept.py).
        made: cases that were made from answers.
    """

    asked: Mapping[str, str]
    made: frozenset[str]
    scores: Sequence[Score]
    manifest: Json


def decide(
    run: Scored, baseline: Held | None, weights: Mapping[str, Weight]
) -> Verdict:
    """Decide whether what was run may go out.

    Args:
        run: what is to be released.
        baseline: the committed one; without it nothing can be compared, and the verdict
            is at best inconclusive.
        weights: of every metric.

    Raises:
        UsageError: there is no case or no metric, or a score stands twice.
    """
    _refuse("the run", run.cases.keys(), run.scores, weights)
    if baseline is not None:
        _refuse("the baseline", baseline.asked.keys(), baseline.scores, weights)
    metrics = partial(_weighing, weights)
    sides = _sides(run, baseline)
    checks = [
        _complete(run, weights),
        *_heard(run),
        _mutants(run),
        *_repeats(run, metrics("invariant", "gate")),
        *_comparable(run, baseline, sides, metrics("gate")),
        _errors(metrics("invariant", "gate"), sides),
        *(_invariant(name, sides) for name in metrics("invariant")),
    ]
    if baseline is not None and not _recoded(run, baseline):
        checks += [hard_failures(name, sides) for name in metrics("gate")]
        checks += gates(metrics("gate"), sides)
    checks += _unshown(metrics("gate"), sides)
    checks += measured(sides.now, run.claims)
    checks += [_advice(name, sides) for name in metrics("advice")]
    return Verdict(tuple(checks))


def _weighing(weights: Mapping[str, Weight], *wanted: Weight) -> list[str]:
    return sorted(name for name, each in weights.items() if each in wanted)


def _refuse(
    named: str,
    cases: Collection[str],
    scores: Sequence[Score],
    weights: Mapping[str, Weight],
) -> None:
    if not weights:
        raise UsageError("there is no metric: see evals/metrics/catalogue.py")
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


def _sides(run: Scored, baseline: Held | None) -> Compared:
    then = baseline.scores if baseline else ()
    held = baseline.asked if baseline else {}
    fair = {
        name: case
        for name, case in run.cases.items()
        if name in held and (_generated(case) or asked(case) == held[name])
    }
    return Compared(_by_metric(run.scores), _by_metric(then), fair)


def _by_metric(scores: Iterable[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.metric, []).append(score)
    return found


# --- whether anything can be said -------------------------------------------------


def _complete(run: Scored, weights: Mapping[str, Weight]) -> Check:
    """Every case was scored on every metric, as often as any."""
    times = {(score.case, score.repeat) for score in run.scores}
    often = 1 + max(repeat for _, repeat in times)
    wanted = {(name, repeat) for name in run.cases for repeat in range(often)}
    short: set[str] = set()
    scores = _by_metric(run.scores)
    for metric in weights:
        found = {(score.case, score.repeat) for score in scores.get(metric, ())}
        short |= {name for name, _ in wanted - found}
    if short:
        return _open("complete", "Cases that lack a score", short, SCORE)
    rows = len(wanted)
    why = f"Every metric judged all {rows} rows of {len(run.cases)} cases."
    return Check(check="complete", result=Status.PASS, why=why)


def _heard(run: Scored) -> Iterator[Check]:
    """Answers that a model had no part in say nothing of it, and score well."""
    if run.unheard:
        rows = len({(score.case, score.repeat) for score in run.scores})
        what = f"The model was not heard on {len(run.unheard)} of {rows} rows"
        yield _open("heard", what, run.unheard, AGAIN)


def _mutants(run: Scored) -> Check:
    """Every metric sees through the wrong answers that it is tested with."""
    killed = run.manifest.get(SCORING, {}).get("mutation", {})
    blind = {name for name, share in killed.items() if share < 1}
    if blind:
        why = f"Wrong answers pass {named(blind)}: mend the metric."
        return Check(check="mutants", result=Status.INCONCLUSIVE, why=why)
    why = f"{len(killed)} metrics saw through every wrong answer made to test them."
    return Check(check="mutants", result=Status.PASS, why=why)


def _repeats(run: Scored, metrics: Sequence[str]) -> Iterator[Check]:
    """Of cases asked more than once: how many hold every time, and which flip."""
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
    why += f"{many(flipped)} came out differently"
    why += f": {named(flipped)}." if flipped else "."
    held = unique(flipped)
    yield Check(check="repeats", result=Status.PASS, why=why, cases=held)


def _comparable(
    run: Scored, baseline: Held | None, sides: Compared, metrics: Sequence[str]
) -> Iterator[Check]:
    """The run and its baseline asked and judged the same."""
    checked = partial(Check, check="comparable")
    if baseline is None:
        why = f"There is no baseline to compare with. {RENEW}."
        yield checked(result=Status.INCONCLUSIVE, why=why)
        return
    unlike = [
        _open("comparable", what, found, RENEW)
        for what, found in _unlike(run, baseline, sides, metrics)
        if found
    ]
    yield from unlike
    if _recoded(run, baseline):
        why = f"The code of the metrics has changed since the baseline. {RENEW}."
        yield checked(result=Status.INCONCLUSIVE, why=why)
    elif not unlike:
        why = f"{many(sides.cases)} were asked and judged as in the baseline."
        yield checked(result=Status.PASS, why=why)


def _unlike(
    run: Scored, baseline: Held, sides: Compared, metrics: Sequence[str]
) -> Iterator[tuple[str, set[str]]]:
    """What stands in the way of a comparison, with the cases that do.

    Cases that are made from answers come, go and change with them. They are compared by
    their names, and a new one stands in the way only where it fails.
    """
    now = {n: asked(case) for n, case in run.cases.items() if not _generated(case)}
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


def _generated(case: Case) -> bool:
    return case.suite.startswith(GENERATED)


def _recoded(run: Scored, baseline: Held) -> bool:
    """Whether metrics judged with other code, or nobody knows with which."""
    now, then = (side.manifest.get(SCORING, {}).get("code") for side in (run, baseline))
    return now is None or now != then


def _errors(metrics: Sequence[str], sides: Compared) -> Check:
    """Rows that could not be judged now, and could in the baseline."""
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
        why = f"No new errors: {counts.said()}."
        return Check(check="errors", result=Status.PASS, why=why, counts=counts)
    why = f"{many(new)} could not be run or judged: {named(new)}; {counts.said()}."
    return Check(
        check="errors", result=Status.FAIL, why=why, counts=counts, cases=unique(new)
    )


# --- zero tolerance ---------------------------------------------------------------


def _invariant(metric: str, sides: Compared) -> Check:
    scores = sides.now.get(metric, ())
    counts = tally(scores)
    broken = {s.case for s in scores if s.result in WRONG}
    judged = {s.case for s in scores if s.result is Result.PASS} - broken
    made = partial(
        Check,
        check=f"invariant {metric}",
        metric=metric,
        slice=ALL,
        counts=counts,
        cases=unique(broken),
        required=True,
    )
    if broken:
        why = f"{metric} must never fail and failed in {many(broken)}: "
        why += f"{named(broken)}; {counts.said()}."
        return made(result=Status.FAIL, why=why)
    if not counts.counted:
        why = f"{metric} judged none of {counts.total} rows, so nothing shows it."
        return made(result=Status.NOT_SHOWN, why=why)
    bound = bound_of_zero(len(judged))
    why = f"{metric} failed in none of {many(judged)}, so in at most "
    why += f"{percent(bound)} of such questions (at 95 %); {counts.said()}."
    return made(result=Status.PASS, why=why, bound=bound)


def _unshown(metrics: Sequence[str], sides: Compared) -> Iterator[Check]:
    """Gates of which these suites ask nothing, now as in the baseline."""
    for metric in metrics:
        counts = tally(sides.now.get(metric, ()))
        if not counts.counted and not tally(sides.then.get(metric, ())).counted:
            yield Check(
                check=f"gate {metric}",
                result=Status.NOT_SHOWN,
                why=f"None of {counts.total} rows asks for what {metric} judges.",
                metric=metric,
                slice=ALL,
                counts=counts,
            )


# --- told, not decided on ---------------------------------------------------------


def _advice(metric: str, sides: Compared) -> Check:
    counts = tally(sides.now.get(metric, ()))
    why = f"{metric} advises and decides nothing: {counts.said()}."
    return Check(
        check=f"advice {metric}",
        result=Status.PASS,
        why=why,
        metric=metric,
        slice=ALL,
        counts=counts,
    )


def _open(check: str, what: str, cases: Iterable[str], do: str) -> Check:
    why = f"{what}: {named(cases)}. {do}."
    found = unique(cases)
    return Check(check=check, result=Status.INCONCLUSIVE, why=why, cases=found)
