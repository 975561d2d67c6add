"""What stands in for the outside while rows are recorded: a fixed day, an ear."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from engine.model.spans import Span


class FixedClock:
    """The Clock port at noon of one day, whose seconds stand still.

    What a refusal offers is tried for a share of a question's time, and no row may
    depend on how busy the machine is. Seconds pass where a model is asked, because its
    answer is waited for.

    Args:
        today: the day, in any time zone of people.
        passing: whether seconds pass.
    """

    def __init__(self, today: date, *, passing: bool = False) -> None:
        self._passing = passing
        self._now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)

    def now(self) -> datetime:
        """Noon of the day."""
        return self._now

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic() if self._passing else 0.0


class Listener:
    """The Observer port: keeps what failed inside, by the session of its question."""

    def __init__(self) -> None:
        self._failures: dict[str, str] = {}

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        """Keep a failure; nothing of any other event."""
        if name == "engine_failed":
            said = f"{fields.get('error')} ({fields.get('code')})"
            self._failures[str(fields.get("sessionId"))] = said

    def count(self, metric: str, labels: Mapping[str, str]) -> None:
        """Nothing is counted here: metrics read rows."""

    def observe(self, metric: str, value: float) -> None:
        """Nothing is measured here: see timings.jsonl."""

    def trace(self, spans: Sequence[Span]) -> None:
        """Nothing is traced here."""

    def failure(self, session: str) -> str:
        """What failed in a session, empty where nothing did."""
        return self._failures.get(session, "")
