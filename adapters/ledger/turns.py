"""Who of one process writes next: what a platform waits for goes first.

SQLite lets one connection write at a time and knows no order among those that wait.
Here they wait before they take a thread, so that an event is committed, and its arrival
acknowledged, before anything that can wait a moment (R-C3).
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager

from engine.model.errors import LedgerBusy

PATIENCE_S = 10.0  # for a turn and for the database together
MOST_IN_A_ROW = 4  # urgent ones, before somebody else has a turn


class Turns:
    """Hands out turns: to the urgent first, to each kind in the order of its asking.

    Somebody else has one after MOST_IN_A_ROW urgent ones: what was answered is shown
    also while events come without a pause. Where several may write at once, one place
    is kept for the urgent. Event loops of several threads may ask.

    Args:
        places: how many may have a turn at once.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._kept = 1 if places > 1 else 0
        self._urgent = deque[Future[None]]()
        self._others = deque[Future[None]]()
        self._in_a_row = 0
        self._lock = threading.Lock()

    @asynccontextmanager
    async def turn(self, *, urgent: bool) -> AsyncIterator[float]:
        """Wait for a turn; it lasts as long as the block.

        Returns:
            When our patience ends, on the clock of `time.monotonic`.

        Raises:
            LedgerBusy: no turn came within PATIENCE_S.
        """
        end = time.monotonic() + PATIENCE_S
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
            yield end
        finally:
            self._give()

    def _ask(self, urgent: bool) -> Future[None]:
        mine = Future[None]()
        with self._lock:
            (self._urgent if urgent else self._others).append(mine)
            self._hand_out()
        return mine

    def _give(self) -> None:
        with self._lock:
            self._free += 1
            self._hand_out()

    def _hand_out(self) -> None:
        """Every place that is free, to whoever still waits and may have it."""
        while (line := self._next()) is not None:
            theirs = line.popleft()
            if theirs.set_running_or_notify_cancel():
                self._free -= 1
                self._in_a_row = self._in_a_row + 1 if line is self._urgent else 0
                theirs.set_result(None)

    def _next(self) -> deque[Future[None]] | None:
        """The line whose first is next; None where nobody may have a turn now."""
        others = bool(self._others) and self._free > self._kept
        if others and (not self._urgent or self._in_a_row >= MOST_IN_A_ROW):
            return self._others
        return self._urgent if self._urgent and self._free else None
