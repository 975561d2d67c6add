"""Fits the classifier of emergencies: a logistic regression with a ridge penalty.

There are far more weights than messages, so it is fitted in its dual, by Newton steps.
The threshold is where FALSE_ALARMS of the messages that are no emergency would raise
the notice, judged by fits that had not seen them. It is no probability: a miss may cost
a life, a false alarm puts a notice above the same answer.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from engine.intent import emergency
from engine.patterns import fold
from engine.policy import Pack
from engine.ports import Embedder, Floats
from engine.records import Question
from engine.urgency import Urgency, hashed, heard, measure
from evals.urgency.labels import Message

Doubles = NDArray[np.float64]

BUCKETS = 8_192
# How much each part counts, by cross-validation on the tuning messages.
VECTOR, RUNS, FEATURES = 10.0, 20.0, 0.3
STEPS = 12
CLOSE = 1e-3
FOLDS = 5
FALSE_ALARMS = 0.05


@dataclass(frozen=True, slots=True)
class Rows:
    """What the classifier sees of some messages."""

    vector: Floats
    runs: Floats
    features: Floats
    urgent: Doubles

    def kernel(self) -> Doubles:
        """How much each message is like each other one."""
        parts = (
            (VECTOR, self.vector),
            (RUNS, self.runs),
            (FEATURES, self.features),
        )
        total = sum(weight * (rows @ rows.T) for weight, rows in parts)
        return np.asarray(total, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a message is measured with."""

    embedder: Embedder
    pack: Pack
    cues: Mapping[str, str]

    def rows(self, messages: Sequence[Message]) -> Rows:
        """Measure messages; of a long one its first part."""
        texts = [heard(message.text)[0] for message in messages]
        vectors = [e.vector for e in self.embedder.encode(texts)]
        runs = np.zeros((len(texts), BUCKETS), dtype=np.float32)
        features = []
        for at, (text, message) in enumerate(zip(texts, messages, strict=True)):
            folded = fold(text)
            place, value = hashed(folded, BUCKETS)
            runs[at, place] = value
            named = emergency(asked(message.text, self.pack), self.pack) is not None
            features.append(measure(folded, self.cues, named=named))
        urgent = np.array([m.urgent for m in messages], dtype=np.float64)
        return Rows(np.stack(vectors), runs, np.stack(features), urgent)


def asked(text: str, pack: Pack) -> Question:
    """A message as the engine gets it."""
    return Question(id="m", session="s", text=text, pack=pack.id)


def fit(
    measure_: Measure, tune: Sequence[Message], more: Sequence[Message], today: date
) -> Urgency:
    """Fit on both; the threshold and the figures come from folds of `tune` alone."""
    rows = measure_.rows([*tune, *more])
    kernel = rows.kernel()
    held_out = cross_fitted(kernel, rows.urgent, folds(tune))
    urgent = rows.urgent[: len(tune)] > 0
    threshold = float(np.quantile(held_out[~urgent], 1 - FALSE_ALARMS))
    dual, bias = newton(kernel, rows.urgent)
    return Urgency(
        embedder=measure_.embedder.name,
        cues=dict(measure_.cues),
        features=_rounded(FEATURES * rows.features.T @ dual),
        vector=_rounded(VECTOR * rows.vector.T @ dual),
        runs=_rounded(RUNS * rows.runs.T @ dual),
        bias=round(bias, 4),
        threshold=round(threshold, 4),
        provenance={
            "date": today.isoformat(),
            "fitted_on": ["urgency_tune.jsonl", "urgency_more.jsonl"],
            "messages": [len(tune), len(more)],
            "figures_from": f"{FOLDS} folds of urgency_tune.jsonl, each held out once",
            "found": round(float((held_out[urgent] >= threshold).mean()), 4),
            "false_alarms": round(float((held_out[~urgent] >= threshold).mean()), 4),
            "curve": curve(held_out, urgent),
            "command": "python -m evals urgency fit",
        },
    )


def folds(messages: Sequence[Message]) -> NDArray[np.int64]:
    """The fold of each message, by its text."""
    digests = [hashlib.sha256(m.text.encode()).digest()[0] for m in messages]
    return np.array(digests, dtype=np.int64) % FOLDS


def cross_fitted(kernel: Doubles, urgent: Doubles, fold: NDArray[np.int64]) -> Doubles:
    """Log-odds of the first messages, each from a fit that had not seen its fold."""
    odds = np.zeros(len(fold))
    others = np.ones(len(urgent) - len(fold), dtype=bool)
    for number in range(FOLDS):
        out = np.flatnonzero(fold == number)
        seen = np.flatnonzero(np.concatenate([fold != number, others]))
        dual, bias = newton(kernel[np.ix_(seen, seen)], urgent[seen])
        odds[out] = kernel[np.ix_(out, seen)] @ dual + bias
    return odds


def newton(kernel: Doubles, urgent: Doubles) -> tuple[Doubles, float]:
    """The weight of each message, and the bias, by iterated least squares."""
    size = len(urgent)
    dual, bias = np.zeros(size), 0.0
    bordered = np.ones((size + 1, size + 1))
    bordered[-1, -1] = 0.0
    for _ in range(STEPS):
        odds = kernel @ dual + bias
        chance = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
        slope = np.maximum(chance * (1 - chance), 1e-6)
        bordered[:-1, :-1] = kernel + np.diag(1 / slope)
        target = np.append(odds + (urgent - chance) / slope, 0.0)
        solved = np.linalg.solve(bordered, target)
        moved = float(np.abs(solved[:-1] - dual).max())
        dual, bias = solved[:-1], float(solved[-1])
        if moved < CLOSE:
            break
    return dual, bias


def curve(odds: Doubles, urgent: NDArray[np.bool_]) -> list[list[float]]:
    """What other thresholds would give: false alarms allowed, found."""
    return [
        [share, round(float((odds[urgent] >= cut).mean()), 4)]
        for share in (0.01, 0.02, 0.03, 0.05, 0.08, 0.1)
        for cut in (np.quantile(odds[~urgent], 1 - share),)
    ]


def _rounded(weights: Floats | Doubles) -> tuple[float, ...]:
    return tuple(round(float(weight), 3) for weight in weights)
