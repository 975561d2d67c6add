"""Whether the answer says which parts of the question its sources lack."""

from collections.abc import Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, abstained, counted, not_asked, scored
from evals.served.reading import claims, plain, says


class NotFound:
    """R-A12: a part counts as named where it stands outside every claim.

    An answer that takes the missing part up in a claim has not said that it is missing.
    """

    name = "not_found"
    weight: Weight = "gate"
    requirements = ("R-A12",)

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """The share of parts that are named on a line of what was not found."""
        parts = case.expected.not_found
        if not parts:
            return scored(self.name, row, not_asked("the case misses nothing"))
        if row.refused:
            return scored(self.name, row, abstained())
        lines = _own_lines(row)
        missing = [part for part in parts if not any(says(li, part) for li in lines)]
        told = [f"does not name “{part}” as not found" for part in missing]
        marks = [{"missing": part} for part in missing]
        good = len(parts) - len(missing)
        return scored(self.name, row, counted(good, len(parts), told, marks))

    def mutants(self) -> Sequence[Mutant]:
        """The line lost, half of it, or said in a claim instead."""
        case = specimen.case(not_found=("for children", "price"))
        row = specimen.answer()

        def ends(text: str) -> Row:
            return specimen.served(row, f"{row.served}\n\n{text}")

        whole = "Not found in the sources: for children; price"
        claim = specimen.answer([specimen.said("The price for children is low.", 1)])
        rows = (
            ("as it is", case, ends(whole), Result.PASS),
            ("in other case", case, ends(whole.upper()), Result.PASS),
            ("line lost", case, row, Result.FAIL),
            ("one lost", case, ends("Not found in the sources: price"), Result.FAIL),
            ("in a claim", case, claim, Result.FAIL),
            ("refused", case, specimen.refusal(), Result.ABSTAINED),
            ("not asked", specimen.case(), row, Result.NOT_APPLICABLE),
        )
        return tuple(
            Mutant(name=name, case=case, row=row, must=must)
            for name, case, row, must in rows
        )


def _own_lines(row: Row) -> list[str]:
    """The lines of the served text that are no part of a claim."""
    said = plain("\n".join(claim.text for claim in claims(row)))
    return [
        line
        for line in row.served.splitlines()
        if line.strip() and _bare(line) not in said
    ]


def _bare(line: str) -> str:
    return plain(line.split(" [")[0].strip('“”«»" '))
