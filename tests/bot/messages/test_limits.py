"""How much one person and one channel may do, and how often they are told (R-C5)."""

from datetime import timedelta

import pytest

from adapters.mail import Action, Method, Place, Platform
from bot.messages import wording
from bot.routing import Ask, Ignore, Say
from engine.model.errors import LedgerFull
from tests.bot.chat import BEN, HERE, Chat
from tests.fakes import FixedClock

PRESSES = (Action.SOURCES, Action.WHY, Action.HELPFUL, Action.ASK_PERSON)


def message(number: int) -> Place:
    """A new message of the channel."""
    return HERE.model_copy(update={"message": f"{number}.5", "thread": f"{number}.5"})


def allow(chat: Chat, **limits: int) -> None:
    """Set limits."""
    for name, limit in limits.items():
        object.__setattr__(chat.application.rules, name, limit)


def later(chat: Chat) -> None:
    """A minute goes by."""
    assert isinstance(chat.clock, FixedClock)
    chat.clock.moment += timedelta(minutes=1, seconds=1)


@pytest.mark.parametrize("limit", ["per_person", "per_channel"])
async def test_a_flood_of_questions_is_no_flood_of_notices_R_C5(
    chat: Chat, limit: str
) -> None:
    """One a minute; then it is said again."""
    allow(chat, **{limit: 2})
    for number in range(20):
        await chat.rings(place=message(number))
    await chat.works()
    assert sum("asked a lot" in text for text in chat.wall.texts) == 1
    assert len(chat.wall.texts) == 3
    later(chat)
    heard = [await chat.says() for _ in range(4)]
    assert [len(parts) for parts in heard] == [1, 1, 1, 0]


async def test_who_asks_at_once_passes_no_limit_R_C5(chat: Chat) -> None:
    """Three workers have one person's questions in work before any is answered."""
    allow(chat, per_person=1)
    for number in range(3):
        await chat.rings(place=message(number))
    heard = []
    for worker in ("a", "b", "c"):
        claimed = await chat.mailbox.claim(worker, 60.0)
        assert claimed is not None
        heard.append(await chat.answering().dependencies.conversation.hear(claimed))
    assert [type(step) for step in heard] == [Ask, Say, Ignore]


async def test_what_cannot_be_counted_is_heard_all_the_same_R_M6(chat: Chat) -> None:
    """On a full disk an emergency still has its notice, though no record is made."""

    async def full(*given: object) -> None:
        raise LedgerFull("the disk is full")

    await chat.says("hi")  # greeted
    await chat.rings(place=message(1))
    claimed = await chat.mailbox.claim("a", 60.0)
    assert claimed is not None
    chat.mailbox.admit = full  # type: ignore[method-assign,assignment]
    step = await chat.answering().dependencies.conversation.hear(claimed)
    assert isinstance(step, Ask)


async def test_each_person_is_told_R_C5(chat: Chat) -> None:
    """What holds for one says nothing to another; of the channel all are told once."""
    allow(chat, per_person=1)
    heard = [await chat.says(person=person) for person in (BEN, BEN, "U1", "U1")]
    assert [len(parts) for parts in heard] == [1, 1, 1, 1]
    later(chat)
    allow(chat, per_person=10, per_channel=1)
    heard = [await chat.says(person=person) for person in (BEN, BEN, "U1")]
    assert [len(parts) for parts in heard] == [1, 1, 0]


@pytest.mark.parametrize("action", PRESSES)
async def test_buttons_have_a_limit_of_their_own_R_C5(
    chat: Chat, action: Action
) -> None:
    """Questions are answered on; of the buttons it is said once, to the person."""
    allow(chat, others=3)
    await chat.hears()
    for _ in range(3):
        [part] = await chat.says("", action=action)
        assert part.payload["text"] != wording.TOO_MUCH_ELSE
    [part] = await chat.says("", action=action)
    assert part.method is Method.WHISPER
    assert part.payload["text"] == wording.TOO_MUCH_ELSE
    assert await chat.says("", action=action) == []
    assert len(await chat.says("", action=action, person=BEN)) == 1
    assert "not on file" in await chat.hears()
    later(chat)
    assert len(await chat.says("", action=action)) == 1


async def test_hellos_are_answered_a_few_times_R_C5(chat: Chat) -> None:
    """As are other notices that anybody can ask for."""
    allow(chat, others=3)
    heard = [await chat.says(said) for said in ("hi", "help", "", "hello")]
    assert [len(parts) for parts in heard] == [1, 1, 1, 0]


async def test_who_presses_on_discord_is_always_told_R_C5(chat: Chat) -> None:
    """Without a reply it would say that the bot is thinking, for a quarter hour."""
    allow(chat, others=1)
    guild = Place(platform=Platform.DISCORD, tenant="G1", channel="7", private=True)
    press = {"action": Action.WHY, "place": guild, "callback": {"token": "t"}}
    heard = [await chat.hears("", **press) for _ in range(4)]
    assert heard == [wording.NOT_KNOWN, *[wording.TOO_MUCH_ELSE] * 3]
