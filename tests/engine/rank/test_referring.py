"""A section named with what it is about (R-R2)."""

import pytest

from engine.model.passage import TOPIC, Chunk
from engine.rank.referring import find_speaking, is_reference, rank_by_topic
from engine.rank.view import Word, join_stems
from engine.text.words import stems
from tests.engine.small_pack import chunk

ASKING = {"say", "about"}


def word(text: str, weight: float = 1.0) -> Word:
    return Word(text, weight, weight, False, 1, (join_stems(stems(text)),), ())


def saying(document: str, text: str) -> Chunk:
    return chunk(0.1, document).model_copy(update={"text": text})


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("security inadmissibility", True),
        ("what does say about serious criminality", True),
        ("does say anything about theft", True),
        ("what are the grounds in", True),
        ("can i appeal a finding under", False),
        ("how long is the ban under", False),
        ("who decides", False),
        ("is misrepresentation in", False),
        ("why was he refused under", False),
    ],
)
def test_a_reference_is_told_from_a_question_of_more_R_R2(
    said: str, about: bool
) -> None:
    assert is_reference(said.split(), ASKING) is about


@pytest.mark.parametrize(
    ("topic", "text", "referred", "speaks"),
    [
        ("membership terrorist", "A member of a group in terrorism.", True, True),
        ("physical presence", "They were physically present.", True, True),
        ("status", "Under the statute nothing is.", True, False),
        ("work permit fee", "Espionage and terrorism.", True, False),
        ("appeal misrepresentation", "Who misrepresents is out.", False, False),
        ("misrepresentation", "Who misrepresents is out.", False, True),
    ],
)
def test_a_thing_speaks_of_most_of_a_topic_R_R2(
    topic: str, text: str, referred: bool, speaks: bool
) -> None:
    """Of all of it where a question is asked that another thing may answer."""
    asked = [word(each) for each in topic.split()]
    found = find_speaking([saying("a", text)], asked, frozenset(), referred=referred)
    assert found == ({"a"} if speaks else set())


def test_where_several_bear_a_number_the_topic_says_which_R_R2() -> None:
    chunks = [saying("act", "Smuggling."), saying("rules", "The family class.")]
    asked = [word("smuggling"), word("117")]
    assert find_speaking(chunks, asked, {"117"}, referred=True) == {"act"}


def test_what_it_is_about_is_no_reason_to_doubt_it_R_R2() -> None:
    found = rank_by_topic(chunk(0.1), [word("anything")], frozenset(), whole=True)
    assert (found.relevance, found.parts[TOPIC]) == (1.0, 1.0)
