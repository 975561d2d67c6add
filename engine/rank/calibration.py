"""The fitted weights for an embedder and a reader: order, and relevance from both."""

from collections.abc import Collection, Mapping, Sequence
from typing import Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from engine.model.frozen import Frozen
from engine.model.ports import Floats

GENERAL = "general"  # the place of every domain without one
SURE = float(np.log(0.7 / 0.3))  # the log-odds of 0.7
BELOW = 1.0  # log-odds below `even` at which relevance is 0.3, at least
FARTHEST = 4.0  # standard deviations; features were fitted within these


class Linear(Frozen):
    """A weighted sum of standardised features; with `bias` a logistic's log-odds."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float = 0.0

    def among(self, names: Sequence[str]) -> list[int]:
        """Return the columns of its features among all that are measured."""
        return [names.index(name) for name in self.names]

    def of(self, features: Floats) -> Floats:
        """Return the sum for each row of `features`, shape (n, len(names))."""
        standard = (features - np.array(self.mean)) / np.array(self.scale)
        standard = np.clip(standard, -FARTHEST, FARTHEST)
        return np.asarray(standard @ np.array(self.weights) + self.bias)

    def raised(self, features: Floats, names: Collection[str]) -> Floats:
        """Return the features, those of `names` raised to at least their mean."""
        named = np.array([name in names for name in self.names])
        least = np.where(named, np.array(self.mean), -np.inf)
        return np.asarray(np.maximum(features, least))


class Place(Frozen):
    """The log-odds that become a relevance of 0.5 (`even`) and of 0.7 (`sure`)."""

    even: float
    sure: float

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.sure <= self.even:
            raise ValueError("`sure` has to be greater than `even`")
        return self

    def relevance(self, odds: float) -> float:
        """Return the log-odds, moved and stretched to these two, as a probability.

        Below 0.5 they are stretched over `BELOW` at least: the distance of the two says
        nothing about near passages, which may be offered.
        """
        width = self.sure - self.even
        width = max(width, BELOW) if odds < self.even else width
        placed = SURE * (odds - self.even) / width
        return float(1.0 / (1.0 + np.exp(-np.clip(placed, -30, 30))))


class Calibration(Frozen):
    """The weights fitted for one embedder and one reader, with their provenance.

    `order` ranks sentences, `relevance` is the logistic of a document's quotations
    before anything is read, `reading` that of a passage which was read: of the reader's
    log-odds and of those before. `places` maps its log-odds to 0.5 and 0.7, for a
    domain or, under "general", for all others: near misses about statutes come nowhere
    near as close as those about software. Below `floor`, in the reader's log-odds, a
    passage is not shown, whatever its features. `selected` are the log-odds that a
    passage selected by the asker answers, beyond those of one that a search found.
    `provenance` names the labelled data it was fitted on, the date and the quality.
    """

    embedder: str
    reader: str
    order: Linear
    relevance: Linear
    reading: Linear
    places: Mapping[str, Place]
    floor: float
    selected: float
    provenance: Mapping[str, object] = Field(default_factory=dict)

    @field_validator("places")
    @classmethod
    def _has_general(cls, places: Mapping[str, Place]) -> Mapping[str, Place]:
        if GENERAL not in places:
            raise ValueError(f"`places` has none for {GENERAL}")
        return places

    def read(self, measured: Mapping[str, float], domain: str = GENERAL) -> float:
        """Return the relevance of a passage that was read, from `reading`'s features.

        Args:
            measured: by name; all of `reading.names` are there.
            domain: of the pack.
        """
        features = np.array([[measured[name] for name in self.reading.names]])
        place = self.places.get(domain, self.places[GENERAL])
        return place.relevance(float(self.reading.of(features)[0]))
