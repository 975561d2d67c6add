"""From inbox to outbox to platform: one outcome, whatever fails in between."""

from datetime import timedelta
from typing import Any

import pytest

from adapters.mail import Accepted, Outgoing, Part, Platform, PostFailed
from bot import wording
from bot.delivery import MOST_TRIES
from bot.posting import Posting, show_now
from engine.errors import LedgerFailed, LedgerFull
from engine.fallback import AUDIT_FAILED_TEXT
from tests.bot.chat import Chat, PlainFace, Wall
from tests.fakes import Breaking, FixedClock

LACKS = "This is not on file."


def later(chat: Chat, seconds: float) -> None:
    """Let time pass."""
    assert isinstance(chat.clock, FixedClock)
    chat.clock.moment += timedelta(seconds=seconds)


async def records(chat: Chat) -> int:
    """How many outcomes stand in the audit chain."""
    report = await chat.application.ledger.verify_all()
    assert report.ok
    return report.entries


# --- one outcome ----------------------------------------------------------------------


async def test_outcome_audit_and_reply_commit_together_R_I10(chat: Chat) -> None:
    """Before anything is posted the record stands, and the event is done."""
    await chat.rings()
    assert await chat.answering().next()
    assert await records(chat) == 1
    assert await chat.mailbox.waiting() == 0
    assert not chat.wall.shown
    assert await chat.posting().next()
    assert LACKS in chat.wall.texts[0]


async def test_an_event_is_taken_once_R_C3(chat: Chat) -> None:
    """The platform may bring it again, as the same event or as its twin."""
    event = chat.event(subject="slack:T1:C1:1.0")
    twin = event.model_copy(update={"event": "twin"})
    door = chat.application.inbox(lambda: None)
    assert await door.accept(event) is Accepted.NEW
    await chat.works()
    assert await door.accept(event) is Accepted.REPEAT
    assert await door.accept(twin) is Accepted.REPEAT
    await chat.works()
    assert len(chat.wall.shown) == 1


async def test_more_than_may_wait_are_turned_away_R_C3(chat: Chat) -> None:
    """The doorbell then says that the bot is busy."""
    settings = chat.application.settings.model_copy(update={"waiting_limit": 1})
    chat.application.settings = settings
    door = chat.application.inbox(lambda: None)
    assert await door.accept(chat.event()) is Accepted.NEW
    assert await door.accept(chat.event()) is Accepted.FULL


async def test_a_worker_that_was_too_slow_shows_nothing_R_C3(chat: Chat) -> None:
    """Its event was given to another, whose outcome is the one."""
    await chat.rings()

    class Overtaken:
        """A mailbox before whose `settle` a lease runs out."""

        def __getattr__(self, name: str) -> Any:
            return getattr(chat.mailbox, name)

        async def settle(self, *given: Any) -> Any:
            later(chat, 61)
            assert await chat.answering("quick").next()
            return await chat.mailbox.settle(*given)

    assert await chat.answering("slow", mailbox=Overtaken()).next()
    await chat.works()
    assert len(chat.wall.shown) == 1
    assert await records(chat) == 1
    assert not chat.shown_now


async def test_a_question_is_reported_once_R_O2(chat: Chat) -> None:
    """One `chat_request_complete` each."""
    await chat.hears()
    await chat.hears()
    events = (chat.application.data / "events.jsonl").read_text()
    assert events.count('"event": "chat_request_complete"') == 2


async def test_what_ends_workers_is_given_up_R_C3(chat: Chat) -> None:
    """A question that kills whoever takes it up is answered all the same."""
    await chat.rings()
    for _ in range(MOST_TRIES):
        assert await chat.mailbox.claim("dying", 60) is not None
        await chat.mailbox.abandon("dying")
    await chat.works()
    assert chat.wall.texts == [wording.GIVEN_UP]


async def test_a_long_reply_is_one_row_with_a_nonce_each_R_C4(chat: Chat) -> None:
    """A poster that dies between two parts leaves the rest to the next."""
    chat.face = _Doubled()
    await chat.rings()
    await chat.answering().next()
    first = await chat.mailbox.outgoing(Platform.SLACK, "dying", 60)
    assert first is not None and len({p.nonce for p in first.parts}) == 2
    await chat.mailbox.delivered(first, first.parts[0].nonce, "m0")
    await chat.mailbox.abandon("dying")
    assert await chat.posting().next()
    assert [part.nonce for _, part in chat.wall.shown] == [first.parts[1].nonce]
    assert chat.wall.shown[0][0].attempts == 2


class _Doubled(PlainFace):
    """A face whose every answer takes two messages."""

    def answer(self, *given: Any, **more: Any) -> tuple[Part, ...]:
        [part] = super().answer(*given, **more)
        return (part, part.model_copy(update={"nonce": f"{part.nonce}B"}))


# --- the database fails ---------------------------------------------------------------


@pytest.mark.parametrize("error", [LedgerFailed("down"), LedgerFull("full")])
async def test_what_cannot_be_recorded_is_not_said_R_I10(
    chat: Chat, error: LedgerFailed
) -> None:
    """The fixed text alone, without the outbox; the event ends as soon as it can."""
    await chat.rings("Is aspirin safe for somebody unresponsive?")
    broken = Breaking(chat.mailbox, "settle", error)
    assert await chat.answering(mailbox=broken).next()
    [shown] = chat.shown_now
    text = str(shown.parts[0].payload["text"])
    assert text == f"Call for help.\n\n{AUDIT_FAILED_TEXT}"
    assert await chat.mailbox.waiting() == 0
    await chat.works()
    assert not chat.wall.shown
    assert await records(chat) == 0


async def test_ending_the_event_is_tried_until_it_is_done_R_I10(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that comes back finds the worker still at it."""
    monkeypatch.setattr("bot.delivery.CLOSING_S", 0.0)
    reply, failures = chat.mailbox.reply, [LedgerFailed("down")] * 3

    async def failing(*given: Any, **named: Any) -> None:
        if failures:
            raise failures.pop()
        await reply(*given, **named)

    await chat.rings()
    broken = Breaking(chat.mailbox, "settle", LedgerFailed("down"))
    chat.mailbox.reply = failing  # type: ignore[method-assign]
    await chat.answering(mailbox=broken).next()
    assert not failures
    assert await chat.mailbox.waiting() == 0


async def test_an_event_that_cannot_be_judged_is_heard_again_R_C3(chat: Chat) -> None:
    """The database failed before anything was asked: nothing is lost."""
    await chat.rings()
    broken = Breaking(chat.mailbox, "binding", LedgerFailed("down"))
    answering = chat.answering()
    conversation = answering.bench.conversation
    object.__setattr__(conversation, "_mailbox", broken)
    with pytest.raises(LedgerFailed):
        await answering.next()
    later(chat, 3)
    await chat.works()
    assert LACKS in chat.wall.texts[0]


# --- the platform fails ---------------------------------------------------------------


async def test_a_reply_that_was_not_taken_is_posted_later_R_C3(chat: Chat) -> None:
    """After the time that the platform named."""
    await chat.rings()
    chat.wall.failing = [PostFailed("429", 30.0)]
    await chat.works()
    assert not chat.wall.shown
    later(chat, 29)
    await chat.works()
    assert not chat.wall.shown
    later(chat, 2)
    await chat.works()
    assert len(chat.wall.shown) == 1


async def test_a_reply_without_a_place_is_buried(chat: Chat) -> None:
    """The next one to the channel is not held up by it."""
    await chat.rings("How is nausea treated?")
    chat.wall.failing = [PostFailed("channel_not_found", None)]
    await chat.works()
    assert LACKS in await chat.hears()
    assert len(chat.wall.shown) == 1


async def test_a_poster_that_lost_its_reply_stops_R_C3(chat: Chat) -> None:
    """Whoever has it now looks what is visible."""
    await chat.rings()
    await chat.answering().next()

    class Slow(Wall):
        async def post(self, outgoing: Outgoing, part: Part) -> str:
            later(chat, 61)
            assert await chat.mailbox.outgoing(Platform.SLACK, "other", 60)
            return await super().post(outgoing, part)

    posting = Posting(chat.mailbox, Platform.SLACK, Slow(), worker="p", lease_s=60.0)
    assert await posting.next()
    later(chat, 61)
    taken = await chat.mailbox.outgoing(Platform.SLACK, "third", 60)
    assert taken is not None
    assert (taken.attempts, taken.posted) == (3, {})


async def test_a_text_that_no_platform_takes_is_let_be(
    chat: Chat, capsys: pytest.CaptureFixture[str]
) -> None:
    """R-I10 asks for a sign on standard error."""
    await chat.rings()
    broken = Breaking(chat.mailbox, "settle", LedgerFailed("down"))
    await chat.answering(mailbox=broken).next()
    chat.wall.failing = [PostFailed("unreachable", 1.0)]
    await show_now(chat.wall, chat.shown_now[0])
    assert "unreachable" in capsys.readouterr().err
