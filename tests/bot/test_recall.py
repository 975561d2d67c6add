"""Answers whose source is gone are listed, and marked once each (R-D7)."""

import asyncio
from itertools import count

import pytest

from adapters.ledger.mailbox import Mailbox
from adapters.mail import Method, Outgoing, Part, Place, Platform
from adapters.reply import Reply, compose
from bot.messages import wording
from bot.recall.marking import Marking
from bot.wiring import RENDERERS
from engine.model.document import Document, VersionState
from engine.model.outcome import Outcome
from tests.adapters.ledger.samples import answered, document
from tests.bot.chat import DIRECT, HERE, Chat, Wall

GUILD = Place(platform=Platform.DISCORD, tenant="7", channel="70", message="700")
WHISPER = HERE.model_copy(update={"private": True, "channel": "C9", "message": None})
TEXT = "Rest often. Drink enough water.\n\nCall the team about a fever."


class Timed(Wall):
    """A wall whose messages are named as Slack names them."""

    def __init__(self) -> None:
        super().__init__()
        self._names = count(1)

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        await super().post(outgoing, part)
        return part.message or f"{next(self._names)}.5"

    @property
    def marks(self) -> list[tuple[str | None, Method]]:
        """What was marked, by the message."""
        return [
            (part.message, part.method)
            for _, part in self.shown
            if "A source of this answer was" in str(part.payload)
        ]


@pytest.fixture
async def desk(chat: Chat) -> Chat:
    chat.wall = Timed()
    chat.renderer = RENDERERS[Platform.SLACK]  # type: ignore[assignment]
    await chat.application.ledger.store_document("small", source())
    return chat


def source(text: str = TEXT, id: str = "rest", **changes: object) -> Document:
    return document(text, id, **changes)


async def answers(desk: Chat, place: Place = HERE, **asked: object) -> Outcome:
    """A question that is answered from the document, and the answer shown."""
    mailbox: Mailbox = desk.mailbox
    await desk.rings(place=place)
    claimed = await mailbox.claim("w", 60)
    assert claimed is not None
    claimed = claimed.model_copy(
        update={"incoming": claimed.incoming.model_copy(update={"place": place})}
    )
    tenant = f"{place.platform}:{place.tenant}"
    said = {"pack": "small", "tenant": tenant, "asker": claimed.asker, **asked}
    renderer = RENDERERS[place.platform]
    outcome = answered(source(), **said)
    settled = await mailbox.settle(
        claimed,
        outcome,
        lambda known: renderer.answer(_reply(known, desk), claimed.incoming),
    )
    await desk.works()
    return settled


def _reply(outcome: Outcome, desk: Chat) -> Reply:
    words = desk.application.pack("small").wording
    return compose(outcome, words, desk.clock.now().date())


def marking(desk: Chat) -> Marking:
    return Marking(desk.application, desk.application.pack("small"))


async def marked(desk: Chat) -> int:
    """Mark everything; how many were."""
    marks = marking(desk)
    found = await marks.find_affected()
    number = sum([await marks.mark(one) for one in found])
    await desk.works()
    return number


async def withdraw(desk: Chat) -> None:
    await desk.application.ledger.withdraw("small", "rest")


async def test_only_what_cites_a_version_that_is_gone_is_listed_R_D7(
    desk: Chat,
) -> None:
    """Withdrawn or replaced; with how it went, and where it is shown."""
    await answers(desk, id="q-1")
    assert await marking(desk).find_affected() == []
    await desk.application.ledger.store_document("small", source("Rest often. New."))
    [one] = await marking(desk).find_affected()
    assert [gone.state for gone in one.gone] == [VersionState.SUPERSEDED]
    assert [post.channel for post in one.posts] == [HERE.channel]
    await withdraw(desk)
    assert len(await marking(desk).find_affected("rest")) == 1
    assert await marking(desk).find_affected("other") == []


async def test_what_another_shelf_still_holds_is_not_gone_for_its_people_R_S8(
    desk: Chat,
) -> None:
    """A workspace with the version on its own shelf is answered from it as before."""
    await answers(desk, id="q-1")
    await answers(desk, GUILD, id="q-2")
    await desk.application.ledger.store_document("small@slack:T1", source())
    await withdraw(desk)
    [one] = await marking(desk).find_affected()
    assert one.stored.tenant == "discord:7"


async def test_each_is_marked_once_where_it_stands_R_D7(desk: Chat) -> None:
    """On both platforms and in direct messages; what one person saw alone is left."""
    for number, place in enumerate((HERE, GUILD, DIRECT, WHISPER)):
        await answers(desk, place, id=f"q-{number}")
    assert isinstance(desk.wall, Timed)
    shown = len(desk.wall.shown)
    await withdraw(desk)
    assert await marked(desk) == 3
    marks = desk.wall.marks
    assert {method for _, method in marks} == {Method.UPDATE}
    assert len({message for message, _ in marks}) == 3
    payloads = [str(part.payload) for _, part in desk.wall.shown[shown:]]
    assert all(wording.ASK_AGAIN in payload for payload in payloads)
    assert all("Rest often." in payload for payload in payloads)
    assert await marked(desk) == 0
    assert len(desk.wall.marks) == 3
    found = await desk.mailbox.reply_in(HERE, "")
    assert found is not None and found.audit_id is not None  # buttons work as before


async def test_a_run_that_was_cut_off_is_completed_by_the_next_R_D7(
    desk: Chat,
) -> None:
    """Killed between two answers, and again while one was being marked."""
    for number in range(6):
        await answers(desk, id=f"q-{number}")
    await withdraw(desk)
    marks = marking(desk)
    for one in (await marks.find_affected())[:2]:
        assert await marks.mark(one)
    third = (await marks.find_affected())[2]
    task = asyncio.create_task(marks.mark(third))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    done = [one.marked is not None for one in await marks.find_affected()].count(True)
    assert done in (2, 3)
    assert await marked(desk) == 6 - done
    assert isinstance(desk.wall, Timed)
    assert len(desk.wall.marks) == 6
    assert len({message for message, _ in desk.wall.marks}) == 6


async def test_who_was_forgotten_is_not_repeated_R_S5(desk: Chat) -> None:
    """Their question stands in no mark, and nobody can ask it again."""
    settled = await answers(desk, id="q-1", text="What about heron-4711?")
    await desk.mailbox.forget(settled.question.asker)
    await withdraw(desk)
    before = len(desk.wall.shown)
    await marked(desk)
    shown = [str(part.payload) for _, part in desk.wall.shown[before:]]
    assert not any("heron" in payload for payload in shown)
    assert not any(wording.ASK_AGAIN in payload for payload in shown)
