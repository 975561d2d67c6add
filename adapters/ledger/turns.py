"""Who of one process writes next: what a platform waits for goes first.

SQLite lets one connection write at a time and knows no order among those that wait.
Here they wait before they take a thread, so that an event is committed, and its arrival
acknowledged, before anything that can wait a moment (R-C3).
"""

import asyncio
import heapq
import threading
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager

from engine.errors import LedgerBusy

PATIENCE_S = 10.0


class Turns:
    """Hands out turns in the order of their asking, but the urgent before all others.

    Event loops of several threads may ask.

    Args:
        places: how many may have one at once.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._asked = 0
        self._waiting: list[tuple[bool, int, Future[None]]] = []
        self._lock = threading.Lock()

    @asynccontextmanager
    async def turn(self, *, urgent: bool) -> AsyncIterator[None]:
        """Wait for a turn; it lasts as long as the block.

        Raises:
            LedgerBusy: none came within PATIENCE_S.
        """
        mine = self._ask(urgent)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.wrap_future(mine)
        except (TimeoutError, asyncio.CancelledError) as error:
            if not mine.cancel():
                self._give()  # it came when we had gone already
            if isinstance(error, TimeoutError):
                raise LedgerBusy("others wrote to the ledger all the while") from error
            raise
        try:
            yield
        finally:
            self._give()

    def _ask(self, urgent: bool) -> Future[None]:
        mine = Future[None]()
        with self._lock:
            self._asked += 1
            heapq.heappush(self._waiting, (not urgent, self._asked, mine))
            if self._free:
                self._free -= 1
                self._hand_on()
        return mine

    def _give(self) -> None:
        with self._lock:
            self._hand_on()

    def _hand_on(self) -> None:
        """A place that nobody has goes to the next who still waits for one."""
        while self._waiting:
            _, _, theirs = heapq.heappop(self._waiting)
            if theirs.set_running_or_notify_cancel():
                theirs.set_result(None)
                return
        self._free += 1
