"""Tokens: what may not change is told apart, what is only written otherwise is not."""

import pytest

from engine.text.folding import fold_presentation
from engine.text.tokens import tokenize


def keys(text: str) -> list[str]:
    return [token.key for token in tokenize(fold_presentation(text).text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two tablets", "2 tablets"),
        ("twenty-five days", "25 days"),
        ("Twenty five days", "25 days"),
        ("1,500 women", "1500 women"),
        ("10mg", "10 mg"),
        ("12%", "12 percent"),
        ("\u22125 \u00b0C", "-5 \u00b0C"),
        ("reduces the risk", "reducing risks"),
        ("the studies were delayed", "the study was delayed"),
        ("it was sent to persons", "they send it to patients"),
        ("the tumour", "the tumor"),
        ("5\u201310 days", "5-10 days"),
        ("a risk", "the risk"),
    ],
)
def test_the_same_in_other_words_R_R11(one: str, other: str) -> None:
    """Number words, separators, unit spacing, endings, articles, irregular verbs."""
    assert keys(one) == keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10\u00b2 cells", "102 cells"),
        ("\u00bd tablet", "12 tablet"),
        ("2.5 mg", "25 mg"),
        ("5 mg", "5 mcg"),
        ("5 mg", "5 mg/m\u00b2"),
        ("5 \u00b0C", "5 \u00b0F"),
        ("-5", "5"),
        ("20, 5 days", "25 days"),
        ("1,50", "150"),
        ("NCT01234567", "NCT01234568"),
        ("v1.2.3", "v1.2.4"),
        ("section 34(1)(a)", "section 34(1)(b)"),
        ("hepatitis", "hepatic"),
        ("\u0665 days", "5 days"),
        ("\uff15 days", "5 days"),
        ("5\u0338 days", "5 days"),
        ("may help", "may not help"),
        ("without food", "with food"),
        ("WHO says", "who says"),
        ("c\u0430ncer", "cancer"),
        ("2024-03-01", "2024-03-02"),
    ],
)
def test_what_changes_the_meaning_is_another_token_R_R11(one: str, other: str) -> None:
    """Digits, units, signs, identifiers, negations, scripts."""
    assert keys(one) != keys(other)


def test_a_token_stands_apart_from_what_it_does_not_belong_to_R_R11() -> None:
    """Behind punctuation, and behind a word of grammar that is left out."""
    row = tokenize("nausea, the pain (mild) stays, >5 per cycle")
    apart = [token.key for token in row if token.apart]
    assert apart == ["pain", "mild", "stay", "5", "cycl"]
