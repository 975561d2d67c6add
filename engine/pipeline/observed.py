"""What the corridor tells an observer, whose failures never fail a question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.conclude.settle import Walk
from engine.model.gate import Closed
from engine.model.outcome import Outcome
from engine.model.ports import Observer
from engine.model.prompt import Prompt
from engine.model.question import Question
from engine.model.spans import Span
from engine.pipeline.events import (
    blocked,
    call_span,
    called,
    complete,
    excluded_band,
    unknown_type,
)
from engine.policy.pack import Pack


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


def tell_of_models(
    observer: Observer, question: Question, calls: Iterable[tuple[Prompt, float]]
) -> Iterator[Span]:
    """Yield one event and one span for each model call, by when it ended."""
    for prompt, ended in calls:
        event = called(question, prompt)
        failure = prompt.failure or "none"
        labels = {"module": prompt.module, "failure": str(failure)}
        observer.count("model_calls", labels)
        observer.observe("model_seconds", prompt.usage.seconds)
        observer.observe("model_tokens", float(prompt.usage.tokens))
        observer.event(str(event["event"]), event)
        yield call_span(prompt, ended)


def tell_of(observer: Observer, walk: Walk, outcome: Outcome, pack: Pack) -> None:
    """One event a question, and one more where the gate said no or left some out."""
    observer.count("questions", {"pack": pack.id})
    if isinstance(walk.gate, Closed):
        observer.count("evidence_gate_blocked", {"reason": walk.gate.reason})
        event = blocked(walk)
        observer.event(str(event["event"]), event)
    event = complete(outcome)
    observer.event(str(event["event"]), event)
    unknown = unknown_type(outcome)
    if unknown is not None:
        observer.count("query_type_unknown", {"pack": pack.id})
        observer.event(str(unknown["event"]), unknown)
    band = excluded_band(outcome, pack)
    if band is not None:
        observer.count("evidence_excluded_band", {"pack": pack.id})
        observer.event(str(band["event"]), band)
    _tell_of_choices(observer, outcome)
    observer.observe("response_time_ms", outcome.milliseconds.get("total", 0.0))


def _tell_of_choices(observer: Observer, outcome: Outcome) -> None:
    """How often choices are offered, and whether one that was chosen answers."""
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
