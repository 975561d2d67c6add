"""Whether a quotation is about what was asked: populations, and kinds of things."""

import pytest

from engine.text.answers import AnswerRequirements, Verdict

KINDS = [["colon", "colorectal"], ["lung"], ["bladder", "urothelial"]]


@pytest.mark.parametrize(
    ("question", "above", "text", "stands"),
    [
        ("Trials in lung cancer?", "A trial in colorectal cancer", "It ran.", False),
        ("Trials in lung cancer?", "A trial in lung cancer", "It ran.", True),
        ("Trials in lung cancer?", "A trial of a test", "It ran.", True),
        ("Trials in lung cancer?", "Colon cancer", "In lung cancer it failed.", True),
        ("Which trials are there?", "A trial in colorectal cancer", "It ran.", True),
        ("Colon or lung cancer?", "Urothelial cancer", "It ran.", False),
        ("Colon or lung cancer?", "Colorectal cancer", "It ran.", True),
    ],
)
def test_an_answer_on_one_kind_is_none_on_another_R_V4(
    question: str, above: str, text: str, stands: bool
) -> None:
    """Only where the question names a kind; what it names may stand in the text."""
    asked = AnswerRequirements.from_question(question, (), KINDS)
    verdict = asked.judge((above,), text).verdict
    assert (verdict is Verdict.SUPPORTED) is stands


def test_an_answer_speaks_of_a_kind_that_was_asked_about_R_V4() -> None:
    asked = AnswerRequirements.from_question("What helps in lung cancer?", (), KINDS)
    assert asked.find_lack([("It helps.", "A test")]) is not None
    assert asked.find_lack([("It helps in lung cancer.", "A test")]) is None
