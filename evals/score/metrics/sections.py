"""Whether an answer has its sections, in their order, and opens with the right one."""

from collections.abc import Iterator, Sequence

from evals.forms import Result, Row
from evals.reading import plain, unbarred
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, abstained, counted, not_asked
from evals.score.specimen import A, B, Mutant, citation, quoted


def sections(on: Subject) -> Finding:
    """Fail for a missing heading, another order, or another first section.

    Headings are looked for in the sections of the answer and in the served text.
    """
    wanted = [plain(heading) for heading in on.case.expected.sections]
    if not wanted:
        return not_asked("the case names no sections")
    if on.row.refused:
        return abstained()
    wrong = list(_wrong(wanted, on.row))
    good = len({*wanted} & {*_headings(on.row)})
    mark = {"headings": [section["heading"] for section in on.row.sections]}
    return counted(good, len(wanted), wrong, [mark])


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


def mutants() -> Iterator[Mutant]:
    """Lose, exchange and double headings, and open with another one."""
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
    for name, order in orders.items():
        must = Result.PASS if name in healthy else Result.FAIL
        yield Mutant(name, asked, specimen.sectioned(order, parts), must)
    row = specimen.sectioned(orders["as it is"], parts)
    hidden = specimen.served(row, row.served.replace("Warnings\n", ""))
    yield Mutant("heading not shown", asked, hidden, Result.FAIL)
    yield Mutant("refused", asked, specimen.refusal(), Result.ABSTAINED)
