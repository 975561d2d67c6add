"""The transactions of one ledger, each in a thread, with its anchor.

A call that is cancelled commits nothing, unless it is committing already: then it ends
and returns, so that a cancelled caller never believes that nothing was written.

SQLite lets one connection write at a time and keeps no order among those that wait. So
writers wait here, before they take a thread, and an event is committed and its arrival
acknowledged before work that can wait a moment.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from adapters.ledger import chain
from adapters.ledger.chain import Head
from adapters.ledger.database import Database
from engine.model.errors import LedgerBusy, LedgerFailed
from engine.model.ports import Clock

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[[Connection], T]

AT_ONCE = 4  # writers of one process on PostgreSQL; SQLite takes one
PATIENCE_S = 10.0  # for a turn and for the database together
MOST_IN_A_ROW = 4  # urgent turns, before another writer has one


class ScrubPending(LedgerFailed):
    """It is deleted, but the database's log still has old bytes: repeat it."""

    code = "SCRUB_PENDING"


class Transactions:
    """The reads, writes and appends of one ledger.

    Args:
        database: the ledger's database.
        anchor: file for a copy of the chain's head; None keeps no copy.
    """

    def __init__(self, database: Database, anchor: Path | None) -> None:
        self.database = database
        self.anchor = anchor
        self._anchored: Head | None = None
        places = 1 if database.file else AT_ONCE
        self._turns = Turns(places)
        # A pool of its writers alone, so that a turn never waits for a thread.
        self._threads = ThreadPoolExecutor(places)

    async def read(self, work: Work[T]) -> T:
        """Run `work`, which reads one state of the ledger."""
        return await asyncio.to_thread(self._read_now, work)

    async def write(self, work: Work[T], *, urgent: bool = False) -> T:
        """Run `work` and commit; it changes one row and not the audit chain.

        An `urgent` one goes before all other waiting writers of this process.

        Raises:
            LedgerFailed: it was not committed; LedgerFull where the disk is full.
        """
        return await self._in_turn(
            lambda fate, end: self._write_now(work, fate, end), urgent=urgent
        )

    async def mark(self, work: Work[T]) -> T:
        """Run `work` and commit as `write` does, but without waiting for the disk.

        For changes that a loss of power may take back without harm.

        Raises:
            LedgerFailed: it was not committed; LedgerFull where the disk is full.
        """
        return await self._in_turn(
            lambda fate, end: self._write_now(work, fate, end, lasting=False)
        )

    async def append(self, work: Work[T]) -> T:
        """Run `work` exclusively among appenders, commit, and write the anchor.

        For entries of the audit chain, and for changes of many rows at once.

        Raises:
            LedgerFailed: it was not committed; LedgerFull where the disk is full.
        """
        return await self._in_turn(lambda fate, end: self._append_now(work, fate, end))

    async def scrub(self) -> None:
        """Remove deleted bytes from the database's files.

        Raises:
            ScrubPending: another process still reads the older state: repeat it later.
        """
        try:
            await asyncio.to_thread(self.database.scrub)
        except LedgerFailed as error:
            raise ScrubPending(str(error)) from error

    def close(self) -> None:
        """Wait for running commits; then the database may be closed."""
        self._threads.shutdown()

    def drop_anchor(self, head: Head) -> None:
        """Write the anchor; ignore a failure, because the next entry tries again."""
        if self.anchor and head != self._anchored:
            with suppress(OSError):
                chain.write_anchor(self.anchor, head)
                self._anchored = head

    async def _in_turn(
        self, transaction: Callable[["_Fate", float], T], *, urgent: bool = False
    ) -> T:
        """Run a transaction in a thread, unless it is cancelled before it commits."""
        async with self._turns.turn(urgent=urgent) as end:
            fate = _Fate()
            loop = asyncio.get_running_loop()
            running = loop.run_in_executor(self._threads, transaction, fate, end)
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                if fate.give_up():
                    running.add_done_callback(lambda done: done.exception())
                    raise
            return await running

    def _read_now(self, work: Work[T]) -> T:
        with self.database.reading() as connection:
            return work(connection)

    def _write_now(
        self, work: Work[T], fate: "_Fate", end: float, *, lasting: bool = True
    ) -> T:
        with self.database.writing(lasting=lasting, end=end) as connection:
            result = work(connection)
            fate.commit()
        return result

    def _append_now(self, work: Work[T], fate: "_Fate", end: float) -> T:
        with self.database.writing(end=end) as connection:
            # One writer at a time: what `work` reads first must still hold at the end.
            chain.read_head(connection, lock=True)
            result = work(connection)
            head = chain.read_head(connection)
            fate.commit()
        self.drop_anchor(head)
        return result


class _Fate:
    """The decision whether a transaction commits or is given up; first call wins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._commits: bool | None = None

    def commit(self) -> None:
        """Decide to commit, immediately before the commit.

        Raises:
            LedgerFailed: its caller has given up.
        """
        if not self._decide(True):
            raise LedgerFailed("the call was cancelled and nothing was recorded")

    def give_up(self) -> bool:
        """Give the transaction up; return False where it is committing already."""
        return not self._decide(False)

    def _decide(self, commits: bool) -> bool:
        with self._lock:
            if self._commits is None:
                self._commits = commits
            return self._commits


class Turns:
    """A queue of writers: urgent ones first, each kind in order of arrival.

    After MOST_IN_A_ROW urgent turns another writer has one, so that answers are shown
    even while events come without a pause. Where several may write at once, one place
    is reserved for urgent ones. Event loops of several threads may use it.

    Args:
        places: the number of turns at once.
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
        """Wait for a turn, which lasts as long as the block.

        Returns:
            The end of PATIENCE_S, on the clock of `time.monotonic`.

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
                self._give()  # the turn came after the wait had ended
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
        """Give each free place to the next waiting writer that may have it."""
        while (line := self._next()) is not None:
            theirs = line.popleft()
            if theirs.set_running_or_notify_cancel():
                self._free -= 1
                self._in_a_row = self._in_a_row + 1 if line is self._urgent else 0
                theirs.set_result(None)

    def _next(self) -> deque[Future[None]] | None:
        """Choose the queue whose first is next; return None where no place is free."""
        others = bool(self._others) and self._free > self._kept
        if others and (not self._urgent or self._in_a_row >= MOST_IN_A_ROW):
            return self._others
        return self._urgent if self._urgent and self._free else None


class Transactional:
    """Base of classes whose methods are transactions of one ledger.

    Attributes:
        transactions: those of the ledger.
        clock: gives the time of writing.
    """

    transactions: Transactions
    clock: Clock


class LedgerPart(Transactional):
    """A part of a ledger, with the ledger's transactions and clock.

    Every method is one transaction. It raises LedgerFailed (LedgerFull where the disk
    is full) where the database fails; then nothing was done.

    Args:
        ledger: the ledger.
    """

    def __init__(self, ledger: Transactional) -> None:
        self.transactions = ledger.transactions
        self.clock = ledger.clock


Method = Callable[Concatenate[Transactional, P], Coroutine[Any, Any, T]]


def reading(work: Callable[Concatenate[Connection, P], T]) -> Method[P, T]:
    """Make a method of a function that reads; see `Transactions.read`."""

    @wraps(work)
    async def method(of: Transactional, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await of.transactions.read(lambda c: work(c, *args, **kwargs))

    return method


def writing(work: Callable[Concatenate[Connection, datetime, P], T]) -> Method[P, T]:
    """Make a method of a function that changes one row; see `Transactions.write`.

    The function also gets the time of the call.
    """

    @wraps(work)
    async def method(of: Transactional, /, *args: P.args, **kwargs: P.kwargs) -> T:
        now = of.clock.now()
        return await of.transactions.write(lambda c: work(c, now, *args, **kwargs))

    return method


def appending(work: Callable[Concatenate[Connection, datetime, P], T]) -> Method[P, T]:
    """Make a method of a function that appends; see `Transactions.append`.

    The function also gets the time of the call.
    """

    @wraps(work)
    async def method(of: Transactional, /, *args: P.args, **kwargs: P.kwargs) -> T:
        now = of.clock.now()
        return await of.transactions.append(lambda c: work(c, now, *args, **kwargs))

    return method
