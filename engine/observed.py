"""What the corridor tells an observer, whose failures never fail a question."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.ports import Observer
from engine.records import Question
from engine.spans import Span


def tell(observer: Observer, question: Question, error: Exception) -> None:
    """Counter and event of what failed; nothing of what was asked."""
    name = type(error).__name__
    observer.count("engine_failed", {"error": name})
    event = {
        "event": "engine_failed",
        "sessionId": question.session,
        "error": name,
        "code": getattr(error, "code", "UNEXPECTED"),
    }
    observer.event("engine_failed", event)


@dataclass(frozen=True, slots=True)
class Contained:
    """An observer whose failures never fail a question (R-I8)."""

    observer: Observer

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        with suppress(Exception):
            self.observer.event(name, fields)

    def count(self, metric: str, labels: Mapping[str, str]) -> None:
        with suppress(Exception):
            self.observer.count(metric, labels)

    def observe(self, metric: str, value: float) -> None:
        with suppress(Exception):
            self.observer.observe(metric, value)

    def trace(self, spans: Sequence[Span]) -> None:
        with suppress(Exception):
            self.observer.trace(spans)
