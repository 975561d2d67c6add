"""A question below the title of the document that answered the one before."""

from adapters.ledger.history import Wanted
from adapters.mail import Action
from engine.model.record import Record
from tests.bot.chat import DIRECT, HERE, Chat

GRADED, ON = "How is the course graded?", "How much does each part count?"
TITLE = "Assessment, projects and academic honesty"
EDIT = {"action": Action.EDITED}


def at(message: str) -> dict[str, object]:
    """Another message of the same thread, and the changes to it."""
    return {"place": HERE.model_copy(update={"message": message}), "about": message}


async def ask(house: Chat, text: str = ON, **changes: object) -> Record:
    """What is on record of a question."""
    last = (await house.application.ledger.verify_all()).entries
    await house.says(text, **changes)
    async for stored in house.application.ledger.outcomes(Wanted()):
        if stored.sequence > last:
            return stored.record
    raise AssertionError("nothing was asked")


async def test_a_question_is_read_below_the_title_of_what_answered_R_U14(
    house: Chat,
) -> None:
    """In its thread, for an edit there, and in a reply to the answer."""
    assert (await ask(house, place=DIRECT)).about == ""
    first = await ask(house, GRADED)
    assert first.sources[0].title == TITLE
    second = await ask(house, **at("2.0"))
    assert second.about == TITLE
    assert (await ask(house, **at("2.0"), **EDIT)).about == TITLE
    assert (await ask(house, about="m2")).about == TITLE


async def test_a_refusal_gives_no_title_R_U14(house: Chat) -> None:
    await ask(house, GRADED)
    refused = await ask(house, "What does the canteen sell on Mondays?", **at("2.0"))
    assert refused.was_refusal
    third = await ask(house, **at("3.0"))
    assert third.about == ("" if third.previous == refused.question else TITLE)


async def test_whoever_may_see_less_is_told_no_title_R_C5(house: Chat) -> None:
    """The document that answered somebody else may be hidden from this asker."""
    await house.bind("textbook", tags=frozenset({"staff"}))
    await ask(house, GRADED)
    assert (await ask(house, **at("2.0"))).about == TITLE
    await house.bind("textbook", tags=frozenset({"other"}))
    assert (await ask(house, **at("3.0"))).about == ""


async def test_a_title_reaches_nobody_in_the_question_before_R_C5(house: Chat) -> None:
    """As it was understood, that question holds the title."""
    await house.bind("textbook", tags=frozenset({"staff"}))
    first = await ask(house, "What are the default QoS settings in ROS 2?")
    second = await ask(house, "How do I look up which one a topic has?", **at("2.0"))
    assert second.intent.text.startswith(f"{first.sources[0].title}: ")
    await house.bind("textbook", tags=frozenset({"other"}))
    third = await ask(house, "And for services?", **at("3.0"))
    assert (third.previous, third.about) == ("", "")
