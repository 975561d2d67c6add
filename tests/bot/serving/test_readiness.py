"""Packs that somebody binds while the bot serves: taken in meanwhile, and said so."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.mail import Action, Platform
from bot.messages import wording
from bot.serving.readiness import Readiness
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine.model.errors import EnvironmentFailed
from engine.policy.pack import Pack
from tests.bot.chat import Chat
from tests.bot.small import packs

BIND = {"action": Action.BIND, "reason": "other", "admin": True}


class Slow:
    """Takes packs in for as long as a test wants, in whatever thread it is run."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, int]] = []
        self.may_end = threading.Event()
        self.failing: list[Exception] = []

    async def take_in(self, pack: Pack) -> None:
        self.taken.append((pack.id, threading.get_ident()))
        self.may_end.wait(60)  # blocks its thread, as embedding does
        if self.failing:
            raise self.failing.pop()


@pytest.fixture
def slow(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """What the bot takes packs in with."""
    monkeypatch.setattr("bot.serving.readiness.MOMENT_S", 0.05)
    made = Slow()
    chat.application.readiness = Readiness(made.take_in)
    yield made
    made.may_end.set()


async def test_a_pack_is_prepared_as_soon_as_it_is_bound_R_C1(
    chat: Chat, slow: Slow
) -> None:
    """Beside the event loop, once; the channel is told until it can answer."""
    said = await chat.hears("", **BIND)
    assert said.startswith("“Other” answers in this channel now.")
    assert said.endswith(wording.preparing("Other"))
    assert "To try it" not in said
    assert wording.preparing("Other") in await chat.hears()
    assert [name for name, _ in slow.taken] == ["other"]
    assert slow.taken[0][1] != threading.get_ident()
    slow.may_end.set()
    await chat.application.readiness.begin(packs()["other"])
    assert "This is not on file." in await chat.hears()
    assert "To try it, ask: What is other?" in await chat.hears("", **BIND)
    assert len(slow.taken) == 1


async def test_what_cannot_be_prepared_answers_from_what_it_has_R_I8(
    chat: Chat, slow: Slow, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody waits for it in vain; whoever runs the bot is told, and it begins anew."""
    slow.may_end.set()
    slow.failing = [EnvironmentFailed("the disk is full")]
    await chat.bind("other")
    assert "This is not on file." in await chat.hears()
    said = "the pack other was not taken in: the disk is full"
    assert said in capsys.readouterr().err
    await chat.hears()
    assert len(slow.taken) == 2


async def test_two_workers_take_the_same_texts_in_R_C1(
    tmp_path: Path,
) -> None:
    """Two workers of one data folder; what one has done, the other finds done."""
    settings = Settings(data=tmp_path, packs=PACKS)
    async with Application(settings) as one, Application(settings) as other:
        pack = one.pack("textbook")
        both = [worker.readiness.begin(pack) for worker in (one, other)]
        await asyncio.gather(*both)
        members = await one.ledger.current_versions(pack.id)
        assert members
        assert await other.search.index.versions(pack.id) == members
        assert await one.mailbox.bindings(Platform.SLACK) == ()
