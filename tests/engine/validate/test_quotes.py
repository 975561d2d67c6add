"""Quotations in a model's prose: found in every form."""

import pytest

from engine.validate.quotes import quotations

FORMS = {
    'says "one two" here': ["one two"],
    "says \u201cone two\u201d here": ["one two"],
    "says \u201eone two\u201c here": ["one two"],
    "says \u201done two\u201d here": ["one two"],
    "says \u00abone two\u00bb and \u00bbthree\u00ab": ["one two", "three"],
    "says \u2039one\u203a and \u300ctwo\u300d": ["one", "two"],
    "says \u2018one two\u2019 here": ["one two"],
    "says 'one two' here": ["one two"],
    'says "one\ntwo" here': ["one\ntwo"],
    "says \u201cone \u201ctwo\u201d three\u201d": ["one \u201ctwo\u201d three"],
    "says \u201cone \u2018two\u2019 three\u201d": ["one \u2018two\u2019 three"],
    'says "one "two" three"': ["one ", " three"],
    "> one\n> two\nthree": ["one\ntwo\n"],
    ">> one": ["one"],
    'opens "and never closes': ["and never closes"],
    "the patient's diet isn't the patients' choice": [],
    '\'tis the "one" thing': ["one"],
    'a 5" screen and a 7" one': [],
    'a 5" screen shows "one"': ["one"],
}


@pytest.mark.parametrize("text", FORMS)
def test_every_form_of_quotation_is_found_R_V2(text: str) -> None:
    """Straight, curly, low, angle, corner, nested, over lines, block, unclosed."""
    found = [quotation.inner.rstrip("\n") for quotation in quotations(text)]
    assert found == [inner.rstrip("\n") for inner in FORMS[text]]
