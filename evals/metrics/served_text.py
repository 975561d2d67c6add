"""Whether all that is claimed is served, and nothing else is served as quoted."""

import re
from collections.abc import Iterator, Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, abstained, counted, scored
from evals.metrics.quote_anchor import ours
from evals.metrics.specimen import A, B, citation, quoted, said
from evals.served.quotes import (
    OMITTED,
    Quotation,
    quotations,
    runs,
    stands,
    unbarred,
)
from evals.served.reading import claims, plain, versions

_MARKS = re.compile(r"[ \t]*(?:\[\d{1,3}(?:, \d{1,3})*\][ \t]*)+$", re.MULTILINE)
_CITED = re.compile(r"\[\d{1,3}(?:, \d{1,3})*\][ \t]*\Z")


class ServedText:
    """R-I7, R-E2: what the answer claims has to be served whole.

    What is served with a citation, or between marks, has to be a claim.
    """

    name = "served_text"
    weight: Weight = "invariant"
    requirements = ("R-E2", "R-I7", "R-C4")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for a loose quotation, a lost or an added claim."""
        if row.refused:
            return scored(self.name, row, abstained())
        listed = claims(row)
        wrong = [*_loose(row, sources), *_lost(row), *_added(row)]
        good = max(0, len(listed) - len(wrong))
        return scored(self.name, row, counted(good, max(1, len(listed)), wrong))

    def mutants(self) -> Sequence[Mutant]:
        """Loose quotations, claims lost, cut and added."""
        return tuple(_mutants())


def _loose(row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """Quotations that are served and stand in no cited document."""
    texts = versions(row, sources)
    for found in quotations(row.served):
        known = _is_ours(found, row) or any(_holds(t, found.inner) for t in texts)
        if not known:
            yield f"quotes “{found.inner[:60]}”, which stands in no cited document"


def _holds(text: str, quotation: str) -> bool:
    parts = runs(quotation)
    return bool(parts) and all(stands(part, text) for part in parts)


def _is_ours(found: Quotation, row: Row) -> bool:
    return not found.numbers and plain(found.inner) in ours(row)


def _lost(row: Row) -> Iterator[str]:
    """Claims that are not served whole, and quotations served without their marks."""
    text = plain(row.served)
    shown = [plain(found.inner) for found in quotations(row.served)]
    for claim in claims(row):
        wanted = plain(claim.text)
        if wanted not in text:
            yield f"does not serve “{claim.text[:60]}”"
        elif claim.quotation and not any(wanted in inner for inner in shown):
            yield f"serves “{claim.text[:60]}” without saying that it is quoted"


def _added(row: Row) -> Iterator[str]:
    """Served lines with a citation number that belong to no claim."""
    said = plain("\n".join(claim.text for claim in claims(row)))
    for line in unbarred(row.served).splitlines():
        body = _MARKS.sub("", line).strip('“”«»" ')
        if body and _CITED.search(line) and plain(body) not in said:
            yield f"serves “{body[:60]}”, which is no claim of the answer"


# --- mutants ----------------------------------------------------------------------


def _mutants() -> Iterator[Mutant]:
    row = specimen.answer()
    for name, healthy in (
        ("as it is", row),
        ("bars", specimen.served(row, _barred(row.served))),
        (
            "angles",
            specimen.served(row, row.served.replace("“", "«").replace("”", "»")),
        ),
        ("with its lead-in", specimen.listed()),
        ("with its lead-in, bars", _barred_list()),
        ("own words", _prose("It is the patient's decision, and the page's advice.")),
    ):
        yield _mutant(name, healthy, Result.PASS)
    for name, served in _SERVED.items():
        text = served if "{}" not in served else served.replace("{}", row.served)
        yield _mutant(name, specimen.served(row, text), Result.FAIL)
    for name, old, new in _SWAPS:
        yield _mutant(name, specimen.swapped(row, old, new), Result.FAIL)
    short = specimen.swapped(specimen.listed(), f"{specimen.LEAD}\n{OMITTED}\n", "")
    yield _mutant("lead-in lost", short, Result.FAIL)
    yield _mutant("refused", specimen.refusal(), Result.ABSTAINED)


_SERVED = {
    "marks that the product does not know": "{}\n\n❝Chew the tablets.❞",
    "marks that the product knows": "{}\n\n«Chew the tablets.»",
    "apostrophe trick": '{}\n\n"Chew the patient\'s tablets." [1]',
    "stitched": "{}\n\n“A missed dose can be dangerous.” [2]",
    "added claim": "{}\n\nChew the tablets. [1]",
    "nothing served": "",
}
_SWAPS = (
    ("changed digit", "12 hours", "13 hours"),
    ("dropped not", "should not be", "should be"),
    ("homoglyph", "doubled", "d\u043eubled"),
    ("claim cut", " A missed dose of veltromab should not be doubled.", ""),
    ("claim lost", f"“{specimen.BLEEDING}” [2]", ""),
    ("marks lost", f"“{specimen.BLEEDING}”", specimen.BLEEDING),
)


def _barred(served: str) -> str:
    return served.replace("“", "│ ").replace("”", "").replace("meal. ", "meal.\n│ ")


def _barred_list() -> Row:
    row = specimen.listed()
    shown = row.served.replace("“", "│ ").replace("”", "").replace("\n[", "\n│ [")
    return specimen.served(row, shown.replace(specimen.TIRED, f"│ {specimen.TIRED}"))


def _prose(text: str) -> Row:
    parts = [citation(1, A, specimen.OWN), citation(2, B, specimen.BLEEDING)]
    return specimen.answer([said(text, 1), quoted(B, specimen.BLEEDING, 2)], parts)


def _mutant(name: str, row: Row, must: Result) -> Mutant:
    return Mutant(
        name=name, case=specimen.case(), row=row, must=must, sources=specimen.SOURCES
    )
