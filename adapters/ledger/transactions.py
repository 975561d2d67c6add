"""The transactions of one ledger, each in a thread, with its anchor.

A call that is cancelled commits nothing; one that is committing already goes on to its
end and returns, so that nobody who gave up is contradicted by what stands there.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from adapters.ledger import anchor, chain
from adapters.ledger.chain import Head
from adapters.ledger.database import Database
from adapters.ledger.turns import Turns
from engine.model.errors import LedgerFailed

T = TypeVar("T")
Work = Callable[[Connection], T]

AT_ONCE = 4  # writers of one process on PostgreSQL; SQLite takes one


class Transactions:
    """Reads, writes and appends.

    Args:
        database: where.
        anchor: the file that keeps a copy of the chain's head; none is kept if None.
    """

    def __init__(self, database: Database, anchor: Path | None) -> None:
        self.database = database
        self.anchor = anchor
        self._anchored: Head | None = None
        places = 1 if database.file else AT_ONCE
        self._turns = Turns(places)
        # Their own, so that who has a turn never waits for who has a thread.
        self._threads = ThreadPoolExecutor(places)

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one state of the ledger."""
        return await asyncio.to_thread(self._read_now, work)

    async def write(self, work: Work[T], *, urgent: bool = False) -> T:
        """Run `work` and commit; it changes one row, and nothing of the audit chain.

        What is `urgent` goes before everything else of this process that waits.

        Raises:
            LedgerFailed: it was not committed; LedgerFull where the disk is full.
        """
        return await self._in_turn(
            lambda fate, end: self._write_now(work, fate, end), urgent=urgent
        )

    async def mark(self, work: Work[T]) -> T:
        """As `write`, but without waiting for the disk.

        For what does no harm when a loss of power takes it back.

        Raises:
            LedgerFailed: it was not committed; LedgerFull where the disk is full.
        """
        return await self._in_turn(
            lambda fate, end: self._write_now(work, fate, end, lasting=False)
        )

    async def append(self, work: Work[T]) -> T:
        """Run `work`, alone among those that append, and commit; note the head.

        For what goes into the audit chain, and for what changes many rows at once.

        Raises:
            LedgerFailed: it was not committed; LedgerFull where the disk is full.
        """
        return await self._in_turn(lambda fate, end: self._append_now(work, fate, end))

    def close(self) -> None:
        """Wait for what still commits; then the database may be closed."""
        self._threads.shutdown()

    def drop_anchor(self, head: Head) -> None:
        """Note the head outside. Failing is no loss: the next entry tries again."""
        if self.anchor and head != self._anchored:
            with suppress(OSError):
                anchor.write(self.anchor, head)
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
    """Whether a transaction commits or was given up; who asks first decides."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._commits: bool | None = None

    def commit(self) -> None:
        """The last thing before a commit.

        Raises:
            LedgerFailed: nobody waits for it any more.
        """
        if not self._decide(True):
            raise LedgerFailed("the call was cancelled and nothing was recorded")

    def give_up(self) -> bool:
        """Whether it was given up; False where it is committing."""
        return not self._decide(False)

    def _decide(self, commits: bool) -> bool:
        with self._lock:
            if self._commits is None:
                self._commits = commits
            return self._commits
