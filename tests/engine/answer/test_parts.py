"""Parts of a question, and which of them the quotations leave open."""

import pytest

from engine.answer.parts import not_found, parts


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is a topic?", ["What is a topic"]),
        (
            "What are its side effects and how much does it cost?",
            ["What are its side effects", "how much does it cost"],
        ),
        ("Is it safe? Who pays?", ["Is it safe", "Who pays"]),
        ("nausea and vomiting after chemo", ["nausea and vomiting after chemo"]),
        ("", []),
    ],
)
def test_a_question_falls_into_its_parts(question: str, expected: list[str]) -> None:
    """Only a new question word after "and", or a new sentence, opens a part."""
    assert parts(question) == expected


def test_a_later_part_without_its_rare_word_is_named_R_A12() -> None:
    """What the evidence lacks is said in the question's own words."""
    question = "What helps against nausea and how much does ondansetron cost?"
    quoted = ["Antiemetics such as ondansetron help against nausea."]
    assert list(not_found(question, ["cost"], quoted, [])) == [
        "how much does ondansetron cost"
    ]
    assert not list(not_found(question, ["cost"], [*quoted, "The cost is low."], []))


def test_a_part_in_everyday_words_is_left_alone_R_A12() -> None:
    """Its answer may be there in other words, so nothing is claimed."""
    question = "Can cornstarch be used, and are there places it should not go?"
    assert not list(not_found(question, ["cornstarch"], ["Not on moist skin."], []))


def test_the_first_part_is_never_named_R_A12() -> None:
    """It was answered, or the whole question refused."""
    assert not list(not_found("What about zoledronate?", ["zoledronate"], ["x"], []))
