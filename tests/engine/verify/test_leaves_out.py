"""What the gate opened for is shown, whatever a model selects (R-V4, R-A3)."""

import pytest

from engine.model.answer import Answer
from engine.model.draft import DraftClaim
from engine.model.passage import Chunk, Pick
from engine.policy.rules import Material
from engine.verify.check import Rejected, Verified, check
from tests.engine.verify.drafts import checked, chunks_of, draft, room, selecting

CREAMS = """# Skin cancer prevention

Selenium does not lower the risk of basal cell carcinoma.

Fluorouracil cream lowers the risk of squamous cell carcinoma for a year.

Sunscreen is put on every two hours.
"""
STOPS = """# Stops

These stops exist:

- A stop of category 0 removes the power at once.
- A stop of category 1 brings the motion to a controlled stop first.

A software stop is no emergency stop.
"""
ASKED = "Does selenium prevent basal cell carcinoma?"
SELENIUM, CREAM = "Selenium does not", "Fluorouracil cream"


def picked(text: str, *says: str) -> tuple[Chunk, ...]:
    """The chunks of a text, of which some sentences are nearest to the question."""
    (chunk,) = chunks_of(text)
    said = [chunk.text[s.start - chunk.start :] for s in chunk.sentences]
    picks = tuple(
        Pick(sentence=at, score=5.0, relevance=0.9)
        for at, each in enumerate(said)
        if each.startswith(says)
    )
    assert len(picks) == len(says)
    return (chunk.model_copy(update={"picks": picks}),)


def shown(place: Material, *claims: DraftClaim) -> list[str]:
    """How each quotation of the answer begins."""
    verdict = checked(place, *claims, mode="llm")
    assert isinstance(verdict, Verified)
    return [" ".join(text.split()[:2]) for text in texts(verdict.answer)]


def texts(answer: Answer) -> list[str]:
    return [claim.text for section in answer.sections for claim in section.claims]


@pytest.fixture
def place() -> Material:
    return room(picked(CREAMS, SELENIUM), question=ASKED)


def test_what_the_gate_opened_for_stands_first_R_V4_R_A3(place: Material) -> None:
    """A true sentence about another substance of the page does not take its place."""
    assert shown(place, selecting(place, CREAM)) == ["Selenium does", CREAM]


def test_what_was_selected_is_shown_as_it_was_R_A1(place: Material) -> None:
    """In its own order, where what the gate opened for is among it."""
    both = selecting(place, CREAM), selecting(place, SELENIUM)
    assert shown(place, *both) == [CREAM, "Selenium does"]


def test_it_is_on_record_R_D1(place: Material) -> None:
    """Who reads why learns that the model did not select it."""
    verdict = checked(place, selecting(place, CREAM), mode="llm")
    assert isinstance(verdict, Verified)
    noted = [f.claim for f in verdict.findings if f.code == "opened_for"]
    assert noted == ["Selenium does not lower the risk of basal cell carcinoma."]


def test_another_item_of_its_list_does_not_stand_for_it_R_V4() -> None:
    """Category 1 is no answer to category 0: the whole list stands there."""
    asked = "What does a stop of category 0 do?"
    place = room(picked(STOPS, "A stop of category 0"), question=asked)
    (text,) = texts_of(place, "A stop of category 1")
    assert text.index("category 0") < text.index("category 1")


def texts_of(place: Material, selected: str) -> list[str]:
    verdict = checked(place, selecting(place, selected), mode="llm")
    assert isinstance(verdict, Verified)
    return texts(verdict.answer)


def test_one_of_several_that_are_as_near_is_enough_R_V4() -> None:
    """A section that was asked for by its number is near as a whole."""
    place = room(picked(CREAMS, SELENIUM, CREAM), question=ASKED)
    assert shown(place, selecting(place, CREAM)) == [CREAM]


def test_our_own_selection_is_of_the_nearest_already_R_A3(place: Material) -> None:
    """Nothing is added to it."""
    verdict = checked(place, selecting(place, CREAM), mode="deterministic")
    assert isinstance(verdict, Verified)
    assert len(texts(verdict.answer)) == 1


def test_what_a_judge_takes_away_stays_away_R_V4(place: Material) -> None:
    """Also where the model did not select it."""
    (first, _) = texts_of(place, CREAM)
    drafted = draft(selecting(place, CREAM), mode="llm")
    verdict = check(drafted, place, frozenset({first}))
    assert isinstance(verdict, Verified)
    assert [text.split()[0] for text in texts(verdict.answer)] == ["Fluorouracil"]


def test_a_draft_that_selects_nothing_gets_nothing_R_A13(place: Material) -> None:
    """It is no selection, and is rejected as before."""
    assert isinstance(checked(place, mode="llm"), Rejected)
