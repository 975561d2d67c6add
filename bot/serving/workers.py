"""Worker processes: started, woken, listened to, started again, ended in time.

A worker that dies is started again after a pause that grows while it keeps dying. What
it had claimed goes back to the inbox at once, because its name is used only once; while
the database fails that is tried again, and where it never succeeds leases end. Nothing
that a worker says or that is done about it ends any other.
"""

import asyncio
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.console import say
from bot.delivery import Withheld
from bot.serving.rounds import survive
from engine.model.errors import EnvironmentFailed
from engine.model.ports import Observer
from engine.model.spans import Span

LONGEST_LINE = 4_000_000  # bytes that a worker tells at once
STEADY_S = 60.0  # a worker that lived so long did not die of its start
LONGEST_PAUSE_S = 30.0
AGAIN_S = 1.0  # between two tries at giving back what a dead worker had
LAST_S = 5.0  # at the end, for what is still being done about words of workers


@dataclass(frozen=True, slots=True)
class Heard:
    """What is done about the words of workers.

    Attributes:
        settled: a reply waits in the outbox.
        show: a reply has to be shown that is in no outbox.
        died: gives back what the worker of a name had claimed.
        observer: takes what their engines observe.
    """

    settled: Callable[[], None]
    show: Callable[[Withheld], Coroutine[None, None, None]]
    died: Callable[[str], Coroutine[None, None, None]]
    observer: Observer


@dataclass(frozen=True, slots=True)
class Staff:
    """The number of workers, and the command that starts one.

    The worker's name is added at the end of the command.
    """

    number: int
    command: Sequence[str]


class Workers:
    """A fixed number of worker processes.

    Args:
        staff: how many, and how one is started.
        prefix: of their names; unique among everybody who uses this database.
        heard: what is done about what they tell.

    Attributes:
        ready: set as soon as one of them was ready.
    """

    def __init__(self, staff: Staff, prefix: str, heard: Heard) -> None:
        self._staff = staff
        self._prefix = prefix
        self._heard = heard
        self._running: dict[str, Process] = {}
        self._able = set[Process]()  # that said they were ready
        self._ending = asyncio.Event()
        self._aside: set[asyncio.Task[bool]] = set()
        self.ready = asyncio.Event()

    @property
    def answering(self) -> bool:
        """Whether one of them answers at present."""
        return bool(self._able)

    def wake(self) -> None:
        """Wake them: there may be something in the inbox."""
        for process in self._running.values():
            if process.stdin is not None and not process.stdin.is_closing():
                process.stdin.write(b"\n")

    def end(self) -> None:
        """Let every worker finish what it has begun, and nothing more."""
        self._ending.set()
        for process in self._running.values():
            if process.stdin is not None:
                process.stdin.close()

    def kill(self) -> None:
        """End those that are still there."""
        for process in self._running.values():
            with suppress(ProcessLookupError):
                process.kill()

    async def run(self) -> None:
        """Keep them running until `end`; cancelled, it kills them."""
        try:
            async with asyncio.TaskGroup() as group:
                for place in range(self._staff.number):
                    group.create_task(self._keep(place))
        finally:
            self.kill()
            await self._end_aside()

    async def _end_aside(self) -> None:
        """Let what is being done about words of workers come to its end."""
        self._ending.set()
        if self._aside:
            late = (await asyncio.wait(self._aside, timeout=LAST_S))[1]
            for task in late:
                task.cancel()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        """Do something beside the listening to workers, however long it takes."""
        task = asyncio.create_task(survive(work))
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _keep(self, place: int) -> None:
        """Run one worker after the other."""
        loop, deaths, started = asyncio.get_running_loop(), 0, 0
        while not self._ending.is_set():
            started += 1
            name = f"{self._prefix}/{place}.{started}"
            began = loop.time()
            code = await self._run_one(name)
            if self._ending.is_set():
                return
            deaths = 0 if loop.time() - began > STEADY_S else deaths + 1
            pause = min(2.0 ** (deaths - 2), LONGEST_PAUSE_S) if deaths > 1 else 0.0
            say(f"groundrule: a worker ended with {code}; the next in {pause:g} s")
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._ending.wait()

    async def _run_one(self, name: str) -> int | str:
        """Run one worker to its end; return its exit code, or why there was none."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._staff.command,
                name,
                stdin=PIPE,
                stdout=PIPE,
                limit=LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for who serves, it ends workers
                env=os.environ,
            )
        except OSError as error:  # no memory, too many files
            return error.strerror or "no process"
        self._running[name] = process
        if self._ending.is_set() and process.stdin is not None:
            process.stdin.close()
        try:
            await self._listen(process)
            return await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(self._bury(name, process))

    async def _bury(self, name: str, process: Process) -> None:
        await process.wait()
        self._able.discard(process)
        del self._running[name]
        self._begin(self._give_back(name))

    async def _give_back(self, name: str) -> None:
        """Give back what a dead worker had, as often as it takes."""
        said = False
        while True:
            try:
                await self._heard.died(name)
                return
            except EnvironmentFailed as error:
                if not said:
                    say(f"groundrule: what a worker had is not given back yet: {error}")
                said = True
            with suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_S):
                    await self._ending.wait()
            if self._ending.is_set():
                return  # whoever serves next gives it back, or its lease ends

    async def _listen(self, process: Process) -> None:
        """Do what a worker tells, until it tells no more."""
        if process.stdout is None:
            return
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:  # longer than LONGEST_LINE; what follows is a new one
                say("groundrule: a worker said more than can be heard")
                continue
            if not line:
                return
            try:
                told = json.loads(line)
            except ValueError:  # a library that prints
                say(line.decode("utf-8", "replace").rstrip())
                continue
            if isinstance(told, dict):
                if "ready" in told:
                    self._able.add(process)
                await survive(self._hear(told))

    async def _hear(self, told: dict[str, Any]) -> None:
        heard = self._heard
        match told:
            case {"ready": _}:
                self.ready.set()
            case {"settled": _}:
                heard.settled()
            case {"show": shown}:
                self._begin(heard.show(Withheld.model_validate(shown)))
            case {"event": [str(name), dict(fields)]}:
                heard.observer.event(name, fields)
            case {"count": [str(metric), dict(labels)]}:
                heard.observer.count(metric, labels)
            case {"figure": [str(metric), float(value) | int(value)]}:
                heard.observer.observe(metric, value)
            case {"trace": list(spans)}:
                heard.observer.trace([Span(**span) for span in spans])
