"""A word diff keeps every letter of both texts."""

from hypothesis import given
from hypothesis import strategies as st

from evals.report.page import LONGEST, compare_words

texts = st.text(alphabet="ab \n1²", max_size=60)


@given(texts, texts)
def test_no_letter_is_lost(then: str, now: str) -> None:
    pieces = list(compare_words(then, now))
    old = "".join(piece.text for piece in pieces if piece.kind != "new")
    new = "".join(piece.text for piece in pieces if piece.kind != "gone")
    assert (old, new) == (then, now)


def test_one_changed_digit_is_one_changed_word() -> None:
    pieces = compare_words("take 10 mg daily", "take 12 mg daily")
    changed = [(piece.kind, piece.text) for piece in pieces if piece.kind != "same"]
    assert changed == [("gone", "10"), ("new", "12")]


def test_very_long_texts_are_compared_as_a_whole() -> None:
    """A diff is quadratic; a report must end."""
    long = "word " * (LONGEST + 1)
    assert [piece.kind for piece in compare_words(long, long + "x")] == ["gone", "new"]
