"""Follow-ups, put into words that stand alone."""

import pytest

from engine.follow_up import resolve

EFFECTS = "What are the side effects of tamoxifen?"
DURATION = "How long does fatigue last after chemotherapy?"
THING = "What is mucositis?"
CAUSE = "Does tamoxifen cause hot flashes?"


@pytest.mark.parametrize(
    ("previous", "asked", "meant"),
    [
        (
            EFFECTS,
            "what about anastrozole?",
            "What are the side effects of anastrozole?",
        ),
        (
            EFFECTS,
            "And in children?",
            "What are the side effects of tamoxifen in children?",
        ),
        (
            EFFECTS,
            "and the dose?",
            "What are the side effects of tamoxifen? And the dose?",
        ),
        (
            DURATION,
            "what about after radiation?",
            "How long does fatigue last after radiation?",
        ),
        (
            DURATION,
            "for children?",
            "How long does fatigue last after chemotherapy for children?",
        ),
        (DURATION, "and what is tamoxifen?", "What is tamoxifen?"),
        (THING, "How long does it last?", "How long does mucositis last?"),
        (THING, "and how do you prevent it?", "How do you prevent mucositis?"),
        (THING, "Is it safe for children?", "Is mucositis safe for children?"),
        (CAUSE, "Why?", "Does tamoxifen cause hot flashes? Why?"),
        (
            CAUSE,
            "Are they permanent?",
            "Does tamoxifen cause hot flashes? Are they permanent?",
        ),
        (
            CAUSE,
            "What about headaches?",
            "Does tamoxifen cause hot flashes? What about headaches?",
        ),
    ],
)
def test_follow_ups_are_resolved_by_rule_R_A11(
    previous: str, asked: str, meant: str
) -> None:
    """Where no rule finds the place, both questions stand together."""
    assert resolve(asked, previous) == meant


@pytest.mark.parametrize(
    "asked",
    [
        "Is it safe to fly after surgery?",
        "How long does fatigue last and how can I treat it?",
        "What is neuropathy?",
        "tamoxifen dose?",
        "Does this textbook cover Nav2?",
        "In which file do I set the rate?",
        "",
        "???",
    ],
)
def test_what_stands_alone_stays_alone_R_A11(asked: str) -> None:
    assert resolve(asked, THING) is None


def test_without_a_question_before_nothing_follows_R_A11() -> None:
    assert resolve("and for children?", None) is None
    assert resolve("and for children?", " ?! ") is None
