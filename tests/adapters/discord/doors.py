"""A door that remembers what came, and a listener that rings at it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.discord.app import DiscordApp, Setting
from adapters.discord.gateway import Timing
from adapters.mail import Accepted, Incoming
from engine.model.errors import LedgerFailed
from tests.loopback.discord import DiscordServer
from tests.loopback.waiting import Changes

BUSY = "Too many questions are waiting."
PACKS = {"textbook": "A course", "oncology": "Cancer information"}
QUICK = Timing(silence=60, patience=60, longest_pause=0.5, identify=0, ready=0.01)


class Door:
    """An inbox in memory.

    Attributes:
        came: what was committed, in order; repeats are not.
        full: whether too many are waiting.
        broken: whether nothing can be committed.
        closed: while it is not set, a commit waits.
        asked: how often something was handed in.
    """

    answering = True

    def __init__(self) -> None:
        self.came: list[Incoming] = []
        self.full = False
        self.broken = False
        self.open = asyncio.Event()
        self.open.set()
        self.asked = 0
        self._changes = Changes()

    async def accept(self, incoming: Incoming) -> Accepted:
        """Remember it."""
        self.asked += 1
        self._changes.notify()
        await self.open.wait()
        if self.broken:
            raise LedgerFailed("the disk is full")
        if self.full:
            return Accepted.FULL
        if any(known.event == incoming.event for known in self.came):
            return Accepted.REPEAT
        self.came.append(incoming)
        self._changes.notify()
        return Accepted.NEW

    async def has(self, n: int) -> list[Incoming]:
        """What came, once that is at least `n`."""
        said = f"{n} events at the door"
        await self._changes.until(lambda: len(self.came) >= n, said)
        return self.came

    async def was_asked(self, n: int) -> None:
        """Once it was handed `n`."""
        said = f"{n} knocks"
        await self._changes.until(lambda: self.asked >= n, said)


@asynccontextmanager
async def ringing(
    server: DiscordServer,
    door: Door,
    timing: Timing = QUICK,
    port: int | None = None,
) -> AsyncIterator[DiscordApp]:
    """The listener, once it hears; through a proxy at `port` if there is one."""
    setting = Setting(packs=PACKS, busy=BUSY, timing=timing)
    with server.redirected(port):
        async with DiscordApp(server.token, door, setting) as app:
            running = asyncio.create_task(app.run())
            try:
                await server.until(lambda: server.gateway.connected)
                await _heard(app, running)
                yield app
            finally:
                running.cancel()
                await asyncio.wait({running})


async def _heard(app: DiscordApp, running: asyncio.Task[None]) -> None:
    ready = asyncio.create_task(app._listener.wait_until_ready())
    await asyncio.wait({ready, running}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if running.done():
        await running
