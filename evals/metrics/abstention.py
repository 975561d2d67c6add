"""Whether it answered what it should and refused what it should: two errors, apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals.forms import Case, Kind, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Finding, Mutant, not_asked, scored


class Abstention:
    """R-E2, R-I6, from the record's own field: no list of phrases decides it."""

    name = "abstention"
    weight: Weight = "gate"
    requirements = ("R-E2", "R-I6")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for a false answer or a false refusal; the mark says which."""
        asked, given = case.expected.outcome, "answer" if row.answered else "refusal"
        if asked == "either":
            either = not_asked("it may be answered or refused")
            marks = ({"class": f"{given}"},)
            return scored(self.name, row, replace(either, marks=marks))
        right = row.answered is (asked == "answer")
        kind = f"{'right' if right else 'false'}_{given}"
        found = Finding(
            result=Result.PASS if right else Result.FAIL,
            why=kind.replace("_", " "),
            value=float(right),
            marks=({"class": kind},),
        )
        return scored(self.name, row, found)

    def mutants(self) -> Sequence[Mutant]:
        """An answer that sounds like a refusal, and a refusal like an answer."""
        sorry = "I'm sorry, I cannot answer that from my sources."
        rows = {
            "answered": specimen.answer(),
            "answered like a refusal": specimen.answer([specimen.said(sorry, 1)]),
            "refused": specimen.refusal(),
            "refused like an answer": specimen.refusal(answer=specimen.DOSE),
        }
        sides: Mapping[Kind, bool] = {"answer": True, "refuse": False}
        both = tuple(
            Mutant(
                name=f"{name}, must {outcome}",
                case=specimen.case(outcome),
                row=row,
                must=Result.PASS if row.answered is right else Result.FAIL,
            )
            for outcome, right in sides.items()
            for name, row in rows.items()
        )
        either = Mutant(
            name="may be either",
            case=specimen.case("either"),
            row=specimen.refusal(),
            must=Result.NOT_APPLICABLE,
        )
        return (*both, either)
