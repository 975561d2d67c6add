"""Work in rounds: woken when there is something, else at intervals."""

import asyncio
import gc
import traceback
from collections.abc import Awaitable, Callable, Coroutine

from bot.console import say
from engine.model.errors import EnvironmentFailed

POLL_S = 0.5  # what was not told: an expired lease, another machine, a time that came
FAILED_S = 1.0  # after the environment failed


class Waker:
    """Wakes those who wait, and ends their work."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()
        self._ended = asyncio.Event()

    def wake(self) -> None:
        """Wake those who wait: there may be something to do."""
        woken, self._woken = self._woken, asyncio.Event()
        woken.set()

    def end(self) -> None:
        """Finish what is begun, and begin nothing more."""
        self._ended.set()
        self.wake()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def waiting(self) -> asyncio.Event:
        """Return the event of the next `wake`.

        Take it before looking for something to do.
        """
        return self._woken


async def run_rounds(
    work: Callable[[], Awaitable[bool]], waker: Waker, *, drain: bool = False
) -> None:
    """Work in rounds until the waker ends them.

    Args:
        work: does one thing; False where there was none. A failed environment is said
            once, and tried again.
        waker: wakes and ends.
        drain: do all that there is before ending.
    """
    failing = False
    while drain or not waker.ended:
        woken, pause = waker.waiting(), POLL_S
        try:
            if await work():
                failing = False
                continue
        except EnvironmentFailed as error:
            if not failing:
                say(f"groundrule: {error}")
            failing, pause = True, FAILED_S
        if waker.ended:
            return
        try:
            async with asyncio.timeout(pause):
                await woken.wait()
        except TimeoutError:
            continue


async def keep_up(begin: Callable[[], Coroutine[None, None, None]]) -> None:
    """Begin again what died of a fault of ours; the fault is printed for a report.

    One reply that cannot be posted must not keep all others from it.
    """
    while True:
        if await survive(begin()):
            return
        await asyncio.sleep(FAILED_S)


async def survive(work: Coroutine[None, None, None]) -> bool:
    """Do something whose fault must end nothing else; return whether it was done.

    Its fault is printed for a report.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task})
    finally:
        task.cancel()
    fault = task.exception()
    if fault is not None:
        traceback.print_exception(fault)
    return fault is None


# --- memory ----------------------------------------------------------------------


def keep_what_is_loaded() -> None:
    """Exclude what is loaded by now from later garbage collections.

    Without it Python walks some hundred thousand objects of libraries and packs every
    few seconds, 110 ms long, in which nothing is acknowledged.
    """
    gc.collect()
    gc.freeze()
