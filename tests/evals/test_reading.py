"""Wordings in served texts: what is said, and what a reader's eye takes for it."""

import pytest

from evals.forms import Row
from evals.reading import Shown, fold, record, says, seen, shown, visible


@pytest.mark.parametrize(
    ("text", "wording", "said"),
    [
        ("Take it TWICE\n│ a day.", "twice a day", True),
        ("│ twice\n│ a day", "twice a day", True),
        ("take 15 mg", "5 mg", False),
        ("take 5 mg.", "5 mg", True),
        ("tablets", "tablet", False),
        ("the patient\u2019s view", "patient's view", True),
        ("anything", "", False),
    ],
)
def test_a_wording_is_said_as_whole_words(text: str, wording: str, said: bool) -> None:
    """Case and white space are folded, words and figures are not."""
    assert says(text, wording) is said


def test_the_eye_takes_look_alikes_for_letters_R_E7() -> None:
    """Other scripts, widths, accents and invisible characters."""
    assert seen("\uff33\u0443st\u00e9m\u200b  pr\u043empt") == "system prompt"


def test_an_error_has_no_record() -> None:
    """Reading one says so instead of judging nothing."""
    with pytest.raises(ValueError, match="no model"):
        record(Row(case="a", error="no model"))


SERVED = """A notice.

In "Tablets":

│ \u2022 sore  hands
│ [\u2026]
│ tiredness [4] [1, 2]

│     take(2)
│
│ [3]

│ no number

Sources
"""


def test_what_is_served_is_quotations_and_other_lines_R_V2() -> None:
    """A quotation is a run of lines behind a bar; its last numbers are ours."""
    quoted, rest = shown(SERVED)
    assert quoted == (
        Shown("sore hands [\u2026] tiredness [4]", (1, 2)),
        Shown("take(2)", (3,)),
        Shown("no number", ()),
    )
    assert rest == ("A notice.", 'In "Tablets":', "Sources")


def test_only_what_no_reader_sees_is_taken_for_equal_R_I7() -> None:
    """White space and characters without width; no letter, sign or mark."""
    assert visible("12\u00a0 hours\n a\u200bpart") == "12 hours apart"
    assert visible("user\u2019s") != visible("user's")
    assert visible("\uff10") != visible("0")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("user\u2019s \u201cown\u201d", 'user\'s "own"'),
        ("non\u2010small \u22125 a\u00ad\n b", "non-small -5 ab"),
        ("e\u0301", "\u00e9"),
        ("10\u00b2 \u2013 O", "10\u00b2 \u2013 O"),
    ],
)
def test_presentation_is_folded_to_look_for_wordings_R_I7(
    text: str, folded: str
) -> None:
    """Marks, hyphens, composition; superscripts, dashes and case stay."""
    assert fold(text) == folded
