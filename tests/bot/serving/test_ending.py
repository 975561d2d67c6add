"""How a serving process ends, and what it remembers of its workers."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.mail import Platform
from bot.delivery import Withheld
from bot.serving.serve import (
    DRAINING_S,
    ENDING_S,
    FINISHING_S,
    HUSHING_S,
    LEAVING_S,
    Service,
)
from bot.serving.workers import Staff
from config.settings import Settings
from tests.bot.chat import HERE, Chat
from tests.bot.serving.test_reach import READY, Phone, Said, opening
from tests.bot.serving.test_workers import FAITHFUL
from tests.bot.small import SmallApplication
from tests.fakes import FixedClock

STAFF = Staff(1, [sys.executable, "-c", FAITHFUL])


def service(application: SmallApplication, **more: Any) -> Service:
    """A service of Slack alone."""
    openings = {Platform.SLACK: opening(Phone())}
    return Service(application, openings, STAFF, ("home/",), **more)


@asynccontextmanager
async def serving(made: Service, said: Said) -> AsyncIterator[None]:
    """From when it is ready until it is told to end, and its end."""
    task = asyncio.create_task(made.run())
    await said.until(READY)
    yield
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(60.0):
        await task


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    """What is said of platforms."""
    made = Said()
    monkeypatch.setattr("bot.serving.reach.say", made.say)
    return made


async def test_what_swallows_a_cancellation_is_told_again(
    tmp_path: Path, said: Said
) -> None:
    """A transaction that is committing does, and the sweeper then sleeps an hour."""
    left = 2

    async def sweep(now: datetime) -> int:
        nonlocal left
        while left:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            left -= 1
        return 0

    async with SmallApplication(Settings(data=tmp_path)) as application:
        application.mailbox.sweep = sweep  # type: ignore[method-assign]
        async with serving(service(application), said):
            pass
    assert left == 0


async def test_the_end_has_a_limit_R_C3(tmp_path: Path, said: Said) -> None:
    """Also where a thread waits for a database that gives no answer."""
    asked: list[float] = []
    async with SmallApplication(Settings(data=tmp_path)) as application:
        made = service(application, end_by=asked.append)
        async with serving(made, said):
            assert not asked
    assert asked == [ENDING_S]
    assert HUSHING_S + FINISHING_S + DRAINING_S + LEAVING_S < ENDING_S < 25.0


async def test_the_limit_ends_the_process_R_C3() -> None:
    """Whatever it waits for."""
    line = (
        "from bot.serving.serve import end_by; import time; "
        "end_by(0.1); time.sleep(600)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", line, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60.0):
        _, error = await process.communicate()
    assert process.returncode == 0
    assert b"ended before all was done" in error


async def test_an_event_whose_text_was_shown_is_not_asked_again_R_I10(
    chat: Chat,
) -> None:
    """Its worker died before it could end it; what another worker had is given back."""
    await chat.rings(place=HERE.model_copy(update={"thread": "1"}))
    await chat.rings(place=HERE.model_copy(update={"thread": "2"}))
    shown = await chat.mailbox.claim("home/x/0.1", 60)
    other = await chat.mailbox.claim("home/x/1.1", 60)
    assert shown is not None and other is not None
    withheld = Withheld(
        id=0,
        place=HERE,
        parts=(),
        person="U1",
        attempts=1,
        claimed=shown,
    )
    made = service(chat.application)
    await made._show(withheld)
    await made._give_back("home/x/0.1")
    await made._give_back("home/x/1.1")
    again = await chat.mailbox.claim("home/x/2.1", 60)
    assert again is not None
    assert again.incoming == other.incoming
    assert await chat.mailbox.waiting() == 1


async def test_a_clock_that_stepped_deletes_nothing_R_U6(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """91 days ahead at one look: what was asked yesterday stays, and it is said."""
    upkeep = Said()
    monkeypatch.setattr("bot.serving.serve.say", upkeep.say)
    clock = FixedClock()
    settings = Settings(data=tmp_path, slack_pack="small")
    async with SmallApplication(settings, clock=clock) as application:
        chat = Chat(application)
        asker = application.pseudonyms.of(chat.event())
        await chat.says()
        await application.mailbox.believe(clock.now())
        clock.moment += timedelta(days=91)
        async with serving(service(application), said):
            doubt = await application.mailbox.doubt()
            assert "91 days" in str(doubt)
            await upkeep.until(f"groundrule: {doubt}")
        assert (await application.mailbox.data_of(asker)).questions == 1
