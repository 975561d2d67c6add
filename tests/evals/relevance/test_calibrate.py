"""Reliability: what was said against what came true."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies
from hypothesis.extra import numpy as arrays

from engine.rank.calibration import Calibration, Linear, Place
from engine.rank.features import NAMES
from evals.relevance.calibrate import (
    compute_error,
    draw_diagram,
    make_bins,
    write,
)
from evals.relevance.reading import (
    AS_FITTED,
    CLOSEST,
    ENOUGH,
    SUFFICIENT,
    USED,
    Fitted,
    Read,
    fit_reading,
)

EMPTY = Linear(names=NAMES, mean=(), scale=(), weights=())
said = arrays.arrays(
    np.float64, strategies.integers(1, 50), elements=strategies.floats(0, 1)
)


def test_a_perfect_forecaster_has_no_error_R_G6() -> None:
    """Said 0.25 and true one time in four; said 0 and never; said 1 and always."""
    claims = np.array([0.25] * 4 + [0.0] * 3 + [1.0] * 5)
    truth = np.array([1, 0, 0, 0] + [0] * 3 + [1] * 5, dtype=float)
    assert compute_error(make_bins(claims, truth)) == pytest.approx(0)


def test_the_wrong_forecaster_has_all_of_it_R_G6() -> None:
    claims, truth = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert compute_error(make_bins(claims, truth)) == pytest.approx(1)


@given(said)
def test_every_forecast_stands_in_one_bar_R_G6(claims: np.ndarray) -> None:
    """And the error lies between 0 and 1."""
    bins = make_bins(claims, (claims > 0.5).astype(float))
    assert sum(b.count for b in bins) == len(claims)
    for bar in bins:
        assert bar.low - 1e-9 <= bar.said <= bar.high + 1e-9
        assert 0 <= bar.true <= 1
    assert 0 <= compute_error(bins) <= 1


def test_a_calibration_is_written_as_it_is_read_R_G6(tmp_path: Path) -> None:
    made = Calibration(
        embedder="e",
        reader="r",
        order=EMPTY,
        relevance=EMPTY,
        reading=EMPTY,
        places={"general": AS_FITTED},
        floor=0.0,
        selected=0.8,
        provenance={"reliability": []},
    )
    path = tmp_path / "e-relevance.json"
    write(made, path)
    assert Calibration.model_validate_json(path.read_bytes()) == made
    assert json.loads(path.read_text("utf-8"))["embedder"] == "e"


def test_the_diagram_has_a_mark_a_bar_R_G6() -> None:
    bars = [[0.0, 0.1, 0.05, 0.0, 9], [0.9, 1.0, 0.95, 1.0, 4]]
    made = Calibration(
        embedder="e",
        reader="r",
        order=EMPTY,
        relevance=EMPTY,
        reading=EMPTY,
        places={"general": AS_FITTED},
        floor=0.0,
        selected=0.8,
        provenance={"reliability": bars},
    )
    assert draw_diagram(made).count("<circle") == len(bars)
    with pytest.raises(KeyError):
        draw_diagram(made.model_copy(update={"provenance": {}}))


def read(best: Sequence[float], domain: str = "general") -> list[Read]:
    """An unanswerable question for each log-odds, and as many passages that answer."""
    cases = list(enumerate(best))
    beside = [Read(at, odds, odds, answers=False, domain=domain) for at, odds in cases]
    answering = [
        Read(at + 1_000, odds + 3, odds, answers=True, domain=domain)
        for at, odds in cases
    ]
    return [*beside, *answering]


def reached(fitted: Fitted, rows: Sequence[Read], domain: str, bound: float) -> float:
    """The share of the rows whose relevance reaches a bound."""
    odds = fitted.reading.of(np.array([(r.log_odds, r.likely) for r in rows]))
    place = fitted.places[domain]
    return float(np.mean([place.relevance(one) >= bound - 1e-4 for one in odds]))


def test_few_unanswerable_questions_reach_what_is_used_and_what_suffices_R_G6() -> None:
    """By their best passage; of a domain with enough of them, by its own."""
    plain = read(np.linspace(-4, 2, 200).tolist())
    law = read(np.linspace(-6, -1, 100).tolist(), "legal")
    few = read([3.0] * (ENOUGH - 1), "medical")
    fitted = fit_reading([*plain, *law, *few])
    assert set(fitted.places) == {"general", "legal"}
    legal, sure = (reached(fitted, law[:100], "legal", at) for at in (0.5, 0.7))
    assert legal == pytest.approx(USED, abs=0.01)
    assert sure <= SUFFICIENT
    alone = fit_reading(plain)
    plainly, sure = (reached(alone, plain[:200], "general", at) for at in (0.5, 0.7))
    assert plainly == pytest.approx(USED, abs=0.01)
    assert sure <= SUFFICIENT


def test_twice_as_many_suffice_alone_in_technical_packs_R_G6() -> None:
    """As many are used."""
    misses = [-4.0] * 190 + np.linspace(-3, 3, 10).tolist()  # a few come near
    fitted = fit_reading([*read(misses, "medical"), *read(misses, "technical")])
    medical, technical = fitted.places["medical"], fitted.places["technical"]
    assert technical.even == medical.even
    assert technical.sure < medical.sure


def test_wrong_passages_of_answerable_questions_count_too_R_G6() -> None:
    """One in ten answered from a passage beside the point moves both upwards."""
    rows = read(np.linspace(-4, 2, 100).tolist())
    wrong = [Read(at + 2_000, 9.0, 3.0, answers=False) for at in range(10)]
    beside = [Read(at + 2_000, -4.0, -4.0, answers=None) for at in range(10)]
    before, after = fit_reading(rows), fit_reading([*rows, *wrong, *beside])
    assert reached(before, wrong, "general", 0.5) == 1.0
    assert reached(after, rows[:100], "general", 0.5) < USED


def test_near_misses_as_close_as_each_other_leave_a_distance_R_G6() -> None:
    place = fit_reading(read([0.5] * 100)).places["general"]
    assert place.sure - place.even == pytest.approx(CLOSEST, abs=1e-3)


def test_without_unanswerable_questions_nothing_is_moved_R_G6() -> None:
    rows = [Read(at, odds, odds, answers=odds > 0) for at, odds in enumerate((-1, 1))]
    answering = [replace(row, answers=True) for row in rows]
    assert fit_reading(answering).places == {"general": AS_FITTED}


def test_a_place_says_even_and_sure_in_this_order_R_G6() -> None:
    place = Place(even=1.0, sure=2.0)
    assert place.relevance(1.0) == pytest.approx(0.5)
    assert place.relevance(2.0) == pytest.approx(0.7)
    with pytest.raises(ValueError, match="greater than"):
        Place(even=1.0, sure=1.0)


def test_passages_that_may_answer_all_the_same_are_left_out_R_G6() -> None:
    rows = read(np.linspace(-4, 2, 50).tolist())
    unlabelled = [replace(row, log_odds=9.0, answers=None) for row in rows[:20]]
    assert fit_reading([*rows, *unlabelled]).reading == fit_reading(rows).reading
