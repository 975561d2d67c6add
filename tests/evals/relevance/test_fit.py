"""The fits: deterministic, and with the sign of what speaks for an answer."""

from dataclasses import replace

import numpy as np
import pytest

from engine.retrieve.features import NAMES
from engine.retrieve.groups import ABOUT
from engine.retrieve.relevance import VETOED
from evals.relevance.fit import (
    FOLDS,
    fit_order,
    fit_relevance,
    folds,
    probabilities,
)
from tests.evals.relevance.synthetic import SPEAKS, collected, rows


def test_the_order_is_fitted_the_same_twice_R_G6() -> None:
    assert fit_order(collected(1)) == fit_order(collected(1))


def test_the_order_puts_what_answers_first_R_G6() -> None:
    """On questions that it has not seen."""
    order = fit_order(collected(1))
    assert order.names == NAMES
    assert order.weights[SPEAKS] == max(order.weights) > 0
    unseen = collected(2)
    first = [int(order.of(c.features).argmax()) for c in unseen]
    right = [int(c.labels.argmax()) for c in unseen]
    assert np.mean(np.array(first) == right) > 0.7


def test_relevance_is_fitted_the_same_twice_R_G6() -> None:
    assert fit_relevance(rows(1)) == fit_relevance(rows(1))


def test_relevance_has_the_sign_of_what_speaks_for_an_answer_R_G6() -> None:
    """More of it never lowers the probability."""
    fitted = fit_relevance(rows(1))
    assert fitted.names == (*NAMES, *ABOUT)
    assert fitted.weights[SPEAKS] == max(fitted.weights) > 0
    low = rows(2)[0]
    raised = low.features.copy()
    raised[SPEAKS] += 2
    before, after = probabilities([low, replace(low, features=raised)], fitted)
    assert before < after


def test_probabilities_are_probabilities_and_a_veto_holds_R_G6() -> None:
    fitted = fit_relevance(rows(1))
    found = probabilities(rows(3), fitted)
    assert ((found >= 0) & (found <= 1)).all()
    vetoed = [replace(row, vetoed=True) for row in rows(3)]
    assert probabilities(vetoed, fitted).max() <= VETOED


def test_a_vetoed_document_is_no_material_R_G6() -> None:
    """What a rule decides is not fitted."""
    odd = [replace(row, vetoed=True, answers=not row.answers) for row in rows(9)]
    assert fit_relevance([*rows(1), *odd]) == fit_relevance(rows(1))


def test_a_constant_feature_breaks_nothing_R_G6() -> None:
    """Nor does it get an infinite weight."""
    only = np.arange(len(NAMES) + len(ABOUT)) == SPEAKS
    flat = [replace(row, features=row.features * only) for row in rows(1)]
    fitted = fit_relevance(flat)
    assert np.isfinite(fitted.weights).all()
    assert min(fitted.scale) > 0


def test_no_document_is_in_two_folds_R_E3() -> None:
    made = collected(1)
    found = folds(made)
    assert set(found) <= set(range(FOLDS))
    places: dict[str, set[float]] = {}
    for one, number in zip(made, found, strict=True):
        places.setdefault(one.case.gold[0][0].path, set()).add(number)
    assert all(len(numbers) == 1 for numbers in places.values())
    assert len(set(found)) > 1


def test_nothing_to_fit_on_is_an_error() -> None:
    with pytest.raises(ValueError, match="concatenate"):
        fit_order([])
