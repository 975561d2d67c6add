"""Whether the outcome asks for the facts that the question lacks."""

from collections.abc import Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, counted, not_asked, scored
from evals.served.reading import record, says


class MissingFacts:
    """R-F7: in the record, and by name in the served text; judged for refusals."""

    name = "missing_facts"
    weight: Weight = "gate"
    requirements = ("R-F7",)

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """The share of facts that are asked for."""
        wanted = case.expected.missing_facts
        if not wanted:
            return scored(self.name, row, not_asked("the case lacks no facts"))
        known = record(row)["intent"]["missing_facts"]
        told = []
        for fact in wanted:
            if fact not in known:
                told.append(f"does not miss {fact}")
            elif not says(row.served, fact):
                told.append(f"misses {fact} and does not ask for it")
        good = len(wanted) - len(told)
        return scored(self.name, row, counted(good, len(wanted), told))

    def mutants(self) -> Sequence[Mutant]:
        """Missed and not asked for, asked for and not missed."""
        case = specimen.case("refuse", missing_facts=("your age", "the dose"))
        intent = {"query_type": "dosing", "corrections": []}
        both = {**intent, "missing_facts": ["your age", "the dose"]}
        one = {**intent, "missing_facts": ["your age"]}
        asks = "Please tell me: your age, the dose."
        code = "INSUFFICIENT_FACTS"
        rows = (
            ("as it is", case, specimen.refusal(code, intent=both, answer=asks)),
            ("one missed", case, specimen.refusal(code, intent=one, answer=asks)),
            ("not asked for", case, specimen.refusal(code, intent=both)),
            (
                "one asked for",
                case,
                specimen.refusal(code, intent=both, answer="Please tell me: your age."),
            ),
            ("answered", case, specimen.answer()),
        )
        made = [
            Mutant(
                name=name,
                case=case,
                row=row,
                must=Result.PASS if name == "as it is" else Result.FAIL,
            )
            for name, case, row in rows
        ]
        none = Mutant(
            name="not asked",
            case=specimen.case(),
            row=specimen.answer(),
            must=Result.NOT_APPLICABLE,
        )
        return (*made, none)
