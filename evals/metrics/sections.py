"""Whether an answer has its sections, in their order, and opens with the right one."""

from collections.abc import Iterator, Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, abstained, counted, not_asked, scored
from evals.metrics.specimen import A, B, citation, quoted
from evals.served.reading import plain, unbarred


class Sections:
    """R-A2, R-F1: by the structured headings, and as they stand in the served text."""

    name = "sections"
    weight: Weight = "gate"
    requirements = ("R-A2", "R-F1")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for a missing heading, another order, or another first section."""
        wanted = [plain(heading) for heading in case.expected.sections]
        if not wanted:
            return scored(self.name, row, not_asked("the case names no sections"))
        if row.refused:
            return scored(self.name, row, abstained())
        wrong = list(_wrong(wanted, row))
        good = len({*wanted} & {*_headings(row)})
        mark = {"headings": [section["heading"] for section in row.sections]}
        return scored(self.name, row, counted(good, len(wanted), wrong, [mark]))

    def mutants(self) -> Sequence[Mutant]:
        """Headings lost, exchanged, doubled, and one that opens before the first."""
        return tuple(_mutants())


def _headings(row: Row) -> list[str]:
    found = [plain(section["heading"]) for section in row.sections]
    return [heading for heading in found if heading]


def _wrong(wanted: Sequence[str], row: Row) -> Iterator[str]:
    held = _headings(row)
    lines = [plain(line).strip("#*: ") for line in unbarred(row.served).splitlines()]
    for heading in wanted:
        if heading not in held:
            yield f"has no section {heading}"
        elif held.count(heading) > 1:
            yield f"has section {heading} more than once"
        elif heading not in lines:
            yield f"does not show its heading {heading}"
    opened = plain(row.sections[0]["heading"]) if row.sections else ""
    if opened != wanted[0]:
        yield f"opens with {opened or 'no heading'} instead of {wanted[0]}"
    order = [heading for heading in held if heading in wanted]
    if order != [heading for heading in wanted if heading in held]:
        yield f"has its sections in the order {', '.join(order)}"


def _mutants() -> Iterator[Mutant]:
    asked = specimen.case(sections=("Dose", "Warnings"))
    one, two = [quoted(A, specimen.DOSE, 1)], [quoted(B, specimen.BLEEDING, 2)]
    parts = [citation(1, A, specimen.DOSE), citation(2, B, specimen.BLEEDING)]
    orders = {
        "as it is": [("Dose", one), ("Warnings", two)],
        "another in between": [("Dose", one), ("More", one), ("Warnings", two)],
        "exchanged": [("Warnings", two), ("Dose", one)],
        "one lost": [("Dose", one)],
        "one before": [("Summary", one), ("Dose", one), ("Warnings", two)],
        "opens without a heading": [("", one), ("Dose", one), ("Warnings", two)],
        "doubled": [("Dose", one), ("Dose", one), ("Warnings", two)],
        "renamed": [("Dosage", one), ("Warnings", two)],
    }
    healthy = ("as it is", "another in between")

    def made(name: str, row: Row, must: Result) -> Mutant:
        return Mutant(name=name, case=asked, row=row, must=must)

    for name, order in orders.items():
        must = Result.PASS if name in healthy else Result.FAIL
        yield made(name, specimen.sectioned(order, parts), must)
    row = specimen.sectioned(orders["as it is"], parts)
    hidden = specimen.served(row, row.served.replace("Warnings\n", ""))
    yield made("heading not shown", hidden, Result.FAIL)
    yield made("refused", specimen.refusal(), Result.ABSTAINED)
