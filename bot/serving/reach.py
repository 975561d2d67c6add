"""One platform of a serving process: opened however long that takes, and watched.

A platform that is out of reach, at start or later, keeps no other from being served. It
is said once which one that is, however often it is tried, and once when it is back; no
platform is called "ready" before it hears.
"""

import asyncio
from contextlib import AsyncExitStack

from adapters.mail import Door, Platform
from adapters.retrying import Pauses, again
from bot.console import say
from bot.serving.platforms import Listener, Opening, OutOfReach

PATIENCE_S = 10.0  # out of reach for so long is worth a word
LOOK_S = 0.5  # between two looks at whether it hears
PAUSES = Pauses(2.0, 30.0)  # between two attempts to open it


class Reach:
    """Opens a platform's listener, and says whether it hears.

    Args:
        platform: which one.
        opening: how to open its listener.
        door: what the listener is handed.

    Attributes:
        platform: as given.
        listener: once it is open.
    """

    def __init__(self, platform: Platform, opening: Opening, door: Door) -> None:
        self.platform = platform
        self.listener: Listener | None = None
        self._opening = opening
        self._door = door
        self._heard = asyncio.get_running_loop().time()
        self._said: bool | None = None  # that it is reached, or that it is not
        self._ready = False  # whether it ever was

    async def open(self, opened: AsyncExitStack) -> Listener:
        """Open the listener, as often as it takes.

        Args:
            opened: closes it in the end.

        Raises:
            EnvironmentFailed: the platform refuses this bot for good.
        """

        async def open_once() -> Listener:
            self.listener = await opened.enter_async_context(self._opening(self._door))
            return self.listener

        retrying = again(OutOfReach, PAUSES, told=lambda e, _: self._say_lost(str(e)))
        return await retrying(open_once)

    async def watch(self) -> None:
        """Say when it is reached, and when it is lost for a while; until cancelled."""
        while True:
            self._look(asyncio.get_running_loop().time())
            await asyncio.sleep(LOOK_S)

    def _look(self, now: float) -> None:
        if self.listener is not None and self.listener.hears:
            self._heard = now
            self._say_reached()
        elif now - self._heard >= PATIENCE_S:
            self._say_lost("no connection")

    def _say_reached(self) -> None:
        if self._said is not True:
            name = self.platform.capitalize()
            back = f"{name} is in reach again" if self._ready else f"ready on {name}"
            say(f"groundrule: {back}")
            self._said = self._ready = True

    def _say_lost(self, why: str) -> None:
        if self._said is not False:
            self._said = False
            name = self.platform.capitalize()
            say(f"groundrule: {name} is out of reach, I keep trying: {why}")
