"""Whether as many citations, of the tiers and types asked, are there, and no more."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import Any

from evals.forms import AtMost, Case, Json, Result, Row, Source
from evals.reading import Cited, cited
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, abstained, counted, not_asked
from evals.score.specimen import A, B, Mutant, citation, quoted


def source_mix(on: Subject) -> Finding:
    """Count the case's demands on sources that are met; fail where one is not.

    A least number counts distinct citations, which are passages that do not overlap. A
    cap counts each that is listed, and one of an unknown source for every tier and
    type: what it is cannot be told.
    """
    asked = on.case.expected
    demands = [asked.citations, *asked.tiers.values(), *asked.types.values()]
    named = bool(asked.sources) and not asked.facts
    capped = asked.at_most != AtMost()
    if not any(demands) and not named and not capped:
        return not_asked("the case asks for no sources")
    if on.row.refused:
        return abstained()
    met = list(_demands(on.case, on.row, on.sources))
    wrong = [why for why in met if why]
    mix = _mix(on.row, on.sources)
    return counted(len(met) - len(wrong), len(met), wrong, [mix])


def _demands(case: Case, row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """Each demand of the case: what is wrong with it, or nothing."""
    asked = case.expected
    parts = _distinct(row)
    held = [sources.get(part.version) for part in parts]
    if asked.citations:
        yield _few(len(parts), asked.citations, "citations")
    tiers = Counter(str(source.tier) for source in held if source)
    for tier, least in asked.tiers.items():
        yield _few(tiers[str(tier)], least, f"citations of tier {tier}")
    types = Counter(source.type for source in held if source)
    for name, least in asked.types.items():
        yield _few(types[name], least, f"citations of type {name}")
    if asked.sources and not asked.facts:
        paths = {source.path for source in held if source}
        right = paths & {*asked.sources}
        yield "" if right else f"cites none of {', '.join(asked.sources)}"
    yield from _caps(asked.at_most, row, sources)


def _caps(most: AtMost, row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """Each cap of the case: what is wrong with it, or nothing."""
    held = [sources.get(part.version) for part in cited(row)]
    unknown = held.count(None)
    if most.citations is not None:
        yield _many(len(held), most.citations, "citations")
    if most.section is not None:
        counts = [_numbers(section) for section in row.sections]
        yield _many(max(counts, default=0), most.section, "citations in a section")
    tiers = Counter(source.tier for source in held if source)
    for tier, cap in most.tiers.items():
        yield _many(tiers[tier] + unknown, cap, f"citations of tier {tier}")
    types = Counter(source.type for source in held if source)
    for name, cap in most.types.items():
        yield _many(types[name] + unknown, cap, f"citations of type {name}")


def _numbers(section: Json) -> int:
    """How many citations the claims of a section have together."""
    return len({n for claim in section["claims"] for n in claim["citations"]})


def _many(found: int, most: int, what: str) -> str:
    return "" if found <= most else f"{found} {what}, at most {most} are allowed"


def _few(found: int, least: int, what: str) -> str:
    return "" if found >= least else f"{found} of {least} {what}"


def _distinct(row: Row) -> list[Cited]:
    kept: list[Cited] = []
    for part in sorted(cited(row), key=lambda part: (part.version, part.end)):
        last = kept[-1] if kept else None
        if not last or last.version != part.version or part.start >= last.end:
            kept.append(part)
    return kept


def _mix(row: Row, sources: Mapping[str, Source]) -> Json:
    held = [sources[p.version] for p in _distinct(row) if p.version in sources]
    return {
        "tiers": dict(Counter(str(source.tier) for source in held)),
        "types": dict(Counter(source.type for source in held)),
    }


def _capped(
    row: Row, one_tier: Row, lost: Row
) -> Iterator[tuple[str, Case, Row, Result]]:
    """Rows at a cap and beyond it; `one_tier` has one section of two guidelines."""

    def most(**caps: Any) -> Case:
        return specimen.case(at_most=AtMost(**caps))

    again = [citation(1, A, specimen.DOSE), citation(2, A, specimen.DOSE)]
    twice = specimen.answer([quoted(A, specimen.DOSE, 1)], again)
    apart = specimen.sectioned(
        [
            ("How", [quoted(A, specimen.DOSE, 1)]),
            ("With what", [quoted(B, specimen.BLEEDING, 2)]),
        ],
        [citation(1, A, specimen.DOSE), citation(2, B, specimen.BLEEDING)],
    )
    at_caps = most(citations=2, section=2, tiers={1: 1, 2: 1}, types={"leaflet": 1})
    yield "at every cap", at_caps, row, Result.PASS
    yield "at the cap in each section", most(section=1), apart, Result.PASS
    yield "over the cap in a section", most(section=1), row, Result.FAIL
    yield "over the cap of all", most(citations=1), apart, Result.FAIL
    yield "over the cap of a tier", most(tiers={1: 1}), one_tier, Result.FAIL
    yield "over the cap of a type", most(types={"guideline": 1}), one_tier, Result.FAIL
    yield "none of a type", most(types={"leaflet": 0}), one_tier, Result.PASS
    yield "one where none may be", most(types={"leaflet": 0}), row, Result.FAIL
    yield "one passage twice over a cap", most(citations=1), twice, Result.FAIL
    yield "unknown under a cap", most(types={"leaflet": 0}), lost, Result.FAIL
    yield "refused under a cap", most(section=1), specimen.refusal(), Result.ABSTAINED


def mutants() -> Iterator[Mutant]:
    """Cite too few, too many, of the wrong tier or type, and one passage twice."""
    row = specimen.answer()
    first = [citation(1, A, specimen.DOSE), citation(2, A, specimen.OWN)]
    one_tier = specimen.answer([quoted(A, specimen.DOSE, 1, 2)], first)
    parts = [citation(1, A, specimen.DOSE), citation(2, A, specimen.DOSE[:60])]
    overlap = specimen.answer([quoted(A, specimen.DOSE, 1)], parts)
    unknown = {**citation(2, B, specimen.BLEEDING), "version": "0" * 64}
    lost = specimen.answer([quoted(A, specimen.DOSE, 1)], [first[0], unknown])
    both = specimen.case(citations=2, tiers={1: 1, 2: 1}, types={"leaflet": 1})
    many = specimen.case(citations=3)
    named = specimen.case(sources=("other.md",))
    rows = (
        ("as it is", both, row, Result.PASS),
        ("named source", specimen.case(sources=(A.path,)), row, Result.PASS),
        ("one tier alone", both, one_tier, Result.FAIL),
        ("one passage twice", specimen.case(citations=2), overlap, Result.FAIL),
        ("too few", many, row, Result.FAIL),
        ("unknown version", specimen.case(types={"leaflet": 1}), lost, Result.FAIL),
        ("another source", named, row, Result.FAIL),
        ("nothing cited", both, specimen.answer([], []), Result.FAIL),
        ("refused", both, specimen.refusal(), Result.ABSTAINED),
        *_capped(row, one_tier, lost),
        ("not asked", specimen.case(), row, Result.NOT_APPLICABLE),
    )
    return starmap(Mutant, rows)
