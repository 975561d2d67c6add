"""Whether what belongs on top of a reply stands there: once, in order, none lost."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from evals.forms import Case, Json, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, counted, scored
from evals.served.reading import fold, plain, record, says

HEADER = re.compile(
    r"Analysis date basis: (\d{4}-\d{2}-\d{2}) "
    r"\((today|application_date|explicit_as_of)\)"
)


class Banners:
    """R-F3, R-F5, R-M6: emergency, header, notices, body.

    Judged on every row. A case that shows R-F5 has to carry the header, with its own
    date where it has one; a case that names words has to have them on top; an answer in
    a state has to have a notice of it.
    """

    name = "banners"
    weight: Weight = "invariant"
    requirements = ("R-F3", "R-F5", "R-M6")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for a banner that is lost, doubled, out of order or below the body."""
        held = record(row)
        above = [held["emergency"], held["header"], *held["notices"]]
        wrong = list(_places([text for text in above if text], row, held))
        if "R-F5" in case.shows:
            wrong += _header(case, held["header"])
        wrong += _unsaid(case, row, above)
        total = max(1, sum(1 for text in above if text))
        good = max(0, total - len(wrong))
        return scored(self.name, row, counted(good, total, wrong))

    def mutants(self) -> Sequence[Mutant]:
        """Notices doubled and lost, the header lost, of another day, or below."""
        return tuple(_mutants())


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


def _mutants() -> Iterator[Mutant]:
    header = "Analysis date basis: 2024-03-01 (explicit_as_of)"
    stale, binding = (
        "A source is older than its window.",
        "No binding source was found.",
    )
    case = replace(specimen.case(), shows=("R-F5",), as_of=date(2024, 3, 1))
    whole: dict[str, Any] = {"header": header, "notices": [stale, binding]}
    row = specimen.answer(**whole)

    def made(name: str, row: Row, must: Result, case: Case = case) -> Mutant:
        return Mutant(name=name, case=case, row=row, must=must)

    yield made("as it is", row, Result.PASS)
    urgent = specimen.answer(**whole, emergency="Call for help now.")
    yield made("with an emergency", urgent, Result.PASS)
    yield made("nothing on top", specimen.answer(), Result.PASS, specimen.case())
    refused = specimen.refusal(header=header, notices=[stale])
    yield made("refused", refused, Result.PASS)
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
        yield made(name, specimen.served(row, served), Result.FAIL)
    yield made("no header", specimen.answer(notices=[stale]), Result.FAIL)
    yield made("refused without", specimen.refusal(), Result.FAIL)
    yield from _unsaid_mutants()
    other = "Analysis date basis: 2024-03-02 (today)"
    yield made("another date", specimen.answer(header=other), Result.FAIL)


def _unsaid_mutants() -> Iterator[Mutant]:
    """What belongs on top and stands nowhere, not even in the record."""
    urgent = "Call for help now."
    both = ["STALE_VOLATILE_SOURCE", "NO_BINDING_AUTHORITY"]
    wanted = specimen.case(on_top=("call for help",))
    for name, case, row, must in (
        ("asked for on top", wanted, specimen.answer(emergency=urgent), Result.PASS),
        ("refused, on top", wanted, specimen.refusal(emergency=urgent), Result.PASS),
        ("emergency lost", wanted, specimen.answer(), Result.FAIL),
        ("refused, emergency lost", wanted, specimen.refusal(), Result.FAIL),
        (
            "a notice for two states",
            specimen.case(),
            specimen.answer(failure_states=both, notices=["It is stale."]),
            Result.FAIL,
        ),
        (
            "a notice for each state",
            specimen.case(),
            specimen.answer(failure_states=both, notices=["It is stale.", "No law."]),
            Result.PASS,
        ),
    ):
        yield Mutant(name=name, case=case, row=row, must=must)
