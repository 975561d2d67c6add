"""The analysis date of a question."""

from datetime import UTC, date, datetime

import pytest

from engine.model.question import Basis
from engine.parse.dates import Reading, read, today_in

TODAY = date(2026, 11, 22)
PLAIN = Reading(applications=False)
YEARS = Reading(years=True)


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
    assert read(text, TODAY, reading=PLAIN).basis is not Basis.APPLICATION_DATE


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
    assert read(text, TODAY, reading=PLAIN).basis is Basis.TODAY


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
    assert read(text, TODAY, reading=PLAIN).rest == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("off-campus work hours on 1 March 2024", "off-campus work hours"),
        ("study permit fee, 1 March 2024?", "study permit fee?"),
        (
            "what is the study permit fee on 1 March 2024",
            "what is the study permit fee",
        ),
        (
            "On 1 March 2024, how many hours could I work?",
            "how many hours could I work?",
        ),
        ("and on 1 March 2024?", "and?"),
        (
            "What applied on 1 March 2024 to off-campus work?",
            "What applied to off-campus work?",
        ),
    ],
)
def test_a_date_without_a_full_question_R_F5(text: str, rest: str) -> None:
    """And one that two forms find is taken out once."""
    found = read(text, TODAY)
    assert (found.basis, found.day) == (Basis.EXPLICIT, date(2024, 3, 1))
    assert found.rest == rest


@pytest.mark.parametrize(
    "text",
    [
        "what applied in 2010?",
        "the study permit fee in 2010",
        "Which fee was charged in 2010?",
        "As of 2010, what applies?",
        "what was the law in 2010 on fees",
        "and in 2010?",
        "In 2010, how many hours could I work?",
        "How old could a dependent child be in 2010?",
        "How many days were needed for a grant in 2010?",
    ],
)
def test_a_year_is_a_date_for_packs_that_say_so_R_F5(text: str) -> None:
    """Its last day, and the reply says so; elsewhere it is what a question is about."""
    found = read(text, TODAY, reading=YEARS)
    assert (found.basis, found.day) == (Basis.EXPLICIT, date(2010, 12, 31))
    assert found.year
    assert "2010" not in found.rest
    assert read(text, TODAY) == read(text, TODAY, reading=Reading())
    assert read(text, TODAY).basis is Basis.TODAY


def test_this_year_means_today_and_a_year_to_come_nothing_R_F5() -> None:
    this = read("the fee in 2026", TODAY, reading=YEARS)
    assert (this.basis, this.day, this.year) == (Basis.EXPLICIT, TODAY, True)
    later = read("the fee in 2031", TODAY, reading=YEARS)
    assert (later.basis, later.day) == (Basis.TODAY, TODAY)


def test_an_application_in_a_year_R_F5() -> None:
    found = read("I applied in 2016. What applies?", TODAY, reading=YEARS)
    assert (found.basis, found.day) == (Basis.APPLICATION_DATE, date(2016, 12, 31))


@pytest.mark.parametrize(
    "text",
    [
        "Is a person a citizen who was born in 1978?",
        "Is a person a citizen who was born in Canada in 1978?",
        "What was the rule for people who were convicted abroad on 1 March 2019?",
        "a child born on 1 March 2010",
        "Who was convicted in 2019, are they inadmissible?",
        "What happens if I was removed on 1 March 2019?",
        "Do I qualify if I became a permanent resident in 2019?",
        "the 2019 study permit fee",
        "fees since 2019",
    ],
)
def test_a_date_that_says_no_day_is_told_R_F5(text: str) -> None:
    """When something happened does not move the day, and the reply says so."""
    found = read(text, TODAY, reading=YEARS)
    assert (found.basis, found.day) == (Basis.TODAY, TODAY)
    assert found.other
    assert found.rest == text


@pytest.mark.parametrize(
    "text",
    [
        "Immigration Appeal Division Rules, 2022",
        "can I work for 2000 hours?",
        "Is there a limit of 1950 days?",
    ],
)
def test_what_is_no_date_is_not_told_R_F5(text: str) -> None:
    found = read(text, TODAY, reading=YEARS)
    assert (found.basis, found.other) == (Basis.TODAY, False)


@pytest.mark.parametrize(
    ("text", "day", "rest"),
    [
        (
            "dependent child age limit before 1 August 2014",
            date(2014, 7, 31),
            "dependent child age limit",
        ),
        ("What was the fee prior to 2014-08-01?", date(2014, 7, 31), None),
        ("What was the fee until 1 August 2014?", date(2014, 7, 31), None),
        ("the law up to 1 August 2014 on fees", date(2014, 7, 31), "the law on fees"),
        ("Which limit applied the day before 1 August 2014?", date(2014, 7, 31), None),
        ("Which limit applied before August 2014?", date(2014, 7, 31), None),
        ("the age limit before 2014", date(2013, 12, 31), "the age limit"),
        (
            "Before 1 August 2014, who was a dependent child?",
            date(2014, 7, 31),
            "who was a dependent child?",
        ),
        ("How old could a child be before 1 August 2014?", date(2014, 7, 31), None),
        (
            "the age limit before it was changed on 1 August 2014",
            date(2014, 7, 31),
            "the age limit",
        ),
        ("and before 1 August 2014?", date(2014, 7, 31), None),
        ("the age limit after 1 August 2014", date(2014, 8, 2), "the age limit"),
        ("the age limit after August 2014", date(2014, 9, 1), "the age limit"),
        ("the age limit since 1 August 2014", date(2014, 8, 1), "the age limit"),
        ("the age limit from 1 August 2014 on", date(2014, 8, 1), "the age limit"),
        ("What was the fee two years ago?", date(2024, 11, 22), "What was the fee?"),
        ("What was the fee yesterday?", date(2026, 11, 21), "What was the fee?"),
        ("What was the fee last month?", date(2026, 10, 22), "What was the fee?"),
    ],
)
def test_a_day_beside_the_one_that_is_named_R_A16(
    text: str, day: date, rest: str | None
) -> None:
    """ "Before" a day is not on that day; the words are kept, so that they are told."""
    found = read(text, TODAY, reading=YEARS)
    assert (found.basis, found.day) == (Basis.EXPLICIT, day)
    assert found.phrase
    assert found.phrase in text.lower() or found.phrase in text
    assert rest is None or found.rest == rest


def test_an_application_before_a_day_R_A16() -> None:
    found = read("I applied before 1 August 2014, what applies?", TODAY, reading=YEARS)
    assert (found.basis, found.day) == (Basis.APPLICATION_DATE, date(2014, 7, 31))


def test_last_year_is_a_year_R_A16() -> None:
    found = read("What was the fee last year?", TODAY, reading=YEARS)
    assert (found.day, found.year) == (date(2025, 12, 31), True)


@pytest.mark.parametrize(
    "text",
    [
        "the age limit between 1 August 2014 and 24 October 2017",
        "the age limit from 2014 to 2017",
        "What was the fee in the summer of 2014?",
        "What was the fee in early 2014?",
        "What was the fee at the end of 2014?",
        "What was the fee around 2014?",
        "What was the age limit in the 1990s?",
        "What did the old law say on dependent children?",
        "What was the age limit under the previous rules?",
        "What was the age limit before the law changed?",
        "What did the age limit use to be?",
    ],
)
def test_a_time_of_which_no_day_is_meant_is_asked_for_R_A16(text: str) -> None:
    found = read(text, TODAY, reading=YEARS)
    assert found.unread
    assert (found.basis, found.rest) == (Basis.TODAY, text)


@pytest.mark.parametrize(
    "text",
    [
        "Is a person a citizen who was born before 1 January 1947?",
        "Does a marriage before 1 August 2014 count for a sponsorship?",
        "I was in Canada from 1 March 2019 to 2 May 2021, do I qualify?",
        "I came to Canada two years ago, do I qualify?",
        "What will the fee be next year?",
        "fees since 2019",
    ],
)
def test_when_something_happened_does_not_move_the_day_R_A16(text: str) -> None:
    found = read(text, TODAY, reading=YEARS)
    assert (found.basis, found.day, found.rest) == (Basis.TODAY, TODAY, text)
    assert not found.unread


def test_evidence_since_a_day_is_not_that_of_the_day_R_A16() -> None:
    """Where no law of a day is asked for, what is new since then is not left out."""
    assert read("trial results since 1 March 2024", TODAY).basis is Basis.TODAY
    found = read("trial results before 1 March 2024", TODAY)
    assert found.day == date(2024, 2, 29)


def test_today_is_that_of_the_pack_R_F5() -> None:
    """Late in the evening of UTC it is tomorrow in India."""
    now = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
    assert today_in("UTC", now) == date(2026, 11, 22)
    assert today_in("Asia/Kolkata", now) == date(2026, 11, 23)
    assert today_in("America/Toronto", now) == date(2026, 11, 22)
