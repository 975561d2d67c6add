"""Relevance: a probability of question, text and vectors, and nothing else."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies
from hypothesis.extra import numpy as arrays
from pydantic import ValidationError

from config.settings import CALIBRATIONS
from engine.model.ports import Candidate
from engine.model.question import Scope
from engine.policy.mix import CoverRule, TitleRule
from engine.rank.calibration import BELOW, GENERAL, SURE, Calibration, Linear, Place
from engine.rank.features import NAMES
from engine.rank.groups import ABOUT, Group, Passage
from engine.rank.reading import BEFORE, FOUND
from engine.rank.relevance import judge
from engine.search.search import SearchBackend, find_candidates
from engine.text.quotable import Quotation
from engine.text.words import repeats
from evals.relevance.fit import AGAINST, FORM
from tests.demo import Demo, Room, question, reading_over
from tests.engine.rank.chunks import PLAIN_LINES, chunk_of
from tests.engine.small_pack import intent, small_pack

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


def fitted_to(weights: np.ndarray, selected: float = 0.0) -> Calibration:
    sums = linear(weights)
    return Calibration(
        embedder="e",
        reader="r",
        order=sums,
        relevance=sums,
        reading=Linear(names=(FOUND,), mean=(0,), scale=(1,), weights=(1,)),
        places={GENERAL: Place(even=0.0, sure=SURE)},
        floor=0.0,
        selected=selected,
    )


def grouped(features: np.ndarray) -> Group:
    """One document with one passage."""
    own = features[: len(NAMES)]
    passage = Passage(0, Quotation(0, (0,)), 1.0, frozenset(), 5, own)
    return Group("d", (passage,), features)


CANDIDATES = [Candidate(chunk_of(PLAIN_LINES), None, 0.5)]


@given(
    arrays.arrays(np.float32, COLUMNS, elements=values),
    arrays.arrays(np.float32, COLUMNS, elements=values),
    strategies.booleans(),
)
def test_relevance_is_a_probability_R_G6(
    features: np.ndarray, weights: np.ndarray, selected: bool
) -> None:
    """On any features and weights, of what was selected too."""
    fitted = fitted_to(weights, 0.8)
    (chunk,) = judge([grouped(features)], CANDIDATES, fitted, selected=selected)
    assert 0 <= chunk.relevance <= 1
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
        judge([grouped(f)], CANDIDATES, fitted_to(weights))[0].relevance
        for f in (features, raised)
    )
    assert low <= high


def test_what_comes_near_may_be_offered_however_close_even_and_sure_lie_R_Q5() -> None:
    """Relevance has no step at 0.5, and 0.3 does not move up to it."""
    wide, narrow = Place(even=1.0, sure=3.0), Place(even=1.0, sure=1.2)
    assert wide.relevance(-1.0) == pytest.approx(0.3)
    assert narrow.relevance(1.0 - BELOW) == pytest.approx(0.3)
    for place in (wide, narrow):
        assert place.relevance(place.even) == pytest.approx(0.5)
        assert place.relevance(place.sure) == pytest.approx(0.7)
        assert place.relevance(0.999) == pytest.approx(0.5, abs=1e-2)


@pytest.mark.parametrize("domain", ["general", "legal", "medical"])
def test_relevance_lies_where_the_domain_has_its_place_R_G6(domain: str) -> None:
    """And where all others have theirs, if the domain has none."""
    places = {
        "general": Place(even=1.0, sure=2.0),
        "legal": Place(even=-1.0, sure=0.0),
    }
    fitted = fitted_to(np.zeros(COLUMNS)).model_copy(update={"places": places})
    place = places.get(domain, places["general"])
    for odds, expected in ((place.even, 0.5), (place.sure, 0.7)):
        said = fitted.read({FOUND: odds, BEFORE: 0.0}, domain)
        assert said == pytest.approx(expected)


def test_a_sum_reads_its_own_features_among_all_R_G6() -> None:
    """Those that came to nothing are not in the file."""
    (one,) = CANDIDATES
    features = np.zeros(COLUMNS, dtype=np.float32)
    features[(*NAMES, *ABOUT).index("best_near_weakest")] = 2.0
    few = Linear(
        names=("best_near_weakest",), mean=(0,), scale=(1,), weights=(1.5,), bias=-3
    )
    fitted = fitted_to(np.zeros(COLUMNS)).model_copy(update={"relevance": few})
    assert few.among((*NAMES, *ABOUT)) == [(*NAMES, *ABOUT).index("best_near_weakest")]
    (chunk,) = judge([grouped(features)], [one], fitted)
    assert chunk.relevance == pytest.approx(0.5)


@given(word_sets, word_sets)
def test_repetition_is_mutual_R_A3(one: frozenset[str], other: frozenset[str]) -> None:
    assert repeats(one, other) == repeats(other, one)
    assert not one or repeats(one, one)


def test_the_calibration_of_the_embedder_is_whole_R_G6(demo: Demo) -> None:
    """It names features that are measured, and says where it comes from."""
    fitted = reading_over(demo.embedder).calibration
    assert fitted.embedder == demo.embedder.name
    assert set(fitted.order.names) <= set(NAMES)
    assert set(fitted.relevance.names) <= {*NAMES, *ABOUT}
    for one in (fitted.order, fitted.relevance):
        assert len(one.names) == len(one.mean) == len(one.scale) == len(one.weights)
        assert min(one.scale) > 0
    assert set(fitted.reading.names) == {FOUND, BEFORE}
    told = {"date", "fitted_on", "near_misses", "puts", "reliability_error"}
    assert told <= set(fitted.provenance)
    assert Calibration.model_validate_json(fitted.model_dump_json()) == fitted


SHIPPED = sorted(CALIBRATIONS.glob("*-relevance.json"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_what_is_shipped_was_fitted_on_what_is_measured_R_G6(file: Path) -> None:
    """Features of this release, each once and in the direction it may move."""
    fitted = Calibration.model_validate_json(file.read_text(encoding="utf-8"))
    for one, measured in (
        (fitted.order, NAMES),
        (fitted.relevance, (*NAMES, *ABOUT)),
    ):
        places = one.among(measured)
        assert places == sorted(set(places))
        for name, weight in zip(one.names, one.weights, strict=True):
            assert name in FORM or (weight < 0) == (name in AGAINST), name


def test_the_packaged_embedder_has_its_calibration_R_G6() -> None:
    assert [file.stem for file in SHIPPED] == [
        "minilm-large-relevance",
        "minilm-small-relevance",
    ]


@pytest.mark.parametrize("text", ["What is tf2?", "Is ROS 2 better than ROS 1?", ""])
async def test_the_order_of_candidates_does_not_matter_R_G6(
    room: Room, text: str
) -> None:
    """Two indexes that find the same, in another order, agree to the last digit."""
    places = SearchBackend(room.ports.index, room.ports.embedder)
    statistics = await room.ports.index.statistics(Scope(pack="textbook"))
    pack, asked = room.packs["textbook"], intent(text=text)
    found = await find_candidates(
        places, question("textbook", text), asked, pack, statistics
    )
    fitted = reading_over(room.ports.embedder)
    forwards = {c.id: c.relevance for c in await found.judge(fitted)}
    turned = type(found)(
        found.pack,
        found.view,
        found.candidates[::-1],
        found.tokens,
        found.trace,
    )
    backwards = {c.id: c.relevance for c in await turned.judge(fitted)}
    assert set(forwards) == set(backwards)
    for chunk, relevance in forwards.items():
        assert relevance == pytest.approx(backwards[chunk], abs=1e-6)


@pytest.mark.parametrize(("asked", "rises"), [(0.3, False), (0.8, True)])
def test_a_title_that_is_not_asked_for_speaks_against_a_passage_R_V4(
    asked: float, rises: bool
) -> None:
    """Only where the pack says that titles tell what passages are about."""
    features = np.zeros(COLUMNS, dtype=np.float32)
    features[NAMES.index("title_asked")] = asked
    fitted = fitted_to(np.zeros(COLUMNS))
    pack = small_pack(retrieval={"titles": {"usual": 0.5, "weight": 9}})
    (plain,) = judge([grouped(features)], CANDIDATES, fitted)
    (titled,) = judge([grouped(features)], CANDIDATES, fitted, pack=pack)
    assert plain.relevance == 0.5
    assert (titled.relevance > plain.relevance) is rises


@pytest.mark.parametrize("spoilt", [{"usual": 0.4}, {"weight": 11}])
def test_no_title_alone_opens_a_gate_R_I9(spoilt: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        TitleRule.model_validate({"usual": 0.5, "weight": 9, **spoilt})


@pytest.mark.parametrize(
    ("covered", "relevance"), [(0.0, 0.4), (0.69, 0.4), (0.7, 0.5), (1.0, 0.5)]
)
def test_what_speaks_of_too_little_of_a_question_opens_no_gate_R_V4(
    covered: float, relevance: float
) -> None:
    """Only where the pack says how much it has to be."""
    features = np.zeros(COLUMNS, dtype=np.float32)
    features[NAMES.index("covered")] = covered
    fitted = fitted_to(np.zeros(COLUMNS))
    pack = small_pack(retrieval={"covered": {"share": 0.7, "at_most": 0.4}})
    (plain,) = judge([grouped(features)], CANDIDATES, fitted)
    (bounded,) = judge([grouped(features)], CANDIDATES, fitted, pack=pack)
    assert plain.relevance == 0.5
    assert bounded.relevance == relevance
    assert bounded.picks[0].relevance == relevance


@pytest.mark.parametrize(
    "spoilt", [{"share": 0.0}, {"share": 1.1}, {"at_most": 1.0}, {"at_most": -0.1}]
)
def test_a_share_is_a_share_R_I9(spoilt: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        CoverRule.model_validate({"share": 0.7, "at_most": 0.4, **spoilt})
