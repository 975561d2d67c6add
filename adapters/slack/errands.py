"""Small visible acts that no acknowledgement waits for: a modal, a status, a notice."""

import asyncio
import logging
from collections.abc import Coroutine

MOST = 200  # at a time; more are dropped, which only happens where Slack hangs
PATIENCE = 3.0  # seconds for those still under way at the end

_log = logging.getLogger(__name__)


class Errands:
    """Acts under way: each kept until it is over, and its failure logged by kind."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, name: str, act: Coroutine[None, None, None]) -> None:
        """Begin one; `name` stands in the log if it fails."""
        if len(self._under_way) >= MOST:
            act.close()
            _log.warning("too much to show at a time: no %s", name)
            return
        task = asyncio.create_task(act, name=name)
        self._under_way.add(task)
        task.add_done_callback(self._over)

    async def close(self) -> None:
        """Let those under way end, for a moment."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=PATIENCE)
        for task in list(self._under_way):
            task.cancel()

    def _over(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # An exception's own text may quote a message; these names never do.
            told = getattr(error, "error", type(error).__name__)
            _log.warning("%s failed: %s", task.get_name(), told)
