"""Rounds: woken, ended, and kept up."""

import asyncio

import pytest

from bot.serving.rounds import Waker, keep_up, run_rounds
from engine.model.errors import LedgerFailed


async def test_a_ring_wakes_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that comes between looking and waiting."""
    monkeypatch.setattr("bot.serving.rounds.POLL_S", 3_600.0)
    waker, done = Waker(), asyncio.Queue[int]()
    left = [1]

    async def work() -> bool:
        if not left:
            return False
        await done.put(left.pop())
        return True

    task = asyncio.create_task(run_rounds(work, waker))
    assert await done.get() == 1
    left.append(2)
    waker.wake()
    assert await done.get() == 2
    waker.end()
    await task


@pytest.mark.parametrize(("drain", "done"), [(False, 1), (True, 3)])
async def test_what_there_is_is_ended_where_asked_for(drain: bool, done: int) -> None:
    """A worker stops after what it has begun, a poster when nothing is left."""
    waker, times = Waker(), 0

    async def work() -> bool:
        nonlocal times
        waker.end()
        times += 1
        return times < 3

    await run_rounds(work, waker, drain=drain)
    assert times == done


async def test_a_failed_environment_is_said_once_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing dies of it."""
    monkeypatch.setattr("bot.serving.rounds.FAILED_S", 0.0)
    waker, failures = Waker(), 3

    async def work() -> bool:
        nonlocal failures
        failures -= 1
        if failures:
            raise LedgerFailed("the database is away")
        waker.end()
        return True

    await run_rounds(work, waker)
    assert capsys.readouterr().err.count("the database is away") == 1


async def test_a_fault_of_ours_is_printed_and_work_goes_on_R_C3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One reply that breaks its poster does not keep others from theirs."""
    monkeypatch.setattr("bot.serving.rounds.FAILED_S", 0.0)
    lives = 0

    async def live() -> None:
        nonlocal lives
        lives += 1
        if lives < 3:
            raise KeyError("a bug")

    await keep_up(live)
    assert lives == 3
    assert capsys.readouterr().err.count("KeyError: 'a bug'") == 2
