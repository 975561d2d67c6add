"""The process that serves: listeners and posters here, answers in worker processes.

An answer takes a processor for a while; an acknowledgement must not wait for it. So
this process only commits what comes in, posts what is settled, and looks after the
workers. It ends within 25 seconds of being told to: what was heard is committed, what
was begun is finished or given back, and what could not be posted waits in the outbox.
What does not end by itself, such as a database that gives no answer, is not waited for:
all that counts is committed or is done again.
"""

import asyncio
import os
import signal
import threading
import uuid
from asyncio import Task, TaskGroup
from collections.abc import Callable, Collection, Mapping
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from functools import partial

from adapters.ledger.mail_records import ClaimLost
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Platform
from bot.console import say
from bot.delivery import Withheld
from bot.privacy.events import clean_events
from bot.reports.schedule import read_channels, report_due
from bot.serving.platforms import Opening
from bot.serving.posting import Posting, show_now
from bot.serving.reach import Reach
from bot.serving.rounds import Waker, keep_up, keep_what_is_loaded, run_rounds
from bot.serving.workers import Heard, Staff, Workers
from bot.wiring import RENDERERS, Application
from engine.model.errors import EnvironmentFailed, GroundruleError

POSTERS = 4  # replies to different threads at the same time, on one platform
POSTING_S = 60.0  # lease of a reply
# A graceful end takes 25 s at most: to hush the listeners, to finish what workers have
# begun, to post what is settled, to let go of what is left. Then it ends, whatever is
# not done.
HUSHING_S, FINISHING_S, DRAINING_S, LEAVING_S = 4.0, 12.0, 5.0, 2.0
ENDING_S = 24.5
INSISTING_S = 0.5  # between two times that a task is told to end
SWEEPING = timedelta(hours=1)  # between two looks for what is too old
REPORTING = timedelta(minutes=1)  # between two looks for a report that is due


class Service:
    """All that one serving process does.

    Args:
        application: the parts of the process.
        openings: how to open the listener of each platform.
        staff: the worker processes.
        homes: begin the names of everybody who ever served a platform from this data
            folder; see one_server.
        end_by: makes sure that this process ends within so many seconds.
    """

    def __init__(
        self,
        application: Application,
        openings: Mapping[Platform, Opening],
        staff: Staff,
        homes: tuple[str, ...],
        end_by: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self._application = application
        self._mailbox: Mailbox = application.mailbox
        self._settled = Waker()
        self._told = asyncio.Event()
        self._end_by = end_by
        self._homes = homes
        self._name = f"{homes[0]}{uuid.uuid4().hex[:8]}"
        self._withheld: dict[str, Withheld] = {}  # by worker, its last
        observer = application.observer
        heard = Heard(self._settled.wake, self._show, self._give_back, observer)
        self._workers = Workers(staff, self._name, heard)
        self._openings = openings
        self._reaches: dict[Platform, Reach] = {}
        self._posting: set[Task[None]] = set()

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT.

        Raises:
            EnvironmentFailed: a platform refuses this bot for good.
        """
        loop = asyncio.get_running_loop()
        for sign in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sign, self._told.set)
        for home in self._homes:
            await self._mailbox.abandon(home)
        async with AsyncExitStack() as opened:
            # Posters post as long as these are open, also after they hear no more.
            workers = self._workers
            door = self._application.inbox(workers.wake, lambda: workers.answering)
            for platform, opening in self._openings.items():
                self._reaches[platform] = Reach(platform, opening, door)
            try:
                await self._serve(opened)
            except* EnvironmentFailed as failed:
                raise _pick_failure(failed) from failed

    @property
    def connections(self) -> Mapping[Platform, bool]:
        """Whether each platform that is served is heard, as far as is known."""
        return {
            platform: reach.listener is not None and reach.listener.hears
            for platform, reach in self._reaches.items()
        }

    async def _serve(self, opened: AsyncExitStack) -> None:
        async with asyncio.TaskGroup() as group:
            start = group.create_task
            working = start(self._workers.run())
            reaches = self._reaches.values()
            hearing = {start(self._hear(reach, opened, group)) for reach in reaches}
            watching = start(self._watch())
            upkeep = {start(self._sweep()), start(self._report())}
            await self._told.wait()
            say("groundrule: ending")
            self._end_by(ENDING_S)
            await _end_tasks(hearing, HUSHING_S)
            self._workers.end()
            if not await _wait_for({working}, FINISHING_S):
                self._workers.kill()
            self._settled.end()
            await _wait_for(self._posting, DRAINING_S)
            left = {*self._posting, watching, *hearing, *upkeep, working}
            await _end_tasks(left, LEAVING_S)

    async def _hear(
        self, reach: Reach, opened: AsyncExitStack, group: TaskGroup
    ) -> None:
        """Open a platform, post what is settled for it, and hear until cancelled."""
        listener = await reach.open(opened)
        posting = Posting(
            self._mailbox,
            reach.platform,
            listener.poster,
            renderer=RENDERERS[reach.platform],
            worker=f"{self._name}/{reach.platform}",
            lease_s=POSTING_S,
        )
        for _ in range(POSTERS):
            keeping = keep_up(partial(self._post, posting))
            self._posting.add(group.create_task(keeping))
        await listener.run()

    async def _watch(self) -> None:
        """Say what is ready, as soon as a worker is there to answer."""
        await self._workers.ready.wait()
        keep_what_is_loaded()
        await asyncio.gather(*(reach.watch() for reach in self._reaches.values()))

    # --- replies ----------------------------------------------------------------------

    async def _post(self, posting: Posting) -> None:
        await run_rounds(posting.next, self._settled, drain=True)

    async def _show(self, withheld: Withheld) -> None:
        """Show what could not be written down, and remember that it was shown."""
        self._withheld[withheld.claimed.worker] = withheld
        platform = withheld.place.platform
        reach = self._reaches.get(platform)
        if reach is not None and reach.listener is not None:
            await show_now(reach.listener.poster, withheld)
        else:
            say(f"groundrule: a record failed, and nobody here reaches {platform}")

    async def _give_back(self, worker: str) -> None:
        """Give back what a dead worker had, except what has had its text."""
        withheld = self._withheld.get(worker)
        if withheld is not None:
            with suppress(ClaimLost):
                await self._mailbox.reply(withheld.claimed, ())
        await self._mailbox.abandon(worker)
        self._withheld.pop(worker, None)

    # --- upkeep -----------------------------------------------------------------------

    async def _sweep(self) -> None:
        """Delete what is too old, at intervals, by a clock that is believed."""
        days = timedelta(days=self._application.settings.retention_days)
        while True:
            now = self._application.clock.now()
            try:
                if doubt := await self._mailbox.believe(now):
                    say(f"groundrule: {doubt}")
                else:
                    await self._mailbox.sweep(now)
                    await self._application.ledger.expire(now - days)
                await clean_events(self._application)
            except EnvironmentFailed as error:
                say(f"groundrule: what is too old was not all deleted: {error}")
            await asyncio.sleep(SWEEPING.total_seconds())

    async def _report(self) -> None:
        """Post the weekly reports that are due; drawn beside the event loop."""
        while read_channels(self._application):
            try:
                posted = await asyncio.to_thread(asyncio.run, self._report_due())
                if posted:
                    say(f"groundrule: the week of {', '.join(posted)} is posted")
                    self._settled.wake()
            except GroundruleError as error:
                say(f"groundrule: the weekly report waits: {error}")
            await asyncio.sleep(REPORTING.total_seconds())

    async def _report_due(self) -> tuple[str, ...]:
        async with self._application.another() as application:
            return await report_due(application)


async def _wait_for(tasks: Collection[Task[None]], within: float) -> bool:
    """Wait for tasks; return whether all came to their end."""
    left = (await asyncio.wait(tasks, timeout=within))[1] if tasks else ()
    return not left


async def _end_tasks(tasks: Collection[Task[None]], within: float) -> None:
    """Cancel tasks, and wait for what they still have to do, but no longer than that.

    A transaction that is committing swallows a cancellation, so each gets several.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    left = {task for task in tasks if not task.done()}
    while left and loop.time() < end:
        for task in left:
            task.cancel()
        pause = min(INSISTING_S, max(end - loop.time(), 0.0))
        left = (await asyncio.wait(left, timeout=pause))[1]


def end_by(seconds: float) -> None:
    """End this process that many seconds from now, whatever it still waits for.

    Threads that wait for a database cannot be told to end.
    """
    last = threading.Timer(seconds, _end_now)
    last.daemon = True
    last.start()


def _end_now() -> None:
    say("groundrule: ended before all was done; it is done after the next start")
    os._exit(0)


def _pick_failure(failed: BaseExceptionGroup[EnvironmentFailed]) -> EnvironmentFailed:
    """Return one of several failures at once."""
    found = failed.exceptions[0]
    return _pick_failure(found) if isinstance(found, BaseExceptionGroup) else found
