"""Waiting for something to become true, woken by each change instead of by a clock."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE = 60.0  # seconds; not how fast something is, only that it comes at all


class Changes:
    """Something that changes; whoever waits is woken each time it does."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Say that something changed."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def until(
        self, check: Callable[[], Found], what: Callable[[], str] | str
    ) -> Found:
        """Wait until a check returns something true, and return that.

        Args:
            check: looked at once at the beginning and then after each change.
            what: what is waited for, as the error should say it.

        Raises:
            TimeoutError: the check was not true in time; the message says `what`.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := check()):
                    await self._next()
        except TimeoutError:
            said = what if isinstance(what, str) else what()
            raise TimeoutError(f"not within {PATIENCE:g} s: {said}") from None
        return found

    async def _next(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)
