"""Packs that can answer, and those still on their way there while the bot serves.

A channel may be bound to a pack that was never used before. Its demo texts are then
taken in as at start (preparing.py), in a thread with an event loop of its own:
embedding takes minutes, and workers go on answering meanwhile.
"""

import asyncio
from collections.abc import Callable, Coroutine

from bot.console import say
from engine.model.errors import GroundruleError
from engine.policy.pack import Pack

MOMENT_S = 2.0  # seconds, for a look at a pack that has its documents
TakeIn = Callable[[Pack], Coroutine[None, None, None]]


class Readiness:
    """Takes packs in, each once in a process.

    Several processes may do so for the same pack: one of them takes it in, because only
    one at a time writes, and the others find it done.

    Args:
        take_in: takes the demo texts of a pack in, unless it has documents; what it
            returns is run in another thread.
    """

    def __init__(self, take_in: TakeIn) -> None:
        self._take_in = take_in
        self._begun: dict[str, asyncio.Task[None]] = {}

    def begin(self, pack: Pack) -> asyncio.Task[None]:
        """Take a pack in; go on with what was begun, and begin again what failed."""
        if pack.id not in self._begun:
            running = asyncio.to_thread(asyncio.run, self._take_in(pack))
            task = self._begun[pack.id] = asyncio.create_task(running)
            task.add_done_callback(lambda done: self._finish(pack, done))
        return self._begun[pack.id]

    async def ready(self, pack: Pack) -> bool:
        """Tell whether a pack can answer by now; begin what has to be done for it.

        True also where taking it in failed: what it has answers then, and the next call
        tries again.
        """
        done, _ = await asyncio.wait({self.begin(pack)}, timeout=MOMENT_S)
        return bool(done)

    def _finish(self, pack: Pack, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            return
        del self._begun[pack.id]
        if not isinstance(error, GroundruleError):
            raise error  # a fault of ours, for the event loop to report
        say(f"groundrule: the pack {pack.id} was not taken in: {error}")
