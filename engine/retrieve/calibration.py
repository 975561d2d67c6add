"""What was fitted for one embedder: the order of sentences and their relevance."""

from collections.abc import Collection, Mapping, Sequence
from typing import Self

import numpy as np
from pydantic import Field

from engine.documents.records import Frozen
from engine.ports import Floats

FARTHEST = 4.0  # standard deviations: nothing was fitted beyond


class Linear(Frozen):
    """A weighted sum of standardised features; with `bias` a logistic's log-odds."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float = 0.0

    def among(self, names: Sequence[str]) -> list[int]:
        """Where its features stand among all that are measured."""
        return [names.index(name) for name in self.names]

    def of(self, features: Floats) -> Floats:
        """The sum for each row of `features`, shape (n, len(names))."""
        standard = (features - np.array(self.mean)) / np.array(self.scale)
        standard = np.clip(standard, -FARTHEST, FARTHEST)
        return np.asarray(standard @ np.array(self.weights) + self.bias)

    def shifted(self, odds: float) -> Self:
        """The same with log-odds that are greater by `odds`."""
        return self.model_copy(update={"bias": round(self.bias + odds, 6)})

    def raised(self, features: Floats, names: Collection[str]) -> Floats:
        """The features with those of `names` at least what they were on average."""
        named = np.array([name in names for name in self.names])
        least = np.where(named, np.array(self.mean), -np.inf)
        return np.asarray(np.maximum(features, least))


class Calibration(Frozen):
    """What was fitted for one embedder, with where it comes from.

    `order` ranks sentences, `relevance` is the logistic of a document's quotations.
    `selected` are the log-odds that a passage which its reader selected answers, beyond
    those of one that a search brought (R-A6). `technical` multiplies log-odds above
    even where the pack is of a technical domain: a wrong page about software costs less
    than silence, so 0.7 lies where more questions reach it (evals/relevance/
    calibrate.py has both shares). `provenance` says which labelled data it was fitted
    on, when and how well.
    """

    embedder: str
    order: Linear
    relevance: Linear
    selected: float
    technical: float = Field(default=1.0, ge=1.0, le=4.0)
    provenance: Mapping[str, object] = Field(default_factory=dict)
