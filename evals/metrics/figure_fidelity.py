"""Whether every figure of a statement in own words stands in what it cites."""

from collections.abc import Iterator, Mapping, Sequence

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import (
    NO_ROWS,
    Mutant,
    abstained,
    counted,
    not_asked,
    scored,
)
from evals.metrics.specimen import A, B, citation, said
from evals.served.figures import figures
from evals.served.quotes import quotations
from evals.served.reading import Said, claims, passages


class FigureFidelity:
    """R-V3: the number, with its sign, its bound and its unit."""

    name = "figure_fidelity"
    weight: Weight = "invariant"
    requirements = ("R-V3",)

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL where one figure stands in no passage that its claim cites."""
        if row.refused:
            return scored(self.name, row, abstained())
        total, wrong = 0, []
        for claim in claims(row):
            if claim.quotation or claim.fixed:
                continue
            said = figures(_own_words(claim))
            held = {
                f for _, text in passages(claim, row, sources) for f in figures(text)
            }
            total += len(said)
            wrong += [(figure, claim) for figure in said if figure not in held]
        if not total:
            return scored(self.name, row, not_asked("no figure in own words"))
        told = [f"{figure} stands in no cited passage" for figure, _ in wrong]
        marks = [{"figure": str(f), "claim": claim.text} for f, claim in wrong]
        return scored(self.name, row, counted(total - len(wrong), total, told, marks))

    def mutants(self) -> Sequence[Mutant]:
        """Changed digits, units, bounds, signs, and a figure of another passage."""
        return tuple(_mutants())


def _own_words(claim: Said) -> str:
    """The claim without its quotations, which quote_anchor judges."""
    text = claim.text
    for quotation in reversed(quotations(text)):
        text = f"{text[: quotation.start]} \u2026 {text[quotation.end :]}"
    return text


_HEALTHY = {
    "as it is": "Take it 2 times a day, 12 hours apart.",
    "number words": "Take it twice a day, within thirty minutes after a meal.",
    "a range": "Tiredness lasts 2 to 3 weeks; fever is above 38.5 °C.",
    "a bound": "No more than 4 tablets a day.",
    "in a quotation": "The page says “about 12 hours apart”, twice a day.",
}
_WRONG = {
    "changed digit": "Take it twice a day, 13 hours apart.",
    "changed word": "Take it three times a day.",
    "changed unit": "Take it twice a day, 12 minutes apart.",
    "lost decimal": "Fever is above 38 °C.",
    "moved decimal": "Fever is above 3.85 °C.",
    "turned bound": "At least 4 tablets a day.",
    "lost bound": "Take 4 tablets a day.",
    "a sign": "Fever is above -38.5 °C.",
    "a range's end": "Tiredness lasts 2 to 4 weeks.",
    "a range's unit": "Tiredness lasts 2 to 3 days.",
    "joined": "Take it 1230 minutes after a meal.",
    "other digits": "Take it within 3\u0660 minutes after a meal.",
    "a new figure": "Take it twice a day, for 7 days.",
    "per cent": "It helps in 12 % of people.",
}


def _mutants() -> Iterator[Mutant]:
    for name, text in _HEALTHY.items():
        yield _mutant(name, said(text, 1, 2), Result.PASS)
    for name, text in _WRONG.items():
        yield _mutant(name, said(text, 1, 2), Result.FAIL)
    yield _mutant("swapped source", said("At most 4 tablets a day.", 1), Result.FAIL)
    yield _mutant("no source", said("Take it 12 hours apart."), Result.FAIL)
    none = said("Ask your care team.", 1)
    yield _mutant("no figure", none, Result.NOT_APPLICABLE)
    fixed = {**said("Call 112 in an emergency."), "fixed": True}
    yield _mutant("a sentence of the pack", fixed, Result.NOT_APPLICABLE)
    yield Mutant(
        name="refused",
        case=specimen.case(),
        row=specimen.refusal(),
        must=Result.ABSTAINED,
    )


def _mutant(name: str, claim: Mapping[str, object], must: Result) -> Mutant:
    parts = [citation(1, A, A.text.rstrip()), citation(2, B, B.text.rstrip())]
    return Mutant(
        name=name,
        case=specimen.case(),
        row=specimen.answer([claim], parts),
        must=must,
        sources=specimen.SOURCES,
    )
