"""What a module of ours chooses to wait, apart from what the machine takes."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

import pytest


class Pauses:
    """The seconds that a module and its retries wait, from now on.

    Attributes:
        seconds: all of them together.
    """

    def __init__(self, patch: pytest.MonkeyPatch, module: str) -> None:
        self.seconds = 0.0
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

        def noted(delay: float) -> Awaitable[None]:
            if sys._getframe(1).f_globals["__name__"] in (module, "tenacity.asyncio"):
                self.seconds += delay
            return sleep(delay)

        patch.setattr(asyncio, "sleep", noted)
