"""Whether what belongs on top of a reply stands there: once, in order, none lost."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import starmap
from typing import Any

from evals.forms import Case, Json, Result, Row
from evals.reading import fold, plain, record, says
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, counted
from evals.score.specimen import Mutant

HEADER = re.compile(
    r"Analysis date basis: (\d{4}-\d{2}-\d{2}) "
    r"\((today|application_date|explicit_as_of)\)"
)


def banners(on: Subject) -> Finding:
    """Fail for a banner that is lost, doubled, out of order or below the body.

    The order is emergency, header, notices, body. Every row is judged. A case that
    shows R-F5 has to carry the header, with its own date where it has one; a case that
    names words has to have them on top; an answer in a state has to have a notice of
    it.
    """
    held = record(on.row)
    above = [held["emergency"], held["header"], *held["notices"]]
    wrong = list(_places([text for text in above if text], on.row, held))
    if "R-F5" in on.case.shows:
        wrong += _header(on.case, held["header"])
    wrong += _unsaid(on.case, on.row, above)
    total = max(1, sum(1 for text in above if text))
    return counted(max(0, total - len(wrong)), total, wrong)


def _places(above: Sequence[str], row: Row, held: Json) -> Iterator[str]:
    """What is wrong with where the banners stand."""
    text, last = plain(row.served), -1
    body = text.rfind(plain(_first_line(held["answer"])))
    for banner in above:
        said = plain(banner)
        at = text.find(said)
        if at < 0:
            yield f"lost: {banner[:60]}"
            continue
        if text.count(said) > 1:
            yield f"said {text.count(said)} times: {banner[:60]}"
        if at < last:
            yield f"out of order: {banner[:60]}"
        if 0 <= body < at:
            yield f"below the body: {banner[:60]}"
        last = at
    for line in {plain(line) for line in _headers(row.served)}:
        if text.count(line) > 1 or line not in {plain(banner) for banner in above}:
            yield f"a header that the record lacks, or twice: {line}"


def _first_line(answer: str) -> str:
    return answer.strip().split("\n", 1)[0]


def _headers(served: str) -> list[str]:
    return [found.group() for found in HEADER.finditer(fold(served))]


def _header(case: Case, header: str | None) -> Iterator[str]:
    found = HEADER.fullmatch(header.strip()) if header else None
    if found is None:
        yield f"has no analysis date header: {header}"
    elif case.as_of is not None and found.group(1) != case.as_of.isoformat():
        yield f"answers for {found.group(1)} instead of {case.as_of}"


def _unsaid(case: Case, row: Row, above: Sequence[str | None]) -> Iterator[str]:
    """What has to stand on top and is not even in the record."""
    for wording in case.expected.on_top:
        if not any(says(text, wording) for text in above if text):
            yield f"lacks on top: {wording[:60]}"
    held = record(row)
    states = [state for state in held["failure_states"] if state != "NONE"]
    if row.answered and len(states) > len(held["notices"]):
        yield f"has {len(held['notices'])} notices of {', '.join(states)}"


def mutants() -> Iterator[Mutant]:
    """Double and lose notices, lose the header, give another day, put them below."""
    header = "Analysis date basis: 2024-03-01 (explicit_as_of)"
    stale, binding = "A source is older than its window.", "No binding source."
    case = replace(specimen.case(), shows=("R-F5",), as_of=date(2024, 3, 1))
    whole: dict[str, Any] = {"header": header, "notices": [stale, binding]}
    row = specimen.answer(**whole)
    urgent = specimen.answer(**whole, emergency="Call for help now.")
    refused = specimen.refusal(header=header, notices=[stale])
    yield Mutant("as it is", case, row, Result.PASS)
    yield Mutant("with an emergency", case, urgent, Result.PASS)
    yield Mutant("nothing on top", specimen.case(), specimen.answer(), Result.PASS)
    yield Mutant("refused", case, refused, Result.PASS)
    for name, served in {
        "notice doubled": f"{stale}\n\n{row.served}",
        "notice doubled in the body": f"{row.served}\n\n{stale}",
        "notice lost": row.served.replace(stale, ""),
        "header lost": row.served.replace(header, ""),
        "header doubled": f"{header}\n\n{row.served}",
        "header of another day": row.served.replace("2024-03-01", "2024-03-02"),
        "out of order": row.served.replace(stale, "*").replace(binding, stale),
        "below the body": f"{row.served.replace(binding, '')}\n\n{binding}",
    }.items():
        yield Mutant(name, case, specimen.served(row, served), Result.FAIL)
    other = specimen.answer(header="Analysis date basis: 2024-03-02 (today)")
    yield Mutant("no header", case, specimen.answer(notices=[stale]), Result.FAIL)
    yield Mutant("refused without", case, specimen.refusal(), Result.FAIL)
    yield Mutant("another date", case, other, Result.FAIL)
    yield from _unsaid_mutants()


def _unsaid_mutants() -> Iterator[Mutant]:
    """What belongs on top and stands nowhere, not even in the record."""
    wanted, urgent = specimen.case(on_top=("call for help",)), "Call for help now."
    any_case = specimen.case()
    two = ["STALE_VOLATILE_SOURCE", "NO_BINDING_AUTHORITY"]
    one_notice = specimen.answer(failure_states=two, notices=["It is stale."])
    both = specimen.answer(failure_states=two, notices=["It is stale.", "No law."])
    rows = (
        ("asked for on top", wanted, specimen.answer(emergency=urgent), Result.PASS),
        ("refused, on top", wanted, specimen.refusal(emergency=urgent), Result.PASS),
        ("emergency lost", wanted, specimen.answer(), Result.FAIL),
        ("refused, emergency lost", wanted, specimen.refusal(), Result.FAIL),
        ("a notice for two states", any_case, one_notice, Result.FAIL),
        ("a notice for each state", any_case, both, Result.PASS),
    )
    return starmap(Mutant, rows)
