"""The system's clock, as the Clock port."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Now in UTC, and a monotonic clock in seconds."""

    def now(self) -> datetime:
        """The current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()
