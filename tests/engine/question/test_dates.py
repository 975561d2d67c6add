"""The analysis date of a question."""

from datetime import UTC, date, datetime

import pytest

from engine.question.dates import read, today_in
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
        ("What applied on 1 March 2024?", date(2024, 3, 1)),
        ("Which limit on work off campus applied on 1 March 2024?", date(2024, 3, 1)),
        ("the fee in effect on 2 May 2022", date(2022, 5, 2)),
        ("How many days of presence were needed in May 2016?", date(2016, 5, 1)),
        ("What was the fee on 1 May 2023?", date(2023, 5, 1)),
        ("How old could a dependent child be on 2015-02-01?", date(2015, 2, 1)),
    ],
)
def test_a_day_that_something_applied_on_R_F5(text: str, day: date) -> None:
    """Only in packs whose replies name the day: elsewhere a question is about it."""
    found = read(text, TODAY)
    assert (found.basis, found.day) == (Basis.EXPLICIT, day)
    assert read(text, TODAY, applications=False).basis is not Basis.APPLICATION_DATE


def test_whoever_applied_on_a_day_asks_for_that_application_R_F5() -> None:
    for text in ("What if I applied on 1 March 2024?", "I applied on 1 March 2024."):
        assert read(text, TODAY).basis is Basis.APPLICATION_DATE


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


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What applies as of 1 March 2024?", "What applies?"),
        ("As of March 1st, 2024, what applies?", "what applies?"),
        ("What applies (as of 1 March 2024)?", "What applies?"),
        ("What is it, as of 1 March 2024, and why?", "What is it, and why?"),
        ("What did the rule say on 1 March 2024?", "What did the rule say?"),
        ("which fee was in force on 3rd of May 2021", "which fee was in force"),
        ("the law of March 2024 on fees", "the law on fees"),
        ("I applied on 3 May 2021. What applies?", "What applies?"),
        ("Since I applied on 3 May 2021, what applies?", "what applies?"),
        ("I applied on 3 May 2021 and wait", "wait"),
        ("I applied for a permit on May 3, 2021", "I applied for a permit"),
        ("application date: 2020-02-02. Which fee?", "Which fee?"),
        ("My application was submitted in June 2020", ""),
        ("As of 2019-01-05: I applied on 2018-01-01, what now?", "what now?"),
        ("and for children as of 1 March 2024?", "and for children?"),
    ],
)
def test_what_says_the_date_is_not_part_of_the_question_R_F5(
    text: str, rest: str
) -> None:
    """What the date belongs to (a law, a permit) stays."""
    assert read(text, TODAY).rest == rest
    assert read(text, TODAY, date(2017, 1, 1)).rest == rest


@pytest.mark.parametrize(
    "text",
    [
        "as of 31 February 2024, what  applies?",
        "What\u2019s new as of 03/04/2024?",
        "What happened on 1 March 2024?",
    ],
)
def test_a_date_that_was_not_understood_stays_R_F5(text: str) -> None:
    """Word for word."""
    assert read(text, TODAY).rest == text


def test_only_dates_that_count_are_taken_out_R_F5() -> None:
    text = "I applied on 3 May 2021, what applies?"
    assert read(text, TODAY, applications=False).rest == text


def test_today_is_that_of_the_pack_R_F5() -> None:
    """Late in the evening of UTC it is tomorrow in India."""
    now = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
    assert today_in("UTC", now) == date(2026, 11, 22)
    assert today_in("Asia/Kolkata", now) == date(2026, 11, 23)
    assert today_in("America/Toronto", now) == date(2026, 11, 22)
