"""Whether a sentence says what its source says: honest ones and altered ones."""

import pytest

from engine.lexicon import stem
from engine.validate.claims import (
    PARTIAL_SHARE,
    Judgement,
    Verdict,
    judge,
    unframed,
)
from engine.validate.figures import MARKS, tokens
from engine.validate.grounds import grounds
from engine.validate.material import plain
from engine.validate.wording import ROWS
from tests.engine.validate.drafts import GUIDE, SECOND, chunks_of

RANK = {Verdict.UNSUPPORTED: 0, Verdict.PARTIAL: 1, Verdict.SUPPORTED: 2}

HONEST = [
    "Tamoxifen is a hormone therapy for breast cancer.",
    "According to the guide, tamoxifen is a hormone therapy for breast cancer.",
    "The page says that tamoxifen is a hormone therapy for breast cancer.",
    "Tamoxifen may also cause hot flashes.",
    "It may cause hot flashes.",
    "Adults usually take 20 mg once a day for five to ten years, unless the doctor "
    "says otherwise.",
    "Adults usually take 20 mg once a day for 5-10 years, unless the doctor says "
    "otherwise.",
    "Fatigue can last for months after chemotherapy.",
    "Do not take tamoxifen during pregnancy because it may harm the baby.",
    "The drug lowers the risk of breast cancer.",
    "In a trial (NCT01234567), 1500 women got 2.5 mg/m\u00b2 on day 1, and 12 percent "
    "stopped early.",
    "Side effects include nausea, hair loss, which can be complete, and hot flashes.",
    "The side effects include nausea and hot flashes.",
    "People with a fever of 38 \u00b0C or higher must call the clinic within 24 hours.",
    "Do not take tamoxifen together with these medicines: paroxetine, warfarin.",
    "Women should not take letrozole before menopause.",
    "Bone density must be checked every 2 years.",
]
DISHONEST = [
    "Adults usually take 40 mg once a day for 5 to 10 years, unless the doctor says "
    "otherwise.",
    "Adults usually take 20 mcg once a day for 5 to 10 years, unless the doctor says "
    "otherwise.",
    "Adults usually take 20 mg twice a day for 5 to 10 years, unless the doctor says "
    "otherwise.",
    "Adults usually take 20 mg once a week for 5 to 10 years, unless the doctor says "
    "otherwise.",
    "Adults usually take 20 mg once a day for 10 to 5 years, unless the doctor says "
    "otherwise.",
    "Adults usually take 5 mg once a day for 20 to 10 years, unless the doctor says "
    "otherwise.",
    "Adults take 20 mg once a day for 5 to 10 years.",
    "Adults usually take 20 mg once a day for 10 years, unless the doctor says "
    "otherwise.",
    "Take tamoxifen during pregnancy, because it may harm the baby.",
    "Do not take letrozole during pregnancy, because it may harm the baby.",
    "Do not take tamoxifen during pregnancy, because it will harm the baby.",
    "Do not take tamoxifen during pregnancy.",
    "Tamoxifen will also cause hot flashes.",
    "Tamoxifen may not cause hot flashes.",
    "Chemotherapy causes cancer.",
    "Cancer causes chemotherapy cells to die.",
    "The drug raises the risk of breast cancer and it lowers the risk of blood clots.",
    "The drug lowers the risk of blood clots.",
    "The drug lowers the risk of breast cancer and blood clots.",
    "In a trial (NCT01234568), 1,500 women got 2.5 mg/m\u00b2 on day 1.",
    "In a trial (NCT01234567), 1,500 women got 2.5 mg/m2 on day 1 and 12% stopped.",
    "In a trial (NCT01234567), 1.500 women got 25 mg/m\u00b2 on day 1.",
    "People with a fever of 38 \u00b0F or higher must call the clinic within 24 hours.",
    "People with a fever of 38 \u00b0C or higher may call the clinic within 24 hours.",
    "People with a fever of 38 \u00b0C or higher must call the clinic after 24 hours.",
    "People with a fever must call the clinic.",
    "Take tamoxifen together with these medicines: paroxetine, warfarin.",
    "Side effects include warfarin and nausea.",
    "Women should take letrozole before menopause.",
    "Women should not take letrozole after menopause.",
    "Women should not take tamoxifen before menopause.",
    "Letrozole is a hormone therapy for breast cancer.",
    "Bone density must be checked every year.",
    "Tamoxif\u0435n is a hormone therapy for breast cancer.",
    "Tamoxifen is the best hormone therapy for breast cancer.",
    "It is so.",
]


def best(text: str) -> Judgement:
    """The best verdict that any passage of the two guides allows."""
    found = []
    for source in (GUIDE, SECOND):
        for chunk in chunks_of(source):
            ground = grounds(chunk, plain)
            said = unframed(plain(text), ground.names)
            found.append(judge(tokens(said), frozenset(), ground))
    return max(found, key=lambda judgement: RANK[judgement.verdict])


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_restatement_is_supported_R_V4(text: str) -> None:
    """Presentation, number words, a moved phrase, list items joined, "it" named."""
    assert best(text).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("text", DISHONEST)
def test_an_altered_statement_is_not_supported_R_V3_R_V4(text: str) -> None:
    """Digits, units, negations, modals, names, order, splices, lost conditions."""
    assert best(text).verdict is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Adults usually take 40 mg once a day for 5 to 10 years.", "40"),
        ("Tamoxifen may not cause hot flashes.", "not"),
        ("Tamoxifen must also cause hot flashes.", "must"),
    ],
)
def test_an_unsupported_statement_says_what_differs_R_V3(text: str, why: str) -> None:
    """The explanation names the figure, the negation or the modal verb."""
    judgement = best(text)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert why in judgement.explanation


def test_a_word_of_the_lexicon_must_stand_in_the_source_R_V3() -> None:
    """Another drug's name is like another figure: no partial support."""
    ground = grounds(chunks_of(GUIDE)[0], plain)
    said = tokens(
        "Do not take letrozole during pregnancy, because it may harm the baby"
    )
    lexicon = frozenset(tokens("letrozole"))
    assert judge(said, frozenset(), ground).verdict is Verdict.PARTIAL
    assert judge(said, lexicon, ground).verdict is Verdict.UNSUPPORTED


def test_a_claim_far_from_every_sentence_is_unsupported_R_I5() -> None:
    """Outside knowledge has no ground, whatever else it says."""
    judgement = best("Paracetamol helps against headaches in most people.")
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert judgement.ground is None
    assert judgement.share < PARTIAL_SHARE


def test_an_opening_that_names_another_source_is_judged_with_the_claim() -> None:
    """According to whom a thing is true is part of the claim."""
    named = grounds(chunks_of(GUIDE)[0], plain).names
    text = "tamoxifen is a hormone therapy"
    assert unframed(f"According to the text, {text}", named) == text
    assert unframed(f"The guide explains that {text}", named) == text
    foreign = f"According to the ministry, {text}"
    assert unframed(foreign, named) == foreign


# --- freedoms, each beside what it must not let through -------------------------------

ADVICE = """# Aspirin

Radiation damages healthy cells, so side effects occur. For this reason the skin is
checked. Letrozole lowers estrogen. It can cause joint pain.
If a fever occurs, call the clinic, and do not take aspirin.
Aspirin should be taken after meals, unless the doctor says otherwise.
Medicines taken before the treatment control nausea. Chemotherapy kills cancer cells.
Some drugs such as paroxetine can weaken tamoxifen. The pump is stopped by the nurse.
Surgery is the first treatment for colon cancer. Warfarin can become dangerous together
with capecitabine, because bleeding may occur.
Drug A lowers the risk of stroke, but drug B raises the risk of bleeding.

## Lists

Other side effects with tablets are:

- nausea
- rash, which goes away
- fever, if it lasts

Do not take:

- warfarin

Some signs should be reported at once:

- chills
"""
FREE = [
    "Side effects occur because radiation damages healthy cells.",
    "Because radiation damages healthy cells, side effects occur.",
    "Radiation damages healthy cells, so side effects occur.",
    "Unless the physician says otherwise, aspirin should be taken after meals.",
    "Cancer cells are killed by chemotherapy.",
    "The nurse stops the pump.",
    "Tamoxifen can be weakened by some medicines such as paroxetine.",
    "The first treatment for colon cancer is surgery.",
    "Warfarin can become dangerous together with capecitabine.",
    "Bleeding may occur.",
    "Drug B raises the risk of bleeding, whereas drug A lowers the risk of stroke.",
    "Letrozole lowers estrogen and chemotherapy kills cancer cells.",
    "Other side effects with tablets include nausea and rash.",
    "Side effects with tablets include nausea.",
    "Nausea is one of the side effects with tablets.",
    "Chills should be reported at once.",
]
NOT_FREE = [
    "Radiation damages healthy cells because side effects occur.",
    "Side effects occur, so radiation damages healthy cells.",
    "Letrozole lowers estrogen, so chemotherapy kills cancer cells.",
    "Aspirin can cause joint pain.",
    "Do not take aspirin.",
    "Aspirin should be taken after meals.",
    "Before the treatment, medicines taken control nausea.",
    "Chemotherapy is killed by cancer cells.",
    "Cancer cells kill chemotherapy.",
    "The pump stops the nurse.",
    "Paroxetine can be weakened by tamoxifen.",
    "Tamoxifen can be weakened by drugs such as paroxetine.",
    "Warfarin is dangerous together with capecitabine.",
    "Drug A raises the risk of bleeding.",
    "Drug A lowers the risk of stroke and raises the risk of bleeding.",
    "Other side effects with tablets include nausea and fever.",
    "Other side effects with tablets include warfarin.",
    "Warfarin is one of the side effects with tablets.",
    "Warfarin should be reported at once.",
    "Side effects occur in all people because radiation damages healthy cells.",
]


def allowed(text: str) -> bool:
    return any(
        judge(tokens(plain(text)), frozenset(), grounds(chunk, plain)).verdict
        is Verdict.SUPPORTED
        for chunk in chunks_of(ADVICE)
    )


@pytest.mark.parametrize("text", FREE)
def test_what_says_the_same_in_another_form_is_supported_R_V4(text: str) -> None:
    """Reasons, voice, identity, clauses, lists and a few everyday words."""
    assert allowed(text)


@pytest.mark.parametrize("text", NOT_FREE)
def test_a_form_that_says_something_else_is_not_supported_R_V4(text: str) -> None:
    """The same forms with halves, roles, items or conditions changed."""
    assert not allowed(text)


def test_a_sign_that_is_spoken_of_is_no_other_sign_R_V3() -> None:
    """A bracket that stands alone is what the sentence is about."""
    assert tokens("The sign [ copies.") != tokens("The sign ] copies.")
    assert tokens("See [1] and/or this.") == tokens("See 1 and or this.")


def test_the_closed_list_of_words_is_symmetric_and_touches_no_rule_R_V4() -> None:
    """No word stands for two things, and none is a figure, negation or condition."""
    listed = [word for row in ROWS for word in row]
    assert len(listed) == len(set(listed))
    assert all(tokens(word) == tokens(row[0]) for row in ROWS for word in row)
    marked = [row for row in ROWS for word in row if tokens(word)[0].kind in MARKS]
    assert all(len({stem(word) for word in row}) == 1 for row in marked if row != USUAL)


USUAL = ("usually", "generally")
