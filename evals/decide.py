"""Scores and a baseline in, a verdict out: may this go out, and why not (R-E3).

Two guards stand beside zero tolerance for invariants. One test a metric and slice finds
broad drops: paired by case, signs flipped by document, Holm over all of them. A test
that could not have reached significance, whatever the signs of its changes, is left out
of Holm's count; sizes of changes do not depend on their signs, so that is fair. The
other guard names each case that passed in the baseline and fails now, because a small
set sees only large drops. Where cases are repeated, such a case has to fail every time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from engine.errors import UsageError
from evals.forms import Case, Json, Result, Score, Weight
from evals.pairing import ALL, Pairs, pair, slices
from evals.statistics import (
    ALPHA,
    bound_of_zero,
    detectable,
    flip_signs,
    holm,
    interval_of_change,
)
from evals.verdict import Check, Status, Tally, Verdict, tally

SCORE = "Score the run again: python -m evals score"
RENEW = "Renew the baseline: python -m evals baseline renew --pack PACK --reason …"
RESCORE = "Score the baseline anew: python -m evals baseline rescore --pack PACK"
METRIC_CODE = "metrics"  # the manifest's field: the hash of each metric's code
NAMED = 5  # cases in a sentence; the check holds all of them

# What of a case decides how it is answered and judged.
_ASKED = (
    "question",
    "expected",
    "previous",
    "selection",
    "as_of",
    "tags",
    "changes",
    "original",
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A run that was scored: its cases by id, its scores and what it was made from."""

    cases: Mapping[str, Case]
    scores: Sequence[Score]
    manifest: Json


@dataclass(frozen=True, slots=True)
class _Sides:
    """A run beside its baseline, by metric; `fair` are the cases that can be paired."""

    run: Scored
    now: Mapping[str, Sequence[Score]]
    then: Mapping[str, Sequence[Score]]
    fair: Mapping[str, Case]
    weights: Mapping[str, Weight]

    def weighing(self, *wanted: Weight) -> list[str]:
        """The metrics of these weights, by name."""
        return sorted(name for name, each in self.weights.items() if each in wanted)


def decide(
    run: Scored, baseline: Scored | None, weights: Mapping[str, Weight]
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
    _refuse(run, "the run", weights)
    if baseline is not None:
        _refuse(baseline, "the baseline", weights)
    sides = _sides(run, baseline, weights)
    checks = [_complete(sides), *_comparable(run, baseline, weights), _errors(sides)]
    checks += [_invariant(name, sides) for name in sides.weighing("invariant")]
    if baseline is not None:
        changed = _recoded(run, baseline, weights)
        gates = [name for name in sides.weighing("gate") if name not in changed]
        checks += [_hard(name, sides) for name in gates]
        checks += _gates(gates, sides)
    checks += [_advice(name, sides) for name in sides.weighing("advice")]
    return Verdict(tuple(checks))


def _refuse(side: Scored, named: str, weights: Mapping[str, Weight]) -> None:
    if not weights:
        raise UsageError("there is no metric: see evals/metrics/catalogue.py")
    if not side.cases or not side.scores:
        raise UsageError(f"{named} holds no case that was scored: record and score it")
    seen: set[tuple[str, int, str]] = set()
    for score in side.scores:
        place = (score.case, score.repeat, score.metric)
        if place in seen:
            raise UsageError(f"{named} scores {score.case} twice on {score.metric}")
        seen.add(place)
        if score.case not in side.cases:
            raise UsageError(f"{named} scores {score.case}, which is none of its cases")


def _sides(
    run: Scored, baseline: Scored | None, weights: Mapping[str, Weight]
) -> _Sides:
    then = baseline.scores if baseline else ()
    held = baseline.cases if baseline else {}
    fair = {
        name: case
        for name, case in run.cases.items()
        if name in held and not _edited(case, held[name])
    }
    return _Sides(run, _by_metric(run.scores), _by_metric(then), fair, weights)


def _by_metric(scores: Iterable[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.metric, []).append(score)
    return found


# --- whether anything can be said -------------------------------------------------


def _complete(sides: _Sides) -> Check:
    """Every case was scored on every metric, as often as any."""
    times = {(score.case, score.repeat) for score in sides.run.scores}
    often = 1 + max(repeat for _, repeat in times)
    wanted = {(name, repeat) for name in sides.run.cases for repeat in range(often)}
    short: set[str] = set()
    for metric in sides.weights:
        found = {(score.case, score.repeat) for score in sides.now.get(metric, ())}
        short |= {name for name, _ in wanted - found}
    if short:
        return _open("complete", "Cases that lack a score", short, SCORE)
    rows = len(wanted)
    why = f"Every metric judged all {rows} rows of {len(sides.run.cases)} cases."
    return Check(check="complete", result=Status.PASS, why=why)


def _comparable(
    run: Scored, baseline: Scored | None, weights: Mapping[str, Weight]
) -> Iterator[Check]:
    """The run and its baseline asked and judged the same."""
    if baseline is None:
        why = f"There is no baseline to compare with. {RENEW}."
        yield Check(check="comparable", result=Status.INCONCLUSIVE, why=why)
        return
    checked = partial(_open, "comparable")
    lost = baseline.cases.keys() - run.cases.keys()
    if lost:
        yield checked("Cases of the baseline that were not run", lost, RENEW)
    new = run.cases.keys() - baseline.cases.keys()
    if new:
        yield checked("Cases that the baseline does not have", new, RENEW)
    both = run.cases.keys() & baseline.cases.keys()
    edited = {n for n in both if _edited(run.cases[n], baseline.cases[n])}
    if edited:
        yield checked("Cases that were edited since the baseline", edited, RENEW)
    changed = _recoded(run, baseline, weights)
    if changed:
        named = _named(changed)
        why = f"The code of {named} has changed since the baseline. {RESCORE}."
        yield Check(check="comparable", result=Status.INCONCLUSIVE, why=why)
    elif not (lost or new or edited):
        why = f"All {len(both)} cases were asked and judged as in the baseline."
        yield Check(check="comparable", result=Status.PASS, why=why)


def _edited(one: Case, other: Case) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in _ASKED)


def _recoded(
    run: Scored, baseline: Scored, weights: Mapping[str, Weight]
) -> frozenset[str]:
    """The metrics that gate and whose code is not the baseline's, or is not known."""
    now, then = (side.manifest.get(METRIC_CODE, {}) for side in (run, baseline))
    return frozenset(
        name
        for name, weight in weights.items()
        if weight != "advice" and (now.get(name) is None or now[name] != then.get(name))
    )


def _errors(sides: _Sides) -> Check:
    """Rows that could not be judged now, and could in the baseline."""
    metrics = sides.weighing("invariant", "gate")
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
    why = f"{_cases(new)} could not be run or judged: {_named(new)}; {counts.said()}."
    return Check(
        check="errors", result=Status.FAIL, why=why, counts=counts, cases=_sorted(new)
    )


# --- zero tolerance ---------------------------------------------------------------


def _invariant(metric: str, sides: _Sides) -> Check:
    scores = sides.now.get(metric, ())
    counts = tally(scores)
    broken = {s.case for s in scores if s.result in (Result.FAIL, Result.ERROR)}
    judged = {s.case for s in scores if s.result is Result.PASS} - broken
    made = partial(
        Check,
        check=f"invariant {metric}",
        metric=metric,
        slice=ALL,
        counts=counts,
        cases=_sorted(broken),
    )
    if broken:
        why = f"{metric} must never fail and failed in {_cases(broken)}: "
        why += f"{_named(broken)}; {counts.said()}."
        return made(result=Status.FAIL, why=why)
    if not counts.counted:
        why = f"{metric} judged no row ({counts.said()})"
        if tally(sides.then.get(metric, ())).counted:
            why += "; in the baseline it did, so nothing is known of it."
            return made(result=Status.INCONCLUSIVE, why=why)
        return made(result=Status.PASS, why=f"{why}: no case asks for it.", bound=1.0)
    bound = bound_of_zero(len(judged))
    why = f"{metric} failed in none of {_cases(judged)}, so in at most "
    why += f"{_percent(bound)} of such questions (at 95 %); {counts.said()}."
    return made(result=Status.PASS, why=why, bound=bound)


# --- against the baseline ---------------------------------------------------------


def _hard(metric: str, sides: _Sides) -> Check:
    """Cases that passed every time and now fail every time."""
    pairs = pair(sides.then.get(metric, ()), sides.now.get(metric, ()), sides.fair)
    fallen = {each.case for each in pairs.pairs if each.fell}
    made = partial(Check, check=f"hard failures {metric}", metric=metric, slice=ALL)
    if not fallen:
        why = f"No case that passed {metric} in the baseline fails it now."
        return made(result=Status.PASS, why=why, pairs=len(pairs.pairs))
    why = f"{_cases(fallen)} passed {metric} in the baseline and fail now: "
    why += f"{_named(fallen)}."
    return made(
        result=Status.FAIL, why=why, pairs=len(pairs.pairs), cases=_sorted(fallen)
    )


@dataclass(frozen=True, slots=True)
class _Test:
    """One metric on one slice, before and after Holm."""

    metric: str
    slice: str
    pairs: Pairs
    counts: Tally
    before: Tally


def _gates(metrics: Sequence[str], sides: _Sides) -> Iterator[Check]:
    """A check for each metric and slice, tested together."""
    tests = [
        _Test(
            metric,
            name,
            pair(_of(sides.then, metric, cases), _of(sides.now, metric, cases), cases),
            tally(_of(sides.now, metric, cases)),
            tally(_of(sides.then, metric, cases)),
        )
        for metric in metrics
        for name, cases in slices(sides.fair)
    ]
    tests = [test for test in tests if test.counts.counted or test.before.counted]
    flips = [
        flip_signs(list(test.pairs.changes.values()), f"{test.metric} {test.slice}")
        for test in tests
    ]
    able = [at for at, each in enumerate(flips) if each.least <= ALPHA]
    drops = dict(zip(able, holm([flips[at].drop for at in able]), strict=True))
    rises = dict(zip(able, holm([flips[at].rise for at in able]), strict=True))
    for at, test in enumerate(tests):
        told = (flips[at].drop, drops.get(at, 1.0), rises.get(at, 1.0))
        yield _gate(test, told, detectable(len(test.pairs.changes), len(tests)))


def _of(
    scores: Mapping[str, Sequence[Score]], metric: str, cases: Mapping[str, Case]
) -> list[Score]:
    return [score for score in scores.get(metric, ()) if score.case in cases]


def _gate(
    test: _Test, told: tuple[float, float, float], detects: float | None
) -> Check:
    p, drop, rise = told
    pairs = test.pairs
    made = partial(
        Check,
        check=f"gate {test.metric} in {test.slice}",
        metric=test.metric,
        slice=test.slice,
        counts=test.counts,
        pairs=len(pairs.pairs),
        documents=len(pairs.changes),
        detects=detects,
    )
    if not pairs.pairs:
        why = f"{test.metric} judged no case both now and in the baseline "
        why += f"(now {test.counts.said()}). {RENEW}."
        return made(result=Status.INCONCLUSIVE, why=why)
    sizes = pairs.sizes
    interval = interval_of_change(
        list(pairs.changes.values()), [sizes[name] for name in pairs.changes]
    )
    return made(
        result=Status.FAIL if drop <= ALPHA else Status.PASS,
        why=_told(test, drop, rise, detects),
        baseline=pairs.before,
        delta=pairs.delta,
        interval=(interval.low, interval.high) if interval else None,
        p=p,
        holm=drop,
        cases=_sorted(each.case for each in pairs.pairs if each.change < 0),
    )


def _told(test: _Test, drop: float, rise: float, detects: float | None) -> str:
    """What a comparison found, and what it could have found."""
    pairs, delta = test.pairs, test.pairs.delta
    moved = f"from {_percent(pairs.before)} to {_percent(pairs.before + delta)}"
    if drop <= ALPHA:
        said = (
            f"{test.metric} fell {moved}; chance does not explain it (Holm {drop:.2g})"
        )
    elif rise <= ALPHA:
        said = f"{test.metric} rose {moved}: look whether it still judges the same"
    elif delta:
        said = f"{test.metric} went {moved}, which chance would explain"
    else:
        said = f"{test.metric} is at {_percent(pairs.before)}, as in the baseline"
    seen = (
        "too few documents to see any drop, single failures apart"
        if detects is None
        else f"would see {_percent(detects)} of documents fall"
    )
    lost = f", {pairs.lost} no longer judged" if pairs.lost else ""
    held = f"{_cases(pairs.pairs)} of {len(pairs.changes)} documents{lost}"
    return f"{said}. {held}: {seen}; {test.counts.said()}."


def _advice(metric: str, sides: _Sides) -> Check:
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


# --- sentences --------------------------------------------------------------------


def _open(check: str, what: str, cases: Iterable[str], do: str) -> Check:
    named = _sorted(cases)
    why = f"{what}: {_named(named)}. {do}."
    return Check(check=check, result=Status.INCONCLUSIVE, why=why, cases=named)


def _cases(cases: Sequence[object] | set[str]) -> str:
    return "1 case" if len(cases) == 1 else f"{len(cases)} cases"


def _named(names: Iterable[str]) -> str:
    found = _sorted(names)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
