"""Binding law with time, through the engine over the demo texts."""

from datetime import date

import pytest

from engine.model.answer import Answer
from engine.model.codes import FailureState, Reason
from engine.model.outcome import Outcome, Refusal
from engine.model.question import Basis
from engine.parse.intent import UNREAD
from tests.demo import quotes
from tests.law.conftest import Ask

BANNED = "How long is a person inadmissible for misrepresentation?"


def said(outcome: Outcome) -> str:
    return " ".join(quote.text for quote in quotes(outcome))


def cited(outcome: Outcome) -> set[str]:
    assert isinstance(outcome.result, Answer)
    return {citation.document for citation in outcome.result.citations}


@pytest.mark.parametrize(
    ("day", "holds", "other"),
    [
        (date(2014, 11, 20), "two years", "five years"),
        (date(2014, 11, 21), "five years", "two years"),
        (date(2024, 3, 1), "five years", "two years"),
    ],
)
def test_the_version_in_force_answers_alone_R_F5_R_R8(
    law: Ask, day: date, holds: str, other: str
) -> None:
    """The last day of the old version and the first of the new one."""
    outcome = law(BANNED, as_of=day)
    assert holds in said(outcome)
    assert other not in said(outcome)
    assert outcome.header == f"Analysis date basis: {day} (explicit_as_of)"


def test_a_day_in_words_is_understood_R_F5(law: Ask) -> None:
    outcome = law(
        "How many hours per week could a student work off campus in May 2024?"
    )
    assert outcome.intent.as_of == date(2024, 5, 1)
    assert "20 hours" in said(outcome)
    assert "24 hours" not in said(outcome)


def test_an_application_has_the_law_of_its_day_R_F5(law: Ask) -> None:
    outcome = law(
        "I applied on 2 May 2016. "
        "How many days must one be physically present in Canada for citizenship?"
    )
    assert outcome.intent.basis is Basis.APPLICATION_DATE
    assert outcome.header == "Analysis date basis: 2016-05-02 (application_date)"
    assert "1,460 days" in said(outcome)
    assert "1,095" not in said(outcome)


def test_what_is_no_longer_in_force_answers_nothing_R_F5(law: Ask) -> None:
    question = (
        "Must a sponsored spouse cohabit with the sponsor in a conjugal relationship?"
    )
    then = law(question, as_of=date(2015, 1, 1))
    assert "two years" in said(then)
    today = law(question)
    assert "irpr/72.1" not in " ".join(n.document_id for n in today.nearest)
    assert "continuous period" not in said(today)


def test_a_decision_that_is_younger_is_not_used_and_that_is_said_R_F5(law: Ask) -> None:
    outcome = law(
        "What did the Supreme Court of Canada hold in Vavilov?", as_of=date(2018, 1, 1)
    )
    assert isinstance(outcome.result, Refusal)
    assert any("after 2018-01-01 was not used" in n for n in outcome.notices)


def test_persuasive_authority_stands_in_for_no_rule_R_F1(law: Ask) -> None:
    """Only an instruction speaks of it: nothing of it is searched or shown."""
    outcome = law("Must an officer interview a couple before refusing an application?")
    assert isinstance(outcome.result, Refusal)
    assert outcome.states[0] is FailureState.NO_BINDING_AUTHORITY
    assert "no binding authority" in outcome.notices[0]
    assert not any("manuals" in near.document_id for near in outcome.nearest)


def test_it_answers_where_it_is_enough_R_F1_R_G10(law: Ask) -> None:
    outcome = law(
        "What do officers look at to assess whether a relationship is genuine?"
    )
    assert cited(outcome) == {"demo/manuals/genuine-relationships"}


@pytest.mark.parametrize(
    ("day", "stale"), [(date(2024, 6, 1), False), (date(2024, 12, 1), True)]
)
def test_a_table_of_fees_grows_stale_R_F6(law: Ask, day: date, stale: bool) -> None:
    outcome = law("What is the right of permanent residence fee?", as_of=day)
    assert "$575" in said(outcome)
    assert (FailureState.STALE_VOLATILE_SOURCE in outcome.states) is stale
    assert any("may have changed since" in n for n in outcome.notices) is stale


@pytest.mark.parametrize(
    "question",
    [
        "What was the study permit fee on 1 June 2020?",
        "study permit fee as of 1 June 2020",
        "What is the fee for a Convention refugee?",
        "What is the deadline to respond to a report on inadmissibility?",
        "What are the work hours of a detained person?",
    ],
)
def test_an_asked_figure_that_no_sentence_holds_is_refused_R_V4(
    law: Ask, question: str
) -> None:
    """A near section that names no fee is no answer to a question for one."""
    outcome = law(question)
    assert isinstance(outcome.result, Refusal), said(outcome)


def test_facts_are_asked_for_by_name_before_anything_is_searched_R_F7(law: Ask) -> None:
    outcome = law("Am I eligible for citizenship?")
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INSUFFICIENT_FACTS
    assert outcome.states == (FailureState.INSUFFICIENT_FACTS,)
    for fact in outcome.intent.missing_facts:
        assert fact in outcome.result.fallback
    assert outcome.gate is None


@pytest.mark.parametrize(
    "question",
    [
        "Am I inadmissible for misrepresentation?",
        "My sponsorship was refused. How long do I have to appeal?",
        "My refugee claim was rejected. How long do I have to appeal?",
        "Am I eligible for citizenship while on probation?",
    ],
)
def test_a_fact_that_decides_nothing_is_not_asked_for_R_F7(
    law: Ask, question: str
) -> None:
    """One rule holds for all of them, whatever the day: so it is looked up."""
    outcome = law(question, as_of=date(2010, 6, 1))
    assert outcome.intent.missing_facts == ()
    assert outcome.gate is not None


@pytest.mark.parametrize(
    "question",
    [
        "Is misrepresentation inadmissibility five years, decided 2014-02-30",
        "When is restoration of status possible after losing status on 31/02/2024?",
        "What applied on 31 February 2014 for restoration of status?",
        "How many hours may a student work off campus on 03/11/2024?",
    ],
)
def test_a_day_that_is_none_is_asked_for_and_nothing_answered_R_F5(
    law: Ask, question: str
) -> None:
    """Nobody means today who names another day."""
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INSUFFICIENT_FACTS
    assert UNREAD in outcome.result.fallback
    assert not outcome.choices


@pytest.mark.parametrize(
    "question",
    [
        "Am I eligible for Canadian citizenship? I was born in India.",
        "I have never been convicted. Am I eligible for Canadian citizenship?",
        "I have no criminal record. Am I eligible for Canadian citizenship?",
        "Am I inadmissible? My documents were not false.",
    ],
)
def test_a_fact_that_is_denied_decides_nothing_R_F7(law: Ask, question: str) -> None:
    outcome = law(question)
    assert outcome.intent.missing_facts


def test_a_wait_that_the_law_sets_is_a_question_of_law_R_F1(law: Ask) -> None:
    """How long an office takes is none."""
    question = "How long do I have to wait to come back after an exclusion order?"
    result = law(question).result
    assert isinstance(result, Answer)
    assert result.citations[0].document == "demo/irpr/225"


@pytest.mark.parametrize(
    ("question", "inside"),
    [
        ("Do I have to update my mailing address when I move?", True),
        ("do I have to give my phone number to CBSA?", True),
        ("What is the phone number of the IRCC office?", False),
    ],
)
def test_how_to_reach_an_office_lies_outside_R_G2(
    law: Ask, question: str, inside: bool
) -> None:
    assert law(question).intent.in_scope is inside


@pytest.mark.parametrize(
    "question",
    [
        "how many days do I have to live in Canada in 5 years to keep my PR",
        "How many days in 5 years must I be in Canada to keep my PR status?",
    ],
)
def test_who_wants_to_keep_a_status_is_not_told_how_to_get_another_R_V4_R_U2(
    law: Ask, question: str
) -> None:
    """The residency obligation comes first, not the presence that a grant asks for."""
    outcome = law(question)
    first = quotes(outcome)[0]
    assert "730 days" in said(outcome)
    assert "1,095" not in first.text
    assert isinstance(outcome.result, Answer)
    assert outcome.result.citations[0].document == "demo/irpa/28"


@pytest.mark.parametrize(
    "question",
    [
        "Must the best interests of a child be considered in an H&C application?",
        "Are the best interests of a child taken into account in H&C applications?",
        "Do officers have to consider the best interests of a child "
        "in a humanitarian and compassionate application?",
    ],
)
def test_practitioners_short_names_find_the_act_R_U2_R_F1(
    law: Ask, question: str
) -> None:
    outcome = law(question)
    assert "demo/irpa/25" in cited(outcome)
    assert FailureState.NO_BINDING_AUTHORITY not in outcome.states


@pytest.mark.parametrize(
    ("question", "query_type"),
    [
        ("How long does an application for a temporary resident permit take?", True),
        ("How long does a permanent residence application take to process?", True),
        ("How long does the Immigration Division take to review a detention?", False),
    ],
)
def test_no_provision_says_how_long_an_office_takes_R_V4(
    law: Ask, question: str, query_type: bool
) -> None:
    """A time limit of the law is answered from it, a waiting time is not."""
    outcome = law(question)
    assert (outcome.intent.query_type == "processing_times") is query_type
    assert isinstance(outcome.result, Refusal) is query_type


@pytest.mark.parametrize(
    "question",
    [
        "What is the phone number of the Immigration Appeal Division?",
        "Give me the email address of the Refugee Protection Division.",
    ],
)
def test_how_to_reach_an_office_is_out_of_scope_R_G5(law: Ask, question: str) -> None:
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.OUT_OF_SCOPE


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("What does A34(1)(c) say?", "demo/irpa/34"),
        ("R179", "demo/irpr/179"),
        ("section 40 of IRPA", "demo/irpa/40"),
        ("IRPA s. 72(1)", "demo/irpa/72"),
        ("what is in s. 182 of the IRPR", "demo/irpr/182"),
        ("What does section 5 of the Citizenship Act say?", "demo/citizenship-act/5"),
    ],
)
def test_a_section_is_found_by_its_number_R_R2(
    law: Ask, question: str, document: str
) -> None:
    assert cited(law(question)) == {document}


def test_a_section_by_its_number_is_shown_in_its_order_R_R2(law: Ask) -> None:
    """From its first provision on, not from the one that is nearest to the words."""
    text = said(law("section 40 of IRPA"))
    first = text.index("A permanent resident or a foreign national is inadmissible")
    assert first < text.index("for five years") < text.index("During the five years")


@pytest.mark.parametrize("question", ["s. 999", "What does section 12 say?"])
def test_a_section_of_no_act_is_asked_for_R_F7(law: Ask, question: str) -> None:
    """Every act has a section 12: which is meant is asked, and none is out of scope."""
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INSUFFICIENT_FACTS
    assert "which act, regulation or rules" in outcome.result.fallback


@pytest.mark.parametrize("question", ["section 999 of IRPA", "What does A999 say?"])
def test_a_section_that_no_act_has_is_said_to_be_unknown_R_R2(
    law: Ask, question: str
) -> None:
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    assert any("I found no section of that number" in n for n in outcome.notices)


def test_a_provision_comes_with_its_exceptions_R_A14(law: Ask) -> None:
    """In the same quotation, so that no "Show more" parts them."""
    outcome = law("May a protected person be removed?")
    assert isinstance(outcome.result, Answer)
    first = outcome.result.sections[0].claims[0].text
    assert "may not be removed" in first
    assert "The rule does not protect a person" in first


@pytest.mark.parametrize(
    ("question", "day", "holds"),
    [
        ("off-campus work hours on 1 March 2024", date(2024, 3, 1), "20 hours"),
        (
            "What was the right of permanent residence fee in 2021?",
            date(2021, 12, 31),
            "$500",
        ),
        (
            "On 1 March 2013, what term of imprisonment barred an appeal?",
            date(2013, 3, 1),
            "two years",
        ),
    ],
)
def test_a_date_is_read_wherever_it_stands_R_F5(
    law: Ask, question: str, day: date, holds: str
) -> None:
    """And a year alone is told to be read as its last day."""
    outcome = law(question)
    assert outcome.intent.as_of == day
    assert holds in said(outcome)
    told = any("You named a year and no day" in n for n in outcome.notices)
    assert told is ("in 2021" in question)


def test_a_date_that_says_no_day_is_told_R_F5(law: Ask) -> None:
    outcome = law("Is a person a citizen who was born in Canada in 1978?")
    assert outcome.intent.basis is Basis.TODAY
    assert any("did not read the date" in n for n in outcome.notices)


@pytest.mark.parametrize(
    "question", ["What food do detainees get?", "What colour is a study permit?"]
)
def test_a_refusal_for_other_reasons_says_nothing_of_authority_R_F1(
    law: Ask, question: str
) -> None:
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    assert FailureState.NO_BINDING_AUTHORITY not in outcome.states


def test_where_authority_is_lacking_nothing_else_is_offered_R_F1(law: Ask) -> None:
    outcome = law("Must a removal be deferred until the end of the school year?")
    assert outcome.states[0] is FailureState.NO_BINDING_AUTHORITY
    assert outcome.choices == ()


def test_a_paragraph_is_quoted_with_its_lead_in_alone_R_R2(law: Ask) -> None:
    text = said(law("What does A34(1)(c) say?"))
    assert "inadmissible on security grounds" in text
    assert "(c) engaging in terrorism" in text
    assert "espionage" not in text
    assert "danger to the security" not in text


def test_a_section_has_the_version_of_the_day_R_F5_R_R2(law: Ask) -> None:
    assert cited(law("What did A40 say?", as_of=date(2010, 1, 1))) == {
        "demo/irpa/40-2003"
    }


def test_a_section_that_is_not_there_is_answered_by_no_other_R_R2(law: Ask) -> None:
    for question in ("What does A999 say?", "section 77 of the Citizenship Act"):
        assert isinstance(law(question).result, Refusal)


def test_who_selects_a_text_is_answered_from_it_R_A6(law: Ask) -> None:
    """It is no authority and does not pass for one: it is quoted as what it is."""
    letter = (
        "We are preparing your file for the hearing before the Board. The documents "
        "have to arrive at our office by 12 March 2027."
    )
    outcome = law("By which date do the documents have to arrive?", selection=letter)
    assert "12 March 2027" in said(outcome)
    assert outcome.states == (FailureState.NONE,)
    assert isinstance(law("What does it cost?", selection=letter).result, Refusal)


def test_every_reply_says_its_day_R_F5(law: Ask) -> None:
    """Answered, out of scope, in another language."""
    for question in (
        BANNED,
        "What are my chances of winning the appeal?",
        "Wie lange bin ich unzulässig?",
    ):
        header = law(question).header
        assert header is not None
        assert header.startswith("Analysis date basis: ")


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("section 34(1)(f) IRPA membership in terrorist organization", "irpa/34"),
        ("s. 34 security inadmissibility", "irpa/34"),
        ("misrepresentation (s. 40)", "irpa/40"),
        ("s. 28 residency obligation", "irpa/28"),
        ("§ 28 residency obligation", "irpa/28"),
        ("what does s. 36 say about serious criminality", "irpa/36"),
        ("A36 serious criminality", "irpa/36"),
        ("36(1)(a) serious criminality", "irpa/36"),
        ("s.64 no appeal for inadmissibility", "irpa/64"),
        ("ss. 55 arrest without warrant", "irpa/55"),
        ("section 25 H&C", "irpa/25"),
        ("IRPR 179 visitor visa issuance", "irpr/179"),
        ("reg 182 restoration deadline", "irpr/182"),
        ("section 117 family class exclusion", "irpr/117"),
        ("s. 117 human smuggling penalty", "irpa/117"),
        ("s. 5 citizenship act physical presence", "citizenship-act/5"),
        ("Does s. 34 apply to permanent residents?", "irpa/34"),
        ("How long is the ban under s. 40 for misrepresentation?", "irpa/40"),
    ],
)
def test_a_section_named_with_what_it_is_about_answers_alone_R_R2(
    law: Ask, question: str, document: str
) -> None:
    """The number says which one, and the words beside it only where to begin."""
    assert cited(law(question)) == {f"demo/{document}"}


def test_the_words_beside_a_section_say_where_it_begins_R_R2(law: Ask) -> None:
    text = said(law("s. 117 IRPA fine of a first offence"))
    assert text.index("is punished by a fine") < text.index("No person may organize")
    part = said(law("34(1)(f) membership in a terrorist organization"))
    assert "membership in an organization" in part
    assert "espionage" not in part


@pytest.mark.parametrize(
    "question",
    [
        "s. 34 work permit fee",
        "s. 34 residency obligation",
        "s. 36 study permit fee",
        "Can I appeal a finding under s. 40 of IRPA for misrepresentation?",
    ],
)
def test_a_section_that_does_not_speak_of_it_is_offered_R_R2(
    law: Ask, question: str
) -> None:
    """It is never answered by another one, and the one that is named comes first."""
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    number = question.partition("s. ")[2].split()[0]
    assert outcome.choices[0].document_id == f"demo/irpa/{number}"


@pytest.mark.parametrize(
    "question",
    [
        "s. 999 residency obligation",
        "section 212(a)(9)(B) unlawful presence",
        "citizenship act s. 22 prohibition",
        "section 25.1 humanitarian minister",
        "rule 28 residency obligation",
    ],
)
def test_a_section_that_is_not_held_is_answered_by_no_topic_R_R2(
    law: Ask, question: str
) -> None:
    outcome = law(question)
    assert isinstance(outcome.result, Refusal)
    assert any("I found no section of that number" in n for n in outcome.notices)
