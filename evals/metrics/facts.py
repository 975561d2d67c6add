"""Whether the facts that a case asks for are served, from a source that may."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evals.forms import Case, Json, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import (
    NO_ROWS,
    Mutant,
    abstained,
    counted,
    not_asked,
    scored,
)
from evals.metrics.specimen import A, citation, quoted, said
from evals.served.reading import claims, passages, says


class Facts:
    """R-E1: each fact in one of its wordings, in a claim that rests on its source."""

    name = "facts"
    weight: Weight = "gate"
    requirements = ("R-E1", "R-E2")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """The share of facts that are served, claimed, and carried by their source."""
        facts = case.expected.facts
        if not facts:
            return scored(self.name, row, not_asked("the case names no facts"))
        if row.refused:
            return scored(self.name, row, abstained())
        marks = [_mark(fact, case, row, sources) for fact in facts]
        wrong = [f"“{mark['fact']}” {mark['why']}" for mark in marks if mark["why"]]
        found = counted(len(facts) - len(wrong), len(facts), wrong, marks)
        return scored(self.name, row, found)

    def mutants(self) -> Sequence[Mutant]:
        """A changed digit, a dropped "not", another source, words outside a claim."""
        return tuple(_mutants())


def _mark(
    fact: tuple[str, ...], case: Case, row: Row, sources: Mapping[str, Source]
) -> Json:
    """A fact with what is wrong with it; nothing where it is right."""
    said = [wording for wording in fact if says(row.served, wording)]
    if not said:
        return {"fact": fact[0], "why": "is not said"}
    holding = [
        claim for claim in claims(row) if any(says(claim.text, word) for word in said)
    ]
    if not holding:
        return {"fact": fact[0], "why": "is said outside every claim"}
    allowed = case.expected.sources
    paths = {
        sources[part.version].path
        for claim in holding
        for part, text in passages(claim, row, sources)
        if part.version in sources and any(says(text, word) for word in fact)
    }
    if not paths:
        return {"fact": fact[0], "why": "stands in no passage that its claim cites"}
    if allowed and not paths & {*allowed}:
        why = f"comes from {', '.join(sorted(paths))}, not {' or '.join(allowed)}"
        return {"fact": fact[0], "why": why}
    return {"fact": fact[0], "why": ""}


def _mutants() -> Iterator[Mutant]:
    row = specimen.answer()
    asked = specimen.case(
        facts=(("12 hours apart", "every 12 hours"), ("should not be doubled",)),
        sources=(A.path,),
    )

    def made(name: str, row: Row, must: Result, case: Case = asked) -> Mutant:
        return Mutant(
            name=name, case=case, row=row, must=must, sources=specimen.SOURCES
        )

    yield made("as it is", row, Result.PASS)
    shown = specimen.swapped(row, "12 hours", "12\u00a0\nHOURS")
    yield made("white space and case", shown, Result.PASS)
    yield made("refused", specimen.refusal(), Result.ABSTAINED)
    yield made("no facts", row, Result.NOT_APPLICABLE, specimen.case())
    changed = specimen.swapped(row, "12 hours", "112 hours")
    yield made("changed digit", changed, Result.FAIL)
    dropped = specimen.swapped(row, "should not be", "should be")
    yield made("dropped not", dropped, Result.FAIL)
    letters = specimen.swapped(row, "hours apart", "hours \u0430part")
    yield made("homoglyph", letters, Result.FAIL)
    other = replace(asked, expected=replace(asked.expected, sources=("warnings.md",)))
    yield made("another source", row, Result.FAIL, other)
    outside = replace(specimen.answer([said("See the page.", 1)]), served=row.served)
    yield made("outside every claim", outside, Result.FAIL)
    own = specimen.answer([said(specimen.DOSE, 2)])
    yield made("swapped source", own, Result.FAIL)
    bare = specimen.answer([said(specimen.DOSE)], [citation(1, A, specimen.DOSE)])
    yield made("no source", bare, Result.FAIL)
    half = specimen.answer([quoted(A, specimen.DOSE[:86], 1)])
    yield made("half of it", half, Result.FAIL)
