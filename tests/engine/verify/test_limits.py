"""No rule is quoted without what its section says against it (R-A14)."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.policy.mix import LimitRule
from engine.policy.rules import Material
from engine.verify.check import Verified
from tests.engine.small_pack import data
from tests.engine.verify.drafts import checked, chunks_of, pack_of, room, selecting
from tests.engine.verify.drafts import shown as texts

PARTS = r"(?P<part>\(\d+\)(?:(?:,| and| to) \(\d+\))*)"
RULE: dict[str, Any] = {
    "patterns": [
        rf"\b(?:despite )?subsection {PARTS} does not apply\b",
        rf"\bdespite subsection {PARTS}",
        r"\b(?P<all>this section) does not apply\b",
        r"\bthe rule does not apply\b",
    ],
    "named": [rf"\bsubject to subsections? {PARTS}"],
    "most": 300,
    "beyond": 'More limits "{title}": read it whole.',
}
LABELLED = """# 7 Hives

(1) A keeper may keep six hives.

(2) Subsection (1) does not apply to a school.

(3) Subject to subsections (4) and (5), a keeper may sell honey.

(4) Honey is sold in glass.

(5) Honey of a school is not sold.

(6) A path is two metres wide.
"""
PLAIN = """# 8 Noise

A keeper may mow on Sundays.

A school may not mow.

The rule does not apply in May.
"""


def material(text: str, **rule: Any) -> Material:
    answer = {**data()["answer"], "limits": {**RULE, **rule}}
    pack = pack_of(answer=answer)
    return room(chunks_of(text, **{"source": "one"}), pack, "hives")


def said(text: str, *begins: str, **rule: Any) -> list[str]:
    place = material(text, **rule)
    return texts(checked(place, *(selecting(place, each) for each in begins)))


def test_the_subsection_that_limits_a_rule_ends_its_quotation_R_A14() -> None:
    """Each keeps its own citation, and the rest of the section stays away."""
    place = material(LABELLED)
    verdict = checked(place, selecting(place, "(1)"))
    assert texts(verdict) == [
        "(1) A keeper may keep six hives.\n"
        "(2) Subsection (1) does not apply to a school."
    ] or texts(verdict) == [
        "(1) A keeper may keep six hives.\n\n"
        "(2) Subsection (1) does not apply to a school."
    ]
    assert isinstance(verdict, Verified)
    assert verdict.answer.sections[0].claims[0].citations == (1, 2)


def test_what_a_rule_names_as_its_limit_comes_with_it_R_A14() -> None:
    (text,) = said(LABELLED, "(3)")
    assert "(4) Honey is sold in glass." in text
    assert "(5) Honey of a school is not sold." in text
    assert "(2)" not in text


@pytest.mark.parametrize("begins", ["(2)", "(6)"])
def test_what_nothing_limits_stands_alone_R_A14(begins: str) -> None:
    (text,) = said(LABELLED, begins)
    assert text.count("(") == text.count(begins[:2]) + (begins == "(2)")


def test_text_without_labels_is_limited_as_a_whole_R_A14() -> None:
    """What stands between is left out, and that is seen."""
    (text,) = said(PLAIN, "A keeper")
    assert text == (
        "A keeper may mow on Sundays.\n[\u2026]\nThe rule does not apply in May."
    )


def test_a_limit_stands_once_R_A14() -> None:
    """Chosen for itself, behind what it limits or before: nothing twice."""
    one = said(PLAIN, "A keeper", "The rule", "A school")
    assert one == [
        "A keeper may mow on Sundays.\n[\u2026]\nThe rule does not apply in May.",
        "A school may not mow.",
    ]


def test_a_limit_that_is_too_long_is_told_R_A14() -> None:
    """In the pack's words, with the title, and cited by nobody."""
    long = PLAIN.replace("in May.", f"in May{' or any other month' * 20}.")
    (text, told) = said(long, "A keeper")
    assert text == "A keeper may mow on Sundays."
    assert told == 'More limits "8 Noise": read it whole.'


def test_a_limit_whose_list_is_too_long_is_told_whole_R_A14() -> None:
    """Its first line alone would say nothing."""
    listed = "\n".join(f"- a school of the {n}th kind" for n in range(1, 20))
    long = PLAIN.replace("apply in May.", f"apply to:\n\n{listed}\n")
    (text, told) = said(long, "A keeper")
    assert text == "A keeper may mow on Sundays."
    assert told.startswith("More limits")


def test_a_limit_of_all_the_section_R_A14() -> None:
    text = LABELLED + "\n(7) This section does not apply in May.\n"
    assert "(7) This section" in said(text, "(6)")[0]


def test_a_pack_without_limits_quotes_as_before_R_A14() -> None:
    place = room(chunks_of(PLAIN), pack_of(), "hives")
    verdict = checked(place, selecting(place, "A keeper"))
    assert texts(verdict) == ["A keeper may mow on Sundays."]


def test_limits_of_another_section_do_not_come_along_R_A14() -> None:
    two = PLAIN + "\n# 9 Paint\n\nA keeper may paint.\n"
    assert said(two, "A keeper may paint") == ["A keeper may paint."]


def test_a_rule_without_words_for_the_rest_is_refused_R_A14() -> None:
    with pytest.raises(ValidationError):
        LimitRule.model_validate({k: v for k, v in RULE.items() if k != "beyond"})
