"""The process that serves: doorbells and posters here, answering in worker processes.

An answer takes a processor for a while; an acknowledgement must not wait for it (R-C3).
So this process only commits what comes in, posts what is settled, and looks after the
workers. It ends within 25 seconds of being told to: what was heard is committed, what
was begun is finished or given back, and what could not be posted waits in the outbox.
"""

import asyncio
import signal
import uuid
from asyncio import Task
from collections.abc import Collection, Iterator, Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial

from adapters.ledger.mailbox import Mailbox
from adapters.mail import Outgoing, Platform
from bot.console import say
from bot.platforms import Doorbell, Opening
from bot.posting import Posting, show_now
from bot.rounds import Bell, kept_up, rounds
from bot.wiring import Application
from bot.workers import Heard, Staff, Workers
from engine.errors import EnvironmentFailed, LedgerFailed

POSTERS = 4  # replies to different channels at the same time, on one platform
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
        self._doorbells: dict[Platform, Doorbell] = {}

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT.

        Raises:
            EnvironmentFailed: a platform is out of reach, or refused for good.
        """
        loop = asyncio.get_running_loop()
        for sign in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sign, self._told.set)
        await self._mailbox.abandon(self._home)
        async with AsyncExitStack() as opened:
            # Posters post as long as these are open, also after they hear no more.
            door = self._application.inbox(self._workers.wake)
            for platform, opening in self._openings.items():
                doorbell = await opened.enter_async_context(opening(door))
                self._doorbells[platform] = doorbell
            try:
                await self._serve()
            except* EnvironmentFailed as failed:
                raise _first(failed) from failed

    async def _serve(self) -> None:
        async with asyncio.TaskGroup() as group:
            start = group.create_task
            working = start(self._workers.run())
            hearing = {start(bell.run()) for bell in self._doorbells.values()}
            posting = {
                start(kept_up(partial(self._post, posting)))
                for posting in self._postings()
            }
            sweeping = start(self._sweep())
            greeting = start(self._say_ready())
            await self._told.wait()
            say("groundrule: ending")
            await _ended(hearing, HUSHING_S)
            self._workers.end()
            if not await _done({working}, FINISHING_S):
                self._workers.kill()
            self._settled.end()
            await _done(posting, DRAINING_S)
            await _ended({*posting, sweeping, greeting}, 0)

    # --- replies ----------------------------------------------------------------------

    def _postings(self) -> Iterator[Posting]:
        for platform, doorbell in self._doorbells.items():
            for number in range(POSTERS):
                yield Posting(
                    self._mailbox,
                    platform,
                    doorbell.poster,
                    worker=f"{self._name}/{platform}.{number}",
                    lease_s=POSTING_S,
                )

    async def _post(self, posting: Posting) -> None:
        await rounds(posting.next, self._settled, drain=True)

    async def _show(self, outgoing: Outgoing) -> None:
        doorbell = self._doorbells.get(outgoing.place.platform)
        if doorbell is not None:
            await show_now(doorbell.poster, outgoing)

    async def _say_ready(self) -> None:
        await self._workers.ready.wait()
        say("groundrule: ready")

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
    _, left = await asyncio.wait(tasks, timeout=within)
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
