"""The debug contract (R-F8): what an outcome was decided on, under its fixed names."""

from engine.policy.pack import Pack
from engine.records import Outcome


def contract(outcome: Outcome, pack: Pack) -> dict[str, object]:
    """The debug fields of an outcome, ready for JSON."""
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
        "retrieval": trace.model_dump(mode="json") if trace else None,
    }
