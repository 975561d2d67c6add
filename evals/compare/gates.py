"""Compare what was judged now with the baseline: drops and new failures.

One test for each metric and slice finds broad drops: paired by case, signs flipped by
document, Holm over all of them. A slice of too few documents is reported and not
tested. A test that could not be significant whatever the signs of its changes is left
out of Holm's count; how large changes are does not depend on their signs, so this is
fair. Each case that passed in the baseline and fails now is reported beside the tests,
because a small set sees only large drops.

A pair is a case that was judged on both sides. A case that abstained or did not apply
on one of them is no pair and is counted as lost, so that it is reported and not
averaged away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress

from adapters.inert import many
from evals.compare.statistics import (
    ALPHA,
    choose_large,
    find_detectable,
    flip_signs,
    holm,
    interval_of_change,
)
from evals.compare.verdict import (
    Check,
    Status,
    Tally,
    count_cases,
    format_percent,
    list_names,
    sort_unique,
    tally,
)
from evals.forms import Case, Result, Score

ALL = "all"
_JUDGED = frozenset({Result.PASS, Result.FAIL, Result.ERROR})


@dataclass(frozen=True, slots=True)
class Pair:
    """A case judged on both sides: its mean there and here, and whether it fell.

    `fell` means that it passed every time and now passes not once.
    """

    case: str
    document: str
    then: float
    now: float
    fell: bool

    @property
    def change(self) -> float:
        """Return how far it rose."""
        return self.now - self.then


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of a metric; `lost` cases were judged in the baseline alone."""

    pairs: tuple[Pair, ...]
    lost: int

    @property
    def changes(self) -> dict[str, float]:
        """Sum the changes of each document, in the order of their names."""
        found: dict[str, float] = {}
        for each in sorted(self.pairs, key=lambda each: (each.document, each.case)):
            found[each.document] = found.get(each.document, 0.0) + each.change
        return found

    @property
    def sizes(self) -> dict[str, int]:
        """Count the pairs of each document."""
        found: dict[str, int] = {}
        for each in self.pairs:
            found[each.document] = found.get(each.document, 0) + 1
        return found

    @property
    def before(self) -> float:
        """Return the mean in the baseline."""
        return sum(each.then for each in self.pairs) / len(self.pairs)

    @property
    def delta(self) -> float:
        """Return the mean change; 0 where nothing changed."""
        return sum(each.change for each in self.pairs) / len(self.pairs)


def pair_scores(
    then: Iterable[Score], now: Iterable[Score], cases: Mapping[str, Case]
) -> Pairs:
    """Pair the scores of one metric, case by case.

    Args:
        then: of the baseline.
        now: of the run.
        cases: those that can be compared; others are left out.
    """
    before, after = group_judged(then), group_judged(now)
    both = [name for name in sorted(cases) if name in before and name in after]
    found = tuple(
        Pair(
            case=name,
            document=cluster(cases[name]),
            then=_average(before[name]),
            now=_average(after[name]),
            fell=_count_passed(before[name]) == len(before[name])
            and _count_passed(after[name]) == 0,
        )
        for name in both
    )
    lost = sum(name in cases and name not in after for name in before)
    return Pairs(found, lost)


def cluster(case: Case) -> str:
    """Name what the case rises and falls with: its document, else the case itself."""
    return case.document or f"case {case.id}"


def split_slices(cases: Mapping[str, Case]) -> Iterator[tuple[str, Mapping[str, Case]]]:
    """Yield all cases, each suite and each slice, by name.

    A group that repeats another is left out, so that nothing is tested twice.
    """
    groups: dict[str, dict[str, Case]] = {ALL: dict(cases)}
    for name, case in sorted(cases.items()):
        for group in (case.suite, *case.slices):
            if group:
                groups.setdefault(group, {})[name] = case
    seen: set[frozenset[str]] = set()
    for name in (ALL, *sorted(groups.keys() - {ALL})):
        held = frozenset(groups[name])
        if held and held not in seen:
            seen.add(held)
            yield name, groups[name]


def group_judged(scores: Iterable[Score]) -> dict[str, list[Score]]:
    """Group the scores by case; cases that were not judged are left out."""
    found: dict[str, list[Score]] = {}
    for score in scores:
        if score.result in _JUDGED:
            found.setdefault(score.case, []).append(score)
    return found


def measure(score: Score) -> float:
    """Return what a score counts for: 1 for a pass, the right share for a failure.

    An error counts as 0, and so does a failure in which every part was right: what
    failed then is something else.
    """
    if score.result is Result.PASS:
        return 1.0
    if score.result is Result.FAIL and score.value is not None and score.value < 1:
        return score.value
    return 0.0


def _average(scores: Sequence[Score]) -> float:
    return sum(map(measure, scores)) / len(scores)


def _count_passed(scores: Sequence[Score]) -> int:
    return sum(score.result is Result.PASS for score in scores)


# --- drops -----------------------------------------------------------------------

RENEW = "Is it meant? Store it: python -m evals oracle --pin"

ByMetric = Mapping[str, Sequence[Score]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A run and its baseline by metric; `cases` are those asked and judged the same."""

    now: ByMetric
    then: ByMetric
    cases: Mapping[str, Case]


def check_hard_failures(metric: str, sides: Compared) -> Check:
    """Check for cases that passed every time and now fail every time."""
    pairs = pair_scores(
        sides.then.get(metric, ()), sides.now.get(metric, ()), sides.cases
    )
    fallen = {each.case for each in pairs.pairs if each.fell}
    made = partial(Check, check=f"hard failures {metric}", metric=metric, slice=ALL)
    if not fallen:
        why = f"No case that passed {metric} in the baseline fails it now."
        return made(result=Status.PASS, why=why, pairs=len(pairs.pairs))
    why = f"{count_cases(fallen)} passed {metric} in the baseline and fail now: "
    why += f"{list_names(fallen)}."
    return made(
        result=Status.FAIL, why=why, pairs=len(pairs.pairs), cases=sort_unique(fallen)
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
        """Return a name that is unique in a run."""
        return f"{self.metric} in {self.slice}"

    @property
    def wanted(self) -> bool:
        """Tell whether there is a pair, or there should be one."""
        return bool(self.pairs.pairs) or (self.slice == ALL and self.before.counted > 0)


@dataclass(frozen=True, slots=True)
class _Chance:
    """The chances of a result without any change: `p` of a drop alone, the others after
    Holm."""

    p: float
    drop: float
    rise: float
    detects: float | None


def check_gates(metrics: Sequence[str], sides: Compared) -> Iterator[Check]:
    """Make a check for each metric and slice, tested together."""
    tests = [
        _Test(
            metric,
            name,
            pair_scores(
                _select(sides.then, metric, cases),
                _select(sides.now, metric, cases),
                cases,
            ),
            tally(_select(sides.now, metric, cases)),
            tally(_select(sides.then, metric, cases)),
        )
        for metric in metrics
        for name, cases in split_slices(sides.cases)
    ]
    tests = [test for test in tests if test.wanted]
    large = list(compress(tests, choose_large([len(t.pairs.changes) for t in tests])))
    flips = {
        test.name: flip_signs(list(test.pairs.changes.values()), test.name)
        for test in large
    }
    able = [name for name, flip in flips.items() if flip.least <= ALPHA]
    drops = dict(zip(able, holm([flips[n].drop for n in able]), strict=True))
    rises = dict(zip(able, holm([flips[n].rise for n in able]), strict=True))
    for test in tests:
        if test.name not in flips:
            yield _make_gate(test, None)
            continue
        chance = _Chance(
            p=flips[test.name].drop,
            drop=drops.get(test.name, 1.0),
            rise=rises.get(test.name, 1.0),
            detects=find_detectable(len(test.pairs.changes), len(large)),
        )
        yield _make_gate(test, chance)


def _select(by: ByMetric, metric: str, cases: Mapping[str, Case]) -> list[Score]:
    return [score for score in by.get(metric, ()) if score.case in cases]


def _make_gate(test: _Test, chance: _Chance | None) -> Check:
    """Make the check of one test; without a chance it is too small to be one."""
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
        why += f"(now {test.counts.describe()}). {RENEW}."
        return made(result=Status.INCONCLUSIVE, why=why)
    sizes = pairs.sizes
    interval = interval_of_change(
        list(pairs.changes.values()), [sizes[name] for name in pairs.changes]
    )
    return made(
        result=Status.FAIL if chance and chance.drop <= ALPHA else Status.PASS,
        why=_describe(test, chance),
        baseline=pairs.before,
        delta=pairs.delta,
        interval=(interval.low, interval.high) if interval else None,
        p=chance.p if chance else None,
        holm=chance.drop if chance else None,
        cases=sort_unique(each.case for each in pairs.pairs if each.change < 0),
    )


def _describe(test: _Test, chance: _Chance | None) -> str:
    """Describe what a comparison found, and what it could have found."""
    pairs, delta = test.pairs, test.pairs.delta
    moved = (
        f"from {format_percent(pairs.before)} to {format_percent(pairs.before + delta)}"
    )
    if chance and chance.drop <= ALPHA:
        said = f"{test.metric} fell {moved}; chance would do so with {chance.drop:.2g}"
    elif chance and chance.rise <= ALPHA:
        said = f"{test.metric} rose {moved}: look whether it still judges the same"
    elif delta:
        said = f"{test.metric} went {moved}, which chance would explain"
    else:
        said = f"{test.metric} is at {format_percent(pairs.before)}, as in the baseline"
    seen = "too few documents to test, so only single failures are seen"
    if chance and chance.detects is not None:
        seen = f"would see {format_percent(chance.detects)} of documents fall"
    lost = f", {pairs.lost} no longer judged" if pairs.lost else ""
    documents = many(len(pairs.changes), "document")
    held = f"{count_cases(pairs.pairs)} of {documents}{lost}"
    return f"{said}. {held}: {seen}; {test.counts.describe()}."
