"""Calls that are made again: how long between them, how often, and what ends it."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from tenacity import AsyncRetrying

from adapters.retrying import (
    LONGEST_ASKED_S,
    Pauses,
    again,
    log_failures,
    read_retry_after,
)


class Busy(Exception):
    """A failure that may pass."""

    def __init__(self, after: float | None = None) -> None:
        super().__init__("busy")
        self.after = after


class Server:
    """Fails as it is told, then answers."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.calls = 0
        self.waits: list[float] = []

    async def call(self) -> str:
        """One call."""
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return "answer"

    async def wait(self, seconds: float) -> None:
        """Note a pause instead of making it."""
        self.waits.append(seconds)

    async def asked(self, retrying: AsyncRetrying) -> object:
        """What comes of a call under a policy."""
        answer: object = await retrying.copy(sleep=self.wait)(self.call)
        return answer


async def test_the_pause_is_what_the_server_asks_for() -> None:
    """Up to a bound, and only where it asks: 0 would be a tight loop."""
    server = Server(Busy(7.0), Busy(900.0), Busy(0.0), Busy())
    pauses = Pauses(1.0, longest=3.0, most_asked=60.0)
    assert await server.asked(again(Busy, pauses)) == "answer"
    assert server.waits[:2] == [7.0, 60.0]
    assert all(1.5 <= seconds <= 3.0 for seconds in server.waits[2:])


async def test_pauses_double_up_to_the_longest_and_differ() -> None:
    """A random half to all of 1, 2, 4, 8, 10, 10, …, however many there are."""
    server = Server(*(Busy() for _ in range(2_000)))
    await server.asked(again(Busy, Pauses(1.0, 10.0)))
    for seconds, most in zip(server.waits, (1, 2, 4, 8, *[10] * 1_996), strict=True):
        assert most / 2 <= seconds <= most
    assert len(set(server.waits)) > 1_000


async def test_in_the_end_the_last_failure_is_raised() -> None:
    """Itself, after as many calls as were allowed."""
    last = Busy()
    server = Server(Busy(), Busy(), last, Busy())
    with pytest.raises(Busy) as caught:
        await server.asked(again((KeyError, Busy), Pauses(1.0), attempts=3))
    assert caught.value is last
    assert server.calls == 3


async def test_in_the_end_the_last_result_is_returned() -> None:
    """Where results are tried again."""
    server = Server()
    retrying = again(lambda said: said == "answer", Pauses(1.0), attempts=2)
    assert await server.asked(retrying) == "answer"
    assert server.calls == 2


async def test_what_does_not_pass_is_raised_at_once() -> None:
    """No pause, no second call."""
    server = Server(KeyError("gone"))
    with pytest.raises(KeyError):
        await server.asked(again(Busy, Pauses(1.0)))
    assert (server.calls, server.waits) == (1, [])


async def test_no_call_begins_after_the_time_is_over() -> None:
    """A server that asks for more time than is left is not waited for."""
    server = Server(Busy(600.0))
    with pytest.raises(Busy):
        await server.asked(again(Busy, Pauses(1.0), within=60.0))
    assert (server.calls, server.waits) == (1, [])


async def test_a_cancelled_pause_ends_at_once() -> None:
    """The server is not called again."""
    server, paused = Server(Busy(3_600.0)), asyncio.Event()
    retrying = again(Busy, Pauses(1.0), told=lambda failed, attempt: paused.set())
    task = asyncio.create_task(retrying(server.call))
    await paused.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert server.calls == 1


async def test_a_test_of_results_may_be_a_class() -> None:
    """`bool` is one: a deletion that was refused twice is taken in the end."""
    said = iter(["busy", "busy", None])

    async def ask() -> str | None:
        return next(said)

    assert await again(bool, Pauses(0.0), attempts=8)(ask) is None
    assert next(said, "asked three times") == "asked three times"


async def test_a_cancelled_call_is_not_made_again() -> None:
    """Whatever passes."""
    begun, calls = asyncio.Event(), []

    async def hang() -> None:
        calls.append(1)
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(again(Exception, Pauses(0.0))(hang))
    await begun.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert calls == [1]


async def test_the_log_is_not_flooded(caplog: pytest.LogCaptureFixture) -> None:
    """The first, second, fourth, eighth, … failure is logged."""
    caplog.set_level(logging.INFO)
    server = Server(*(Busy() for _ in range(9)))
    told = log_failures(logging.getLogger("test"), "no answer")
    await server.asked(again(Busy, Pauses(1.0), told=told))
    assert caplog.messages == [f"no answer: busy, try {n}" for n in (1, 2, 4, 8)]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("2.5", 2.5), ("-1", 0.0), ("soon", None), ("nan", None), ("", None)],
)
def test_seconds_to_wait_are_read(header: str, seconds: float | None) -> None:
    """A number; anything else is none."""
    assert read_retry_after({"retry-after": header}) == seconds


def test_a_date_to_wait_for_is_read() -> None:
    """With and without a zone; one in the past asks for nothing, no year for long."""
    for days, least, most in ((-1, 0, 0), (1, 3600, 3600)):
        date = datetime.now(UTC) + timedelta(days=days)
        for form in (format_datetime(date, usegmt=True), format_datetime(date)):
            told = read_retry_after({"Retry-After": form})
            assert told is not None and least <= told <= most <= LONGEST_ASKED_S
    assert read_retry_after({"Retry-After": "Fri, 01 Jan 2021 00:00:00 -0000"}) == 0.0
