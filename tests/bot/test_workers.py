"""Worker processes: told, listened to, replaced, ended."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from adapters.mail import Outgoing, Place, Platform
from bot.workers import Heard, Staff, Workers
from tests.demo import Recorder
from tests.loopback.waiting import Changes

OUTGOING = Outgoing(
    id=0,
    place=Place(platform=Platform.SLACK, tenant="T", channel="C"),
    parts=(),
    person="U",
    attempts=1,
)
# Says that it is ready, answers each line, ends with its input.
FAITHFUL = """
import sys
print('{"ready": "w"}', flush=True)
for line in sys.stdin:
    print('a library prints this', flush=True)
    print('{"event": ["asked", {"event": "asked", "n": 1}]}')
    print('{"count": ["questions", {"pack": "p"}]}')
    print('{"figure": ["ms", 2.5]}')
    print('{"settled": "w"}', flush=True)
"""
SHOWING = f"""
print('{{"show": {OUTGOING.model_dump_json()}}}', flush=True)
input()
"""
MORTAL = "print('{\"ready\": 1}', flush=True)"


@dataclass
class Office:
    """What workers tell."""

    changes: Changes = field(default_factory=Changes)
    settled: int = 0
    shown: list[Outgoing] = field(default_factory=list)
    died: list[str] = field(default_factory=list)
    observer: Recorder = field(default_factory=Recorder)

    def heard(self) -> Heard:
        return Heard(self._settled, self._show, self._died, self.observer)

    def _settled(self) -> None:
        self.settled += 1
        self.changes.notify()

    async def _show(self, outgoing: Outgoing) -> None:
        self.shown.append(outgoing)
        self.changes.notify()

    async def _died(self, name: str) -> None:
        self.died.append(name)
        self.changes.notify()

    async def until(self, check: Any) -> None:
        await self.changes.until(check, 20.0, lambda: f"{self}")


@asynccontextmanager
async def employed(
    program: str, office: Office, number: int = 1
) -> AsyncIterator[Workers]:
    """Workers that run a program."""
    staff = Staff(number, [sys.executable, "-c", program])
    workers = Workers(staff, "home/run", office.heard())
    running = asyncio.create_task(workers.run())
    try:
        yield workers
    finally:
        workers.end()
        await running


async def test_workers_are_woken_and_end_with_their_input() -> None:
    """What a library prints is passed on, not taken for a word of theirs."""
    office = Office()
    async with employed(FAITHFUL, office, number=2) as workers:
        await workers.ready.wait()
        workers.wake()
        await office.until(lambda: office.settled)
    assert sorted(office.died) == ["home/run/0.1", "home/run/1.1"]
    assert office.observer.events[0] == {"event": "asked", "n": 1}
    assert office.observer.counted("questions") == len(office.observer.values)


async def test_what_has_to_be_shown_is_shown_R_I10() -> None:
    """As the worker told it."""
    office = Office()
    async with employed(SHOWING, office):
        await office.until(lambda: office.shown)
    assert office.shown == [OUTGOING]


async def test_a_dead_worker_is_replaced_under_another_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What it had claimed goes back at once, by its name."""
    office = Office()
    async with employed(MORTAL, office):
        await office.until(lambda: len(office.died) >= 2)
    assert office.died[:2] == ["home/run/0.1", "home/run/0.2"]
    assert "a worker ended with 0; the next in 0 s" in capsys.readouterr().err


async def test_a_worker_that_does_not_end_is_killed() -> None:
    """So that who serves ends in time."""
    office = Office()
    stubborn = f"{MORTAL}\nimport time\ntime.sleep(3600)"
    async with employed(stubborn, office) as workers:
        await workers.ready.wait()
        workers.end()
        workers.kill()
    assert office.died == ["home/run/0.1"]


async def test_workers_do_not_outlive_a_cancelled_service() -> None:
    """Cancelled, it kills them and waits for their end."""
    office = Office()
    stubborn = f"{MORTAL}\nimport time\ntime.sleep(3600)"
    staff = Staff(1, [sys.executable, "-c", stubborn])
    workers = Workers(staff, "home/run", office.heard())
    running = asyncio.create_task(workers.run())
    await workers.ready.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert office.died == ["home/run/0.1"]
