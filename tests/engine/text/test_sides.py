"""A sentence on the other side of what was asked about is no answer (R-V4, R-A16)."""

import pytest

from engine.text.answers import AnswerRequirements, Verdict
from engine.text.sides import find_unnamed, read_sides

OTHER = [
    (
        "recurrence risk if ctDNA negative after surgery stage II",
        "ctDNA-positive patients with stage II or III disease had a ratio of 6.59.",
    ),
    (
        "recurrence risk if ctDNA negative after surgery",
        "In GALAXY, ctDNA positivity four weeks after surgery went with recurrence.",
    ),
    ("Is HER2 negative cancer cured?", "HER2-positive cancer is cured so."),
    ("Is it safe if ctDNA negative?", "It is safe in ctDNA-positive patients."),
    ("How is HER2-negative cancer treated?", "HER2-positive cancer is treated so."),
    ("What if the test is negative for HER2?", "It is for HER2-positive cancer."),
    ("What if ctDNA is negative?", "A positive ctDNA result means a higher risk."),
    ("What if ctDNA is positive?", "After a negative ctDNA test nothing is done."),
    ("How is stage II treated?", "In stage III chemotherapy is given."),
    ("How is stage 2 treated?", "In stages III and IV chemotherapy is given."),
    ("What is eaten in type 2 diabetes?", "In type 1 diabetes insulin is needed."),
    ("Which grade 3 reactions stop it?", "Grade 1 or 2 reactions do not stop it."),
    ("What may I eat before surgery?", "After the surgery soft food is eaten."),
    ("post-exposure care", "Pre-exposure tablets are taken daily."),
]
SAME = [
    ("recurrence if ctDNA negative", "16 of 164 ctDNA-negative patients relapsed."),
    ("recurrence if ctDNA negative", "Of ctDNA-positive and ctDNA-negative ones few."),
    ("recurrence if ctDNA negative", "The risk was 9.8%."),
    ("How is stage II treated?", "For rectal cancer of stage II to IV this is so."),
    ("How is stage II treated?", "In stage IIA nothing else is given."),
    ("How is stage III treated?", "In stage I-III surgery comes first."),
    ("How do stage II and stage III differ?", "In stage III more is given."),
    ("What may I eat before surgery?", "Before and after surgery soft food is eaten."),
    ("Was ALTAIR positive?", "ALTAIR was negative."),
    ("is her ctDNA negative", "Her ctDNA was positive after surgery."),
    ("Was the trial ALTAIR positive?", "The trial ALTAIR was negative."),
    ("Is a positive result bad?", "A negative result says little."),
    ("If ctDNA is positive?", "A positive ctDNA result means a higher risk."),
    ("Is a negative test of blood good?", "A positive test result is not."),
    ("What is done after that?", "Before that the skin is washed."),
    ("What is told before symptoms?", "Call us with the following symptoms."),
    ("What is eaten before chemo?", "Nothing is eaten after midnight."),
]


@pytest.mark.parametrize(("question", "sentence"), OTHER)
def test_a_sentence_on_the_other_side_is_no_answer_R_A16(
    question: str, sentence: str
) -> None:
    judged = AnswerRequirements.from_question(question, ()).judge((), sentence)
    assert judged.verdict is Verdict.UNSUPPORTED, (
        read_sides(question),
        read_sides(sentence),
    )


@pytest.mark.parametrize(("question", "sentence"), SAME)
def test_a_sentence_that_states_the_side_or_none_stays_R_A16(
    question: str, sentence: str
) -> None:
    judged = AnswerRequirements.from_question(question, ()).judge((), sentence)
    assert judged.verdict is Verdict.SUPPORTED, (
        read_sides(question),
        read_sides(sentence),
    )


def test_what_no_sentence_names_is_told_R_A16() -> None:
    asked = "How is HER2-negative cancer of stage II treated before surgery?"
    assert find_unnamed(asked, "Surgery comes first.") == ["HER2-negative", "stage II"]
    assert find_unnamed("Was ALTAIR positive?", "It did not meet its endpoint.") == []
    assert find_unnamed(asked, "In stage I-III HER2 negative ones are few.") == []
    asked = "How often is ctDNA positive?"
    assert find_unnamed(asked, "A positive ctDNA result was found in 9%.") == []


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ("find positive studies", []),
        ("Which publications report positive ctDNA?", []),
        ("HER2 positive vs negative disease", ["HER2 positive"]),
        ("ctDNA positive patients", ["ctDNA positive"]),
        ("node-positive disease", ["node-positive"]),
        ("was the margin found negative or positive", []),
    ],
)
def test_a_verb_before_a_sign_names_nothing_R_A16(
    asked: str, missing: list[str]
) -> None:
    """ "None of these sentences names “find positive”" is no English."""
    assert find_unnamed(asked, "") == missing
