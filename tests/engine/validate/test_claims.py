"""Whether a sentence says what its source says: honest ones and altered ones."""

import pytest

from engine.validate.claims import (
    PARTIAL_SHARE,
    Judgement,
    Verdict,
    grounds,
    judge,
    unframed,
)
from engine.validate.figures import tokens
from engine.validate.material import plain
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
