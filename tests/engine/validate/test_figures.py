"""Tokens: what may not change is told apart, what is only written otherwise is not."""

import pytest

from engine.validate.figures import Kind, marks, tokens
from engine.validate.text import fold


def keys(text: str) -> list[str]:
    return [token.key for token in tokens(fold(text).text)]


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
        ("it can't", "it cannot"),
        ("it won\u2019t", "it will not"),
        ("reduces the risk", "reducing risks"),
        ("the studies were stopped", "the study was stopped"),
        ("5\u201310 days", "5-10 days"),
        ("a risk", "the risk"),
    ],
)
def test_the_same_in_other_words_R_V3(one: str, other: str) -> None:
    """Number words, separators, unit spacing, contractions, endings, articles."""
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
        ("<500", ">500"),
        ("20, 5 days", "25 days"),
        ("1,50", "150"),
        ("NCT01234567", "NCT01234568"),
        ("v1.2.3", "v1.2.4"),
        ("section 34(1)(a)", "section 34(1)(b)"),
        ("hepatitis A", "hepatitis B"),
        ("hepatitis", "hepatic"),
        ("\u0665 days", "5 days"),
        ("\uff15 days", "5 days"),
        ("5\u0338 days", "5 days"),
        ("may help", "must help"),
        ("may help", "may not help"),
        ("without food", "with food"),
        ("only women", "women"),
        ("before meals", "after meals"),
        ("nausea and pain", "nausea or pain"),
        ("WHO says", "who says"),
        ("c\u0430ncer", "cancer"),
        ("2024-03-01", "2024-03-02"),
        ("you have to rest", "you rest"),
    ],
)
def test_what_changes_the_meaning_is_another_token_R_V3(one: str, other: str) -> None:
    """Digits, units, signs, bounds, identifiers, negations, modals, scripts."""
    assert keys(one) != keys(other)


def test_marks_are_counted() -> None:
    """Negations, modal verbs and qualifiers are what no claim may lose."""
    found = marks(tokens("You should not stop unless you must."))
    assert {token.key for token in found} == {"should", "not", "stop", "unless", "must"}
    assert {token.kind for token in found} == {
        Kind.MODAL,
        Kind.NEGATION,
        Kind.QUALIFIER,
    }


def test_a_token_knows_the_punctuation_before_it() -> None:
    """A parenthesis can be told from a part of the sentence."""
    edges = [
        token.key for token in tokens("nausea, the pain (mild) stays") if token.edge
    ]
    assert edges == ["pain", "mild", "stay"]
