"""How a client makes a call again; tenacity keeps count and time."""

import logging
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeGuard

from tenacity import AsyncRetrying, RetryCallState, stop_before_delay

# HTTP statuses after which the same request may succeed.
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
LONGEST_ASKED_S = 3600.0  # a Retry-After beyond is not believed


Passing = type[Exception] | tuple[type[Exception], ...] | Callable[[Any], bool]
Told = Callable[[Any, int], None]


@dataclass(frozen=True, slots=True)
class Pauses:
    """The seconds between attempts: as the server asks, or else more each time.

    Attributes:
        first: before the second attempt; doubled before each further one, and of each
            a random half to all, so that clients do not come together.
        longest: most of those.
        asked: the field of the exception or result in which the server asks for some;
            0 and None ask for nothing.
        most_asked: most of those.
    """

    first: float
    longest: float = math.inf
    asked: str = "after"
    most_asked: float = math.inf

    def choose(self, failed: object, attempt: int) -> float:
        """Choose the pause after an attempt, the first being 1."""
        if seconds := getattr(failed, self.asked, None):
            return min(float(seconds), self.most_asked)
        most = min(self.first * 2.0 ** min(attempt - 1, 32), self.longest)
        return random.uniform(most / 2, most)


def again(
    passing: Passing,
    pauses: Pauses,
    attempts: float = math.inf,
    within: float = math.inf,
    told: Told = lambda failed, attempt: None,
) -> AsyncRetrying:
    """Make the policy of one call: `await again(…)(call, *its_arguments)`.

    In the end it raises the last exception, or returns the last result. A call or pause
    that is cancelled ends at once.

    Args:
        passing: the exceptions after which the call is made again, or a test of the
            exception or result.
        pauses: between the attempts.
        attempts: most calls, the first included.
        within: seconds since the first call, after which no other begins.
        told: is told of each failure that is followed by another attempt.
    """

    def passes(state: RetryCallState) -> bool:
        failed = _get_outcome(state)
        if isinstance(passing, tuple) or _is_exception(passing):
            return isinstance(failed, passing)
        return bool(passing(failed))

    in_time = stop_before_delay(within)
    return AsyncRetrying(
        retry=passes,
        wait=lambda state: pauses.choose(_get_outcome(state), state.attempt_number),
        stop=lambda state: state.attempt_number >= attempts or in_time(state),
        before_sleep=lambda state: told(_get_outcome(state), state.attempt_number),
        retry_error_callback=lambda state: state.outcome and state.outcome.result(),
    )


def _is_exception(passing: Passing) -> TypeGuard[type[Exception]]:
    """Tell a class of exceptions from a test, which may be a class, too: `bool`."""
    return isinstance(passing, type) and issubclass(passing, BaseException)


def _get_outcome(state: RetryCallState) -> Any:
    assert state.outcome is not None  # the attempt was made
    return state.outcome.exception() or state.outcome.result()


def log_failures(log: logging.Logger, what: str) -> Told:
    """Log the first, second, fourth, eighth, … failure, with the exception's text."""

    def tell(failed: Any, attempt: int) -> None:
        if attempt & (attempt - 1) == 0:
            log.info("%s: %s, try %d", what, failed, attempt)

    return tell


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Read the seconds that Retry-After asks for, as a number or a date, or None."""
    text = next((v for k, v in headers.items() if k.lower() == "retry-after"), "")
    try:
        seconds = float(text)
    except ValueError:
        seconds = _count_seconds(text)
    if not math.isfinite(seconds):
        return None
    return min(max(seconds, 0.0), LONGEST_ASKED_S)


def _count_seconds(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    aware = moment.replace(tzinfo=moment.tzinfo or UTC)
    return (aware - datetime.now(UTC)).total_seconds()
