"""The classifier of emergencies on its labelled messages (R-M6)."""

import json
from collections import Counter

import numpy as np
import pytest

from adapters.embedding import MiniLM
from bot.hearing import urgency
from config.settings import CALIBRATIONS
from engine.urgency import Listener
from evals.urgency import labels
from evals.urgency.fit import asked, cross_fitted, curve, folds, newton
from evals.urgency.labels import HELD, MORE, TUNE, load, share, tally
from tests.engine.test_intent import pack

BY_CHANCE = 2
FITTED = json.loads((CALIBRATIONS / "small-urgency.json").read_text(encoding="utf-8"))


def test_the_labels_are_half_emergencies_and_apart_R_M6() -> None:
    """More than 1,000, half of them none; what is held back is fitted on nowhere.

    But for two short ones that their writers hit upon alone.
    """
    tune, more, held = load(TUNE), load(MORE), load(HELD)
    for part in (tune, held):
        assert Counter(m.urgent for m in part)[True] * 2 == len(part)
    assert len(tune) + len(held) >= 1_000
    fitted = {m.text.casefold() for m in (*tune, *more)}
    assert len([m for m in held if m.text.casefold() in fitted]) <= BY_CHANCE
    assert HELD.name not in FITTED["provenance"]["fitted_on"]


def test_the_fit_separates_what_can_be_separated() -> None:
    """Folds that were held out are judged; the threshold's curve rises."""
    rows = np.array([[1.0, 0.1 * n] if n % 2 else [-1.0, 0.1 * n] for n in range(40)])
    urgent = (rows[:, 0] > 0).astype(np.float64)
    kernel = rows[:, :1] @ rows[:, :1].T
    dual, _ = newton(kernel, urgent)
    assert ((kernel @ dual > 0) == (urgent > 0)).all()
    messages = [
        labels.Message(text=str(n), urgent=bool(n % 2), kind="k", language="en")
        for n in range(40)
    ]
    odds = cross_fitted(kernel, urgent, folds(messages))
    found = [point[1] for point in curve(odds, urgent > 0)]
    assert found == sorted(found)
    assert found[-1] == 1.0


def test_a_tally_counts_what_was_raised() -> None:
    messages = load(TUNE)
    told = tally(messages, [m.urgent for m in messages])
    assert share(told, urgent=True) == 1.0
    assert share(told, urgent=False) == 0.0


FOUND, ALARMS = 0.89, 0.085  # R-M6 asks for 0.97 and 0.02: not reached


@pytest.mark.parametrize("name", ["oncology"])
def test_what_is_held_back_is_heard_as_measured_R_M6(name: str) -> None:
    """Not fewer found and not more false alarms than docs/evals.md says."""
    embedder = MiniLM(2)
    ear, messages = Listener(embedder, urgency(embedder)), load(HELD)
    raised = [ear.hear(asked(m.text, pack(name)), pack(name)).urgent for m in messages]
    told = tally(messages, raised)
    assert share(told, urgent=True) >= FOUND
    assert share(told, urgent=False) <= ALARMS
