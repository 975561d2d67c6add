"""Whether the question was routed as the case says: the query type."""

from collections.abc import Iterator
from itertools import starmap

from evals.forms import Result
from evals.reading import record
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, judged, not_asked
from evals.score.specimen import Mutant


def routing(on: Subject) -> Finding:
    """Fail where the intent has another query type; refusals are judged too."""
    wanted = on.case.expected.query_type
    if wanted is None:
        return not_asked("the case names no query type")
    routed = record(on.row)["intent"]["query_type"]
    why = routed if routed == wanted else f"routed as {routed} instead of {wanted}"
    return judged(routed == wanted, why, [{"routed": routed, "wanted": wanted}])


def mutants() -> Iterator[Mutant]:
    """Route to another type, in answers and refusals."""
    case, row = specimen.case(query_type="dosing"), specimen.answer()
    other = {"query_type": "general", "missing_facts": [], "corrections": []}
    near = {**other, "query_type": "dosing_general"}
    rows = (
        ("as it is", case, row, Result.PASS),
        ("refused", case, specimen.refusal(), Result.PASS),
        ("another type", case, specimen.answer(intent=other), Result.FAIL),
        ("a longer name", case, specimen.answer(intent=near), Result.FAIL),
        ("refused, another", case, specimen.refusal(intent=other), Result.FAIL),
        ("not asked", specimen.case(), row, Result.NOT_APPLICABLE),
    )
    return starmap(Mutant, rows)
