"""The statistics agree with what textbooks print, and stand still with the bot."""

import math
import random

import pytest

from evals.compare.statistics import (
    ALPHA,
    bound_of_zero,
    choose_large,
    find_detectable,
    flip_signs,
    holm,
    interval_of_change,
    wilson,
)


@pytest.mark.parametrize(("of", "bound"), [(300, 0.0099), (1000, 0.0030), (1, 0.95)])
def test_zero_failures_bound_a_rate(of: int, bound: float) -> None:
    """The rule of three, exactly."""
    assert bound_of_zero(of) == pytest.approx(bound, abs=5e-5)


def test_zero_of_nothing_bounds_nothing() -> None:
    assert bound_of_zero(0) == 1.0


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611), (20, 20, 0.8389, 1.0)],
)
def test_wilson_is_newcombes(passed: int, of: int, low: float, high: float) -> None:
    """Values of Newcombe (1998), table I, method 3."""
    interval = wilson(passed, of)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)


def test_wilson_of_nothing_is_nothing() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("worse", "better"), [(5, 0), (9, 2), (3, 3), (40, 22)])
def test_flips_of_single_cases_are_the_exact_sign_test(worse: int, better: int) -> None:
    """With one case a document, and passes and failures alone."""
    flips = flip_signs([-1.0] * worse + [1.0] * better + [0.0] * 50, "seed")
    of = worse + better
    tail = sum(math.comb(of, number) for number in range(worse, of + 1)) / 2**of
    assert flips.exact
    assert flips.drop == pytest.approx(tail)


def test_documents_count_and_not_their_cases() -> None:
    """Forty cases of one document that fall together are one observation."""
    together = flip_signs([-40.0], "seed")
    apart = flip_signs([-1.0] * 40, "seed")
    assert together.drop == 0.5
    assert apart.drop < 1e-11


def test_nothing_changed_is_never_an_alarm_R_E3() -> None:
    flips = flip_signs([0.0] * 1000, "seed")
    assert (flips.drop, flips.rise, flips.least) == (1.0, 1.0, 1.0)


def test_many_uneven_changes_are_sampled_with_a_seed() -> None:
    """The same seed gives the same p; another one a p close to it."""
    changes = [random.Random(n).uniform(-1, 0.9) for n in range(120)]
    one, again, other = (flip_signs(changes, s) for s in ("a", "a", "b"))
    assert not one.exact
    assert one == again
    assert one.drop == pytest.approx(other.drop, abs=0.03)


def test_false_alarms_stay_under_alpha_where_documents_move_together() -> None:
    """500 draws of 50 documents with 20 questions each; the i.i.d. test had 26 %."""
    drawn = random.Random(7)
    alarms = 0
    for _ in range(500):
        leans = [drawn.gauss(0, 0.1) for _ in range(50)]
        sums = [
            sum(drawn.random() < 0.1 + lean for _ in range(20))
            - sum(drawn.random() < 0.1 - lean for _ in range(20))
            for lean in leans
        ]
        alarms += flip_signs([float(each) for each in sums], "seed").drop <= ALPHA
    assert alarms / 500 <= 0.08


def test_holm_is_holms() -> None:
    """The example of R's p.adjust, and its order."""
    adjusted = holm([0.01, 0.04, 0.03, 0.005])
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_the_smallest_detectable_effect_is_detected() -> None:
    """Documents that fall at that rate are seen in about 80 of 100 draws."""
    share = find_detectable(60, tests=10)
    assert share is not None
    drawn = random.Random(3)
    seen = 0
    for _ in range(400):
        fallen = [-1.0 if drawn.random() < share else 0.0 for _ in range(60)]
        seen += flip_signs(fallen, "seed").drop <= ALPHA / 10
    assert seen / 400 == pytest.approx(0.80, abs=0.06)


def test_too_few_documents_detect_nothing() -> None:
    """Four documents cannot reach one in twenty, five can."""
    assert find_detectable(4, tests=1) is None
    assert find_detectable(5, tests=1) is not None
    assert find_detectable(5, tests=2) is None


def test_more_documents_detect_less() -> None:
    shares = [find_detectable(number, tests=20) for number in (20, 50, 200, 1000)]
    assert None not in shares
    assert shares == sorted(shares, reverse=True, key=lambda share: share or 0.0)


def test_small_slices_do_not_weaken_large_ones() -> None:
    """Ninety slices of three documents are not tested beside one of all."""
    assert choose_large([60, *[3] * 90]) == [True, *[False] * 90]
    assert choose_large([60, 40, *[8] * 90]) == [True, True, *[False] * 90]
    assert choose_large([11] * 102) == [True] * 102
    assert choose_large([3, 4]) == [False, False]
    assert choose_large([]) == []


def test_the_interval_of_a_change_holds_it() -> None:
    """Against Student's t of four: 2.776."""
    interval = interval_of_change([-0.5, 0.0, 0.0, -0.5, 0.0], [1] * 5)
    assert interval is not None
    half = 2.776 * math.sqrt(0.3 * 1.25) / 5
    assert interval.low == pytest.approx(-0.2 - half, abs=0.01)
    assert interval_of_change([-1.0] * 3, [1] * 3) is None
