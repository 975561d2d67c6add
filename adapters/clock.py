"""The system's clock, as the Clock port."""

import time
from datetime import UTC, datetime


class SystemClock:
    """The current time in UTC, and a monotonic clock in seconds."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()
