"""What a word says: by English at large, whatever the corpus holds."""

import pytest
from hypothesis import given, strategies

from engine.text.background import NUMERAL, PASSAGES, RARE, weight
from engine.text.words import stem


@given(strategies.text(max_size=20))
def test_a_weight_is_a_share_R_G6(text: str) -> None:
    assert 0 <= weight(text) <= 1


def test_what_english_does_not_know_weighs_most_R_G6() -> None:
    """And what nearly every passage holds next to nothing."""
    assert weight("zanzibot") == 1
    assert weight(stem("the")) < 0.01
    assert weight(stem("water")) < weight(stem("fatigue")) < weight("capecitabin")


def test_a_rare_word_is_one_of_a_passage_in_a_hundred_R_G6() -> None:
    """Where the scale has its middle."""
    assert weight(stem("people")) < RARE < weight(stem("mouthwash"))
    assert PASSAGES == 10_000


@pytest.mark.parametrize("numeral", ["2", "1998", "tf2", "38.5"])
def test_numbers_are_counted_nowhere_R_G6(numeral: str) -> None:
    """A year that happens to stand in the list weighs no less than another."""
    assert weight(numeral) == NUMERAL
