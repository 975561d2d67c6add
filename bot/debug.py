"""The debug contract: the facts that decided an outcome, under their fixed names."""

from collections import Counter

from engine.model.evidence import Trace
from engine.model.gate import Open
from engine.model.outcome import Outcome
from engine.policy.pack import Pack


def make_contract(outcome: Outcome, pack: Pack) -> dict[str, object]:
    """Collect the debug fields of an outcome, ready for JSON."""
    intent, trace, state = outcome.intent, outcome.trace, outcome.states[0]
    notice = pack.notices.get(state)
    return {
        "analysisDate": {
            "basis": intent.basis.value,
            "asOf": intent.as_of.isoformat() if intent.as_of else None,
        },
        "failureState": state.value,
        "failureStateInfo": {
            "all": [each.value for each in outcome.states],
            "severity": notice.severity if notice else None,
            "showBody": notice.show_body if notice else None,
        },
        "budget": {
            "limits": pack.budget.model_dump(),
            "milliseconds": dict(outcome.milliseconds),
            "tokens": dict(outcome.tokens),
        },
        "retrieval": {
            **trace.model_dump(mode="json"),
            "filters": _describe_filters(outcome, trace, pack),
            "tiers": _describe_tiers(outcome, trace, pack),
        }
        if trace
        else None,
    }


def _describe_filters(outcome: Outcome, trace: Trace, pack: Pack) -> dict[str, object]:
    """Say what kept passages out, and how many each filter took that were found."""
    binding = pack.binding_alone(needed=outcome.intent.needs_binding)
    searched = (
        source.id
        for source in pack.sources
        if source.trusted and (source.authority == "binding" or not binding)
    )
    as_of = outcome.intent.as_of
    return {
        "sources": sorted(searched),
        "bindingOnly": binding,
        "asOf": as_of.isoformat() if as_of else None,
        "tenant": outcome.question.tenant,
        "accessTags": len(outcome.question.tags),
        "removed": {
            "untrusted": trace.removed_untrusted,
            "younger": trace.removed_younger,
            "withheld": len(trace.instructing),
            "capped": len(trace.caps_applied),
        },
    }


def _describe_tiers(outcome: Outcome, trace: Trace, pack: Pack) -> dict[str, object]:
    """Say which tiers the gate asks for, and how many passages of each it judged."""
    register = pack.register()
    asked = pack.rule(outcome.intent.query_type).query_type
    found = Counter(
        str(register[seen.source].tier)
        for seen in trace.seen
        if seen.source in register
    )
    return {
        "openings": [
            rule.model_dump(mode="json", exclude_none=True)
            for rule in pack.gate.for_type(asked)
        ],
        "openedBy": outcome.gate.rule if isinstance(outcome.gate, Open) else None,
        "passages": dict(sorted(found.items())),
    }
