"""Whether the question was routed as the case says: the query type."""

from collections.abc import Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Finding, Mutant, not_asked, scored
from evals.served.reading import record


class Routing:
    """R-A11, R-O1 (routing compliance); judged for refusals too."""

    name = "routing"
    weight: Weight = "gate"
    requirements = ("R-A11", "R-O1", "R-R4")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL where the intent has another query type."""
        wanted = case.expected.query_type
        if wanted is None:
            return scored(self.name, row, not_asked("the case names no query type"))
        routed = record(row)["intent"]["query_type"]
        right = routed == wanted
        found = Finding(
            result=Result.PASS if right else Result.FAIL,
            why=routed if right else f"routed as {routed} instead of {wanted}",
            value=float(right),
            marks=({"routed": routed, "wanted": wanted},),
        )
        return scored(self.name, row, found)

    def mutants(self) -> Sequence[Mutant]:
        """Another type, for answers and refusals."""
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
        return tuple(
            Mutant(name=name, case=case, row=row, must=must)
            for name, case, row, must in rows
        )
