"""Whether a judge may be believed: its verdicts against labels that people gave.

A judged metric gates only where a sealed part of the labels, never used to word its
prompt, shows that it tells right from wrong, and where it still judges its canaries as
it did. Rates that a judge gave are corrected for its known mistakes (Rogan and Gladen,
1978), with an interval (Lang and Reiczigel, 2014). Standard library alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

LEVEL = 0.95
LEAST = 30  # sealed labels of each kind, below which nothing is known of a judge
LOWEST_RATE = 0.8  # lower end of sensitivity and of specificity, for a gate
LOWEST_KAPPA = 0.6  # lower end of agreement beyond chance, for a gate

Part = Literal["open", "sealed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One thing that a person judged: a line of a labels file.

    Attributes:
        id: of the item, unique in its file.
        metric: which judged metric it is a label of.
        good: the person's verdict.
        part: "sealed" labels are never looked at while a judge is worded.
        by: who judged, and `why` in a sentence.
        canary: judged again in each run.
        case, claim, passages: what was judged, as the judge is shown it.
    """

    id: str
    metric: str
    good: bool
    part: Part
    by: str
    why: str
    canary: bool = False
    question: str = ""
    claim: str = ""
    passages: tuple[str, ...] = ()


class LabelsWrong(ValueError):
    """Labels that prove nothing; the message names the label and the fix."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its lower and upper end, at LEVEL."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Verdicts of a judge against those of people.

    A judge that gave no verdict, or none that could be read, is counted as wrong.
    """

    good_kept: int
    good_missed: int
    bad_caught: int
    bad_missed: int

    @property
    def good(self) -> int:
        return self.good_kept + self.good_missed

    @property
    def bad(self) -> int:
        return self.bad_caught + self.bad_missed

    @property
    def total(self) -> int:
        return self.good + self.bad


@dataclass(frozen=True, slots=True)
class Trust:
    """What is known of a judge on a part of the labels."""

    counts: Counts
    sensitivity: Interval
    specificity: Interval
    kappa: Interval


@dataclass(frozen=True, slots=True)
class Permit:
    """Whether a judged metric may gate, and why not."""

    granted: bool
    why: tuple[str, ...] = ()


# --- labels -----------------------------------------------------------------------


def checked(labels: Iterable[Label]) -> tuple[Label, ...]:
    """The labels, where they can prove something.

    Raises:
        LabelsWrong: there are none, an id stands there twice, or the same claim over
            the same passages is both open and sealed.
    """
    held = tuple(labels)
    if not held:
        raise LabelsWrong("there are no labels: label some answers first")
    seen: set[str] = set()
    parts: dict[tuple[str, str, tuple[str, ...]], Part] = {}
    for label in held:
        if label.id in seen:
            raise LabelsWrong(f"label {label.id} stands there twice: rename one")
        seen.add(label.id)
        what = (label.metric, label.claim, label.passages)
        if parts.setdefault(what, label.part) != label.part:
            raise LabelsWrong(f"label {label.id} is open and sealed: seal one part")
    return held


def compared(
    labels: Iterable[Label], verdicts: Mapping[str, bool | None], part: Part = "sealed"
) -> Counts:
    """Count a judge's verdicts, by label id, against a part of the labels.

    A label without a verdict counts as judged wrongly.
    """
    tally = {(good, right): 0 for good in (True, False) for right in (True, False)}
    for label in labels:
        if label.part == part:
            tally[label.good, verdicts.get(label.id) is label.good] += 1
    return Counts(
        good_kept=tally[True, True],
        good_missed=tally[True, False],
        bad_caught=tally[False, True],
        bad_missed=tally[False, False],
    )


# --- figures ----------------------------------------------------------------------


def trust(counts: Counts, level: float = LEVEL) -> Trust:
    """Sensitivity, specificity and kappa of a judge.

    Sensitivity is the share of good things that it calls good, specificity that of bad
    things that it calls bad.

    Raises:
        LabelsWrong: a kind has no labels: nothing can be said of it.
    """
    if not counts.good or not counts.bad:
        raise LabelsWrong("good and bad things have to be labelled, at least one each")
    return Trust(
        counts=counts,
        sensitivity=wilson(counts.good_kept, counts.good, level),
        specificity=wilson(counts.bad_caught, counts.bad, level),
        kappa=kappa(counts, level),
    )


def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """A share with its Wilson interval.

    Raises:
        LabelsWrong: there were no trials, or more successes than these.
    """
    if not 0 <= successes <= trials or not trials:
        raise LabelsWrong(f"{successes} of {trials} is no share")
    z = _z(level)
    share, squared = successes / trials, z * z
    middle = (share + squared / (2 * trials)) / (1 + squared / trials)
    spread = share * (1 - share) / trials + squared / (4 * trials * trials)
    half = z * sqrt(spread) / (1 + squared / trials)
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == trials else middle + half
    return Interval(share, max(0.0, low), min(1.0, high))


def kappa(counts: Counts, level: float = LEVEL) -> Interval:
    """Cohen's kappa with the interval of Fleiss, Cohen and Everitt (1969).

    0.0 where the judge says the same of everything: it agrees by chance alone.
    """
    n = counts.total
    cells = (
        (counts.good_kept / n, counts.good_missed / n),
        (counts.bad_missed / n, counts.bad_caught / n),
    )
    people = tuple(sum(row) for row in cells)
    judged = tuple(sum(column) for column in zip(*cells, strict=True))
    agreed = cells[0][0] + cells[1][1]
    chance = sum(p * j for p, j in zip(people, judged, strict=True))
    if chance >= 1.0:
        return Interval(0.0, 0.0, 0.0)
    value = (agreed - chance) / (1 - chance)
    diagonal = sum(
        cells[k][k] * (1 - (people[k] + judged[k]) * (1 - value)) ** 2 for k in (0, 1)
    )
    beside = sum(cells[i][1 - i] * (judged[i] + people[1 - i]) ** 2 for i in (0, 1))
    last = (value - chance * (1 - value)) ** 2
    variance = diagonal + (1 - value) ** 2 * beside - last
    half = _z(level) * sqrt(max(0.0, variance) / n) / (1 - chance)
    return Interval(value, max(-1.0, value - half), min(1.0, value + half))


def corrected(
    judged_good: int, judged: int, counts: Counts, level: float = LEVEL
) -> Interval | None:
    """The share of good things behind what a judge called good, with its interval.

    Rogan and Gladen's estimate, with the interval of Lang and Reiczigel, which takes in
    that sensitivity and specificity are estimates too. None where the judge is no
    better than a coin: nothing can be concluded from it.

    Args:
        judged_good: things that it called good.
        judged: things that it judged.
        counts: its verdicts on the sealed labels.

    Raises:
        LabelsWrong: nothing was judged, or a kind has no labels.
    """
    if not 0 <= judged_good <= judged or not judged or not counts.good * counts.bad:
        raise LabelsWrong("a rate needs judged things, and labels of both kinds")
    z = _z(level)
    squared = z * z
    n, share = judged + squared, (judged_good + squared / 2) / (judged + squared)
    sensitivity = (counts.good_kept + 1) / (counts.good + 2)
    specificity = (counts.bad_caught + 1) / (counts.bad + 2)
    better = sensitivity + specificity - 1
    value = _raw(judged_good / judged, counts)
    if better <= 0 or value is None:
        return None
    point = (share + specificity - 1) / better
    false, missed = counts.bad + 2, counts.good + 2
    at_bad = specificity * (1 - specificity) / false
    at_good = sensitivity * (1 - sensitivity) / missed
    shift = 2 * squared * (point * at_good - (1 - point) * at_bad)
    spread = share * (1 - share) / n + point**2 * at_good + (1 - point) ** 2 * at_bad
    half = z * sqrt(spread) / better
    low, high = (_share(point + shift + side * half) for side in (-1, 1))
    return Interval(min(max(value, low), high), low, high)


def _raw(share: float, counts: Counts) -> float | None:
    """The plain estimate, cut to a share; None for a judge that is no better."""
    sensitivity = counts.good_kept / counts.good
    specificity = counts.bad_caught / counts.bad
    better = sensitivity + specificity - 1
    return _share((share + specificity - 1) / better) if better > 0 else None


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


# --- whether it may gate ----------------------------------------------------------


def permit(labels: Sequence[Label], verdicts: Mapping[str, bool | None]) -> Permit:
    """Whether the labels of a metric let its judge gate; every reason why not.

    Args:
        labels: of one metric.
        verdicts: of the judge in this run, by label id; None where it gave none.
    """
    counts = compared(labels, verdicts)
    why = [
        f"{found} sealed labels of {kind} things, {LEAST} are needed"
        for kind, found in (("good", counts.good), ("bad", counts.bad))
        if found < LEAST
    ]
    if counts.good and counts.bad:
        known = trust(counts)
        why += _weak("sensitivity", known.sensitivity, LOWEST_RATE)
        why += _weak("specificity", known.specificity, LOWEST_RATE)
        why += _weak("kappa", known.kappa, LOWEST_KAPPA)
    canaries = [label for label in labels if label.canary]
    if not canaries:
        why.append("there is no canary: mark some labels that it judges rightly")
    why += [
        f"canary {label.id} is judged otherwise"
        for label in drifted(canaries, verdicts)
    ]
    return Permit(not why, tuple(why))


def _weak(what: str, found: Interval, lowest: float) -> list[str]:
    if found.low >= lowest:
        return []
    return [f"{what} {found.value:.2f}, from {found.low:.2f}; {lowest} is needed"]


def drifted(
    labels: Iterable[Label], verdicts: Mapping[str, bool | None]
) -> tuple[Label, ...]:
    """The canaries that a judge no longer judges as they are labelled.

    One drifted canary takes the judge out of every gate until somebody has looked.
    """
    return tuple(
        label
        for label in labels
        if label.canary and verdicts.get(label.id) is not label.good
    )
