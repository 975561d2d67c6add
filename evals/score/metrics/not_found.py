"""Whether the answer says which parts of the question its sources lack."""

from collections.abc import Iterator
from itertools import starmap

from evals.forms import Result, Row
from evals.reading import claims, plain, says
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, abstained, counted, not_asked
from evals.score.specimen import Mutant


def not_found(on: Subject) -> Finding:
    """Count the parts that are named on a line of what was not found.

    A line counts outside every claim: an answer that takes the missing part up in a
    claim has not said that it is missing.
    """
    parts = on.case.expected.not_found
    if not parts:
        return not_asked("the case misses nothing")
    if on.row.refused:
        return abstained()
    lines = _own_lines(on.row)
    missing = [part for part in parts if not any(says(li, part) for li in lines)]
    wrong = [f"does not name “{part}” as not found" for part in missing]
    marks = [{"missing": part} for part in missing]
    return counted(len(parts) - len(missing), len(parts), wrong, marks)


def _own_lines(row: Row) -> list[str]:
    """The lines of the served text that are no part of a claim."""
    said = plain("\n".join(claim.text for claim in claims(row)))
    lines = row.served.splitlines()
    return [line for line in lines if line.strip() and _bare(line) not in said]


def _bare(line: str) -> str:
    return plain(line.split(" [")[0].strip('“”«»" '))


def mutants() -> Iterator[Mutant]:
    """Lose the line, or half of it, or say it in a claim instead."""
    case, row = specimen.case(not_found=("for children", "price")), specimen.answer()

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
    return starmap(Mutant, rows)
