"""Cases of a run beside themselves in a baseline: by metric, slice and document.

A pair is a case that was judged on both sides. What abstained or did not apply on one
of them is no pair and is counted as lost, so that it is told and not averaged away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
        """How far it rose."""
        return self.now - self.then


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of a metric; `lost` cases were judged in the baseline alone."""

    pairs: tuple[Pair, ...]
    lost: int

    @property
    def changes(self) -> dict[str, float]:
        """The sum of the changes of each document, in the order of their names."""
        found: dict[str, float] = {}
        for each in sorted(self.pairs, key=lambda each: (each.document, each.case)):
            found[each.document] = found.get(each.document, 0.0) + each.change
        return found

    @property
    def sizes(self) -> dict[str, int]:
        """How many pairs each document has."""
        found: dict[str, int] = {}
        for each in self.pairs:
            found[each.document] = found.get(each.document, 0) + 1
        return found

    @property
    def before(self) -> float:
        """The mean in the baseline."""
        return sum(each.then for each in self.pairs) / len(self.pairs)

    @property
    def delta(self) -> float:
        """The mean change; 0 where nothing changed."""
        return sum(each.change for each in self.pairs) / len(self.pairs)


def pair(
    then: Iterable[Score], now: Iterable[Score], cases: Mapping[str, Case]
) -> Pairs:
    """Pair the scores of one metric, case by case.

    Args:
        then: of the baseline.
        now: of the run.
        cases: those that can be compared; others are left out.
    """
    before, after = judged(then), judged(now)
    both = [name for name in sorted(cases) if name in before and name in after]
    found = tuple(
        Pair(
            case=name,
            document=cluster(cases[name]),
            then=_mean(before[name]),
            now=_mean(after[name]),
            fell=_passed(before[name]) == len(before[name])
            and _passed(after[name]) == 0,
        )
        for name in both
    )
    lost = sum(name in cases and name not in after for name in before)
    return Pairs(found, lost)


def cluster(case: Case) -> str:
    """What rises and falls with a case: all of the document that it is about."""
    return case.document or f"case {case.id}"


def slices(cases: Mapping[str, Case]) -> Iterator[tuple[str, Mapping[str, Case]]]:
    """All cases, each suite and each slice, by name; one that repeats another is left
    out, so that nothing is tested twice."""
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


def judged(scores: Iterable[Score]) -> dict[str, list[Score]]:
    """The scores of each case that judged it; without them none did."""
    found: dict[str, list[Score]] = {}
    for score in scores:
        if score.result in _JUDGED:
            found.setdefault(score.case, []).append(score)
    return found


def measure(score: Score) -> float:
    """What a score counts for: 1 for a pass, for a failure the share that was right.

    An error counts as 0, and so does a failure in which every part was right: what
    failed then is something else.
    """
    if score.result is Result.PASS:
        return 1.0
    if score.result is Result.FAIL and score.value is not None and score.value < 1:
        return score.value
    return 0.0


def _mean(scores: Sequence[Score]) -> float:
    return sum(map(measure, scores)) / len(scores)


def _passed(scores: Sequence[Score]) -> int:
    return sum(score.result is Result.PASS for score in scores)
