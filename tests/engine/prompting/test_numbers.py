"""The numbers of sentences in what a model wrote, in every form that models write."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.prompting.numbers import read_numbers

FORMS: dict[str, tuple[int, ...]] = {
    # markers in prose
    "It helps [1].": (1,),
    "It helps. [1]": (1,),
    "It helps [1,2].": (1, 2),
    "It helps [1][3].": (1, 3),
    "It helps [1-3].": (1, 2, 3),
    "It helps [1\u20133].": (1, 2, 3),
    "It helps [1, 3-4].": (1, 3, 4),
    "It helps [1 and 2].": (1, 2),
    "It helps \u30101\u3011.": (1,),
    "It helps \u30102\u2020source\u3011.": (2,),
    "It helps [^2].": (2,),
    "It helps [Source 2].": (2,),
    "It helps (1).": (1,),
    "It helps (1,2).": (1, 2),
    "It helps. (1)": (1,),
    "It helps. (1) It harms.": (1,),
    "It helps [1]. It harms (2).": (1, 2),
    "[3] It helps.\n[1] It harms.": (3, 1),
    "It helps [1]. It helps [1].": (1,),
    "It helps [9-1].": (9, 1),
    "It helps [1-999999].": (1, 999_999),
    "[2019]": (2019,),
    "(1)(2)": (1, 2),
    "It helps (1) (2). It harms (3)(4)": (1, 2, 3, 4),
    "It helps. (1)(2) It harms.": (1, 2),
    "half \ud800 of [1]": (1,),
    '["half \\ud800 of [1]"]': (1,),
    # lists
    "1, 2, 5": (1, 2, 5),
    "1 2 5": (1, 2, 5),
    "1-3": (1, 2, 3),
    "(1, 2)": (1, 2),
    "- 1\n- 4": (1, 4),
    "* [1]\n* [4]": (1, 4),
    "Sentences: 1, 3.": (1, 3),
    "Sentence 3": (3,),
    "Sentence 3 and sentence 5.": (3, 5),
    "Sentences 3, 5 and 7.": (3, 5, 7),
    "- sentence 2\n- sentence 4": (2, 4),
    "Answer: 4": (4,),
    "The answer is 4.": (4,),
    "The answer is sentence 4.": (4,),
    "**Answer:** 4": (4,),
    "Final answer: 1, 3": (1, 3),
    "The numbers are:\n\n1, 3": (1, 3),
    # JSON of another shape
    "[1, 2]": (1, 2),
    '["1", "2"]': (1, 2),
    '{"sentences": [2, 1]}': (2, 1),
    '{"answer": {"number": 2}, "why": "as [1] says"}': (2,),
    '{"answer": 2, "why": "as [1] says"}': (2, 1),
    '{"sentences":[1,2],"why":"see [9]"}': (1, 2),
    '{"sentences":[1],"confidence":3}': (1,),
    '{"Numbers": [1], "score": 5}': (1,),
    '{"sentence": 4, "page": 12}': (4,),
    '{"sentences": "3 and 5", "step": 2}': (3, 5),
    '{"sentences": ["Sentence 3", 5]}': (3, 5),
    '{"confidence": 3, "sections": [{"number": 9, "sentences": [4]}]}': (4,),
    '{"sentences": [{"number": 1, "score": 7}, 2]}': (1, 2),
    '[{"sentence": 1, "score": 7}, {"sentence": 2, "score": 8}]': (1, 2),
    '{"sentences":[],"why":"see [9]"}': (),
    'See [9]. {"sentences": []}': (),
    '{"sections": [{"heading": "X [9]", "sentences": [{"number": 1}]}]}': (1,),
    '{"sentences": [1], "not_found": ["[2]"], "texts": ["3"], "status": "4"}': (1,),
    'Sure!\n```json\n{"sentences": [1]}\n```\nHope that helps (2).': (1,),
    '{"said": "nothing"} [2]': (2,),
    "<think>[1] or {2}</think>[2]": (2,),
    # none that a sentence could have
    '{"sentences": [0, -1, 99999999999]}': (0,),
    "99999999999999999999": (0,),
    # no numbers of sentences
    "Step (1) helps.": (),
    "Steps (1)(2) help.": (),
    "Answer: 4 mg": (),
    "Sentence 3 says 5 mg.": (),
    "Answer 4 questions.": (),
    "It helped (2024).": (),
    "In 2019 it helped 12 of 30 (5 mg) within 3-5 days.": (),
    "1. Take it.\n2. Rest.": (),
    "a 5\u201d screen": (),
    '"see [2] here"': (),
    "\u201csee this (2).\u201d": (),
    "-1": (),
    "1.5": (),
    "1e3": (),
    "\u0665": (),
    "[\u0665]": (),
    "[a]": (),
    "[]": (),
    '{"sentences": [1.0, true, null]}': (),
    '{"sections": [{"sentences": [1, 2': (),
    "<think>perhaps [1]": (),
    "null": (),
    "": (),
}


@pytest.mark.parametrize("text", FORMS)
def test_numbers_are_read_from_whatever_form_a_model_writes_R_V2(text: str) -> None:
    """Each once, in order; years, doses, steps and what is quoted are none."""
    assert read_numbers(text).named == FORMS[text]


def test_a_marker_outside_quotation_marks_counts_beside_one_inside_R_V2() -> None:
    """What is quoted may have marks of its own; an inch opens no quotation."""
    assert read_numbers('It says "see [2] here" [1].').named == (1,)
    assert read_numbers('A 5" screen [1] and a 7" one [2].').named == (1, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It helps [1].", 2),
        ('It says "see [2] here" [1].', 5),
        ("1, 2", 0),
        ('{"sentences": [1]}', 0),
        ('Sure!\n{"sentences": [1, "it helps [2]"], "more": "and harms"} Bye.', 6),
        ("Nothing is known.", 3),
        ('{"sentences": [1], "why": "as [2] says"}', 2),
        ("Sentence 3 and sentence 5.", 0),
        ("<think>about it for long</think>[1] Yes", 1),
        ("\u2014 ... [1] !", 0),
    ],
)
def test_words_beside_numbers_are_counted_R_V2(text: str, words: int) -> None:
    """All that is discarded, so that the record can say how much it was."""
    assert read_numbers(text).discarded == words


LONG = 1_000_000
HOSTILE: dict[str, Callable[[int], str]] = {
    "open quotes": lambda n: '"' * n,
    "spaced quotes": lambda n: ' "' * (n // 2),
    "curly quotes": lambda n: "\u201c" * (n // 2) + "\u201d" * (n // 2),
    "markers": lambda n: "[1]" * (n // 3),
    "open markers": lambda n: "[1 " * (n // 3),
    "round markers": lambda n: "(1)   " * (n // 6),
    "round markers in lines": lambda n: "(1)\n" * (n // 4),
    "accents between": lambda n: "\u00e9[1]\u00fc(1)" * (n // 8),
    "a long list": lambda n: "1, " * (n // 3),
    "a list that breaks": lambda n: "1, " * (n // 3) + "x",
    "a marker that breaks": lambda n: "[" + "1, " * (n // 3),
    "digits": lambda n: "9" * n,
    "a long number": lambda n: "[" + "9" * n + "]",
    "spaces": lambda n: "[1" + " " * n + "]",
    "brackets": lambda n: "[](" * (n // 3),
    "open braces": lambda n: "{" * n,
    "deep JSON": lambda n: "[" * 499 + "1" + "]" * 499,
    "wide JSON": lambda n: "[" + "1," * (n // 2) + "1]",
    "ranges": lambda n: "[1-50]" * (n // 6),
    "adjoining markers": lambda n: "(1)" * (n // 3) + "x",
    "named sentences": lambda n: "sentence 1 and " * (n // 15),
    "deep keys": lambda n: '{"sentences":' * 499 + "1" + "}" * 499,
    "thoughts": lambda n: "<think>" * (n // 7),
    "lines": lambda n: "\n" * n,
    "one word": lambda n: "a" * n,
    "half characters": lambda n: "\ud800" * n,
}


@pytest.mark.parametrize("form", HOSTILE)
def test_hostile_text_is_read_to_its_end_R_V8(form: str) -> None:
    """What is not linear takes minutes, and is ended by the limit of the test run."""
    found = read_numbers(HOSTILE[form](LONG))
    assert len(found.named) <= 50
    assert found.discarded <= LONG


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_no_text_makes_the_reader_fail_R_I8(text: str) -> None:
    """Whatever characters a model writes, there are numbers or none."""
    found = read_numbers(text)
    assert len(set(found.named)) == len(found.named)
    assert all(number >= 0 for number in found.named)
