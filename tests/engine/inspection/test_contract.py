"""Response contracts: lines, verdicts, provenance and both path gates (R-V6)."""

import pytest

from engine.inspection.contract import find_gaps, list_problems, parse_reply
from engine.inspection.question_pack import Inquiry
from tests.engine.inspection.small import block, inquiry

BLOCKS = (
    block("src/a.py", 3).model_copy(update={"last": 9}),
    block("src/b.py", 5),
)


def rules(
    text: str, asked: Inquiry | None = None, *, analyse_only: bool = True
) -> list[str]:
    """The rules that a draft breaks."""
    asked = asked or inquiry()
    names = frozenset(line.name for line in asked.schema_lines)
    found = list_problems(
        parse_reply(text, names), asked, BLOCKS, analyse_only=analyse_only
    )
    return [each.rule for each in found]


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT=YES\nCITATIONS=src/a.py:3",
        "VERDICT: yes\nCITATIONS: src/a.py:4-6, `src/b.py:5`",
        "\n**VERDICT=NO**\nCITATIONS=[src/b.py:5]\n",
        "VERDICT=YES\nCITATIONS=src/a.py:3\n\nSee src/a.py:3, and/or so.",
        "VERDICT=INSUFFICIENT EVIDENCE\nCITATIONS=none\nGAPS=where is it tested",
    ],
)
def test_what_keeps_the_contract_passes_R_V6(text: str) -> None:
    """`=` and `:`, a citation inside a range, gaps in the question's words."""
    assert rules(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("CITATIONS=src/a.py:3", ["schema"]),
        ("VERDICT=YES", ["schema"]),
        ("It does.\nVERDICT=YES\nCITATIONS=src/a.py:3", ["schema"]),
        ("CITATIONS=src/a.py:3\nVERDICT=YES", ["schema"]),
        ("VERDICT=MAYBE\nCITATIONS=src/a.py:3", ["verdict"]),
        ("VERDICT=YES\nCITATIONS=", ["citations"]),
        ("VERDICT=YES\nCITATIONS=src/a.py", ["token"]),
        ("VERDICT=YES\nCITATIONS=src/a.py:9-3", ["token"]),
        ("VERDICT=YES\nCITATIONS=src/a.py:2", ["provenance"]),
        ("VERDICT=YES\nCITATIONS=src/a.py:8-12", ["provenance"]),
        ("VERDICT=YES\nCITATIONS=src/c.py:1", ["provenance"]),
        ("VERDICT=YES\nCITATIONS=src/a.py:3\nlib/new.go is worse.", ["path_a"]),
        ("VERDICT=YES\nCITATIONS=src/a.py:3\nSee /etc/shadow.conf", ["path_a"]),
        ("VERDICT=YES\nCITATIONS=src/a.py:3\nAnd src/b.py:5 too.", ["path_b"]),
        ("VERDICT=NOT FOUND\nCITATIONS=none", ["not_found"]),
        ("VERDICT=INSUFFICIENT EVIDENCE\nCITATIONS=none", ["gaps"]),
        ("VERDICT=INSUFFICIENT EVIDENCE\nCITATIONS=none\nGAPS=the moon", ["gaps"]),
        ("", ["schema", "schema"]),
    ],
)
def test_what_breaks_the_contract_is_named_R_V6(text: str, wanted: list[str]) -> None:
    assert rules(text) == wanted


def test_grounding_and_analysing_say_it_differently_R_A5() -> None:
    """NOT FOUND is an answer where nothing may be analysed, and only there."""
    none = "VERDICT=NOT FOUND\nCITATIONS=none"
    gaps = "VERDICT=INSUFFICIENT EVIDENCE\nCITATIONS=none\nGAPS=where is it tested"
    assert rules(none, analyse_only=False) == []
    assert rules(gaps, analyse_only=False) == ["verdict"]


def test_lines_that_a_question_asks_for_are_required_R_P7() -> None:
    asked = inquiry(response_schema="RISK=low|medium|high\nWHY=one sentence")
    said = "VERDICT=YES\nCITATIONS=src/a.py:3\n"
    assert rules(said + "RISK=low\nWHY=because", asked) == []
    assert rules(said + "RISK=huge\nWHY=because", asked) == ["schema"]
    assert rules(said, asked) == ["schema", "schema"]


def test_a_strict_template_has_no_body_R_P7() -> None:
    said = "VERDICT=YES\nCITATIONS=src/a.py:3\nIt does."
    assert rules(said, inquiry(strict_response_template=True)) == ["template"]


def test_verdicts_may_stand_in_the_schema_R_P7() -> None:
    asked = inquiry(allowed_verdicts=[], response_schema="VERDICT=GOOD|BAD|NOT FOUND")
    assert asked.verdicts == ("GOOD", "BAD")


def test_a_second_line_of_a_name_counts_as_body_R_V6() -> None:
    """So that nothing is said twice, once checked and once shown."""
    said = "VERDICT=YES\nCITATIONS=src/a.py:3\nVERDICT=NO\nCITATIONS=src/c.py:1"
    assert parse_reply(said, frozenset()).verdict == "YES"
    assert rules(said) == ["path_a"]


def test_a_path_of_the_question_may_stand_in_a_gap_R_A5() -> None:
    asked = inquiry(question="Is src/c.py called?")
    said = "VERDICT=INSUFFICIENT EVIDENCE\nCITATIONS=none\nGAPS=src/c.py called"
    assert rules(said, asked) == []


def test_gaps_are_the_questions_own_words_R_A5() -> None:
    said = "VERDICT=INSUFFICIENT EVIDENCE\nGAPS=Where is it tested?; send money"
    assert find_gaps(parse_reply(said, frozenset()), inquiry()) == (
        "Where is it tested?",
    )
