"""A platform that is out of reach: said, tried again, and no other waits for it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from adapters.mail import Door, Platform
from adapters.retrying import Pauses
from bot.serving.platforms import Listener, Opening, OutOfReach, plan_openings
from bot.serving.reach import Reach
from bot.serving.serve import Service
from bot.serving.workers import Staff
from config.settings import Settings
from engine.model.errors import EnvironmentFailed
from tests.bot.chat import Wall
from tests.bot.serving.test_workers import FAITHFUL
from tests.bot.small import SmallApplication
from tests.loopback.waiting import Changes

READY = "groundrule: ready on Slack"
BACK = "groundrule: Slack is in reach again"
LOST = "groundrule: Discord is out of reach, I keep trying: no route"


class Said:
    """What is said to whoever runs the bot."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changes = Changes()

    def say(self, line: str) -> None:
        self.lines.append(line)
        self._changes.notify()

    async def until(self, *lines: str) -> None:
        wanted = set(lines)
        await self._changes.until(
            lambda: wanted <= set(self.lines), lambda: f"{self.lines}"
        )


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    """What is said, without the usual patience."""
    made = Said()
    monkeypatch.setattr("bot.serving.reach.say", made.say)
    monkeypatch.setattr("bot.serving.reach.LOOK_S", 0.0)
    monkeypatch.setattr("bot.serving.reach.PAUSES", Pauses(0.01))
    return made


class Phone:
    """A listener that hears or does not, as a test says."""

    def __init__(self, *, hears: bool = True) -> None:
        self.hears = hears
        self.poster = Wall()

    async def run(self) -> None:
        await asyncio.Event().wait()


def opening(phone: Phone, *failures: Exception) -> Opening:
    """Opens it after these failures."""
    left = list(failures)

    @asynccontextmanager
    async def opened(door: Door) -> AsyncIterator[Listener]:
        if left:
            raise left.pop(0)
        yield phone

    return opened


def reach(made: Opening, platform: Platform = Platform.SLACK) -> Reach:
    """A platform without a door, which nothing here rings."""
    return Reach(platform, made, None)  # type: ignore[arg-type]


async def test_ready_is_said_once_a_platform_hears_R_C3(
    said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it is merely open; lost and found again, both are said."""
    monkeypatch.setattr("bot.serving.reach.PATIENCE_S", 0.0)
    phone = Phone(hears=False)
    line = reach(opening(phone))
    watching = asyncio.create_task(line.watch())
    async with AsyncExitStack() as opened:
        await line.open(opened)
        lost = "groundrule: Slack is out of reach, I keep trying: no connection"
        await said.until(lost)
        assert said.lines == [lost]
        phone.hears = True
        await said.until(READY)
        for _ in range(2):
            phone.hears = False
            said.lines.clear()
            await said.until(lost)
            phone.hears = True
            await said.until(BACK)
            assert said.lines == [lost, BACK]
    watching.cancel()


async def test_a_platform_is_opened_as_often_as_it_takes_R_C3(said: Said) -> None:
    """And that is said once; one that refuses the bot for good is not tried again."""
    failures = [OutOfReach("no route")] * 3
    phone = Phone()
    line = reach(opening(phone, *failures), Platform.DISCORD)
    async with AsyncExitStack() as opened:
        assert await line.open(opened) is phone
        assert said.lines == [LOST]
        refused = reach(opening(phone, EnvironmentFailed("the token is wrong")))
        with pytest.raises(EnvironmentFailed, match="the token is wrong"):
            await refused.open(opened)


async def test_discord_out_of_reach_is_tried_again_R_C3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing listens there, which says nothing about the token."""
    monkeypatch.setattr("discord.http.Route.BASE", "http://127.0.0.1:9")
    monkeypatch.setattr("discord.http.asyncio.sleep", _at_once)
    given = Settings.model_validate({"data": tmp_path, "discord_token": "t"})
    async with SmallApplication(given) as application:
        made = plan_openings(application, frozenset({Platform.DISCORD}), None)
        with pytest.raises(OutOfReach, match="cannot log in to Discord"):
            async with made[Platform.DISCORD](None):  # type: ignore[arg-type]
                pass


async def _at_once(seconds: float) -> None:
    """No pause between the library's own attempts."""


async def test_one_platform_out_of_reach_keeps_no_other_waiting_R_C3(
    tmp_path: Path, said: Said
) -> None:
    """Each is told of by name, and the reply on the other one goes out."""
    phone = Phone()
    away = opening(Phone(), *[OutOfReach("no route")] * 100_000)
    settings = Settings(data=tmp_path)
    async with SmallApplication(settings) as application:
        both = {Platform.SLACK: opening(phone), Platform.DISCORD: away}
        staff = Staff(1, [sys.executable, "-c", FAITHFUL])
        serving = asyncio.create_task(
            Service(application, both, staff, ("home/",)).run()
        )
        await said.until(READY, LOST)
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    assert sorted(said.lines) == sorted([READY, LOST])
