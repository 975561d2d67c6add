"""Worker processes: told, listened to, replaced, ended."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.ledger.mail_records import Claimed
from adapters.mail import Action, Incoming, Place, Platform
from bot.delivery import Withheld
from bot.serving.workers import Heard, Staff, Workers
from engine.model.errors import LedgerFailed
from tests.demo import Recorder
from tests.loopback.waiting import Changes

HERE = Place(platform=Platform.SLACK, tenant="T", channel="C")
ASKED = Incoming(
    event="e",
    platform=Platform.SLACK,
    action=Action.ASK,
    place=HERE,
    person="U",
    received=datetime(2026, 1, 1, tzinfo=UTC),
)
WITHHELD = Withheld(
    id=0,
    place=HERE,
    parts=(),
    person="U",
    attempts=1,
    claimed=Claimed(incoming=ASKED, asker="a", worker="w", attempts=1),
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
    print('{"trace": [{"name": "q", "start": 0, "end": 2.5, "attributes": {}}]}')
    print('{"settled": "w"}', flush=True)
"""
SHOWING = f"""
print('{{"show": {WITHHELD.model_dump_json()}}}', flush=True)
input()
"""
MORTAL = "print('{\"ready\": 1}', flush=True)"


@dataclass
class Office:
    """What workers tell."""

    changes: Changes = field(default_factory=Changes)
    settled: int = 0
    shown: list[Withheld] = field(default_factory=list)
    died: list[str] = field(default_factory=list)
    observer: Recorder = field(default_factory=Recorder)
    failing: list[Exception] = field(default_factory=list)

    def heard(self) -> Heard:
        return Heard(self._settled, self._show, self._died, self.observer)

    def _settled(self) -> None:
        self.settled += 1
        self.changes.notify()

    async def _show(self, withheld: Withheld) -> None:
        self._fail()
        self.shown.append(withheld)
        self.changes.notify()

    async def _died(self, name: str) -> None:
        self._fail()
        self.died.append(name)
        self.changes.notify()

    def _fail(self) -> None:
        if self.failing:
            raise self.failing.pop(0)

    async def until(self, check: Any) -> None:
        await self.changes.until(check, lambda: f"{self}")


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
    assert len(office.observer.traces) == len(office.observer.values)


async def test_what_has_to_be_shown_is_shown_R_I10() -> None:
    """As the worker told it."""
    office = Office()
    async with employed(SHOWING, office):
        await office.until(lambda: office.shown)
    assert office.shown == [WITHHELD]


async def test_a_dead_worker_is_replaced_under_another_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What it had claimed goes back at once, by its name."""
    office = Office()
    async with employed(MORTAL, office):
        await office.until(lambda: len(office.died) >= 2)
    assert office.died[:2] == ["home/run/0.1", "home/run/0.2"]
    assert "a worker ended with 0; the next in 0 s" in capsys.readouterr().err


async def test_who_serves_knows_whether_anybody_answers_R_I10() -> None:
    """Not before one is ready, and not after the last has died."""
    office = Office()
    async with employed(FAITHFUL, office, number=2) as workers:
        assert not workers.answering
        await workers.ready.wait()
        assert workers.answering
        workers.kill()
        await office.until(lambda: len(office.died) == 2)
        workers.end()
    assert not workers.answering


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


async def test_a_database_that_fails_ends_no_worker_R_C3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the dead one had is given back as soon as that is possible."""
    monkeypatch.setattr("bot.serving.workers.AGAIN_S", 0.01)
    office = Office(failing=[LedgerFailed("the disk is full")] * 3)
    stubborn = "import sys\nif sys.argv[1].endswith('0.1'): sys.exit(3)\ninput()"
    async with employed(stubborn, office) as workers:
        await office.until(lambda: office.died)
        assert workers.ready is not None
    assert office.died[0] == "home/run/0.1"
    assert capsys.readouterr().err.count("the disk is full") == 1


# One line that is too long, then words that are wrong, then one to be heard.
RAVING = f"""
print('x' * 5_000, flush=True)
print('{{"show": 1}}', flush=True)
print('{{"show": {WITHHELD.model_dump_json()}}}', flush=True)
print('{{"figure": ["ms", 1], "settled": 2, "ready": 1}}', flush=True)
print('{{"settled": 1}}', flush=True)
input()
"""


async def test_no_word_of_a_worker_ends_it_or_another_R_C3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Too long, not understood, or about what fails; it is printed for a report."""
    monkeypatch.setattr("bot.serving.workers.LONGEST_LINE", 2_000)
    office = Office(failing=[KeyError("a bug")])
    async with employed(RAVING, office):
        await office.until(lambda: office.settled)
    assert office.died == ["home/run/0.1"]
    said = capsys.readouterr().err
    assert "KeyError: 'a bug'" in said
    assert "ValidationError" in said


async def test_a_worker_that_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The machine has no room for a process just now."""
    office, said = Office(), asyncio.Queue[str]()
    monkeypatch.setattr("bot.serving.workers.say", said.put_nowait)
    workers = Workers(Staff(1, ["/nowhere/at/all"]), "home/run", office.heard())
    running = asyncio.create_task(workers.run())
    told = [await said.get(), await said.get()]
    workers.end()
    await running
    why = "a worker ended with No such file or directory; the next in"
    assert told == [f"groundrule: {why} {pause} s" for pause in (0, 1)]
    assert not office.died
