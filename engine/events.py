"""The JSON events of a question, each with exactly the keys its requirement lists, and
what a trace says of it.
"""

from collections.abc import Mapping

from engine.gate import blocked_event
from engine.outcome import Walk
from engine.prompts import Prompt
from engine.records import Answer, Closed, Intent, Open, Outcome, Question
from engine.spans import Attribute, Span
from engine.validate.check import Rejected, enforcement_event

Event = Mapping[str, object]


def blocked(walk: Walk) -> Event:
    """`evidence_gate_blocked` (R-G8).

    Raises:
        ValueError: the gate of this walk is not closed.
    """
    if not isinstance(walk.gate, Closed):
        raise ValueError("the gate is not closed")
    return blocked_event(walk.question, walk.intent, walk.gate, walk.evidence)


def rejected(question: Question, intent: Intent, verdict: Rejected) -> Event:
    """`citation_enforcement_failed` (R-M4)."""
    return enforcement_event(question, intent, verdict)


def called(question: Question, prompt: Prompt) -> Event:
    """`model_called`: one a call, without a word of what was asked or answered."""
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


def complete(outcome: Outcome) -> Event:
    """`chat_request_complete` (R-O2): one a question, answered or refused."""
    gate, result = outcome.gate, outcome.result
    sources = outcome.trace.sources_by_type if outcome.trace else {}
    used = gate.chunks if isinstance(gate, Open) else ()
    first = ""
    if isinstance(result, Answer):
        first = result.sections[0].heading
    return {
        "event": "chat_request_complete",
        "query_type": outcome.intent.query_type,
        "sources_retrieved": len(used),
        "source_types": sorted(sources),
        "nccn_count": sources.get("nccn", 0),
        "trial_count": sources.get("clinicaltrials", 0),
        "first_section": first,
        "routing_compliant": outcome.answered
        and not any(f.validator == "contract" for f in outcome.findings),
        "claim_verification": outcome.tally.model_dump(),
        "unanchored_quotes": outcome.tally.fabricated_quotes,
        "response_time_ms": round(outcome.milliseconds.get("total", 0.0), 3),
    }


def about(outcome: Outcome) -> Mapping[str, Attribute]:
    """What the whole span of a question says of it (R-O2); nothing of its words."""
    result = outcome.result
    reason = "" if isinstance(result, Answer) else str(result.reason)
    return {
        "pack": outcome.question.pack,
        "query_type": outcome.intent.query_type,
        "answered": outcome.answered,
        "reason": reason,
        "model": outcome.model or "",
        "audit_id": outcome.audit_id or "",
    }


def call_span(prompt: Prompt, ended: float) -> Span:
    """The span of a model call that came back `ended` seconds into the question."""
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
