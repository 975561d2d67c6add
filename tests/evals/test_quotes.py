"""The second reader of quotations: marks, folding, places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.quotes import find, fold, quotations, stands, unbarred


def _inner(text: str) -> list[str]:
    return [found.inner for found in quotations(text)]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("He said “one \u2018two\u2019 three” twice.", ["one \u2018two\u2019 three"]),
        ("the user's \"records of a user's\" own", ["records of a user's"]),
        ("the user's and the doctor's", []),
        ('a 5" screen and "a word"', ["a word"]),
        (
            "\u2018the patients\u2019 own words\u2019 end",
            ["the patients\u2019 own words"],
        ),
        ("\u2018one\u2019 and the patient\u2019s", ["one"]),
        ("rock 'n' roll", ["n"]),
        ("„unten“ und „oben”", ["unten", "oben"]),
        ("»aus« und «dans»", ["aus", "dans"]),
        ("“never closed", ["never closed"]),
        ("“one\n\ntwo”", ["one\n\ntwo"]),
        ("> a line [1]\n> b line [2]\nplain", ["a line [1]\nb line"]),
        ("│ one\n│ • two [1]\n\n│ three", ["one\ntwo", "three"]),
        ("", []),
    ],
)
def test_outermost_quotations_are_read_R_I7(text: str, inner: list[str]) -> None:
    """In every style, balanced, and an apostrophe is no mark."""
    assert _inner(text) == inner


def test_numbers_behind_a_quotation_are_its_own() -> None:
    """Behind marks, behind the sentence's end, and at the end of a block."""
    found = quotations("“a”[1][2] then “b”. [3] and “c” (4)\n│ d [5]")
    assert [one.numbers for one in found] == [(1, 2), (3,), (), (5,)]


@given(st.text(alphabet="ab “”„«»\u2018\u2019'\"\n>│[1] .", max_size=60))
def test_reading_any_text_ends_and_stays_in_order(text: str) -> None:
    """Quotations do not overlap and lie in the text."""
    last = 0
    for found in quotations(text):
        assert last <= found.start < found.end <= len(text)
        last = found.end


@given(
    st.text(
        alphabet="aé\u0301 \n\u00a0\u00ad\u200b\u2018\u2019“-\u2212\ufb015", max_size=40
    )
)
def test_folding_keeps_a_way_back(text: str) -> None:
    """Each folded letter or digit comes from an equal one of the original."""
    folded = fold(text)
    for at, character in enumerate(folded.text):
        origin = folded.origin(at)
        assert 0 <= origin <= len(text)
        if character in "a5":
            assert text[origin] == character


@given(st.text(alphabet="aé\u0301 \n\u00a0\u00ad\u200b\u2018\u2019“-5", max_size=40))
def test_folding_twice_is_folding_once(text: str) -> None:
    """What is folded has nothing left to fold, but for hidden marks between."""
    once = fold(text).text
    if "\u00ad" not in text and "\u200b" not in text:
        assert fold(once).text == once


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("the patient's view", "It is the patient\u2019s view."),
        ("twelve hours", "twelve\u00a0\n hours"),
        ("efficient", "an e\ufb03cient way"),
        ("café", "a cafe\u0301 here"),
        ("minus -5", "minus \u22125"),
        ("information", "infor\u00admation"),
        ("side effects", "the side ef-\nfects of"),
        ("follow-up visit", "a follow-\nup visit"),
    ],
)
def test_presentation_is_folded_R_I7(quotation: str, text: str) -> None:
    """What a reader cannot see does not keep a quotation from standing."""
    assert stands(quotation, text)


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("5 mg", "15 mg"),
        ("5 mg", "1.5 mg"),
        ("5 mg", "take -5 mg"),
        ("12", "12%"),
        ("do", "don't"),
        ("10\u00b2", "102"),
        ("mg", "MG"),
        ("within", "w\u0456thin"),
        ("small cell", "non-small cell"),
        ("", "text"),
        ("...", "a ... b"),
    ],
)
def test_meaning_is_not_folded_R_I7(quotation: str, text: str) -> None:
    """Words, figures, case and look-alike letters keep a quotation from standing."""
    assert find(quotation, text) is None


def test_a_place_is_told_in_the_original() -> None:
    """Offsets count what was folded away."""
    text = "So:\n\n“A  \u200bB” c"
    start, end = find('"A B"', text) or (0, 0)
    assert text[start:end] == "“A  \u200bB”"


def test_bars_and_bullets_are_taken_off_together() -> None:
    """A bullet without a bar is text."""
    assert unbarred("│ • a\n• b") == "a\n• b"
