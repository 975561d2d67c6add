"""A circuit breaker: a server that fails repeatedly is not called for a while."""

import time
from collections.abc import Callable

from engine.model.errors import EnvironmentFailed

FAILURES = 5  # in a row, after which a server is not called
PAUSE_S = 30.0  # of no calls; then one call may try


class Breaker:
    """A counter of failures in a row; while it is open, no call is made.

    Args:
        what: the name of the server in the error, such as "the model".
        error: raised while it is open.
        now: a monotonic clock in seconds.
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
        """Raise the error unless a call may be made."""
        if self._failures >= FAILURES:
            if self._now() < self._until:
                raise self._error(
                    f"{self._what} failed {self._failures} times: a pause"
                )
            self._until = self._now() + PAUSE_S  # this call tries, the others wait

    def answered(self) -> None:
        """Note that the server answered, which resets the count."""
        self._failures = 0

    def failed(self) -> None:
        """Note one more failure in a row."""
        self._failures += 1
        self._until = self._now() + PAUSE_S
