"""The process that serves: doorbells and posters here, answering in worker processes.

An answer takes a processor for a while; an acknowledgement must not wait for it (R-C3).
So this process only commits what comes in, posts what is settled, and looks after the
workers. It ends within 25 seconds of being told to: what was heard is committed, what
was begun is finished or given back, and what could not be posted waits in the outbox.
"""

import asyncio
import signal
import uuid
from asyncio import Task, TaskGroup
from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial

from adapters.ledger.mailbox import Mailbox
from adapters.mail import Outgoing, Platform
from bot.console import say
from bot.platforms import Opening
from bot.posting import Posting, show_now
from bot.reach import Reach
from bot.rounds import Bell, kept_up, rounds
from bot.wiring import Application
from bot.workers import Heard, Staff, Workers
from engine.errors import EnvironmentFailed, LedgerFailed

POSTERS = 4  # replies to different threads at the same time, on one platform
POSTING_S = 60.0  # lease of a reply
# A graceful end takes 25 s at most: to hush the doorbells, to finish what workers have
# begun, to post what is settled.
HUSHING_S, FINISHING_S, DRAINING_S = 4.0, 13.0, 6.0
SWEEPING = timedelta(hours=1)  # between two looks for what is too old


class Service:
    """Everything that one serving process does.

    Args:
        application: the parts of the process.
        openings: how to open the doorbell of each platform.
        staff: the worker processes.
        home: begins the names of everybody who ever served from this data folder.
    """

    def __init__(
        self,
        application: Application,
        openings: Mapping[Platform, Opening],
        staff: Staff,
        home: str,
    ) -> None:
        self._application = application
        self._mailbox: Mailbox = application.mailbox
        self._settled = Bell()
        self._told = asyncio.Event()
        self._home = home
        self._name = f"{home}{uuid.uuid4().hex[:8]}"
        abandon, observer = self._mailbox.abandon, application.observer
        heard = Heard(self._settled.ring, self._show, abandon, observer)
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
        await self._mailbox.abandon(self._home)
        async with AsyncExitStack() as opened:
            # Posters post as long as these are open, also after they hear no more.
            door = self._application.inbox(self._workers.wake)
            for platform, opening in self._openings.items():
                self._reaches[platform] = Reach(platform, opening, door)
            try:
                await self._serve(opened)
            except* EnvironmentFailed as failed:
                raise _first(failed) from failed

    async def _serve(self, opened: AsyncExitStack) -> None:
        async with asyncio.TaskGroup() as group:
            start = group.create_task
            working = start(self._workers.run())
            reaches = self._reaches.values()
            hearing = {start(self._hear(reach, opened, group)) for reach in reaches}
            watching = {start(self._watch(reach)) for reach in reaches}
            sweeping = start(self._sweep())
            await self._told.wait()
            say("groundrule: ending")
            await _ended(hearing, HUSHING_S)
            self._workers.end()
            if not await _done({working}, FINISHING_S):
                self._workers.kill()
            self._settled.end()
            await _done(self._posting, DRAINING_S)
            await _ended({*self._posting, *watching, sweeping}, 0)

    async def _hear(
        self, reach: Reach, opened: AsyncExitStack, group: TaskGroup
    ) -> None:
        """Open a platform, post what is settled for it, and hear until cancelled."""
        doorbell = await reach.open(opened)
        for number in range(POSTERS):
            posting = Posting(
                self._mailbox,
                reach.platform,
                doorbell.poster,
                worker=f"{self._name}/{reach.platform}.{number}",
                lease_s=POSTING_S,
            )
            keeping = kept_up(partial(self._post, posting))
            self._posting.add(group.create_task(keeping))
        await doorbell.run()

    async def _watch(self, reach: Reach) -> None:
        """Say what is ready, as soon as somebody is there to answer."""
        await self._workers.ready.wait()
        await reach.watch()

    # --- replies ----------------------------------------------------------------------

    async def _post(self, posting: Posting) -> None:
        await rounds(posting.next, self._settled, drain=True)

    async def _show(self, outgoing: Outgoing) -> None:
        reach = self._reaches.get(outgoing.place.platform)
        if reach is not None and reach.doorbell is not None:
            await show_now(reach.doorbell.poster, outgoing)

    # --- upkeep -----------------------------------------------------------------------

    async def _sweep(self) -> None:
        """Delete what is too old (R-U6), now and then."""
        days = timedelta(days=self._application.settings.retention_days)
        while True:
            now = self._application.clock.now()
            try:
                await self._mailbox.sweep(now)
                await self._application.ledger.expire(now - days)
            except LedgerFailed as error:
                say(f"groundrule: what is too old was not all deleted: {error}")
            await asyncio.sleep(SWEEPING.total_seconds())


async def _done(tasks: Collection[Task[None]], within: float) -> bool:
    """Wait for tasks; whether all came to their end."""
    left = (await asyncio.wait(tasks, timeout=within))[1] if tasks else ()
    return not left


async def _ended(tasks: Collection[Task[None]], within: float) -> None:
    """Cancel tasks, and wait for what they still have to do."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=within or None)


def _first(failed: BaseExceptionGroup[EnvironmentFailed]) -> EnvironmentFailed:
    """One of several failures at once."""
    found = failed.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
