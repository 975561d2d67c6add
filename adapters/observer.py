"""The observer of events and figures: events.jsonl, and counters in memory.

A failing observer must not fail the question, so a file that cannot be written only
increments the counter `observer_failed`.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Protocol

from adapters.owner import FILE, close_to_others
from engine.model.spans import Span

LARGEST = 20_000_000  # bytes of one events file
KEPT = 3  # older files beside it
ERRORS = frozenset({"citation_enforcement_failed"})  # logged at level error

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """The figures of one metric so far."""

    count: int = 0
    total: float = 0.0
    largest: float = 0.0

    def plus(self, value: float) -> "Observed":
        """Return the figures with one more value."""
        return Observed(self.count + 1, self.total + value, max(self.largest, value))


class Traces(Protocol):
    """The receiver of the spans of questions."""

    def show(self, spans: Sequence[Span]) -> None: ...

    def close(self) -> None: ...


class _EventsFile(RotatingFileHandler):
    """A log file that counts what it could not write instead of printing it."""

    failures = 0

    def _open(self) -> IO[str]:  # type: ignore[override]
        """Open the file with permissions for its owner alone, under any umask."""
        path = Path(self.baseFilename)
        path.touch(mode=FILE)
        close_to_others(path)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:
        self.failures += 1


class EventsObserver:
    """The Observer port over a file with one JSON object a line.

    Args:
        path: events.jsonl; its folder must exist. Older files get .1, .2 and .3.
        traces: the receiver of spans, if any.
    """

    def __init__(self, path: Path, traces: Traces | None = None) -> None:
        self._traces = traces
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._observed: dict[str, Observed] = {}
        self._file = _EventsFile(
            path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True
        )
        # Not registered by name, so that two observers of one process stay separate.
        self._log = logging.Logger("groundrule.events")
        self._log.addHandler(self._file)

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        """Write exactly `fields` as one line of JSON."""
        level = logging.ERROR if name in ERRORS else logging.INFO
        try:
            line = json.dumps(dict(fields), ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError):
            self._counts[("observer_failed", ())] += 1
            return
        self._log.log(level, "%s", line)

    def count(self, metric: str, labels: Mapping[str, str]) -> None:
        """Increment a counter."""
        self._counts[(metric, tuple(sorted(labels.items())))] += 1

    def observe(self, metric: str, value: float) -> None:
        """Add a value to a metric's figures."""
        self._observed[metric] = self._observed.get(metric, Observed()).plus(value)

    def trace(self, spans: Sequence[Span]) -> None:
        """Pass the spans of a question on, where there is a collector."""
        if self._traces is not None:
            self._traces.show(spans)

    def counted(self, metric: str, labels: Mapping[str, str] | None = None) -> int:
        """Return a metric's count; without labels the sum over all."""
        if labels is not None:
            return self._counts[(metric, tuple(sorted(labels.items())))]
        return sum(n for (name, _), n in self._counts.items() if name == metric)

    @property
    def counts(self) -> Mapping[tuple[str, Labels], int]:
        """Return a copy of every counter; may be called in another thread."""
        return dict(self._counts)

    @property
    def figures(self) -> Mapping[str, Observed]:
        """Return a copy of every metric's figures; may be called in another thread."""
        return dict(self._observed)

    @property
    def failures(self) -> int:
        """Return the number of events that could not be written."""
        return self._file.failures + self._counts[("observer_failed", ())]

    def close(self) -> None:
        """Close the file, which a later event opens again; send the last traces."""
        self._file.close()
        if self._traces is not None:
            self._traces.close()
