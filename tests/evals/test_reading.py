"""Wordings in served texts: what is said, and what a reader's eye takes for it."""

import pytest

from evals.forms import Row
from evals.reading import record, says, seen


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
