"""What a word says: by English at large, whatever the corpus holds."""

import pytest
from hypothesis import given, strategies

from engine.text.background import NUMERAL, PASSAGES, RARE, weigh
from engine.text.words import stem


@given(strategies.text(max_size=20))
def test_a_weight_is_a_share_R_G6(text: str) -> None:
    assert 0 <= weigh(text) <= 1


def test_what_english_does_not_know_weighs_most_R_G6() -> None:
    """And what nearly every passage holds next to nothing."""
    assert weigh("zanzibot") == 1
    assert weigh(stem("the")) < 0.01
    assert weigh(stem("water")) < weigh(stem("fatigue")) < weigh("capecitabin")


def test_a_rare_word_is_one_of_a_passage_in_a_hundred_R_G6() -> None:
    """Where the scale has its middle."""
    assert weigh(stem("people")) < RARE < weigh(stem("mouthwash"))
    assert PASSAGES == 10_000


@pytest.mark.parametrize("numeral", ["2", "1998", "tf2", "38.5"])
def test_numbers_are_counted_nowhere_R_G6(numeral: str) -> None:
    """A year that happens to stand in the list weighs no less than another."""
    assert weigh(numeral) == NUMERAL
