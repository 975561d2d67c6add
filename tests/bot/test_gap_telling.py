"""Whoever wanted to know is told in the thread, once, when a gap closes (R-D6)."""

import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from adapters.embedding import MiniLM
from adapters.ledger.gaps import Board, GapState, Wish
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import PostedReply
from adapters.loaders.sandbox import SERVED, Parser
from adapters.mail import Action, Method, Part, Platform
from bot.documents.ingest import Job, Steps, ingest, look
from bot.gaps.closing import Closing
from bot.gaps.collecting import Between, collect
from bot.messages import wording
from bot.wiring import RENDERERS
from config.settings import PACKS, Settings
from tests.bot.chat import ANNA, BEN, DIRECT, HERE, Chat
from tests.bot.messages.test_recollection import Handbook
from tests.fakes import FixedClock

CORPUS = PACKS / "textbook" / "corpus"
QOS = "What are the default QoS settings?"


class Killed(BaseException):
    """The end of a process."""


class Dying(Closing):
    """Dies over the letter to the first asker."""

    def _make_letter(self, posts: Sequence[PostedReply]) -> Reply | None:
        raise Killed


class Course:
    """A channel over a corpus of one page that can grow."""

    def __init__(self, application: Handbook, parser: Parser, folder: Path) -> None:
        self.chat = Chat(application)  # type: ignore[arg-type]
        self.chat.renderer = RENDERERS[Platform.SLACK]  # type: ignore[assignment]
        self.pack = application.pack("textbook")
        self.board = Board(application.ledger)
        self.application = application
        self._parser = parser
        self._folder = folder

    async def take_in(self, name: str) -> None:
        """One more page."""
        shutil.copy(CORPUS / name, self._folder)
        corpus = self.application.corpus(self.pack)
        job = Job(self._folder)
        await ingest(corpus, self._parser, job, look(job.path, SERVED), Steps())

    async def check(self) -> list[GapState]:
        """Collect, try every gap, post what there is to post; the gaps' states."""
        await collect(self.application, self.pack)
        await Closing(self.application, self.pack).check_all()
        await self.chat.works()
        return [gap.state for gap in await self.board.gaps()]

    @property
    def told(self) -> list[tuple[str, str | None, Method]]:
        """Where it was said that a gap is closed."""
        return [
            (outgoing.place.channel, outgoing.place.thread, part.method)
            for outgoing, part in self.chat.wall.shown
            if wording.GAP_CLOSED in str(part.payload)
        ]

    def tells(self, part: Part) -> bool:
        """Whether a part says that a gap is closed."""
        return wording.GAP_CLOSED in str(part.payload)

    async def members(self) -> list[str]:
        """Audit ids of all questions on the board, collected just now."""
        await collect(self.application, self.pack)
        held = await self.board.members(await self.board.gaps())
        return [member.audit_id for each in held.values() for member in each]

    async def closes(self) -> None:
        """Every gap is tried; nothing is posted."""
        await Closing(self.application, self.pack).check_all()

    async def dies_while_closing(self) -> None:
        """The process dies in the transaction that closes the gap."""
        await Dying(self.application, self.pack).check_all()

    async def asks(self, **changes: object) -> str:
        """A question that is refused; its audit id."""
        await self.chat.says(QOS, **changes)
        place = changes.get("place", HERE)
        found = await self.chat.mailbox.reply_in(place, "")  # type: ignore[arg-type]
        if found is None:
            data = await self.chat.mailbox.data_of("")
            raise AssertionError(data)
        assert found.audit_id is not None
        return found.audit_id


@pytest.fixture
async def course(
    embedder: MiniLM, parser: Parser, tmp_path: Path
) -> AsyncIterator[Course]:
    settings = Settings(data=tmp_path / "data", slack_pack="textbook")
    folder = tmp_path / "course"
    folder.mkdir()
    async with Handbook(settings, embedder=embedder, clock=FixedClock()) as opened:
        made = Course(opened, parser, folder)
        await made.take_in("pid-control.md")
        yield made


async def test_who_was_not_content_is_told_once_in_the_thread_R_D6(
    course: Course,
) -> None:
    """And who was content with the refusal is left alone."""
    audit_id = await course.asks()
    press = {"action": Action.NOT_HELPFUL, "audit_id": audit_id, "person": ANNA}
    await course.chat.says("", **press)
    await course.asks(person=BEN)  # says nothing of it
    assert await course.check() == [GapState.OPEN]
    assert course.told == []
    await course.take_in("ros2-qos.md")
    assert await course.check() == [GapState.CLOSED]
    assert course.told == [(HERE.channel, HERE.thread, Method.POST)]
    assert await course.check() == [GapState.CLOSED]
    assert len(course.told) == 1


async def test_who_was_forgotten_is_told_nothing_R_S5(course: Course) -> None:
    """Nothing of their question is left to try, so the gap stays; its count does."""
    audit_id = await course.asks()
    await course.chat.says("", action=Action.NOT_HELPFUL, audit_id=audit_id)
    assert await course.check() == [GapState.OPEN]
    await course.chat.says("", action=Action.FORGET)
    await course.take_in("ros2-qos.md")
    assert await course.check() == [GapState.OPEN]
    assert course.told == []
    [gap] = await course.board.gaps()
    assert len((await course.board.members([gap]))[gap.id]) == 1


async def test_a_direct_message_is_answered_there_R_C5(course: Course) -> None:
    await course.chat.says(QOS, place=DIRECT)
    collected = await course.check()
    assert collected == [GapState.OPEN]
    [gap] = await course.board.gaps()
    [member] = (await course.board.members([gap]))[gap.id]
    place = DIRECT.model_copy(update={"message": None})
    press = {"action": Action.NOT_HELPFUL, "audit_id": member.audit_id}
    await course.chat.says("", place=place, **press)
    await course.take_in("ros2-qos.md")
    assert await course.check() == [GapState.CLOSED]
    assert [channel for channel, _, _ in course.told] == [DIRECT.channel]


async def test_who_asks_to_be_told_is_told_once_below_the_question_R_D6(
    course: Course,
) -> None:
    """Pressed twice, it is one wish; a gap that is closed has nothing to promise."""
    await course.asks()
    [row] = await course.members()
    press = {"action": Action.TELL_ME, "audit_id": row, "person": ANNA}
    assert wording.WISHES[Wish.NOTED] in str(await course.chat.says("", **press))
    assert wording.WISHES[Wish.BEFORE] in str(await course.chat.says("", **press))
    await course.take_in("ros2-qos.md")
    assert await course.check() == [GapState.CLOSED]
    assert course.told == [(HERE.channel, HERE.thread, Method.POST)]
    late = {**press, "person": BEN}
    assert wording.GAP_CLOSED in str(await course.chat.says("", **late))
    assert await course.check() == [GapState.CLOSED]
    assert len(course.told) == 2  # the late one heard it from the button


@pytest.mark.parametrize("lost", ["close", "post"])
async def test_a_death_on_the_way_tells_nobody_twice_R_D6(
    course: Course, lost: str
) -> None:
    """Killed before the commit, nothing is told yet; after the post, it is found."""
    audit_id = await course.asks()
    press = {"action": Action.TELL_ME, "audit_id": audit_id, "person": ANNA}
    await course.chat.says("", **press)
    assert await course.check() == [GapState.OPEN]
    await course.take_in("ros2-qos.md")
    if lost == "close":
        with pytest.raises(Killed):
            await course.dies_while_closing()
        assert course.told == []
    else:
        await course.closes()
        outgoing = await course.chat.mailbox.outgoing(Platform.SLACK, "dead", 0.0)
        assert outgoing is not None
        await course.chat.wall.post(outgoing, outgoing.parts[0])  # and died
    await course.check()
    nonces = {part.nonce for o, part in course.chat.wall.shown if course.tells(part)}
    assert len(nonces) == 1  # the platform shows a nonce once


async def test_the_wish_goes_with_the_person_and_with_time_R_S5(
    course: Course,
) -> None:
    """Forgotten or too old: the text blanked, the count kept, nobody told."""
    audit_id = await course.asks()
    press = {"action": Action.TELL_ME, "audit_id": audit_id, "person": ANNA}
    await course.chat.says("", **press)
    assert "1 wish to be told" in str(await course.chat.says("", action=Action.MY_DATA))
    assert await course.check() == [GapState.OPEN]
    await course.chat.says("", action=Action.FORGET)
    assert "Nothing of yours" in str(await course.chat.says("", action=Action.MY_DATA))
    await course.take_in("ros2-qos.md")
    assert await course.check() == [GapState.OPEN]
    assert course.told == []
    [gap] = await course.board.gaps()
    [member] = (await course.board.members([gap]))[gap.id]
    assert not member.wishes


async def test_what_one_person_alone_sees_offers_no_telling_R_D6(
    course: Course,
) -> None:
    """A whisper in a channel cannot be answered later."""
    alone = HERE.model_copy(update={"private": True, "message": None})
    whispered = await course.chat.says(QOS, place=alone)
    assert "tell_me" not in str(whispered)
    assert "tell_me" in str(await course.chat.says(QOS))
    assert "tell_me" in str(await course.chat.says(QOS, place=DIRECT))


async def test_refusals_are_collected_when_nobody_waits_R_D6(course: Course) -> None:
    """So that an owner sees them without a command."""
    between = Between(course.application, course.chat.answering())
    await course.chat.rings(QOS)
    assert await between.next()
    assert await course.board.gaps() == []
    assert await between.next()
    assert [gap.state for gap in await course.board.gaps()] == [GapState.OPEN]
    assert not await between.next()
