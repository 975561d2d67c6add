"""A breaker: a server that fails again and again is left alone for a while (R-A8)."""

import time
from collections.abc import Callable

from engine.model.errors import EnvironmentFailed

FAILURES = 5  # one after the other, after which a server is left alone
PAUSE_S = 30.0  # for so long; then one call may try


class Breaker:
    """Counts failures in a row; open means that nothing is asked for now.

    Args:
        what: what fails, as the error names it: "the model".
        error: raised while it is open.
        now: tells seconds that only grow.
    """

    def __init__(
        self,
        what: str,
        error: type[EnvironmentFailed],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._error = error
        self._now = now
        self._failures = 0
        self._until = 0.0

    def check(self) -> None:
        """Return where a call may be made, else raise the error it was made with."""
        if self._failures >= FAILURES:
            if self._now() < self._until:
                raise self._error(
                    f"{self._what} failed {self._failures} times: a pause"
                )
            self._until = self._now() + PAUSE_S  # this call tries; others go on waiting

    def answered(self) -> None:
        """The server answered: failures are counted from nothing."""
        self._failures = 0

    def failed(self) -> None:
        """One more failure in a row."""
        self._failures += 1
        self._until = self._now() + PAUSE_S
