"""Prohibited phrases are found whatever hides them, and allowed in quotations."""

import pytest

from engine.validate.phrases import Phrases, readings, seen

PHRASES = Phrases(["I think", "In general", "Typically", "As a best practice"])
HIDDEN = [
    "I think it helps.",
    "i THINK so",
    "In general, it helps.",
    "In\u00a0general it helps.",
    "In\n general it helps.",
    "In\u3000general it helps.",
    "In\u3164general it helps.",
    "In\u2800general it helps.",
    "In gene\u200bral it helps.",
    "In gen\u00aderal it helps.",
    "In gen\u2060eral it helps.",
    "In gen\U000e0065eral it helps.",
    "In gen\ufe0feral it helps.",
    "In g\u0435ner\u0430l it helps.",
    "\uff29\uff4e general it helps.",
    "\U0001d408\U0001d427 general it helps.",
    "In ge\u0301neral it helps.",
    "In \u202ageneral\u202c it helps.",
    "In **general** it helps.",
    "In gen**er**al it helps.",
    "I *think* it helps.",
    "I*think* it helps.",
    "I <b>think</b> it helps.",
    "I th<!-- -->ink it helps.",
    "I &#116;hink it helps.",
    "I &#116hink it helps.",
    "I, think it helps.",
    "\u0406 think it helps.",
    "x < I think > y",
    "Typic\x00ally it helps.",
    "Ty_pic_ally it helps.",
    "As a best-practice, it helps.",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_no_disguise_hides_a_prohibited_phrase_R_V5_R_V8(text: str) -> None:
    """Invisible, look-alike, wide, accented, marked-up and broken forms."""
    assert PHRASES.found(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is an atypically long day.",
        "The general said so.",
        "Thinking helps.",
        "A plain sentence.",
        "",
    ],
)
def test_other_words_are_left_alone(text: str) -> None:
    """A phrase is whole words."""
    assert not PHRASES.found(text)


def test_a_phrase_inside_an_anchored_quotation_is_allowed_R_V5() -> None:
    """What the source says may be quoted; what stands around it may not say it too."""
    quote = "Typically, women stop after five years."
    assert not PHRASES.found(f"It says \u201c{quote}\u201d", [quote])
    assert PHRASES.found(f"Typically, it says \u201c{quote}\u201d", [quote])
    assert PHRASES.found("I \u201cthink so.\u201d", ["think so."])


def test_a_pack_without_phrases_prohibits_nothing() -> None:
    """The empty list is no pattern that matches everything."""
    assert not Phrases([]).found("I think.")


def test_reading_is_plain_small_letters() -> None:
    """What is matched is what an eye reads."""
    assert seen("\uff34\u0443pic\u200ball\u00ffy  so") == "typicallyy so"
    assert len(readings("plain")) == 1
