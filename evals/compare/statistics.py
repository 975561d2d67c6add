"""The statistics that a verdict rests on: exact where they can be, else seeded.

Why these: questions about one document rise and fall together, so a test that takes
cases for independent sounds too many alarms (research: 14 to 26 % instead of 5 %).
Signs are flipped by document instead. A bot that has not changed changes nothing, so
every p is then 1 and a run of it is never red.
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

ALPHA = 0.05  # false alarms in all checks of a run together
POWER = 0.80  # of the smallest effect that is said to be seen
CONFIDENCE = 0.95
DRAWS = 9_999  # sign flips where all of them are too many
LARGEST = 50_000  # distinct sums up to which all sign flips are counted
GRAIN = 630_000  # steps of 1: four digits, and means of up to ten repeats, are whole
FEWEST = 4  # documents from which an interval means something


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, at 95 %."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Flips:
    """The result of flipping signs of a sum of changes.

    Attributes:
        drop: share of the flips whose sum is as low as the one seen, or lower.
        rise: the same towards higher.
        least: the smallest `drop` that changes of these sizes could have given.
        exact: whether all flips were counted; else a seeded sample of them.
    """

    drop: float
    rise: float
    least: float
    exact: bool


def wilson(passed: int, of: int) -> Interval | None:
    """Compute Wilson's interval of a rate; None of nothing."""
    if of == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    share = passed / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    wide = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    wide /= 1 + z * z / of
    return Interval(max(0.0, middle - wide), min(1.0, middle + wide))


def bound_of_zero(of: int) -> float:
    """Return the highest rate that zero failures of so many leave likely, at 95 %.

    About 3 / n, the rule of three: 0.0099 of 300. Of none it is 1.
    """
    return 1.0 if of == 0 else 1.0 - (1.0 - CONFIDENCE) ** (1.0 / of)


def flip_signs(changes: Sequence[float], seed: str) -> Flips:
    """Test whether changes lean to one side, were each as likely up as down.

    Args:
        changes: the sum of the changes of each document; only those that are not zero
            say anything.
        seed: of the sample that is drawn where the flips are too many to count; the
            same seed gives the same result.
    """
    steps = [whole for whole in (round(each * GRAIN) for each in changes) if whole]
    if not steps:
        return Flips(1.0, 1.0, 1.0, True)
    seen, least = sum(steps), 0.5 ** len(steps)
    counted = _count_sums([abs(step) for step in steps])
    if counted is None:
        return _sample_flips(steps, seed)
    of = 2 ** len(steps)
    low = sum(count for total, count in counted.items() if total <= seen)
    high = sum(count for total, count in counted.items() if total >= seen)
    return Flips(low / of, high / of, least, True)


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p values by Holm's method, in the order given."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted = [1.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, values[at] * (len(values) - rank)))
        adjusted[at] = highest
    return adjusted


def choose_large(documents: Sequence[int]) -> list[bool]:
    """Choose which of the wanted tests are made.

    A test of few documents can never be significant beside many others, whatever it
    finds, and would only make theirs weaker. So those of so many documents or more are
    made that all of them can be significant side by side. Sizes are known before
    anything is looked at.

    Args:
        documents: how many documents each wanted test has.
    """
    for least in sorted(set(documents)):
        large = [size >= least for size in documents]
        if count_needed(sum(large)) <= least:
            return large
    return [False] * len(documents)


def count_needed(tests: int) -> int:
    """Count the documents that must fall to be significant among so many tests."""
    return math.ceil(math.log2(max(1, tests) / ALPHA) - 1e-12)


def find_detectable(documents: int, tests: int) -> float | None:
    """Find the smallest share of documents whose fall would be seen, at 80 % power.

    A document falls as a whole and the others stay as they are, which is the careful
    reading of "these cases move together". Holm's first step is the hardest, so this
    share is seen even where nothing else has changed.

    Args:
        documents: how many the set has.
        tests: how many are made together; see `large_enough`.

    Returns:
        None where even the fall of all of them would not be significant.
    """
    fallen = count_needed(tests)
    if documents < fallen:
        return None
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if _chance_of_at_least(fallen, documents, middle) >= POWER:
            high = middle
        else:
            low = middle
    return high


def interval_of_change(
    changes: Sequence[float], cases: Sequence[int]
) -> Interval | None:
    """Compute the interval of a mean change, by document.

    Args:
        changes: the sum of the changes of each document.
        cases: how many cases each has.

    Returns:
        None where there are too few documents to say.
    """
    documents, of = len(changes), sum(cases)
    if documents < FEWEST or of == 0:
        return None
    mean = sum(changes) / of
    pairs = zip(changes, cases, strict=True)
    squares = sum((change - mean * size) ** 2 for change, size in pairs)
    error = math.sqrt(squares * documents / (documents - 1)) / of
    wide = _student(documents - 1) * error
    return Interval(max(-1.0, mean - wide), min(1.0, mean + wide))


def _count_sums(sizes: Sequence[int]) -> Counter[int] | None:
    """Count the sign patterns of each sum; None where there are too many sums."""
    sums = Counter({0: 1})
    for size in sizes:
        wider: Counter[int] = Counter()
        for total, count in sums.items():
            wider[total + size] += count
            wider[total - size] += count
        if len(wider) > LARGEST:
            return None
        sums = wider
    return sums


def _sample_flips(steps: Sequence[int], seed: str) -> Flips:
    drawn = random.Random(seed)
    seen, low, high = sum(steps), 1, 1
    for _ in range(DRAWS):
        signs = drawn.getrandbits(len(steps))
        total = sum(step if signs >> at & 1 else -step for at, step in enumerate(steps))
        low += total <= seen
        high += total >= seen
    least = max(0.5 ** len(steps), 1 / (DRAWS + 1))
    return Flips(low / (DRAWS + 1), high / (DRAWS + 1), least, False)


def _chance_of_at_least(needed: int, of: int, share: float) -> float:
    """Compute the chance of so many or more among independent ones."""
    fewer = sum(
        math.comb(of, number) * share**number * (1 - share) ** (of - number)
        for number in range(needed)
    )
    return 1.0 - fewer


def _student(freedom: int) -> float:
    """Return the 97.5 % point of Student's t, after Abramowitz and Stegun 26.7.5.

    Within 1 % from three degrees of freedom on.
    """
    z = float(NormalDist().inv_cdf(0.5 + CONFIDENCE / 2))
    parts = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(p / float(freedom) ** n for n, p in enumerate(parts, 1))
