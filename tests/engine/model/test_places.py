"""Tokens: a path that is one word, and lines."""

import os

from hypothesis import given
from hypothesis import strategies as st

from engine.model.places import Place, decode_path, encode_path, parse_place


@given(st.binary(min_size=1, max_size=40))
def test_every_path_is_one_token_and_comes_back_R_V6(raw: bytes) -> None:
    """Whatever bytes a file name holds, and whatever stands around its token."""
    path = os.fsdecode(raw)
    token = str(Place(encode_path(path), 3, 7))
    assert parse_place(token) == Place(encode_path(path), 3, 7)
    assert decode_path(encode_path(path)) == path


def test_a_place_lies_within_a_range_R_P8() -> None:
    """A citation inside an evidence range is valid; one that leaves it is not."""
    whole = Place("a.py", 3, 9)
    assert Place("a.py", 4, 9).within(whole)
    assert not Place("a.py", 4, 10).within(whole)
    assert not Place("b.py", 4, 5).within(whole)


def test_what_is_no_place() -> None:
    for text in ("a.py", "a.py:0", "a.py:5-3", ":3", "a b:3", "a.py:x"):
        assert parse_place(text) is None, text
