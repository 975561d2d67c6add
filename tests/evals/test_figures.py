"""Figures with bound, unit and sign."""

import pytest

from evals.figures import figures


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("twice a day, about 12 hours apart", ["2 time", "12 h"]),
        ("2 to 3 weeks", ["2 week", "3 week"]),
        ("3\u20135 mg", ["3 mg", "5 mg"]),
        ("1,000 mg/kg", ["1000 mg/kg"]),
        ("at most four tablets", ["<= 4 tablet"]),
        ("\u226538.5 \u00b0C", [">= 38.5 \u00b0c"]),
        ("-5 and 10-20", ["-5", "10", "20"]),
        ("5-FU, B12 and 10\u00b2", ["5 -fu", "b12", "10 \u00b2"]),
        ("twenty-five mg", ["25 mg"]),
        ("10mg", ["10 mg"]),
        ("see [3] and one of them", []),
    ],
)
def test_figures_are_read_R_V3(text: str, told: list[str]) -> None:
    """A number carries what it may not lose."""
    assert [str(figure) for figure in figures(text)] == told
