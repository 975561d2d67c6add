"""The clock of the running event loop, which a test may set forward."""

import asyncio


class LoopClock:
    """Shows `ahead` seconds more than have passed; every timeout goes by it.

    What the product gives up after a minute is over as soon as a test says so, and not
    before, however slow the machine is.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        real = loop.time
        self.ahead = 0.0
        loop.time = lambda: real() + self.ahead  # type: ignore[method-assign]
