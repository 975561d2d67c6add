"""Which shape is asked for: told by whole forms, and by nothing that only looks so."""

import pytest

from engine.parse.shape import (
    LONGEST,
    Page,
    detect_undone,
    names_page,
    read_compared,
    read_page,
    resolve_page,
    shorten_page,
)
from engine.text.talk import Talk


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("Summarise this page", Page("short", "")),
        ("sum up that page for me", Page("short", "")),
        ("can you summarise it please?", Page("short", "")),
        ("tl;dr", Page("short", "")),
        ("Summarize the page on ROS 2 actions please", Page("short", "ROS 2 actions")),
        ("tldr lab 6", Page("short", "lab 6")),
        ("recap the mouth sores page in 3 bullet points", Page("short", "mouth sores")),
        ("overview of hormone therapy", Page("short", "hormone therapy")),
        ("where can I find the page on tf2", Page("link", "tf2")),
        ("link to the page about ports", Page("link", "ports")),
        ("Which page covers neutropenia?", Page("link", "neutropenia")),
        ("show me the whole table of fees", Page("table", "fees")),
        ("show me the fee table", Page("table", "fee")),
        ("show me the price list", Page("table", "price")),
        ("what is on the price list?", Page("table", "price")),
        ("What's the overview effect?", None),
        ("the link of the left arm", None),
        ("What does the page say about fees?", None),
        ("How do I write a summary?", None),
        (f"summarise {'x ' * LONGEST}", None),
    ],
)
def test_a_page_is_asked_for_by_its_name_or_as_this_one_R_U15(
    text: str, page: Page | None
) -> None:
    """In short, as a link, or for its table; whatever courtesy stands around it."""
    assert read_page(text) == page


def test_the_page_that_was_asked_back_for_is_told_next_R_U15() -> None:
    """By its name alone; another question is none."""
    back = "Summarise this page"
    assert resolve_page("the one on mouth sores", back) == Page("short", "mouth sores")
    assert resolve_page("hormone therapy", back) == Page("short", "hormone therapy")
    assert resolve_page("What is a port?", back) is None
    assert resolve_page("hormone therapy", "Summarise the page on fever") is None


@pytest.mark.parametrize(
    ("text", "two"),
    [
        ("compare nausea and fatigue", ("nausea", "fatigue")),
        ("topics vs actions", ("topics", "actions")),
        ("How do topics and services differ?", ("topics", "services")),
        ("how does SLAM differ from Nav2", ("SLAM", "Nav2")),
        ("How is a port different from a PICC?", ("a port", "a PICC")),
        (
            "Compare the side effects of tamoxifen and letrozole",
            ("the side effects of tamoxifen", "the side effects of letrozole"),
        ),
        (
            "What's the difference between a topic and a service in ROS 2?",
            ("a topic in ROS 2", "a service in ROS 2"),
        ),
        ("Which is better, tamoxifen or letrozole?", ()),
        ("compare tamoxifen and letrozole, which is better for me?", ()),
        ("compare this with nausea", ()),
        ("compare nausea and nausea", ()),
        ("compare the", ()),
    ],
)
def test_two_things_are_named_in_full_R_U15(text: str, two: tuple[str, ...]) -> None:
    """None where a judgement is asked for, or somebody is meant."""
    assert read_compared(text) == two


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("calculate my dose of capecitabine", Talk.CALCULATE),
        ("I weigh 70 kg. Can you work out the dose for 1.8 m2?", Talk.CALCULATE),
        ("what is 15% of 300", Talk.CALCULATE),
        ("How do I calculate the loop delay?", None),
        ("How do I convert 60 mg of morphine to a patch?", None),
        ("translate this", Talk.TRANSLATE),
        ("summarise the fever page in German", Talk.TRANSLATE),
        ("How do I translate a pose to base_link?", None),
        ("translate a point to the map frame", None),
        ("explain chemo like I'm five", Talk.RETELL),
        ("eli5 SLAM", Talk.RETELL),
        ("give paracetamol to a 5 year old", None),
        ("Explain how a service is called", None),
        ("do my lab report for me", Talk.DO_WORK),
        ("write me a letter to my boss", Talk.DO_WORK),
        ("Do my lab reports count?", None),
        ("How do I write my lab report?", None),
        ("write a launch file", None),
        ("", None),
    ],
)
def test_what_is_ordered_and_never_done_is_told_R_U15(
    text: str, kind: Talk | None
) -> None:
    """By an order alone: who asks how it is done is told what the sources say."""
    assert detect_undone(text) == kind


def test_what_a_page_is_wanted_for_is_no_part_of_its_name_R_U15() -> None:
    """It may be a title all the same, so that the shorter name is the second try."""
    assert shorten_page("diarrhea for a handover") == "diarrhea"
    assert shorten_page("mouth sores to read to my mum") == "mouth sores"
    assert shorten_page("hormone therapy for breast cancer") == ""


def test_a_name_may_be_all_of_a_message_R_U15() -> None:
    """One word or two, and no question."""
    assert names_page("opening hours")
    assert names_page("Prices?")
    assert not names_page("when open")
    assert not names_page("opening hours of the hut")
