"""Verdicts by rule: what holds, what does not, and what cannot be told."""

import pytest

from engine.inspection.records import INSUFFICIENT, NOT_FOUND, Gathered
from engine.inspection.rules import decide
from tests.engine.inspection.small import block, found, inquiry

ONE, TWO = block("a.py", 1), block("a.py", 2)


def verdict(when: dict[str, object], *gathered: Gathered) -> str:
    rule = [{"when": when, "is": "YES"}, {"is": "NO"}]
    return decide(inquiry(rule=rule), gathered, analyse_only=False).verdict


@pytest.mark.parametrize(
    ("when", "gathered", "wanted"),
    [
        ({"present": "a"}, [found("a", ONE), found("b")], "YES"),
        ({"present": "a"}, [found("a"), found("b", ONE)], "NO"),
        ({"absent": "a"}, [found("a"), found("b", ONE)], "YES"),
        ({"absent": "a"}, [found("a", ONE), found("b")], "NO"),
        ({"count": "a", "at_least": 2}, [found("a", ONE, TWO), found("b")], "YES"),
        ({"count": "a", "at_least": 3}, [found("a", ONE, TWO), found("b")], "NO"),
        ({"count": "a", "at_least": 3}, [found("a", ONE, beyond=2), found("b")], "YES"),
        ({"count": "a", "at_most": 1}, [found("a", ONE, TWO), found("b")], "NO"),
        ({"count": "a", "at_most": 0}, [found("a"), found("b", ONE)], "YES"),
        (
            {"all": [{"present": "a"}, {"present": "b"}]},
            [found("a", ONE), found("b")],
            "NO",
        ),
        (
            {"any": [{"present": "a"}, {"present": "b"}]},
            [found("a", ONE), found("b")],
            "YES",
        ),
        (
            {"none": [{"present": "a"}, {"present": "b"}]},
            [found("a", ONE), found("b")],
            "NO",
        ),
        (
            {"none": [{"count": "a", "at_least": 2}]},
            [found("a", ONE), found("b")],
            "YES",
        ),
    ],
)
def test_conditions_over_evidence_R_P4(
    when: dict[str, object], gathered: list[Gathered], wanted: str
) -> None:
    assert verdict(when, *gathered) == wanted


@pytest.mark.parametrize(
    "when",
    [
        {"absent": "a"},
        {"present": "a"},
        {"count": "a", "at_most": 3},
        {"none": [{"present": "a"}]},
        {"all": [{"absent": "a"}, {"present": "b"}]},
        {"all_match": "b", "pattern": "x"},
    ],
)
def test_what_was_not_read_is_not_known_to_be_absent_R_I8(
    when: dict[str, object],
) -> None:
    """A file that could not be read leaves the verdict open."""
    gathered = [found("a", missed=1), found("b", ONE, missed=1)]
    assert verdict(when, *gathered) == INSUFFICIENT
    rule = [{"when": when, "is": "YES"}, {"is": "NO"}]
    decided = decide(inquiry(rule=rule), gathered, analyse_only=False)
    assert "1 files could not be read, first u.py (is gone)" in decided.gaps[0]


def test_what_was_found_needs_no_other_file_R_P4() -> None:
    assert verdict({"present": "a"}, found("a", ONE, missed=1), found("b")) == "YES"
    assert verdict({"absent": "a"}, found("a", ONE, missed=1), found("b")) == "NO"


def test_without_evidence_the_question_is_not_found_R_P4() -> None:
    """Whatever the rule says: absence needs a place that was looked into."""
    rule = [{"when": {"absent": "a"}, "is": "YES"}, {"is": "NO"}]
    empty = [found("a"), found("b")]
    asked = inquiry(rule=rule)
    assert decide(asked, empty, analyse_only=False).verdict == NOT_FOUND
    analysed = decide(asked, empty, analyse_only=True)
    assert analysed.verdict == INSUFFICIENT
    assert analysed.gaps == ("a found nothing", "b found nothing")


def test_all_match_shows_what_does_not_R_P4() -> None:
    good, bad = block("a.py", 1, "safe=1"), block("b.py", 2, "safe=0")
    rule = [
        {"when": {"all_match": "a", "pattern": "safe=1"}, "is": "YES"},
        {"is": "NO"},
    ]
    decided = decide(
        inquiry(rule=rule), [found("a", good, bad), found("b")], analyse_only=False
    )
    assert (decided.verdict, decided.shown) == ("NO", (bad,))
    assert (
        verdict({"all_match": "a", "pattern": "x"}, found("a"), found("b", ONE)) == "NO"
    )


@pytest.mark.parametrize(
    ("required", "wanted"),
    [
        ("==2.12.0", "YES"),
        (">=2.12,<3", "YES"),
        ("^2.13", "YES"),
        ("v3", "YES"),
        (">=2.9", "NO"),
        ("<4", "NO"),
        ("", "NO"),
    ],
)
def test_version_at_least_goes_by_the_lowest_that_is_allowed_R_P4(
    required: str, wanted: str
) -> None:
    """A package that may be older, or says nothing, is not known to be new enough."""
    held = block("r.txt", 1, "x", "x", required)
    when = {"version_at_least": "a", "version": "2.12"}
    assert verdict(when, found("a", held), found("b")) == wanted


def test_values_of_one_among_those_of_others_R_P4() -> None:
    """What is lacking is what is shown; a list that is cut says nothing."""
    one, two = block("s.py", 1, "x", "model"), block("s.py", 2, "x", "index")
    told = block("README.md", 1, "x", "MODEL")
    when = {"values_of": "a", "among": ["b"], "ignore_case": True}
    rule = [{"when": when, "is": "YES"}, {"is": "NO"}]
    gathered = [found("a", one, two), found("b", told)]
    decided = decide(inquiry(rule=rule), gathered, analyse_only=False)
    assert (decided.verdict, decided.shown) == ("NO", (two,))
    assert verdict(when, found("a", one), found("b", told)) == "YES"
    assert (
        verdict(when, found("a", one, two), found("b", told, beyond=1)) == INSUFFICIENT
    )


def test_the_first_case_that_holds_decides_R_P4() -> None:
    rule = [
        {"when": {"count": "a", "at_least": 5}, "is": "MANY"},
        {"when": {"present": "a"}, "is": "SOME"},
        {"is": "NONE"},
    ]
    asked = inquiry(rule=rule, allowed_verdicts=[])
    decided = decide(asked, [found("a", ONE), found("b", TWO)], analyse_only=False)
    assert (decided.verdict, decided.shown) == ("SOME", (ONE,))
