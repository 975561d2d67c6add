"""The pipeline's messages to an observer, whose failures never fail a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.conclude.settle import Progress
from engine.model.gate import Closed
from engine.model.outcome import Outcome
from engine.model.ports import Observer
from engine.model.prompt import Prompt
from engine.model.question import Question
from engine.model.spans import Span
from engine.pipeline.events import (
    called_event,
    complete_event,
    excluded_band_event,
    gate_blocked_event,
    make_call_span,
    unknown_type_event,
)
from engine.policy.pack import Pack


def report_error(observer: Observer, question: Question, error: Exception) -> None:
    """Report an error by counter and event, without words of the question."""
    name = type(error).__name__
    observer.count("engine_failed", {"error": name})
    event = {
        "event": "engine_failed",
        "sessionId": question.session,
        "error": name,
        "code": getattr(error, "code", "UNEXPECTED"),
    }
    observer.event("engine_failed", event)


def report_calls(
    observer: Observer, question: Question, calls: Iterable[tuple[Prompt, float]]
) -> Iterator[Span]:
    """Report each model call, and yield its span."""
    for prompt, ended in calls:
        event = called_event(question, prompt)
        failure = prompt.failure or "none"
        labels = {"module": prompt.module, "failure": str(failure)}
        observer.count("model_calls", labels)
        observer.observe("model_seconds", prompt.usage.seconds)
        observer.observe("model_tokens", float(prompt.usage.tokens))
        observer.event(str(event["event"]), event)
        yield make_call_span(prompt, ended)


def report_question(
    observer: Observer, progress: Progress, outcome: Outcome, pack: Pack
) -> None:
    """Report a question: one event, and more where the gate closed or passages were
    unused.
    """
    observer.count("questions", {"pack": pack.id})
    if isinstance(progress.gate, Closed):
        observer.count("evidence_gate_blocked", {"reason": progress.gate.reason})
        event = gate_blocked_event(progress)
        observer.event(str(event["event"]), event)
    event = complete_event(outcome)
    observer.event(str(event["event"]), event)
    unknown = unknown_type_event(outcome)
    if unknown is not None:
        observer.count("query_type_unknown", {"pack": pack.id})
        observer.event(str(unknown["event"]), unknown)
    band = excluded_band_event(outcome, pack)
    if band is not None:
        observer.count("evidence_excluded_band", {"pack": pack.id})
        observer.event(str(band["event"]), band)
    _report_choices(observer, outcome)
    observer.observe("response_time_ms", outcome.milliseconds.get("total", 0.0))


def _report_choices(observer: Observer, outcome: Outcome) -> None:
    """Count offered choices, and whether a chosen one was answered."""
    labels = {"pack": outcome.question.pack}
    if outcome.choices:
        number = str(len(outcome.choices))
        observer.count("choices_offered", {**labels, "choices": number})
    if outcome.question.chosen_from is not None:
        answered = str(outcome.answered).lower()
        observer.count("choices_chosen", {**labels, "answered": answered})


@dataclass(frozen=True, slots=True)
class Contained:
    """An observer whose failures never fail a question."""

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
