"""The analysis date of a question."""

from datetime import UTC, date, datetime

import pytest

from engine.dates import read, today_in
from engine.records import Basis

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("What applies as of 1 March 2024?", date(2024, 3, 1)),
        ("As of March 1st, 2024, what applies?", date(2024, 3, 1)),
        ("the rule as at 2024-02-29", date(2024, 2, 29)),
        ("which fee was in force on 3rd of May 2021", date(2021, 5, 3)),
        ("as of Sept 2024", date(2024, 9, 1)),
    ],
)
def test_an_explicit_date_R_F5(text: str, day: date) -> None:
    found = read(text, TODAY)
    assert (found.basis, found.day) == (Basis.EXPLICIT, day)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I applied on 3 May 2021, what applies?", date(2021, 5, 3)),
        ("I applied for a study permit on May 3, 2021", date(2021, 5, 3)),
        ("My application was submitted in June 2020", date(2020, 6, 1)),
        ("application date: 2020-02-02", date(2020, 2, 2)),
    ],
)
def test_a_date_of_application_R_F5(text: str, day: date) -> None:
    found = read(text, TODAY)
    assert (found.basis, found.day) == (Basis.APPLICATION_DATE, day)
    assert read(text, TODAY, applications=False).basis is Basis.TODAY


@pytest.mark.parametrize(
    "text",
    [
        "as of 31 February 2024",
        "as of 2024-13-01",
        "as of 03/04/2024",
        "What happened on 1 March 2024?",
        "I applied the cream twice",
        "",
    ],
)
def test_what_is_no_clear_date_is_none_R_F5(text: str) -> None:
    """Nothing is guessed: the header then says today."""
    found = read(text, TODAY)
    assert (found.basis, found.day) == (Basis.TODAY, TODAY)


def test_explicit_beats_application_beats_today_R_F5() -> None:
    """And a date given beside the question beats both."""
    text = "I applied on 2018-01-01; what was the rule as of 2019-01-05?"
    assert read(text, TODAY).day == date(2019, 1, 5)
    given = read(text, TODAY, date(2017, 1, 1))
    assert (given.basis, given.day) == (Basis.EXPLICIT, date(2017, 1, 1))


def test_today_is_that_of_the_pack_R_F5() -> None:
    """Late in the evening of UTC it is tomorrow in India."""
    now = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
    assert today_in("UTC", now) == date(2026, 11, 22)
    assert today_in("Asia/Kolkata", now) == date(2026, 11, 23)
    assert today_in("America/Toronto", now) == date(2026, 11, 22)
