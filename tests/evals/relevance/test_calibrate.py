"""Reliability: what was said against what came true."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies
from hypothesis.extra import numpy as arrays

from engine.retrieve.calibration import Calibration, Linear
from engine.retrieve.features import NAMES
from evals.relevance.calibrate import (
    MOST_TECHNICAL,
    PASSED,
    PASSED_TECHNICAL,
    SUFFICIENT,
    Told,
    _shift,
    _technical,
    diagram,
    error,
    reliability,
    write,
)
from tests.evals.relevance.synthetic import collected

EMPTY = Linear(names=NAMES, mean=(), scale=(), weights=())
said = arrays.arrays(
    np.float64, strategies.integers(1, 50), elements=strategies.floats(0, 1)
)


def test_a_perfect_forecaster_has_no_error_R_G6() -> None:
    """Said 0.25 and true one time in four; said 0 and never; said 1 and always."""
    claims = np.array([0.25] * 4 + [0.0] * 3 + [1.0] * 5)
    truth = np.array([1, 0, 0, 0] + [0] * 3 + [1] * 5, dtype=float)
    assert error(reliability(claims, truth)) == pytest.approx(0)


def test_the_wrong_forecaster_has_all_of_it_R_G6() -> None:
    claims, truth = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert error(reliability(claims, truth)) == pytest.approx(1)


@given(said)
def test_every_forecast_stands_in_one_bar_R_G6(claims: np.ndarray) -> None:
    """And the error lies between 0 and 1."""
    bins = reliability(claims, (claims > 0.5).astype(float))
    assert sum(b.count for b in bins) == len(claims)
    for bar in bins:
        assert bar.low - 1e-9 <= bar.said <= bar.high + 1e-9
        assert 0 <= bar.true <= 1
    assert 0 <= error(bins) <= 1


def test_a_calibration_is_written_as_it_is_read_R_G6(tmp_path: Path) -> None:
    made = Calibration(
        embedder="e",
        order=EMPTY,
        relevance=EMPTY,
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
        order=EMPTY,
        relevance=EMPTY,
        selected=0.8,
        provenance={"reliability": bars},
    )
    assert diagram(made).count("<circle") == len(bars)
    with pytest.raises(KeyError):
        diagram(made.model_copy(update={"provenance": {}}))


def test_the_shift_puts_what_is_sufficient_where_few_unanswerable_pass_R_G6() -> None:
    """Of the unanswerable questions, by their best document, PASSED reach 0.7."""
    cases = [
        replace(one, case=one.case.model_copy(update={"kind": "near_miss"}))
        for one in collected(1, questions=200, sentences=2)
    ]
    best = np.linspace(0.01, 0.9, len(cases))
    told = [
        Told(at, float(said), true=False)
        for at, high in enumerate(best)
        for said in (high, high / 2)
    ]
    odds = np.log(best / (1 - best)) + _shift(cases, told)
    for factor, share in ((1, PASSED), (_technical(cases, told), PASSED_TECHNICAL)):
        reached = float((1 / (1 + np.exp(-factor * odds)) >= SUFFICIENT).mean())
        assert reached == pytest.approx(share, abs=1 / len(cases))


def test_few_that_stand_out_do_not_stretch_relevance_without_end_R_G6() -> None:
    cases = [
        replace(one, case=one.case.model_copy(update={"kind": "near_miss"}))
        for one in collected(1, questions=100, sentences=2)
    ]
    best = [0.93] * 5 + [0.86] * 95
    told = [Told(at, said, true=False) for at, said in enumerate(best)]
    assert _technical(cases, told) == MOST_TECHNICAL


def test_without_unanswerable_questions_nothing_is_shifted_R_G6() -> None:
    assert _shift(collected(1), [Told(0, 0.9, true=True)]) == 0
    assert _technical(collected(1), [Told(0, 0.9, true=True)]) == 1
