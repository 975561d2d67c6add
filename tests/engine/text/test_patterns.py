"""Patterns over folded text."""

import pytest

from engine.text.patterns import (
    build_word_pattern,
    fold,
    matches,
    matches_whole,
    put_below,
    remove,
    take_from_below,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("don\u2019t", "don't"),
        ("\u201cyes\u201d", '"yes"'),
        ("a\u2011b \u2013 c", "a-b - c"),
        ("can\u200b't", "can't"),
        ("\uff21\uff22", "AB"),
        (" a \n\t b ", "a b"),
        ("\ud800", "?"),
    ],
)
def test_folding_drops_presentation_and_tricks_R_V8(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_case_never_matters() -> None:
    assert matches([r"\bpain\b"], "PAIN")
    assert not matches([r"\bpain\b"], "paint")
    assert matches_whole(["[a-z]+nib"], "Imatinib")
    assert not matches_whole(["[a-z]+nib"], "imatinib dose")


def test_terms_are_data() -> None:
    """No character of one is an operator."""
    pattern = build_word_pattern(["5-FU", "a.c", "a.c.e"])
    assert pattern is not None
    assert matches([pattern], "with 5-fu.")
    assert not matches([pattern], "abc")
    assert build_word_pattern([]) is None


def test_what_matches_is_taken_out() -> None:
    assert remove(["tell me"], "Tell me more").split() == ["more"]


def test_a_question_goes_below_a_title_and_out_again_R_U14() -> None:
    below = put_below("VEGA (jRCT1031200006)", "how big is it?")
    assert below == "VEGA: how big is it?"
    assert take_from_below("VEGA (jRCT1031200006)", below) == "how big is it?"
    assert take_from_below("GALAXY", below) == ""
    assert take_from_below("", ": how big is it?") == ""
    assert len(put_below("A\n" * 1_000, "why?")) < 220
