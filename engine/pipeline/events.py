"""The JSON events of a question, each with exactly its required keys, and the
attributes of its trace.
"""

from collections.abc import Mapping

from engine.conclude.settle import Progress
from engine.gate import blocked_event
from engine.model.answer import Answer
from engine.model.gate import Closed
from engine.model.outcome import Outcome
from engine.model.prompt import Prompt
from engine.model.question import Intent, Question
from engine.model.spans import Attribute, Span
from engine.policy.pack import Pack
from engine.verify.check import Rejected, enforcement_event

Event = Mapping[str, object]


def gate_blocked_event(progress: Progress) -> Event:
    """Make the event `evidence_gate_blocked`.

    Raises:
        ValueError: the gate is not closed.
    """
    if not isinstance(progress.gate, Closed):
        raise ValueError("the gate is not closed")
    return blocked_event(
        progress.question, progress.intent, progress.gate, progress.evidence
    )


def rejected_event(question: Question, intent: Intent, verdict: Rejected) -> Event:
    """Make the event `citation_enforcement_failed`."""
    return enforcement_event(question, intent, verdict)


def called_event(question: Question, prompt: Prompt) -> Event:
    """Make the event `model_called`, without words of question or answer."""
    usage = prompt.usage
    return {
        "event": "model_called",
        "sessionId": question.session,
        "module": prompt.module,
        "model": prompt.model,
        "program": prompt.program,
        "failure": prompt.failure,
        "prompt_tokens": usage.prompt_tokens,
        "answer_tokens": usage.answer_tokens,
        "cost": usage.cost,
        "response_time_ms": round(1000 * usage.seconds, 3),
    }


def complete_event(outcome: Outcome) -> Event:
    """Make the event `chat_request_complete` of a question, answered or refused.

    The sources are those of the search, whatever the gate decided on them.
    """
    result = outcome.result
    sources = outcome.trace.sources_by_type if outcome.trace else {}
    first = result.sections[0].heading if isinstance(result, Answer) else ""
    return {
        "event": "chat_request_complete",
        "query_type": outcome.intent.query_type,
        "sources_retrieved": sum(sources.values()),
        "source_types": sorted(sources),
        "nccn_count": sources.get("nccn", 0),
        "trial_count": sources.get("clinicaltrials", 0),
        "first_section": first,
        "routing_compliant": outcome.routing_compliant,
        "claim_verification": outcome.tally.model_dump(),
        "unanchored_quotes": outcome.tally.fabricated_quotes,
        "response_time_ms": round(outcome.milliseconds.get("total", 0.0), 3),
    }


def unknown_type_event(outcome: Outcome) -> Event | None:
    """Make the event `query_type_unknown`; None where the pack has a rule for the type.

    The pack's last rule was applied instead.
    """
    asked, trace = outcome.intent.query_type, outcome.trace
    if trace is None or trace.ruled_as in ("", asked):
        return None
    return {
        "event": "query_type_unknown",
        "sessionId": outcome.question.session,
        "query_type": asked,
        "ruled_as": trace.ruled_as,
    }


def excluded_band_event(outcome: Outcome, pack: Pack) -> Event | None:
    """Make the event `evidence_excluded_band`; None where the band is empty.

    The band are passages near enough to warn of, and not used.
    """
    trace = outcome.trace
    if trace is None or not trace.excluded_band:
        return None
    return {
        "event": "evidence_excluded_band",
        "level": "warning",
        "sessionId": outcome.question.session,
        "query_type": outcome.intent.query_type,
        "passages": len(trace.excluded_band),
        "from": pack.gate.warned,
        "below": pack.gate.used,
    }


def describe_outcome(outcome: Outcome) -> Mapping[str, Attribute]:
    """Return the attributes of a question's whole span; none of its words."""
    result = outcome.result
    reason = "" if isinstance(result, Answer) else str(result.reason)
    return {
        "pack": outcome.question.pack,
        "query_type": outcome.intent.query_type,
        "answered": outcome.answered,
        "choices": len(outcome.choices),
        "chosen_from": outcome.question.chosen_from or "",
        "reason": reason,
        "model": outcome.model or "",
        "audit_id": outcome.audit_id or "",
    }


def make_call_span(prompt: Prompt, ended: float) -> Span:
    """Make the span of a model call that returned `ended` seconds into the question."""
    usage = prompt.usage
    said: dict[str, Attribute] = {
        "module": prompt.module,
        "model": prompt.model,
        "program": prompt.program,
        "failure": str(prompt.failure or ""),
        "prompt_tokens": usage.prompt_tokens,
        "answer_tokens": usage.answer_tokens,
    }
    if usage.cost is not None:
        said["cost"] = usage.cost
    return Span("model", max(0.0, ended - usage.seconds), ended, said)
