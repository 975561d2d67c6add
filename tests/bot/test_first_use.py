"""The notice of first use (R-U6) is said until somebody has seen it."""

from adapters.mail import Action, Platform, PostFailed
from bot.messages import wording
from engine.model.errors import LedgerFailed
from tests.bot.chat import BEN, Chat
from tests.fakes import Breaking

TOLD = wording.kept(90, Platform.SLACK)


async def test_the_notice_of_a_reply_held_back_is_said_with_the_next_R_U6(
    chat: Chat,
) -> None:
    """Its question was edited before anybody saw the reply."""
    await chat.rings()
    await chat.answering().next()
    await chat.rings("How is fever treated?", action=Action.EDITED, about="1.0")
    await chat.works()
    [text] = chat.wall.texts
    assert TOLD in text
    assert TOLD not in await chat.hears(person=BEN)


async def test_the_notice_of_a_reply_that_was_withheld_is_said_with_the_next_R_U6(
    chat: Chat,
) -> None:
    """The outcome could not be written down; the fixed text does not say it."""
    await chat.rings()
    broken = Breaking(chat.mailbox, "settle", LedgerFailed("down"))
    await chat.answering(mailbox=broken).next()
    await chat.works()
    assert not any(TOLD in text for text in chat.wall.texts)
    assert TOLD in await chat.hears(person=BEN)
    assert TOLD not in await chat.hears()


async def test_the_notice_of_a_reply_that_was_buried_is_said_with_the_next_R_U6(
    chat: Chat,
) -> None:
    """The platform did not take it."""
    chat.wall.failing = [PostFailed("gone", None)]
    await chat.says()
    assert TOLD in await chat.hears(person=BEN)


async def test_a_second_attempt_says_the_notice_R_U6(chat: Chat) -> None:
    """The first worker died after it knew of it; who asks meanwhile is not told."""
    await chat.rings()
    claimed = await chat.mailbox.claim("dying", 60)
    assert claimed is not None
    await chat.answering().dependencies.conversation.hear(claimed)
    assert TOLD not in await chat.hears(person=BEN)
    await chat.mailbox.abandon("dying")
    await chat.works()
    assert TOLD in chat.wall.texts[-1]
