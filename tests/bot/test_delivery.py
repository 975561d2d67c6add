"""From inbox to outbox to platform: one outcome, whatever fails in between."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from adapters.mail import (
    Accepted,
    Method,
    Outgoing,
    Part,
    Place,
    Platform,
    PostFailed,
    nonce,
)
from bot.delivery import BACK_OFF_S, MOST_LATE, MOST_TRIES, WITHHELD
from bot.messages import wording
from bot.serving.posting import MOST_ANSWERS, Posting, show_now
from engine import Engine
from engine.conclude.fallback import AUDIT_FAILED_TEXT
from engine.model.errors import LedgerBusy, LedgerFailed, LedgerFull
from engine.model.outcome import Outcome
from engine.model.ports import Recorder
from engine.model.prompt import Prompt, Usage
from engine.model.question import Question
from tests.bot.chat import BEN, HERE, Chat, PlainRenderer, Wall
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
    """The listener then says that the bot is busy."""
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
    chat.renderer = _Doubled()
    await chat.rings()
    await chat.answering().next()
    first = await chat.mailbox.outgoing(Platform.SLACK, "dying", 60)
    assert first is not None and len({p.nonce for p in first.parts}) == 2
    await chat.mailbox.delivered(first, first.parts[0].nonce, "m0")
    await chat.mailbox.abandon("dying")
    assert await chat.posting().next()
    assert [part.nonce for _, part in chat.wall.shown] == [first.parts[1].nonce]
    assert chat.wall.shown[0][0].attempts == 2


class _Doubled(PlainRenderer):
    """A renderer whose every answer takes two messages."""

    def answer(self, *given: Any, **more: Any) -> tuple[Part, ...]:
        [part] = super().answer(*given, **more)
        return (part, part.model_copy(update={"nonce": f"{part.nonce}B"}))


# --- what it costs --------------------------------------------------------------------


class _Priced:
    """An engine whose outcomes took two calls of a model; one has no known price."""

    def __init__(self, real: Engine, dollars: float | None) -> None:
        self.asked = 0
        self._real = real
        costs = (dollars, None)
        self._prompts = tuple(
            Prompt(
                module="m", model="x/y", program="0", usage=Usage(calls=1, cost=cost)
            )
            for cost in costs
        )

    async def ask(self, question: Question, ledger: Recorder, **more: Any) -> Outcome:
        self.asked += 1
        prompts = self._prompts

        class Paid:
            """The ledger of the delivery, for an outcome that models were asked for."""

            async def record(self, outcome: Outcome) -> str:
                paid = outcome.model_copy(update={"prompts": prompts})
                return await ledger.record(paid)

        return await self._real.ask(question, ledger=Paid())


def priced(chat: Chat, dollars: float | None) -> _Priced:
    """The engine of the small pack, with prices."""
    return _Priced(chat.application.engine(chat.application.pack("small")), dollars)


async def test_what_models_cost_is_spent_with_the_outcome_R_U5(chat: Chat) -> None:
    """In one commit, on the pack's day; what has no known price is not counted."""
    today = chat.clock.now().date()
    for dollars, spent in ((0.25, 250_000), (0.000_001, 250_001), (None, 250_001)):
        engine = priced(chat, dollars)
        await chat.rings()
        await chat.answering(engine=lambda pack, e=engine: e).next()
        assert await chat.mailbox.spent(today, "small") == spent


async def test_at_the_ceiling_no_model_is_asked_R_U5(chat: Chat) -> None:
    """The question that reaches it is answered; the next is told so, until tomorrow."""
    object.__setattr__(chat.application.rules, "ceiling", 500_000)
    engine = priced(chat, 0.3)
    for _ in range(3):
        await chat.rings()
        while await chat.answering(engine=lambda pack: engine).next():
            pass
    await chat.works()
    assert engine.asked == 2
    assert chat.wall.texts[2] == wording.SPENT
    assert all(LACKS in text for text in chat.wall.texts[:2])
    later(chat, 24 * 3600)
    assert LACKS in await chat.hears()


# --- the database fails ---------------------------------------------------------------


@pytest.mark.parametrize("error", [LedgerFailed("down"), LedgerFull("full")])
async def test_what_cannot_be_recorded_is_not_said_R_I10(
    chat: Chat, error: LedgerFailed
) -> None:
    """The fixed text alone, in one commit with the end of the event."""
    await chat.rings("Is aspirin safe for somebody unresponsive?")
    broken = Breaking(chat.mailbox, "settle", error)
    assert await chat.answering(mailbox=broken).next()
    assert not chat.shown_now
    assert await chat.mailbox.waiting() == 0
    await chat.works()
    assert chat.wall.texts == [f"Call for help.\n\n{AUDIT_FAILED_TEXT}"]
    assert await records(chat) == 0


class _Late:
    """A mailbox that takes too long over the next records."""

    def __init__(self, chat: Chat, times: int, *, busy: bool) -> None:
        self._chat, self._times, self._busy = chat, times, busy

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chat.mailbox, name)

    async def settle(self, *given: Any) -> Any:
        self._times -= 1
        if self._times < 0:
            return await self._chat.mailbox.settle(*given)
        if self._busy:
            raise LedgerBusy("others write")
        return await asyncio.Event().wait()


@pytest.mark.parametrize("busy", [True, False])
async def test_a_record_that_is_late_once_is_tried_again_R_I10(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, busy: bool
) -> None:
    """Others wrote all the while, or no word came: the asker notices nothing of it."""
    monkeypatch.setattr("engine.pipeline.ask.RECORDING", 0.05)
    await chat.rings()
    late = _Late(chat, 1, busy=busy)
    assert await chat.answering(mailbox=late).next()
    assert await chat.mailbox.waiting() == 1
    later(chat, BACK_OFF_S)
    monkeypatch.undo()
    await chat.works()
    [said] = chat.wall.texts
    assert LACKS in said
    assert not chat.shown_now
    assert await records(chat) == 1


async def test_a_record_that_is_always_late_is_waited_for_no_longer_R_I10(
    chat: Chat,
) -> None:
    """Then the fixed text is shown, once."""
    await chat.rings()
    late = _Late(chat, MOST_LATE, busy=True)
    for _ in range(MOST_LATE):
        assert await chat.answering(mailbox=late).next()
        later(chat, BACK_OFF_S)
    await chat.works()
    assert chat.wall.texts == [AUDIT_FAILED_TEXT]
    assert await records(chat) == 0


async def test_an_emergency_notice_waits_for_no_record_R_M6(chat: Chat) -> None:
    """A late record is not tried again below it."""
    await chat.rings("Is aspirin safe for somebody unresponsive?")
    assert await chat.answering(mailbox=_Late(chat, 1, busy=True)).next()
    await chat.works()
    assert chat.wall.texts == [f"Call for help.\n\n{AUDIT_FAILED_TEXT}"]


async def test_late_where_nothing_can_be_given_back_the_text_is_shown_R_I10(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that does not even take that is not waited for."""
    await chat.rings()
    down = Breaking(chat.mailbox, "release", LedgerFailed("down"))
    monkeypatch.setattr(chat.mailbox, "release", down.release)
    await chat.answering(mailbox=_Late(chat, 1, busy=True)).next()
    await chat.works()
    assert chat.wall.texts == [AUDIT_FAILED_TEXT]


async def test_without_a_database_the_text_is_shown_all_the_same_R_I10(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a nonce of its own; a database that comes back finds the worker at it."""
    monkeypatch.setattr("bot.delivery.CLOSING_S", 0.0)
    event = chat.event()
    await chat.application.inbox(lambda: None).accept(event)
    reply, failures = chat.mailbox.reply, [LedgerFailed("down")] * 6

    async def failing(*given: Any, **named: Any) -> None:
        if failures:
            raise failures.pop()
        await reply(*given, **named)

    broken = Breaking(chat.mailbox, "settle", LedgerFailed("down"))
    chat.mailbox.reply = failing  # type: ignore[method-assign]
    await chat.answering(mailbox=broken).next()
    [shown] = chat.shown_now
    [part] = shown.parts
    assert part.payload["text"] == AUDIT_FAILED_TEXT
    assert part.nonce == nonce(event, WITHHELD)
    assert not failures
    assert await chat.mailbox.waiting() == 0
    await chat.works()
    assert not chat.wall.shown


async def test_a_commit_that_could_not_be_confirmed_is_no_failure_R_I10(
    chat: Chat,
) -> None:
    """The connection broke after the commit: the answer is all that is said."""
    await chat.rings()

    class Severed:
        """A mailbox that commits and cannot say so."""

        def __getattr__(self, name: str) -> Any:
            return getattr(chat.mailbox, name)

        async def settle(self, *given: Any) -> Any:
            await chat.mailbox.settle(*given)
            raise LedgerFailed("the connection was lost")

    await chat.answering(mailbox=Severed()).next()
    assert not chat.shown_now
    await chat.works()
    assert len(chat.wall.texts) == 1
    assert LACKS in chat.wall.texts[0]


async def test_an_event_that_cannot_be_judged_is_heard_again_R_C3(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database failed before anything was asked: nothing is lost."""
    await chat.rings()
    with monkeypatch.context() as patch:
        broken = Breaking(chat.mailbox, "binding", LedgerFailed("down"))
        patch.setattr(chat.mailbox, "binding", broken.binding)
        with pytest.raises(LedgerFailed):
            await chat.answering().next()
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
    await chat.answering().next()
    outgoing = await chat.mailbox.outgoing(Platform.SLACK, "p", 60)
    assert outgoing is not None
    chat.wall.failing = [PostFailed("unreachable", 1.0)]
    await show_now(chat.wall, outgoing)
    assert "unreachable" in capsys.readouterr().err


# --- a reply that the platform does not take ------------------------------------------

BLOCKS = [
    {"type": "section", "text": {"type": "mrkdwn", "text": LACKS}},
    {"type": "actions", "elements": []},
]
FAILED = PostFailed("post: internal_error", 2.0)
REFUSED = PostFailed("post: channel_not_found", None)
OTHER = HERE.model_copy(update={"message": "9.0", "thread": "1.0"})


class _Blocked(PlainRenderer):
    """A renderer whose answers are laid out."""

    def answer(self, *given: Any, **more: Any) -> tuple[Part, ...]:
        [part] = super().answer(*given, **more)
        return (part.model_copy(update={"payload": {"text": "…", "blocks": BLOCKS}}),)


class Picky(Wall):
    """A platform that fails over some parts every time, and says so."""

    def __init__(self, fails: Any, error: Exception = FAILED) -> None:
        super().__init__()
        self.tried = 0
        self._fails, self._error = fails, error

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        self.tried += 1
        if self._fails(part):
            raise self._error
        return await super().post(outgoing, part)


async def delivered(chat: Chat, wall: Wall, rounds: int = 40) -> None:
    """Everything that is posted within so many minutes."""
    posting = Posting(
        chat.mailbox,
        Platform.SLACK,
        wall,
        worker="p",
        lease_s=60.0,
        renderer=chat.renderer,
    )
    for _ in range(rounds):
        while await posting.next():
            pass
        later(chat, 60)


async def test_a_layout_that_fails_goes_out_as_plain_text_R_C3(chat: Chat) -> None:
    """Once, after some minutes; what stands behind it in its thread comes after."""
    chat.renderer = _Blocked()
    await chat.rings()
    await chat.answering().next()
    wall = Picky(lambda part: "blocks" in part.payload)
    await delivered(chat, wall)
    assert wall.texts == [LACKS]
    assert wall.tried == MOST_ANSWERS + 1


async def test_a_reply_that_always_fails_holds_nobody_up_for_long_R_C3(
    chat: Chat, capsys: pytest.CaptureFixture[str]
) -> None:
    """The person is told, in words that hold nothing of it; then the next goes out."""
    await chat.rings()
    await chat.rings(person=BEN, place=OTHER)
    while await chat.answering().next():
        pass
    failures = iter(range(MOST_ANSWERS))
    wall = Picky(lambda part: next(failures, None) is not None)
    await delivered(chat, wall)
    told, answer = wall.shown
    assert told[1].method is Method.WHISPER
    assert told[1].payload["text"] == wording.not_taken(Platform.SLACK)
    assert LACKS in str(answer[1].payload["text"])
    assert "given up: post: internal_error" in capsys.readouterr().err


async def test_a_platform_that_takes_nothing_is_waited_for_R_C3(chat: Chat) -> None:
    """Unreached, limiting, or failing over everything: no reply is lost by it."""
    await chat.rings()
    await chat.answering().next()
    for word in ("unreachable", "too slow", "ratelimited", "internal_error"):
        wall = Picky(lambda part: True, PostFailed(f"post: {word}", 2.0))
        await delivered(chat, wall)
        assert wall.tried >= 30
        assert not wall.shown
    await delivered(chat, chat.wall)
    assert LACKS in chat.wall.texts[0]


@pytest.mark.parametrize(
    "word", ["invalid_blocks", "msg_blocks_too_long", "400, code 50035"]
)
async def test_a_refused_layout_loses_no_word_R_C3(chat: Chat, word: str) -> None:
    """The same part in plain paragraphs at once, and nobody is told of it."""
    blocks = [{"type": "header", "text": {"type": "plain_text", "text": LACKS}}]
    chat.renderer = _Laid(blocks)
    await chat.rings()
    await chat.answering().next()
    laid = PostFailed(f"post: {word}", None)
    wall = Picky(lambda part: part.payload["blocks"] == blocks, laid)
    await delivered(chat, wall)
    [(_, part)] = wall.shown
    assert part.payload["blocks"] == [
        {
            "type": "section",
            "text": {"type": "plain_text", "text": LACKS, "emoji": False},
        }
    ]
    assert wall.tried == 2


async def test_a_layout_of_which_nothing_is_taken_is_one_text_R_C3(chat: Chat) -> None:
    """Where the paragraphs are refused, too."""
    blocks = [{"type": "header", "text": {"type": "plain_text", "text": LACKS}}]
    chat.renderer = _Laid(blocks)
    await chat.rings()
    await chat.answering().next()
    laid = PostFailed("post: invalid_blocks", None)
    wall = Picky(lambda part: "blocks" in part.payload, laid)
    await delivered(chat, wall)
    [(_, part)] = wall.shown
    assert part.payload == {"text": LACKS}
    assert wall.tried == 3


class _Laid(PlainRenderer):
    """A renderer whose every answer has these blocks."""

    def __init__(self, blocks: list[Any]) -> None:
        self._blocks = blocks

    def answer(self, *given: Any, **more: Any) -> tuple[Part, ...]:
        [part] = super().answer(*given, **more)
        return (part.model_copy(update={"payload": {"blocks": self._blocks}}),)


async def test_a_final_refusal_is_told_by_another_way_R_C3(chat: Chat) -> None:
    """Once a reply, to the person alone; its other parts go on."""
    chat.renderer = _Doubled()
    await chat.rings()
    await chat.answering().next()
    first = nonce(chat_event(chat), 0)
    wall = Picky(lambda part: part.nonce == first, REFUSED)
    await delivered(chat, wall)
    assert [part.method for _, part in wall.shown] == [Method.WHISPER, Method.POST]
    assert wall.texts[0] == wording.not_taken(Platform.SLACK)
    assert wall.shown[1][1].nonce == f"{first}B"
    assert len({o.person for o, _ in wall.shown}) == 1


async def test_who_took_the_question_away_is_told_nothing_R_U4(chat: Chat) -> None:
    """The thread went with it; nobody waits for the reply."""
    await chat.rings()
    await chat.answering().next()
    gone = PostFailed("post: thread_not_found", None)
    wall = Picky(lambda part: True, gone)
    await delivered(chat, wall)
    assert wall.tried == 1


async def test_who_takes_no_whisper_is_told_where_they_asked_R_C3(chat: Chat) -> None:
    """But for a command, of which nobody else knows; then standard error says it."""
    chat.renderer = _Whispering()
    for place, said in ((HERE, 1), (_COMMAND, 0)):
        await chat.rings(place=place)
        await chat.answering().next()
        wall = Picky(lambda part: part.method is Method.WHISPER, REFUSED)
        await delivered(chat, wall)
        assert wall.texts == [wording.not_taken(Platform.SLACK)] * said


_COMMAND = Place(platform=Platform.SLACK, tenant="T1", channel="C2", private=True)


class _Whispering(PlainRenderer):
    """A renderer whose every answer is for one person."""

    def answer(self, *given: Any, **more: Any) -> tuple[Part, ...]:
        [part] = super().answer(*given, **more)
        return (part.model_copy(update={"method": Method.WHISPER}),)


async def test_a_fault_of_ours_over_one_reply_holds_nobody_up_R_C3(
    chat: Chat, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is printed for a report, and ends as a reply that the platform fails over."""
    await chat.rings()
    await chat.answering().next()
    first = nonce(chat_event(chat), 0)
    wall = Picky(lambda part: part.nonce == first, KeyError("a bug"))
    await delivered(chat, wall)
    assert wall.texts == [wording.not_taken(Platform.SLACK)]
    assert "KeyError: 'a bug'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "answered"),
    [
        ("post: internal_error", True),
        ("post: http_503", True),
        ("post: 500, code 0", True),
        ("post: http_429", False),
        ("post: ratelimited", False),
        ("post: unreachable", False),
        ("whisper: no answer (TimeoutError)", False),
        ("post: 429, code 0", False),
        ("post: 400, code 50035", False),
    ],
)
def test_only_a_platform_that_failed_itself_has_answered(
    word: str, answered: bool
) -> None:
    """Nobody there, or too much at once, says nothing about the part."""
    assert PostFailed(word, 1.0).answered is answered


def chat_event(chat: Chat) -> Any:
    """The first event of a chat."""
    return chat.event().model_copy(update={"event": "e1"})
