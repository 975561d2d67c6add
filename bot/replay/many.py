"""Replay many stored outcomes: each question once, by several processes."""

import asyncio
import multiprocessing
import os
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from multiprocessing.connection import Connection
from typing import Self

from adapters.ledger.history import PAGE, Stored
from bot.replay.run import Replay, Replayed
from bot.wiring import Application
from config.settings import Settings
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.record import Record
from engine.policy.pack import Pack

Asking = tuple[str, Stored]  # a question under its `Replay.hash_question`
WORTH = 2 * PAGE  # outcomes for which the start of more processes pays
# What of a record of today is compared with nothing, and only takes memory.
UNUSED: Mapping[str, object] = {
    "answer": "",
    "prompts": (),
    "retrieval": None,
    "sections": (),
}


def count_processes(total: int) -> int:
    """Count the processes that so many outcomes are worth here."""
    return len(os.sched_getaffinity(0)) if total >= WORTH else 1


class Many:
    """Asks outcomes again; a context manager that ends the processes it started.

    Questions that were asked alike (`Replay.hash_question`) are asked once, of the
    index as it is then. What failed for a fault of the environment is asked again for
    each.

    Args:
        application: ledger, index and embedder.
        pack: today's.
        processes: how many ask, this one among them.
    """

    def __init__(self, application: Application, pack: Pack, processes: int) -> None:
        self._replay = Replay(application, pack)
        self._known: dict[str, Record] = {}
        self._lines: list[Connection] = []
        self._stack = AsyncExitStack()
        self._start = (application.settings, pack)
        self._processes = processes

    async def __aenter__(self) -> Self:
        for _ in range(self._processes - 1):
            line = await self._stack.enter_async_context(_start_process(*self._start))
            self._lines.append(line)
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stack.aclose()

    async def replay(self, outcomes: AsyncIterator[Stored]) -> AsyncIterator[Replayed]:
        """Compare each outcome with what it would be today, in order.

        Raises:
            EnvironmentFailed: an index or an embedder cannot be opened.
        """
        async for page in _pages(outcomes):
            keys = [self._hash(stored) for stored in page]
            try:
                await self._ask(keys, page)
            except ExceptionGroup as failed:
                raise failed.exceptions[0] from failed
            for key, stored in zip(keys, page, strict=True):
                known = self._known.get(key or "")
                if known is None:
                    yield await self._replay.replay(stored)
                else:
                    yield await self._replay.compare(stored, known)

    def _hash(self, stored: Stored) -> str | None:
        """Return `Replay.hash_question`; None for what is settled without asking."""
        settled = self._replay.judge_unasked(stored) is not None
        return None if settled else self._replay.hash_question(stored)

    async def _ask(self, keys: Sequence[str | None], page: Sequence[Stored]) -> None:
        """Ask what is new in a page, here and in every other process."""
        asked = zip(keys, page, strict=True)
        new = {key: one for key, one in asked if key and key not in self._known}
        left = deque(new.items())
        async with asyncio.TaskGroup() as group:
            for line in self._lines:
                group.create_task(asyncio.to_thread(self._feed, line, left))
            try:
                for key, stored in _take_each(left):
                    self._keep(key, await self._replay.ask_today(stored))
            finally:
                left.clear()  # once one has failed, the others stop

    def _feed(self, line: Connection, left: deque[Asking]) -> None:
        """Let another process ask what is left; in a thread, so neither waits."""
        for key, stored in _take_each(left):
            self._keep(key, _ask_process(line, stored))

    def _keep(self, key: str, today: Record) -> None:
        if not self._replay.is_undecided(today):
            self._known[key] = today.model_copy(update=UNUSED)


def _take_each(left: deque[Asking]) -> Iterator[Asking]:
    """Take what is left, one by one; several threads may take from it."""
    while True:
        try:
            one = left.popleft()
        except IndexError:
            return
        yield one


async def _pages(outcomes: AsyncIterator[Stored]) -> AsyncIterator[list[Stored]]:
    page: list[Stored] = []
    async for stored in outcomes:
        page.append(stored)
        if len(page) == PAGE:
            yield page
            page = []
    yield page


# --- a process beside this one ----------------------------------------------------


@asynccontextmanager
async def _start_process(settings: Settings, pack: Pack) -> AsyncIterator[Connection]:
    """Start a process that asks what it is sent, until its line is closed."""
    context = multiprocessing.get_context("spawn")
    line, far = context.Pipe()
    process = context.Process(target=_answer, args=(settings, pack, far), daemon=True)
    process.start()
    far.close()
    try:
        yield line
    finally:
        line.close()
        await asyncio.to_thread(process.join)


def _ask_process(line: Connection, stored: Stored) -> Record:
    """Let another process ask a question.

    Raises:
        EnvironmentFailed: it could not open what it needs, or has ended.
        UsageError: what it was told to open is wrong.
    """
    try:
        line.send(stored)
        found = line.recv()
    except (EOFError, OSError) as error:
        raise EnvironmentFailed(
            "a process of the replay has ended: try again with --processes 1"
        ) from error
    if isinstance(found, EnvironmentFailed | UsageError):
        raise found
    if not isinstance(found, Record):
        raise EnvironmentFailed(f"a process of the replay sent a {type(found)}")
    return found


def _answer(settings: Settings, pack: Pack, line: Connection) -> None:
    """Ask what comes, one by one."""

    async def asking() -> None:
        async with Application(settings) as application:
            replay = Replay(application, pack)
            while True:
                stored = line.recv()
                line.send(await replay.ask_today(stored))

    try:
        asyncio.run(asking())
    except EOFError:
        return  # nothing more is to be asked
    except (EnvironmentFailed, UsageError) as error:
        line.recv()
        line.send(error)
