"""What was judged now beside what was judged in the baseline: drops and new failures.

One test a metric and slice finds broad drops: paired by case, signs flipped by
document, Holm over all of them. A slice of too few documents is told and not tested. Of
the tests, one that could not be significant whatever the signs of its changes is left
out of Holm's count; how large changes are does not depend on their signs, so that is
fair. Beside them stands each case that passed in the baseline and fails now, because a
small set sees only large drops.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress

from adapters.inert import many as counted
from evals.deciding.pairing import ALL, Pairs, pair, slices
from evals.deciding.sentences import cases as many
from evals.deciding.sentences import named, percent, unique
from evals.deciding.statistics import (
    ALPHA,
    detectable,
    flip_signs,
    holm,
    interval_of_change,
    large_enough,
)
from evals.deciding.verdict import Check, Status, Tally, tally
from evals.forms import Case, Score

RENEW = "Is it meant? Store it: python -m evals oracle --pin"

ByMetric = Mapping[str, Sequence[Score]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A run and its baseline by metric; `cases` are those asked and judged the same."""

    now: ByMetric
    then: ByMetric
    cases: Mapping[str, Case]


def hard_failures(metric: str, sides: Compared) -> Check:
    """Cases that passed every time and now fail every time."""
    pairs = pair(sides.then.get(metric, ()), sides.now.get(metric, ()), sides.cases)
    fallen = {each.case for each in pairs.pairs if each.fell}
    made = partial(Check, check=f"hard failures {metric}", metric=metric, slice=ALL)
    if not fallen:
        why = f"No case that passed {metric} in the baseline fails it now."
        return made(result=Status.PASS, why=why, pairs=len(pairs.pairs))
    why = f"{many(fallen)} passed {metric} in the baseline and fail now: "
    why += f"{named(fallen)}."
    return made(
        result=Status.FAIL, why=why, pairs=len(pairs.pairs), cases=unique(fallen)
    )


@dataclass(frozen=True, slots=True)
class _Test:
    """One metric on one slice, before and after Holm."""

    metric: str
    slice: str
    pairs: Pairs
    counts: Tally
    before: Tally

    @property
    def name(self) -> str:
        """What it is of, unique in a run."""
        return f"{self.metric} in {self.slice}"

    @property
    def told(self) -> bool:
        """Whether there is a pair, or there should be one."""
        return bool(self.pairs.pairs) or (self.slice == ALL and self.before.counted > 0)


@dataclass(frozen=True, slots=True)
class _Chance:
    """What chance would do: `p` of a drop alone, the others after Holm."""

    p: float
    drop: float
    rise: float
    detects: float | None


def gates(metrics: Sequence[str], sides: Compared) -> Iterator[Check]:
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
        for name, cases in slices(sides.cases)
    ]
    tests = [test for test in tests if test.told]
    large = list(compress(tests, large_enough([len(t.pairs.changes) for t in tests])))
    flips = {
        test.name: flip_signs(list(test.pairs.changes.values()), test.name)
        for test in large
    }
    able = [name for name, flip in flips.items() if flip.least <= ALPHA]
    drops = dict(zip(able, holm([flips[n].drop for n in able]), strict=True))
    rises = dict(zip(able, holm([flips[n].rise for n in able]), strict=True))
    for test in tests:
        if test.name not in flips:
            yield _gate(test, None)
            continue
        chance = _Chance(
            p=flips[test.name].drop,
            drop=drops.get(test.name, 1.0),
            rise=rises.get(test.name, 1.0),
            detects=detectable(len(test.pairs.changes), len(large)),
        )
        yield _gate(test, chance)


def _of(by: ByMetric, metric: str, cases: Mapping[str, Case]) -> list[Score]:
    return [score for score in by.get(metric, ()) if score.case in cases]


def _gate(test: _Test, chance: _Chance | None) -> Check:
    """The check of one test; without a chance it is too small to be one."""
    pairs = test.pairs
    made = partial(
        Check,
        check=f"gate {test.name}",
        metric=test.metric,
        slice=test.slice,
        counts=test.counts,
        pairs=len(pairs.pairs),
        documents=len(pairs.changes),
        detects=chance.detects if chance else None,
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
        result=Status.FAIL if chance and chance.drop <= ALPHA else Status.PASS,
        why=_told(test, chance),
        baseline=pairs.before,
        delta=pairs.delta,
        interval=(interval.low, interval.high) if interval else None,
        p=chance.p if chance else None,
        holm=chance.drop if chance else None,
        cases=unique(each.case for each in pairs.pairs if each.change < 0),
    )


def _told(test: _Test, chance: _Chance | None) -> str:
    """What a comparison found, and what it could have found."""
    pairs, delta = test.pairs, test.pairs.delta
    moved = f"from {percent(pairs.before)} to {percent(pairs.before + delta)}"
    if chance and chance.drop <= ALPHA:
        said = f"{test.metric} fell {moved}; chance would do so with {chance.drop:.2g}"
    elif chance and chance.rise <= ALPHA:
        said = f"{test.metric} rose {moved}: look whether it still judges the same"
    elif delta:
        said = f"{test.metric} went {moved}, which chance would explain"
    else:
        said = f"{test.metric} is at {percent(pairs.before)}, as in the baseline"
    seen = "too few documents to test, so only single failures are seen"
    if chance and chance.detects is not None:
        seen = f"would see {percent(chance.detects)} of documents fall"
    lost = f", {pairs.lost} no longer judged" if pairs.lost else ""
    documents = counted(len(pairs.changes), "document")
    held = f"{many(pairs.pairs)} of {documents}{lost}"
    return f"{said}. {held}: {seen}; {test.counts.said()}."
