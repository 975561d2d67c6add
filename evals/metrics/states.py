"""Whether the outcome carries the failure states that its case asks for, in order."""

from collections.abc import Iterator, Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, counted, not_asked, scored
from evals.served.reading import record

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


class States:
    """R-F2, R-F3: the asked states, their order, no body where none may be shown."""

    name = "states"
    weight: Weight = "gate"
    requirements = ("R-F2", "R-F3")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for a missing state, a wrong order, or a body that must not be shown."""
        wanted = case.expected.states
        if not wanted:
            return scored(self.name, row, not_asked("the case names no state"))
        held = tuple(record(row)["failure_states"])
        wrong = list(_wrong(wanted, held, answered=row.answered))
        good = len({*wanted} & {*held})
        mark = {"states": list(held)}
        return scored(self.name, row, counted(good, len(wanted), wrong, [mark]))

    def mutants(self) -> Sequence[Mutant]:
        """States lost, exchanged, doubled, beside NONE, over a body."""
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
        return tuple(
            Mutant(name=name, case=case, row=row, must=must)
            for name, case, row, must in rows
        )


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
