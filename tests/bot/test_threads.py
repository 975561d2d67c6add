"""What a question leans on: the one before it, and never what was said in private."""

import pytest

from adapters.mail import Action, Method, Place, Platform
from tests.bot.chat import BEN, DIRECT, HERE, Chat
from tests.bot.small import SmallApplication

NAUSEA, ON = "How is nausea treated?", "And for adults?"
SILENT = {"addressed": False}
# What somebody asks about a message of a thread, for themselves alone.
ASIDE = HERE.model_copy(update={"message": None, "private": True})
OUTSIDE = "What is the weather?"
EDIT = {"action": Action.EDITED}


def at(message: str) -> dict[str, object]:
    """Another message of the same thread, and the changes to it."""
    return {"place": HERE.model_copy(update={"message": message}), "about": message}


async def leans(chat: Chat, **changes: object) -> bool:
    """Whether a follow-up finds the question about nausea."""
    return "How is nausea treated" in await chat.hears(ON, **changes)


# --- private ----------------------------------------------------------------------


async def test_a_private_question_is_no_context_of_its_thread_R_C2(chat: Chat) -> None:
    """Nor does it make the thread the bot's."""
    await chat.hears(NAUSEA, place=ASIDE)
    assert not await chat.mailbox.owns(HERE)
    assert await chat.says(ON, person=BEN, **SILENT) == []
    assert not await leans(chat)
    assert not await leans(chat, person=BEN)


async def test_a_private_question_takes_no_thread_away_R_C2(chat: Chat) -> None:
    """It may lean on what everybody read there, and changes nothing."""
    await chat.hears(NAUSEA)
    await chat.hears("How is fever treated?", place=ASIDE, person=BEN)
    assert await leans(chat, place=ASIDE, person=BEN)
    assert await chat.mailbox.owns(HERE)
    assert await leans(chat)


async def test_a_private_channel_has_a_thread_for_each_person_R_C2(chat: Chat) -> None:
    """Its threads are nobody's without a mention, also once it is public again."""
    await chat.bind(private=True)
    await chat.hears(NAUSEA)
    assert not await chat.mailbox.owns(HERE)
    assert not await leans(chat, person=BEN)
    await chat.hears(NAUSEA)
    assert await leans(chat)
    await chat.bind()
    assert not await chat.mailbox.owns(HERE)
    assert not await leans(chat)
    assert await chat.mailbox.owns(HERE)


async def test_direct_messages_lean_on_each_other_R_A11(chat: Chat) -> None:
    """They are private, and have no thread."""
    await chat.hears(NAUSEA, place=DIRECT)
    assert await leans(chat, place=DIRECT)


async def test_a_whisper_that_is_replied_to_is_no_public_context_R_C2(
    chat: Chat,
) -> None:
    """What only its asker saw stays theirs."""
    guild = Place(platform=Platform.DISCORD, tenant="G1", channel="7", message="70")
    whisper = guild.model_copy(update={"message": None, "private": True})
    await chat.hears(NAUSEA, place=whisper)
    assert not await leans(chat, place=guild, about="m1")
    assert await leans(chat, place=whisper, about="m1")


# --- among people -----------------------------------------------------------------


@pytest.mark.parametrize("said", ["Thanks!", "@U2 what do you think?", "It helped me."])
async def test_talk_in_the_bots_thread_is_let_be_R_S5(chat: Chat, said: str) -> None:
    """No reply, no record, and the next question leans on the one before."""
    await chat.hears(NAUSEA)
    assert await chat.says(said, person=BEN, **SILENT) == []
    assert await leans(chat, person=BEN, **SILENT)


async def test_what_is_out_of_scope_is_nothing_to_lean_on_R_A11(chat: Chat) -> None:
    """The thread goes on from the question before it, and is the bot's all the same."""
    outside(chat)
    await chat.hears(OUTSIDE)
    assert await chat.mailbox.owns(HERE)
    assert "I read this" not in await chat.hears(ON)
    await chat.hears(NAUSEA)
    await chat.hears(OUTSIDE, **at("2.0"))
    assert await leans(chat)


def outside(chat: Chat) -> None:
    """Let the pack know that the weather is not its matter."""
    application = chat.application
    assert isinstance(application, SmallApplication)
    told = {"out_of_scope_patterns": ("weather",)}
    pack = application.installed["small"].model_copy(update=told)
    application.installed = {**application.installed, "small": pack}


# --- edits ------------------------------------------------------------------------


async def test_an_edit_leans_on_the_question_before_R_U4(chat: Chat) -> None:
    """Not on its own old text, however often it is edited."""
    await chat.hears(NAUSEA)
    await chat.hears("How is fever treated?", **at("2.0"))
    assert await leans(chat, **at("2.0"), **EDIT)
    assert "with: “How is nausea treated?”" in await chat.hears(
        "And for children?", **at("2.0"), **EDIT
    )


async def test_a_refused_follow_up_does_not_colour_the_next_question_R_U10(
    chat: Chat,
) -> None:
    """The thread is left as it was; where it took an edited question's place, empty."""
    await chat.hears(NAUSEA)
    assert "with: “How is nausea treated?”" in await chat.hears(
        "And for children?", **at("2.0")
    )
    assert "with: “How is nausea treated?”" in await chat.hears(
        "And in the evening?", **at("3.0")
    )
    await chat.hears("How is fever treated?", **at("4.0"))
    assert await leans(chat, **at("4.0"), **EDIT)
    assert "I read this" not in await chat.hears("And in the evening?", **at("5.0"))


async def test_an_edited_first_question_leans_on_nothing_R_U4(chat: Chat) -> None:
    """Nor does one that others followed; a forgotten question is forgotten."""
    await chat.hears(NAUSEA)
    assert "I read this" not in await chat.hears(ON, about="1.0", **EDIT)
    await chat.hears(NAUSEA, about="1.0", **EDIT)
    await chat.hears("How is fever treated?", person=BEN, **at("2.0"))
    assert "I read this" not in await chat.hears(ON, about="1.0", **EDIT)


async def test_what_was_forgotten_is_nothing_to_lean_on_R_S5(chat: Chat) -> None:
    """Also for the edit of another person's question."""
    await chat.hears(NAUSEA)
    await chat.hears("How is fever treated?", person=BEN, **at("2.0"))
    asker = chat.application.pseudonyms.of_person(Platform.SLACK, "T1", "U1")
    await chat.mailbox.forget(asker)
    assert not await leans(chat, person=BEN, **at("2.0"), **EDIT)


async def test_an_edit_out_of_scope_is_not_leaned_on_R_U4(chat: Chat) -> None:
    """Nor is what it replaced."""
    outside(chat)
    await chat.hears(NAUSEA)
    await chat.hears(OUTSIDE, about="1.0", **EDIT)
    assert "I read this" not in await chat.hears(ON, **at("2.0"))


async def test_a_notice_takes_the_place_of_an_answer_R_U4(chat: Chat) -> None:
    """Over the limit, or in a pause, the old answer answers nothing any more."""
    await chat.hears(NAUSEA)
    object.__setattr__(chat.application.rules, "per_person", 1)
    for _ in range(2):
        [part] = await chat.says("How is fever treated?", about="1.0", **EDIT)
        assert (part.method, part.message) == (Method.UPDATE, "m1")
        assert "asked a lot" in str(part.payload["text"])
    await chat.bind(paused=True)
    [part] = await chat.says("How is fever treated?", about="1.0", **EDIT)
    assert (part.method, part.message) == (Method.UPDATE, "m1")
    assert part.payload["text"] == "On holiday."


async def test_an_answer_goes_where_nothing_is_asked_any_more_R_U4(chat: Chat) -> None:
    """The question became talk among people."""
    await chat.hears(NAUSEA)
    await chat.hears(ON, **at("2.0"), **SILENT)
    [part] = await chat.says("Thanks all.", **at("2.0"), **SILENT, **EDIT)
    assert (part.method, part.message) == (Method.DELETE, "m2")


async def test_what_is_deleted_during_its_edit_stays_unanswered_R_U4(
    chat: Chat,
) -> None:
    """Discord's deletions come from nobody, so no order holds them back."""
    guild = Place(platform=Platform.DISCORD, tenant="G1", channel="7", message="70")
    await chat.hears(NAUSEA, place=guild)
    await chat.rings("How is fever treated?", place=guild, about="70", **EDIT)
    edit = await chat.mailbox.claim("slow", 60)
    assert edit is not None
    gone = {"action": Action.DELETED, "about": "70", "person": ""}
    await chat.rings("", place=guild, **gone)
    assert await chat.answering().next()
    assert await chat.mailbox.waiting() == 2
    await chat.mailbox.abandon("slow")
    await chat.works()
    assert [part.method for _, part in chat.wall.shown] == [Method.POST]
    chat.clock.moment = chat.clock.now().replace(minute=1)  # type: ignore[attr-defined]
    await chat.works()
    assert [part.method for _, part in chat.wall.shown] == [Method.POST, Method.DELETE]
    assert await chat.mailbox.waiting() == 0
