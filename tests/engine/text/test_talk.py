"""What people say, told apart by its form: a question for the bot, or none."""

import pytest

from engine.text.talk import Talk, classify_talk, reads_as_question


@pytest.mark.parametrize(
    "said",
    [
        "And for children?",
        "and for children",
        "What about adults",
        "ok, what about adults",
        "How long",
        "why",
        "Thanks! And for how long?",
        "does tamoxifen cause hot flashes",
        "Is it safe with milk",
        "I am 80 years old. Can I take it? It is urgent.",
        "Is this (really?) true?",
        "Which command prints the transform",
        "Can you take aspirin with low platelets?",
        "So, how do you tune a PID controller?",
        "what\N{RIGHT SINGLE QUOTATION MARK}s the dose",
    ],
)
def test_questions_by_form_are_for_the_bot_R_C1(said: str) -> None:
    """A question mark, a question word, or a detail of the question before."""
    assert reads_as_question(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "thanks",
        "Thank you!!",
        "ok?",
        "Really?",
        "what?",
        "Any thoughts?",
        "\N{THUMBS UP SIGN}",
        "I think it works",
        "but also the other thing",
        "and then we went home",
        "And to be honest I never read the whole thing",
        "what a mess",
        "How nice!",
        "When I tried it, it broke",
        "which is fine for me",
        "@U2 can you take this?",
        "what do you say, @anna?",
        "<@U2> why?",
        "Ben, can you take this?",
        "Hey Ben, are you there?",
        "see https://example.org/?q=1&x",
        "may be",
        "will do",
        "have a nice day",
    ],
)
def test_talk_among_people_is_not_for_the_bot_R_S5(said: str) -> None:
    """Thanks, statements, exclamations, and what is asked of somebody else."""
    assert not reads_as_question(said)


@pytest.mark.parametrize(
    "said", ["", "  ", "Hi", "hello!", "HELP", "help?", "/help", "What can you do?"]
)
def test_a_greeting_asks_nothing(said: str) -> None:
    """Nor does a cry for help with the bot."""
    assert classify_talk(said) is not None


@pytest.mark.parametrize(
    "said",
    ["Help with mouth sores?", "hi, what is tf2?", "What can I do against pain?"],
)
def test_a_question_is_no_greeting(said: str) -> None:
    """Whatever it begins with."""
    assert classify_talk(said) is None


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("thanks", Talk.THANKS),
        ("thanks a lot!", Talk.THANKS),
        ("hello", Talk.HELLO),
        ("Good morning!", Talk.HELLO),
        ("who are you?", Talk.ABOUT),
        ("What can you do?", Talk.ABOUT),
        ("are you a doctor?", Talk.ABOUT),
        ("never mind", Talk.NEVER_MIND),
        ("nvm", Talk.NEVER_MIND),
        ("bye!", Talk.BYE),
        ("\N{THUMBS UP SIGN}\N{THUMBS UP SIGN}", Talk.SMALL),
        ("ok", Talk.SMALL),
    ],
)
def test_talk_is_told_by_its_kind_R_U10(said: str, kind: Talk) -> None:
    assert classify_talk(said) is kind


def test_a_picture_alone_is_talk_and_one_with_a_question_is_none_R_U10() -> None:
    """The bot reads no pictures, and answers what stands beside them."""
    assert classify_talk("", files=True) is Talk.FILE
    assert classify_talk("What is mucositis?", files=True) is None


@pytest.mark.parametrize(
    "said",
    [
        "thanks, and can I drink alcohol?",
        "thanks, is it very helpful?",
        "is it really helpful",
        "so is that very helpful for pain",
        "Thank you. I want to die",
        "never mind the nausea, what about fever?",
        "hello, my chest hurts",
        "help I can't breathe",
        "bye bye platelets?",
    ],
)
def test_whatever_may_ask_something_is_no_talk_R_U10_R_M6(said: str) -> None:
    assert classify_talk(said) is None
