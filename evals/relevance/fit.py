"""Fit the order of sentences and the relevance of documents on labelled questions.

The order maximises the likelihood that a sentence whose passage holds the answer comes
first (a conditional logit over the candidates of a question). Relevance is a logistic
regression with a ridge penalty over the documents of every question, answerable or not
(Platt 1999 calls the use of such a score as a probability calibration). Both are convex
or nearly so, small, and fitted with NumPy alone.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.model.ports import Floats
from engine.rank.calibration import FARTHEST, Linear
from engine.rank.features import NAMES
from engine.rank.groups import ABOUT
from evals.relevance.collect import Collected

Doubles = NDArray[np.float64]

ORDER_PENALTY = 0.02
ORDER_STEPS = 400
RELEVANCE_PENALTY = 5.0
RELEVANCE_STEPS = 1_500
DOCUMENTS = 4  # of each question that relevance is fitted on
FOLDS = 5
SHOWN = 5  # quotations of a document that an answer holds at most
NOTHING = 0.02  # a standardised weight that moves relevance by less is left out

# More of these lowers relevance; more of every other feature raises it.
AGAINST = frozenset(
    {
        "kind_absent",
        "code",
        "pointer",
        "numbers_missing",
        "strange",
        "strange_chunk",
        "unnamed",
        "lacking",
        "least_strange",
        "least_strange_chunk",
        "least_unnamed",
    }
)
# The form of a passage orders sentences; it says nothing of whether they answer.
FORM = ("length", "question_words")


@dataclass(frozen=True, slots=True)
class Row:
    """One document of one question, with whether its passages answer."""

    case: int
    features: Floats
    answers: bool


def fit_order(collected: Sequence[Collected]) -> Linear:
    """Fit weights that put sentences whose passage holds the answer first."""
    used = [c for c in collected if c.labels.any()]
    stacked = np.concatenate([c.features for c in used]).astype(np.float64)
    mean, scale = stacked.mean(axis=0), _scale(stacked)
    lists = [((c.features - mean) / scale, c.labels > 0) for c in used]
    weights = np.zeros(len(NAMES))
    signs = np.array([_find_sign(name) for name in NAMES])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, ORDER_STEPS):
        gradient = ORDER_PENALTY * weights
        for rows, right in lists:
            odds = np.exp(rows @ weights - (rows @ weights).max())
            chance = odds / odds.sum()
            among = np.where(right, odds, 0.0)
            gradient += rows.T @ (chance - among / among.sum()) / len(lists)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        pace = 0.03 / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = weights - pace * first / (1 - 0.9**step)
        weights = np.where(signs * weights < 0, 0.0, weights)
    kept = np.flatnonzero(np.abs(weights) >= NOTHING)
    names = [NAMES[at] for at in kept]
    return _make_linear(names, mean[kept], scale[kept], weights[kept], 0.0)


def make_rows(collected: Sequence[Collected], order: Linear) -> list[Row]:
    """Make rows of the first documents of every question under an order, with
    labels."""
    return [
        Row(number, one.features, one_case.holds(one, SHOWN))
        for number, one_case in enumerate(collected)
        for one in one_case.groups(order)[:DOCUMENTS]
    ]


def fit_relevance(rows: Sequence[Row]) -> Linear:
    """Fit the logistic of a document's quotations, monotone in what speaks for it.

    Features that come to nothing are left out, and the rest is fitted again.
    """
    features = np.stack([row.features for row in rows]).astype(np.float64)
    right = np.array([row.answers for row in rows], dtype=np.float64)
    names = np.array((*NAMES, *ABOUT))
    kept = np.arange(len(names))
    while True:
        part = features[:, kept]
        mean, scale = part.mean(axis=0), _scale(part)
        standard = np.clip((part - mean) / scale, -FARTHEST, FARTHEST)
        signs = np.array([*map(_find_sign, names[kept]), 0.0])
        beta = _fit_monotone(np.c_[standard, np.ones(len(rows))], right, signs)
        weighty = np.abs(beta[:-1]) >= NOTHING
        if weighty.all():
            return _make_linear(
                list(names[kept]), mean, scale, beta[:-1], float(beta[-1])
            )
        kept = kept[weighty]


def fit_logistic(names: Sequence[str], features: Doubles, right: Doubles) -> Linear:
    """Fit a logistic of few features, each of which speaks for an answer.

    Args:
        names: of the columns of `features`.
        features: a row each.
        right: 1 where the row answers.
    """
    mean, scale = features.mean(axis=0), _scale(features)
    standard = np.clip((features - mean) / scale, -FARTHEST, FARTHEST)
    signs = np.array([*(1.0 for _ in names), 0.0])
    beta = _fit_monotone(np.c_[standard, np.ones(len(features))], right, signs)
    return _make_linear(names, mean, scale, beta[:-1], float(beta[-1]))


def _find_sign(name: str) -> float:
    """Return the direction in which a feature moves a score; 0 for either, of form."""
    if name in FORM:
        return 0.0
    return -1.0 if name in AGAINST else 1.0


def _fit_monotone(design: Doubles, right: Doubles, signs: Doubles) -> Doubles:
    """Fit a ridge logistic whose weights keep their sign, by accelerated projection.

    With so few labelled questions correlated features would otherwise cancel out, and
    a better match could lower relevance.
    """
    penalty = np.full(design.shape[1], RELEVANCE_PENALTY)
    penalty[-1] = 1e-6
    pace = 1.0 / (np.linalg.norm(design, 2) ** 2 / 4 + RELEVANCE_PENALTY)
    weights = ahead = np.zeros(design.shape[1])
    momentum = 1.0
    for _ in range(RELEVANCE_STEPS):
        chance = 1 / (1 + np.exp(-design @ ahead))
        moved = ahead - pace * (design.T @ (chance - right) + penalty * ahead)
        moved = np.where(signs * moved < 0, 0.0, moved)
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = moved + (momentum - 1) / following * (moved - weights)
        weights, momentum = moved, following
    return weights


def assign_folds(collected: Sequence[Collected]) -> list[int]:
    """Assign a fold to each case by its document, so that no document is in two."""
    cases = [one.case for one in collected]
    keys = [case.gold[0][0].path if case.gold else case.id for case in cases]
    return [
        int(hashlib.sha256(key.encode()).hexdigest(), 16) // 7 % FOLDS for key in keys
    ]


def _scale(features: Doubles) -> Doubles:
    """Return standard deviations, 1 where a feature is constant."""
    spread = features.std(axis=0)
    return np.where(spread > 1e-6, spread, 1.0)


def _make_linear(
    names: Sequence[str],
    mean: Doubles,
    scale: Doubles,
    weights: Doubles,
    bias: float,
) -> Linear:
    return Linear(
        names=tuple(names),
        mean=tuple(round(float(x), 6) for x in mean),
        scale=tuple(round(float(x), 6) for x in scale),
        weights=tuple(round(float(x), 6) for x in weights),
        bias=round(bias, 6),
    )
