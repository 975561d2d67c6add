"""A model's selection speaks of what was asked, as far as the passages do (R-V4)."""

import pytest

from engine.records import Chunk, Pick
from engine.validate.check import Rejected, Verified
from tests.engine.validate.drafts import checked, chunks_of, claim, room, selecting

CREAMS = """# Skin cancer prevention

Selenium does not lower the risk of basal cell carcinoma.
Fluorouracil cream lowers the risk of squamous cell carcinoma for a year.
Sunscreen is put on every two hours.
"""
ASKED = "Does selenium prevent basal cell carcinoma?"
SELENIUM, CREAM = "Selenium does not", "Fluorouracil cream"


def picked(text: str, says: str) -> tuple[Chunk, ...]:
    """The chunks of a text, of which one sentence speaks to the question."""
    (chunk,) = chunks_of(text)
    said = [chunk.text[s.start - chunk.start :] for s in chunk.sentences]
    (at,) = [n for n, each in enumerate(said) if each.startswith(says)]
    pick = Pick(sentence=at, score=5.0, relevance=0.9)
    return (chunk.model_copy(update={"picks": (pick,)}),)


@pytest.mark.parametrize(("chosen", "answered"), [(SELENIUM, True), (CREAM, False)])
def test_what_is_chosen_speaks_of_what_was_asked_R_V4(
    chosen: str, answered: bool
) -> None:
    """A true sentence about another substance of the page is no answer."""
    place = room(picked(CREAMS, SELENIUM), question=ASKED)
    verdict = checked(place, selecting(place, chosen), mode="llm")
    assert isinstance(verdict, Verified) is answered


def test_a_model_is_told_what_it_left_out_R_A4() -> None:
    """So that it can choose again."""
    place = room(picked(CREAMS, SELENIUM), question=ASKED)
    verdict = checked(place, selecting(place, CREAM), mode="llm")
    assert isinstance(verdict, Rejected)
    assert "selenium" in verdict.findings[-1].message


def test_prose_is_asked_the_same_R_V4() -> None:
    """It points to sentences like a number does."""
    place = room(picked(CREAMS, SELENIUM), question=ASKED)
    wrong = claim("A fluorouracil cream lowers the risk of squamous carcinoma.", 1)
    assert isinstance(checked(place, wrong, mode="llm"), Rejected)
    right = claim("No: selenium does not lower that risk.", 1)
    assert isinstance(checked(place, right, mode="llm"), Verified)


def test_more_beside_the_answer_takes_nothing_away_R_V4() -> None:
    """All that is chosen is judged together."""
    place = room(picked(CREAMS, SELENIUM), question=ASKED)
    both = selecting(place, CREAM), selecting(place, SELENIUM)
    assert isinstance(checked(place, *both, mode="llm"), Verified)


def test_words_that_no_passage_holds_are_not_asked_for_R_V4() -> None:
    """A question may be worded otherwise than its answer."""
    place = room(picked(CREAMS, "Sunscreen"), question="How often should I cream up?")
    assert isinstance(
        checked(place, selecting(place, "Sunscreen"), mode="llm"), Verified
    )
