"""Whether the facts that a case asks for are served, from a source that may."""

from collections.abc import Iterator
from dataclasses import replace

from evals.forms import Json, Result
from evals.reading import claims, passages, says
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, abstained, counted, not_asked
from evals.score.specimen import A, Mutant, citation, quoted, said


def facts(on: Subject) -> Finding:
    """Count the facts that are served, claimed, and carried by a source that may.

    A fact counts in one of its wordings.
    """
    wanted = on.case.expected.facts
    if not wanted:
        return not_asked("the case names no facts")
    if on.row.refused:
        return abstained()
    marks = [_mark(fact, on) for fact in wanted]
    wrong = [f"“{mark['fact']}” {mark['why']}" for mark in marks if mark["why"]]
    return counted(len(wanted) - len(wrong), len(wanted), wrong, marks)


def _mark(fact: tuple[str, ...], on: Subject) -> Json:
    """A fact with what is wrong with it; nothing where it is right."""
    return {"fact": fact[0], "why": _wrong(fact, on)}


def _wrong(fact: tuple[str, ...], on: Subject) -> str:
    said = [wording for wording in fact if says(on.row.served, wording)]
    if not said:
        return "is not said"
    holding = [
        claim
        for claim in claims(on.row)
        if any(says(claim.text, word) for word in said)
    ]
    if not holding:
        return "is said outside every claim"
    allowed = on.case.expected.sources
    paths = {
        on.sources[part.version].path
        for claim in holding
        for part, text in passages(claim, on.row, on.sources)
        if part.version in on.sources and any(says(text, word) for word in fact)
    }
    if not paths:
        return "stands in no passage that its claim cites"
    if allowed and not paths & {*allowed}:
        return f"comes from {', '.join(sorted(paths))}, not {' or '.join(allowed)}"
    return ""


def mutants() -> Iterator[Mutant]:
    """Change a digit, drop a "not", cite another source, speak outside a claim."""
    row = specimen.answer()
    asked = specimen.case(
        facts=(("12 hours apart", "every 12 hours"), ("should not be doubled",)),
        sources=(A.path,),
    )
    shown = specimen.swapped(row, "12 hours", "12\u00a0\nHOURS")
    yield Mutant("as it is", asked, row, Result.PASS)
    yield Mutant("white space and case", asked, shown, Result.PASS)
    yield Mutant("refused", asked, specimen.refusal(), Result.ABSTAINED)
    yield Mutant("no facts", specimen.case(), row, Result.NOT_APPLICABLE)
    other = replace(asked, expected=replace(asked.expected, sources=("warnings.md",)))
    yield Mutant("another source", other, row, Result.FAIL)
    outside = replace(specimen.answer([said("See the page.", 1)]), served=row.served)
    bare = specimen.answer([said(specimen.DOSE)], [citation(1, A, specimen.DOSE)])
    for name, wrong in {
        "changed digit": specimen.swapped(row, "12 hours", "112 hours"),
        "dropped not": specimen.swapped(row, "should not be", "should be"),
        "homoglyph": specimen.swapped(row, "hours apart", "hours \u0430part"),
        "outside every claim": outside,
        "swapped source": specimen.answer([said(specimen.DOSE, 2)]),
        "no source": bare,
        "half of it": specimen.answer([quoted(A, specimen.DOSE[:86], 1)]),
    }.items():
        yield Mutant(name, asked, wrong, Result.FAIL)
