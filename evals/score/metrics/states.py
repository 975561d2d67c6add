"""Whether the outcome carries the failure states that its case asks for, in order."""

from collections.abc import Iterator, Sequence
from itertools import starmap

from evals.forms import Result, Row
from evals.reading import record
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, counted, not_asked
from evals.score.specimen import Mutant

PRECEDENCE = (
    "OUT_OF_SCOPE_SOURCE",
    "BUDGET_EXCEEDED",
    "CITATION_MISMATCH",
    "STALE_VOLATILE_SOURCE",
    "NO_BINDING_AUTHORITY",
    "INSUFFICIENT_EVIDENCE",
    "INSUFFICIENT_FACTS",
    "NONE",
)
BODY_SHOWN = frozenset({"STALE_VOLATILE_SOURCE", "NO_BINDING_AUTHORITY", "NONE"})


def states(on: Subject) -> Finding:
    """Fail for a missing state, a wrong order, or a body that must not be shown."""
    wanted = on.case.expected.states
    if not wanted:
        return not_asked("the case names no state")
    held = tuple(record(on.row)["failure_states"])
    wrong = list(_wrong(wanted, held, answered=on.row.answered))
    good = len({*wanted} & {*held})
    return counted(good, len(wanted), wrong, [{"states": list(held)}])


def _wrong(
    wanted: Sequence[str], held: Sequence[str], *, answered: bool
) -> Iterator[str]:
    for state in wanted:
        if state not in held:
            yield f"lacks {state}"
    unknown = [state for state in held if state not in PRECEDENCE]
    if unknown:
        yield f"carries {', '.join(unknown)}, which is no state"
        return
    if list(held) != sorted({*held}, key=PRECEDENCE.index):
        yield f"carries {', '.join(held)}: doubled, or out of precedence"
    if "NONE" in held and len(held) > 1:
        yield "carries NONE beside other states"
    blocked = [state for state in held if state not in BODY_SHOWN]
    if answered and blocked:
        yield f"shows its body under {blocked[0]}"


def mutants() -> Iterator[Mutant]:
    """Lose, exchange and double states, and set them beside NONE and over a body."""
    stale, binding, evidence = PRECEDENCE[3:6]
    case = specimen.case(states=(stale, binding))
    closed = specimen.case("refuse", states=(evidence,))

    def shown(*states: str) -> Row:
        return specimen.answer(failure_states=list(states))

    refused = specimen.refusal(failure_states=[evidence])
    rows = (
        ("as it is", case, shown(stale, binding), Result.PASS),
        ("refused", closed, refused, Result.PASS),
        ("one lost", case, shown(stale), Result.FAIL),
        ("none", case, shown("NONE"), Result.FAIL),
        ("exchanged", case, shown(binding, stale), Result.FAIL),
        ("doubled", case, shown(stale, stale, binding), Result.FAIL),
        ("beside none", case, shown(stale, binding, "NONE"), Result.FAIL),
        ("unknown", case, shown(stale, binding, "TIRED"), Result.FAIL),
        ("body shown", closed, shown(evidence), Result.FAIL),
        ("not asked", specimen.case(), shown("NONE"), Result.NOT_APPLICABLE),
    )
    return starmap(Mutant, rows)
