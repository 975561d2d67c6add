"""The fits: deterministic, and with the sign of what speaks for an answer."""

from dataclasses import replace

import numpy as np
import pytest

from engine.rank.calibration import Linear
from engine.rank.features import NAMES
from engine.rank.groups import ABOUT
from evals.relevance.fit import (
    AGAINST,
    FOLDS,
    FORM,
    NOTHING,
    assign_folds,
    fit_order,
    fit_relevance,
)
from tests.evals.relevance.synthetic import SPEAKS, collected, rows


def test_the_order_is_fitted_the_same_twice_R_G6() -> None:
    assert fit_order(collected(1)) == fit_order(collected(1))


def test_the_order_puts_what_answers_first_R_G6() -> None:
    """On questions that it has not seen."""
    order = fit_order(collected(1))
    assert weight_of(order, SPEAKS) == max(order.weights) > 0
    unseen = collected(2)
    places = order.among(NAMES)
    first = [int(order.of(c.features[:, places]).argmax()) for c in unseen]
    right = [int(c.labels.argmax()) for c in unseen]
    assert np.mean(np.array(first) == right) > 0.7


def weight_of(fitted: Linear, place: int) -> float:
    """The weight of a feature, by its place among all."""
    weights = dict(zip(fitted.names, fitted.weights, strict=True))
    return weights[(*NAMES, *ABOUT)[place]]


def test_what_comes_to_nothing_is_left_out_R_G6() -> None:
    """And what is kept moves a score in the direction it may."""
    for fitted in (fit_order(collected(1)), fit_relevance(rows(1))):
        assert 0 < len(fitted.names) < len((*NAMES, *ABOUT))
        for name, weight in zip(fitted.names, fitted.weights, strict=True):
            assert abs(weight) >= NOTHING - 1e-6
            assert name in FORM or (weight < 0) == (name in AGAINST)


def test_relevance_is_fitted_the_same_twice_R_G6() -> None:
    assert fit_relevance(rows(1)) == fit_relevance(rows(1))


def test_relevance_has_the_sign_of_what_speaks_for_an_answer_R_G6() -> None:
    """More of it never lowers the probability."""
    fitted = fit_relevance(rows(1))
    assert weight_of(fitted, SPEAKS) == max(fitted.weights) > 0
    low = rows(2)[0]
    raised = low.features.copy()
    raised[SPEAKS] += 2
    places = fitted.among((*NAMES, *ABOUT))
    before, after = fitted.of(np.stack([low.features[places], raised[places]]))
    assert before < after


def test_a_constant_feature_breaks_nothing_R_G6() -> None:
    """Nor does it get an infinite weight."""
    only = np.arange(len(NAMES) + len(ABOUT)) == SPEAKS
    flat = [replace(row, features=row.features * only) for row in rows(1)]
    fitted = fit_relevance(flat)
    assert np.isfinite(fitted.weights).all()
    assert min(fitted.scale) > 0


def test_no_document_is_in_two_folds_R_E3() -> None:
    made = collected(1)
    found = assign_folds(made)
    assert set(found) <= set(range(FOLDS))
    places: dict[str, set[float]] = {}
    for one, number in zip(made, found, strict=True):
        places.setdefault(one.case.gold[0][0].path, set()).add(number)
    assert all(len(numbers) == 1 for numbers in places.values())
    assert len(set(found)) > 1


def test_nothing_to_fit_on_is_an_error() -> None:
    with pytest.raises(ValueError, match="concatenate"):
        fit_order([])
