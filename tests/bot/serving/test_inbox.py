"""The door: what is committed, what is let go, and who is told that the bot is busy."""

from datetime import timedelta
from pathlib import Path

from sqlalchemy import create_engine, select

from adapters.ledger.database import sqlite_url
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.schema import MAIL
from adapters.mail import QUESTIONS, Accepted, Action, Method, Place, Platform
from bot.serving.inbox import MOST_NOTICES, NOTICED, Inbox
from tests.bot.chat import BEN, DIRECT, HERE, Chat
from tests.fakes import FixedClock

CANARY = "the canary sings"
EDIT = {"action": Action.EDITED, "about": "1.0", "subject": None}
ASK = {"subject": None}
GUILD = Place(platform=Platform.DISCORD, tenant="G1", channel="7", message="70")


def held(data: Path) -> str:
    """All that stands in the mailbox."""
    engine = create_engine(sqlite_url(data / "ledger.db"))
    with engine.connect() as connection:
        rows = [row for table in MAIL for row in connection.execute(select(table))]
    engine.dispose()
    return repr([tuple(row) for row in rows])  # a row's own repr leaves text out


def narrow(chat: Chat, waiting: int) -> Inbox:
    """A door behind which only so many may wait."""
    settings = chat.application.settings
    changed = settings.model_copy(update={"waiting_limit": waiting})
    chat.application.settings = changed
    return chat.application.inbox(lambda: None)


async def outcomes(chat: Chat) -> int:
    """How many are on record."""
    return (await chat.application.ledger.verify_all()).entries


# --- a full inbox ---------------------------------------------------------------------


async def test_a_full_inbox_turns_only_questions_away_R_C3(chat: Chat) -> None:
    """What changes, takes away or protects what was said gets in and is done (R-S5)."""
    await chat.hears()
    door = narrow(chat, 1)
    assert await door.accept(chat.event("Waits?")) is Accepted.NEW
    for action in Action:
        event = chat.event(action=action, about="1.0")
        expected = Accepted.FULL if action in QUESTIONS else Accepted.NEW
        assert await door.accept(event) is expected, action


async def test_a_question_turned_away_is_answered_once_it_is_edited_R_U4(
    chat: Chat,
) -> None:
    """Whoever was told to come back need not write it anew."""
    door = narrow(chat, 1)
    await door.accept(chat.event(place=DIRECT))
    assert await door.accept(chat.event(**ASK)) is Accepted.FULL
    assert await door.accept(chat.event("Again?", **EDIT)) is Accepted.NEW
    await chat.works()
    assert len(chat.wall.shown) == await outcomes(chat) == 2


# --- edits of what was never answered -------------------------------------------------


async def test_an_edit_before_its_question_is_the_question_R_U4(chat: Chat) -> None:
    """The message that comes late is a repeat: one answer, to what it says now."""
    assert await chat.rings("How is fever treated?", **EDIT) is Accepted.NEW
    assert await chat.rings("How is nausea treated?", **ASK) is Accepted.REPEAT
    await chat.works()
    assert await chat.rings("How is nausea treated?", **ASK) is Accepted.REPEAT
    await chat.works()
    assert [part.method for _, part in chat.wall.shown] == [Method.POST]
    assert await outcomes(chat) == 1
    thread = await chat.mailbox.thread(HERE)
    assert thread is not None and thread.previous == "How is fever treated?"


async def test_an_edit_that_adds_the_mention_is_answered_once_R_U4(chat: Chat) -> None:
    """The next edit changes that answer; the same edit again does nothing."""
    silent = {"addressed": False, "place": GUILD, **ASK}
    assert await chat.rings("How is fever treated?", **silent) is Accepted.REPEAT
    change = {**EDIT, "about": "70", "place": GUILD}
    [part] = await chat.says("How is fever treated?", event="x", **change)
    assert part.method is Method.POST
    assert await chat.says("How is fever treated?", event="x", **change) == []
    [part] = await chat.says("How is nausea treated?", **change)
    assert part.method is Method.UPDATE


async def test_an_edit_that_meets_its_question_at_the_door_is_its_edit_R_U4(
    chat: Chat,
) -> None:
    """The question is committed between the look and the commit."""

    class Late(Mailbox):
        async def knows(self, place: Place, message: str) -> bool:
            await chat.rings("How is nausea treated?", **ASK)
            return False

    late = Late(chat.application.ledger)
    door = Inbox(late, chat.application.pseudonyms, 100, lambda: None, lambda: True)
    assert await door.accept(chat.event("How is fever treated?", **EDIT)) is (
        Accepted.NEW
    )
    assert await chat.mailbox.waiting() == 2
    await chat.works()
    await later(chat)
    assert [part.method for _, part in chat.wall.shown] == [Method.POST, Method.UPDATE]


async def later(chat: Chat) -> None:
    """What had to wait for a reply finds it standing."""
    assert isinstance(chat.clock, FixedClock)
    chat.clock.moment += timedelta(seconds=60)
    await chat.works()


async def test_an_edited_question_is_answered_once_before_its_answer_R_U4(
    chat: Chat,
) -> None:
    """The first answer is taken out of the outbox before anybody sees it."""
    await chat.rings("How is nausea treated?", **ASK)
    assert await chat.answering().next()
    await chat.rings("How is fever treated?", **EDIT)
    await chat.works()
    assert [part.method for _, part in chat.wall.shown] == [Method.POST]
    thread = await chat.mailbox.thread(HERE)
    assert thread is not None and thread.previous == "How is fever treated?"


# --- deletions of what never came -----------------------------------------------------

GONE = {"action": Action.DELETED, "about": "1.0", "subject": None, "person": ""}


async def test_a_deletion_before_its_question_takes_it_away_R_U4(chat: Chat) -> None:
    """The question that comes late is not answered; of the deletion no id is kept."""
    assert await chat.rings("", **GONE) is Accepted.REPEAT
    assert HERE.channel not in held(chat.application.data)
    assert await chat.rings(**ASK) is Accepted.NEW
    await chat.works()
    assert not chat.wall.shown
    assert await outcomes(chat) == await chat.mailbox.waiting() == 0
    assert await chat.rings(**ASK) is Accepted.REPEAT
    elsewhere = HERE.model_copy(update={"message": "1.1"})
    assert await chat.hears(place=elsewhere)


async def test_a_deletion_that_meets_its_question_at_the_door_takes_it_away_R_U4(
    chat: Chat,
) -> None:
    """The question is committed between the look and the note."""

    class Late(Mailbox):
        async def knows(self, place: Place, message: str) -> bool:
            await chat.rings(**ASK)
            return False

    late = Late(chat.application.ledger)
    door = Inbox(late, chat.application.pseudonyms, 100, lambda: None, lambda: True)
    assert await door.accept(chat.event("", **GONE)) is Accepted.REPEAT
    assert await chat.mailbox.waiting() == 1
    await chat.works()
    assert not chat.wall.shown


# --- what people say to each other ----------------------------------------------------


async def test_what_is_said_elsewhere_is_never_written_down_R_S5(chat: Chat) -> None:
    """In a thread that is not the bot's: no row, and no byte in any file."""
    await chat.hears()
    elsewhere = HERE.model_copy(update={"thread": "5.0", "message": "5.1"})
    silent = {"place": elsewhere, "addressed": False}
    for action in (Action.ASK, Action.EDITED, Action.DELETED):
        said = chat.rings(CANARY, action=action, about="5.1", **silent)
        assert await said is Accepted.REPEAT
    files = [path for path in chat.application.data.rglob("*") if path.is_file()]
    assert files
    assert not any(CANARY.encode() in path.read_bytes() for path in files)


async def test_what_is_said_in_a_thread_that_was_left_is_dropped_R_S5(
    chat: Chat,
) -> None:
    """The thread was the bot's at the door; afterwards nobody spoke to the bot."""
    await chat.hears()
    before = await outcomes(chat)
    assert await chat.rings(f"{CANARY}?", addressed=False) is Accepted.NEW
    assert CANARY in held(chat.application.data)
    await chat.mailbox.leave(HERE)
    shown = len(chat.wall.shown)
    await chat.works()
    assert len(chat.wall.shown) == shown
    assert await outcomes(chat) == before
    assert await chat.mailbox.waiting() == 0
    assert CANARY not in held(chat.application.data)


# --- the busy notice ------------------------------------------------------------------


async def test_a_channel_is_told_a_few_times_that_the_bot_is_busy_R_C3(
    chat: Chat,
) -> None:
    """Once for an event, a few times a minute; other channels are told themselves."""
    door = narrow(chat, 1)
    await door.accept(chat.event(place=DIRECT))
    first = chat.event()
    assert await door.accept(first) is Accepted.FULL
    assert await door.accept(first) is Accepted.REPEAT
    told = [await door.accept(chat.event(person=BEN)) for _ in range(20)]
    assert told.count(Accepted.FULL) == MOST_NOTICES - 1
    assert await door.accept(chat.event(place=GUILD)) is Accepted.FULL
    assert isinstance(chat.clock, FixedClock)
    chat.clock.moment += NOTICED
    assert await door.accept(chat.event()) is Accepted.FULL
    assert await chat.mailbox.waiting() == 1


async def test_who_typed_a_command_is_always_told_R_C3(chat: Chat) -> None:
    """Nobody else sees it, and without it the command would hang."""
    door = narrow(chat, 1)
    await door.accept(chat.event(place=DIRECT))
    typed = {"callback": {"token": "t"}}
    told = [await door.accept(chat.event(**typed)) for _ in range(MOST_NOTICES * 2)]
    assert set(told) == {Accepted.FULL}
