"""Folding and the exact search for quotes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.frozen import Span
from engine.text.folding import (
    find_quote,
    find_quotes,
    fold_presentation,
    is_edge,
    known_words,
)

PRESENTATION = (
    "Don't say \u201cnever\u201d: it\u2019s 5\u00a0mg/m\u00b2 of \ufb01ne, "
    "e\ufb00ective \u221210 \u00b0C treat-\nment; cafe\u0301 well-\nknown co\u00adop."
)


def found(needle: str, text: str) -> str | None:
    """The original passage that `needle` quotes, or None."""
    span = find_quote(needle, fold_presentation(text, known_words(text)))
    return None if span is None else span.of(text)


@given(
    st.text(alphabet=st.sampled_from(PRESENTATION + "\u200b\t\f A1-.,"), max_size=80)
)
def test_offsets_lead_back_to_the_original_R_I7(text: str) -> None:
    """Offsets rise, stay inside the text, and lead to what was folded."""
    folded = fold_presentation(text, known_words(text))
    offsets = folded.offsets.tolist()
    assert len(offsets) == len(folded.text) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    for character, offset in zip(folded.text, offsets, strict=False):
        if character.isascii() and character.isdigit():
            assert text[offset] == character


@given(st.text(max_size=200))
def test_any_text_folds_to_itself_the_second_time(text: str) -> None:
    """Folding is idempotent."""
    once = fold_presentation(text).text
    assert fold_presentation(once).text == once


@given(st.text(max_size=120), st.integers(0, 120), st.integers(0, 120))
def test_an_exact_slice_between_edges_is_found(text: str, a: int, b: int) -> None:
    """Whatever is cut from a text at word edges is found in it, folded or not."""
    folded = fold_presentation(text)
    start, end = sorted((min(a, len(folded.text)), min(b, len(folded.text))))
    piece = folded.text[start:end]
    edges = is_edge(folded.text, start) and is_edge(folded.text, end)
    if piece == piece.strip() and edges and any(c.isalnum() for c in piece):
        spans = list(find_quotes(piece, folded))
        assert spans or folded.span(start, end) is None
        assert all(
            fold_presentation(span.of(text)).text.strip() == piece for span in spans
        )


@pytest.mark.parametrize(
    ("needle", "text"),
    [
        ('He said "no".', "He said \u201cno\u201d."),
        ("He said \u201cno\u201d.", 'He said "no".'),
        ("patient's dose", "patient\u2019s dose"),
        ("first effect", "\ufb01rst e\ufb00ect"),
        ("5 mg of drug", "5\u00a0mg  of\n drug"),
        ("the treatment works", "the treat-\nment works. A treatment helps."),
        ("well-known risk", "well-\nknown risk, a well-known one"),
        ("cooperate now", "co\u00adoperate now"),
        ("cooperate now", "co\u00ad\noperate now"),
        ("caf\u00e9 au lait", "cafe\u0301 au lait"),
        ("cafe\u0301 au lait", "caf\u00e9 au lait"),
        ("at -10 degrees", "at \u221210 degrees"),
        ("non-small cell", "non\u2011small cell"),
        ("zero width", "zero\u200b width"),
    ],
)
def test_honest_variants_are_accepted_R_I7(needle: str, text: str) -> None:
    """Presentation alone does not make a quotation false."""
    assert found(needle, text) is not None


@pytest.mark.parametrize(
    ("needle", "text"),
    [
        ("take 10 mg", "take 100 mg"),
        ("10", "a dose of 100 or 1.0 or 210 or 10.5 or 10,000"),
        ("5 mg", "\u22125 mg"),
        ("0.05 was set", "p<0.05 was set"),
        ("102 cells", "10\u00b2 cells"),
        ("10", "10\u00b2"),
        ("1/2 tablet", "\u00bd tablet"),
        ("small cell lung cancer", "non-small cell lung cancer"),
        ("small cell lung cancer", "non\u2013small cell lung cancer"),
        ("10 mg", "5-10 mg"),
        ("10 mg", "10 mg/kg"),
        ("50", "50% of patients"),
        ("or surgery", "and/or surgery"),
        ("Tumors shrink", "tumors shrink"),
        ("5 to 10", "5\u201310"),
        ("it is 5", "it is \u0665"),
        ("cancer", "c\u0430ncer"),
        ("cancer", "\uff43\uff41\uff4e\uff43\uff45\uff52"),
        ("the treatment works", "the treat-\nment works."),
        ("resign now", "re-\nsign now; resign and re-sign are known"),
        ("", "text"),
        ("...", "so ... on"),
    ],
)
def test_changed_meaning_is_never_accepted_R_I7(needle: str, text: str) -> None:
    """Digits, signs, units, height, scripts and cut words are not presentation."""
    assert found(needle, text) is None


SENTENCE = (
    "Do not take more than 40 mg/day of drug-X; at 2.5 mg/m\u00b2 (p<0.05) the risk is "
    "\u221210% to 12%, and non-smokers should never use it without advice."
)
CHANGES = {
    "not": "now",
    "40": "400",
    "mg": "\u00b5g",
    "2.5": "25",
    "\u00b2": "2",
    "<": ">",
    "\u2212": "",
    "12": "21",
    "non-": "",
    "should": "could",
    "never": "",
    "without": "with",
    "more": "less",
    "X": "Y",
}


def test_no_mutant_of_a_sentence_is_found_in_it_R_I7() -> None:
    """A thousand mutants of digits, units, negations and modals: none is accepted."""
    choose = random.Random(7)
    haystack = fold_presentation(SENTENCE)
    for _ in range(1_000):
        mutant = SENTENCE
        for old in choose.sample(sorted(CHANGES), choose.randint(1, 4)):
            mutant = mutant.replace(old, CHANGES[old], 1)
        assert find_quote(mutant, haystack) is None, mutant


def test_all_occurrences_are_given() -> None:
    """A phrase that stands twice is found twice, where it stands."""
    text = "Rest helps. Then rest; Rest helps."
    spans = list(find_quotes("Rest helps.", fold_presentation(text)))
    assert [span.start for span in spans] == [0, 23]


def test_a_part_keeps_the_offsets_of_the_whole() -> None:
    """A chunk's folded text is cut from the document's and points into the document."""
    text = "\u201cOne\u201d\n\n\ufb01ve  words in \u201ctwo\u201d."
    start = text.index("\ufb01")
    part = fold_presentation(text).part(Span(start=start, end=len(text)))
    span = find_quote('five words in "two".', part)
    assert span == Span(start=start, end=len(text))
    assert find_quote("One", part) is None


@pytest.mark.parametrize("unit", ["-\n", "a ", "e\u0301", "\u00ad", "\ufb01", "*a*"])
def test_long_runs_fold_in_linear_time(unit: str) -> None:
    """Half a million characters of the worst kind fold in one pass."""
    text = unit * (200_000 // len(unit))
    folded = fold_presentation(text, frozenset({"a"}))
    assert folded.offsets[-1] == len(text)
