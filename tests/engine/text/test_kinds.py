"""What kind of answer a question asks for, and which texts show one."""

import pytest
from hypothesis import given, strategies

from engine.text.kinds import detect_kind, list_asked, shows


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long does fatigue last?", "duration"),
        ("How often should it be taken?", "frequency"),
        ("What temperature counts as fever?", "temperature"),
        ("Why does a lookup fail?", "reason"),
        ("What is tf2?", "definition"),
        ("Which command starts a world?", "command"),
        ("Is ROS 2 better than ROS 1?", "comparison"),
        ("Tell me about sleep.", None),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(
    question: str, kind: str | None
) -> None:
    assert detect_kind(question) == kind


@pytest.mark.parametrize(
    ("kind", "text", "present"),
    [
        ("duration", "They heal within 2 to 4 weeks.", True),
        ("duration", "They heal.", False),
        ("temperature", "A fever is 38 °C or higher.", True),
        ("money", "It costs $40.", True),
        ("money", "It costs a lot.", False),
        ("person", "Ask Jane Doe.", True),
        ("year", "It was approved in 1962.", True),
    ],
)
def test_a_text_shows_its_kind(kind: str, text: str, present: bool) -> None:
    assert shows(kind, text) is present


@given(strategies.text(max_size=300))
def test_no_text_breaks_the_rules_R_E7(text: str) -> None:
    kind = detect_kind(text)
    assert kind is None or shows(kind, text) in (True, False)
    assert all(shows(k.name, text) in (True, False) for k in list_asked())
