"""Relevance: a probability of question, text and vectors, and nothing else."""

from pathlib import Path

import numpy as np
import pytest
from engine.retrieve.passages import Range
from hypothesis import given, strategies
from hypothesis.extra import numpy as arrays

from bot.wiring import calibration
from config.settings import CALIBRATIONS
from engine.ports import Candidate
from engine.records import Scope
from engine.retrieve.calibration import Calibration, Linear
from engine.retrieve.features import NAMES
from engine.retrieve.groups import ABOUT, RIVALRY, Group, Passage, repeats
from engine.retrieve.relevance import VETOED, judge
from engine.retrieve.search import Places, look
from tests.demo import Demo, Room, question
from tests.engine.retrieve.chunks import PLAIN_LINES, chunk_of
from tests.engine.small_pack import intent

COLUMNS = len(NAMES) + len(ABOUT)
values = strategies.floats(-1e6, 1e6, width=32)
word_sets = strategies.frozensets(strategies.sampled_from("abcdefgh"))


def linear(weights: np.ndarray, bias: float = 0.0) -> Linear:
    """A sum of all features of a document with these weights."""
    return Linear(
        names=(*NAMES, *ABOUT),
        mean=(0.0,) * COLUMNS,
        scale=(1.0,) * COLUMNS,
        weights=tuple(map(float, weights)),
        bias=bias,
    )


def grouped(features: np.ndarray, *, vetoed: bool = False) -> Group:
    """One document with one passage."""
    passage = Passage(0, 0, (Range(0, 0),), 1.0, frozenset(), 5, features[: len(NAMES)])
    return Group("d", (passage,), features, vetoed)


CANDIDATES = [Candidate(chunk_of(PLAIN_LINES), None, 0.5)]


@given(
    arrays.arrays(np.float32, COLUMNS, elements=values),
    arrays.arrays(np.float32, COLUMNS, elements=values),
    strategies.booleans(),
)
def test_relevance_is_a_probability_R_G6(
    features: np.ndarray, weights: np.ndarray, vetoed: bool
) -> None:
    """On any features and weights; what lacks the thing asked for stays low."""
    (chunk,) = judge([grouped(features, vetoed=vetoed)], CANDIDATES, linear(weights))
    assert 0 <= chunk.relevance <= (VETOED if vetoed else 1)
    assert set(chunk.parts) == {*NAMES, *ABOUT}
    assert chunk.picks[0].relevance == chunk.relevance


@given(
    arrays.arrays(np.float32, COLUMNS, elements=strategies.floats(-3, 3, width=32)),
    strategies.integers(0, COLUMNS - 1),
    strategies.floats(0, 5),
)
def test_a_positive_weight_never_lowers_relevance_R_G6(
    features: np.ndarray, column: int, more: float
) -> None:
    weights = np.zeros(COLUMNS)
    weights[column] = 0.7
    raised = features.copy()
    raised[column] += more
    low, high = (
        judge([grouped(f)], CANDIDATES, linear(weights))[0].relevance
        for f in (features, raised)
    )
    assert low <= high


@given(word_sets, word_sets)
def test_repetition_is_mutual_R_A3(one: frozenset[str], other: frozenset[str]) -> None:
    assert repeats(one, other) == repeats(other, one)
    assert not one or repeats(one, one)


def test_the_calibration_of_the_embedder_is_whole_R_G6(demo: Demo) -> None:
    """It names all features, in their order, and says where it comes from."""
    fitted = calibration(demo.embedder)
    assert fitted.embedder == demo.embedder.name
    assert fitted.order.names == NAMES
    assert fitted.relevance.names == fitted.alone.names == (*NAMES, *ABOUT)
    for one in (fitted.order, fitted.relevance, fitted.alone):
        assert len(one.names) == len(one.mean) == len(one.scale) == len(one.weights)
        assert min(one.scale) > 0
    told = {"date", "fitted_on", "questions", "answerable", "reliability_error"}
    assert told <= set(fitted.provenance)
    assert Calibration.model_validate_json(fitted.model_dump_json()) == fitted


SHIPPED = sorted(CALIBRATIONS.glob("*-relevance.json"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_what_is_shipped_was_fitted_on_what_is_measured_R_G6(file: Path) -> None:
    """The features of this release, in their order: no weight falls on another."""
    fitted = Calibration.model_validate_json(file.read_text(encoding="utf-8"))
    assert fitted.order.names == NAMES
    assert fitted.relevance.names == fitted.alone.names == (*NAMES, *ABOUT)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_alone_asks_nothing_of_rivals_R_G6_R_A6(file: Path) -> None:
    """Nor of the length of the question, in any calibration that is shipped."""
    fitted = Calibration.model_validate_json(file.read_text(encoding="utf-8"))
    weights = dict(zip(fitted.alone.names, fitted.alone.weights, strict=True))
    assert {weights[name] for name in (*RIVALRY, "question_words")} == {0.0}
    assert any(weights.values())
    relevance = dict(zip(fitted.relevance.names, fitted.relevance.weights, strict=True))
    assert any(relevance[name] for name in RIVALRY)


def test_both_profiles_are_shipped_R_G6() -> None:
    assert [file.stem for file in SHIPPED] == ["precise-relevance", "small-relevance"]


@pytest.mark.parametrize("text", ["What is tf2?", "Is ROS 2 better than ROS 1?", ""])
async def test_the_order_of_candidates_does_not_matter_R_G6(
    room: Room, text: str
) -> None:
    """Two indexes that find the same, in another order, agree to the last digit."""
    places = Places(room.ports.index, room.ports.embedder)
    statistics = await room.ports.index.statistics(Scope(pack="textbook"))
    pack, asked = room.packs["textbook"], intent(text=text)
    found = await look(places, question("textbook", text), asked, pack, statistics)
    fitted = calibration(room.ports.embedder)
    forwards = {c.id: c.relevance for c in found.judge(fitted)}
    turned = type(found)(
        found.view, found.candidates[::-1], found.tokens, found.wide, found.trace
    )
    backwards = {c.id: c.relevance for c in turned.judge(fitted)}
    assert set(forwards) == set(backwards)
    for chunk, relevance in forwards.items():
        assert relevance == pytest.approx(backwards[chunk], abs=1e-6)
