"""What a question is about, where its form leaves no doubt."""

import pytest

from engine.parse.topic import find_action, find_topic


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What is SLAM", "SLAM"),
        ("What is an occupancy grid map", "an occupancy grid map"),
        ("What is tamoxifen used for", "tamoxifen"),
        ("How long is tamoxifen taken after surgery", "tamoxifen"),
        ("How does scalp cooling work", "scalp cooling"),
        ("When does hair grow back after chemotherapy", "hair"),
        ("What does odometry estimate", "odometry"),
        ("How many parameters does OpenVLA have", "OpenVLA"),
        ("How do I record a bag", "a bag"),
        (
            "What is the difference between filgrastim and pegfilgrastim",
            "filgrastim and pegfilgrastim",
        ),
    ],
)
def test_what_it_stands_for_is_read_from_the_form_R_A11(
    question: str, thing: str
) -> None:
    assert find_topic(question) == thing


@pytest.mark.parametrize(
    "question",
    [
        "What does colitis on a checkpoint inhibitor look like",
        "When do mouth sores from chemotherapy start",
        "Does tamoxifen cause hot flashes",
        "What drugs are in FOLFOX",
        "How does it work",
        "Should I call when I have a fever",
        "Why",
        "",
    ],
)
def test_nothing_is_guessed_where_the_form_is_not_clear_R_A11(question: str) -> None:
    """A detail is never dropped, and neither of two things is preferred."""
    assert find_topic(question) is None


def test_what_one_does_is_a_verb_with_its_object_R_A11() -> None:
    assert find_action("How do I write a publisher with rclpy") == "write a publisher"
    assert find_action("How does SLAM work") is None
