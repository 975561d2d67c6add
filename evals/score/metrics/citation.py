"""Whether every citation resolves: a stored version, a real range, let through."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

from evals.forms import Json, Result, Row, Source
from evals.reading import Cited, Quoted, Said, cited, claims, record, shown
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, abstained, counted
from evals.score.specimen import A, B, Mutant, quoted
from evals.score.specimen import citation as listed


def citation(on: Subject) -> Finding:
    """Fail where a citation does not resolve, or one is cited and not listed.

    It resolves by its number, its version, its range, and by having been let through.
    """
    if on.row.refused:
        return abstained()
    parts = cited(on.row)
    wrong = {part.number: list(_wrong(part, on.row, on.sources)) for part in parts}
    good = sum(not said for said in wrong.values())
    told = [f"[{number}] {why}" for number, said in wrong.items() for why in said]
    told += _numbers(parts, on.row)
    marks = [{"number": n, "wrong": said} for n, said in wrong.items() if said]
    return counted(good, len(parts), told, marks)


def _wrong(part: Cited, row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    source = sources.get(part.version)
    if source is None:
        yield f"cites version {part.version[:12]} of {part.document}, which is unknown"
        return
    if source.document != part.document and _hash(source.text) != part.version:
        yield f"cites {part.document}, but its version is of {source.document}"
    elif _hash(source.text) != part.version:
        yield f"cites a version of {part.document} whose text is another"
    if not 0 <= part.start < part.end <= len(source.text):
        yield f"cites [{part.start}, {part.end}) of {len(source.text)} characters"
    elif not source.text[part.start : part.end].strip():
        yield "cites white space"
    if not any(_holds(chunk, part, source.text) for chunk in row.evidence):
        yield "cites what the gate did not let through"


def _holds(chunk: Json, part: Cited, text: str) -> bool:
    """Whether a passage holds it, with the record of the thing that it is about.

    Both together may, where nothing but white space stands between them.
    """
    if (chunk["document"], chunk["version"]) != (part.document, part.version):
        return False
    at = part.start
    own = [[chunk["start"], chunk["end"]], *chunk.get("fields", ())]
    for start, end in sorted(own):
        if text[at:start].strip():
            return False
        at = max(at, end)
    return part.end <= at


@lru_cache(maxsize=1_024)
def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _numbers(parts: Sequence[Cited], row: Row) -> Iterator[str]:
    """What is wrong with the numbers themselves, of claims and of the served text."""
    known = [part.number for part in parts]
    if sorted(known) != list(range(1, len(known) + 1)):
        yield f"the citations are numbered {known}"
    if row.answered and not parts:
        yield "the answer cites nothing"
    said = claims(row)
    for claim in said:
        for number in sorted({*claim.citations} - {*known}):
            yield f"a claim cites [{number}], which is not listed"
        yield from _outside(claim, parts)
    used = {number for claim in said for number in claim.citations}
    yield from (f"[{n}] carries no claim" for n in known if n not in used)
    for quotation in shown(row.served)[0]:
        for number in sorted({*quotation.numbers} - {*known}):
            yield f"the served text cites [{number}], which is not listed"
    minimum = record(row)["minimum_citations"]
    sensitive = any(claim.sensitive for claim in said)
    if sensitive and _distinct(parts) < minimum:
        yield f"sensitive, with {_distinct(parts)} distinct citations of {minimum}"


def _outside(claim: Said, parts: Sequence[Cited]) -> Iterator[str]:
    """What a claim quotes elsewhere than it cites.

    A quotation brings what it leans on, which may stand beside the passage (R-A14): in
    the same version, and never without something of the passage itself.
    """
    own = [part for part in parts if part.number in claim.citations]
    known = {(part.document, part.version) for part in own}
    for quote in claim.quotes:
        if (quote.document, quote.version) not in known:
            yield f"a quote at {quote.start} lies in no document that its claim cites"
    for part in own if claim.quotes else ():
        if not any(_touches(quote, part) for quote in claim.quotes):
            yield f"a claim cites [{part.number}] and quotes nothing of it"


def _touches(quote: Quoted, part: Cited) -> bool:
    same = (quote.document, quote.version) == (part.document, part.version)
    return same and quote.start < part.end and part.start < quote.end


def _distinct(parts: Sequence[Cited]) -> int:
    """How many passages do not overlap (R-I3)."""
    count, last = 0, ("", -1)
    for part in sorted(parts, key=lambda part: (part.version, part.end)):
        if part.version != last[0] or part.start >= last[1]:
            count, last = count + 1, (part.version, part.end)
    return count


# --- mutants ----------------------------------------------------------------------


def mutants() -> Iterator[Mutant]:
    """Cite wrong versions, ranges and numbers."""
    yield _mutant("as it is", specimen.answer(), Result.PASS)
    yield _mutant("with its lead-in", specimen.listed(), Result.PASS)
    yield _mutant("a field of the record", _of_a_record(A.text.index), Result.PASS)
    yield _mutant("beyond the record", _of_a_record(lambda _: 0), Result.FAIL)
    yield _mutant("refused", specimen.refusal(), Result.ABSTAINED)
    for name, change in _CHANGES.items():
        yield _mutant(name, _changed(change), Result.FAIL)
    for name, row in _rows():
        yield _mutant(name, row, Result.FAIL)


_CHANGES: Mapping[str, Json] = {
    "unknown version": {"version": "0" * 64},
    "another document's version": {"version": B.version},
    "beyond the end": {"end": len(A.text) + 1},
    "empty range": {"start": 60, "end": 60},
    "before the start": {"start": -1},
    "another document": {"document_id": "unheard"},
    "not let through": {"start": 0, "end": 20},
    "number twice": {"number": 2},
    "number left out": {"number": 3},
}


def _mutant(name: str, row: Row, must: Result) -> Mutant:
    sources = dict(specimen.SOURCES)
    if name == "text exchanged":
        sources[A.version] = replace(A, text=A.text.replace("twice", "once "))
    return Mutant(name, specimen.case(), row, must, sources)


def _changed(change: Json) -> Row:
    """The specimen with its first citation changed, in the record alone."""
    row = specimen.answer()
    first, *rest = record(row)["sources"]
    return replace(row, record={**record(row), "sources": [{**first, **change}, *rest]})


def _of_a_record(place: Callable[[str], int]) -> Row:
    """The specimen whose first passage begins late, and its thing's fields here."""
    row = specimen.answer()
    first, *others = row.evidence
    start = place(A.text[first["start"] : first["end"]])
    fields = [[start, first["end"] if start else start + 1]]
    late = {**first, "start": first["end"] - 1, "fields": fields}
    return replace(row, evidence=(late, *others))


def _rows() -> Iterator[tuple[str, Row]]:
    row = specimen.answer()
    yield "text exchanged", row
    yield "unlisted in a claim", specimen.answer([quoted(A, specimen.DOSE, 1, 3)])
    yield "unlisted when served", specimen.swapped(row, "[2]", "[2, 7]")
    yield "cited for nothing", specimen.answer([quoted(A, specimen.DOSE, 1)])
    yield "nothing cited", specimen.answer([specimen.said("It is so.")], [])
    elsewhere = [quoted(A, specimen.OWN, 1)]
    yield "quote outside", specimen.answer(elsewhere)
    strange = specimen.closed(A, (specimen.LEAD, specimen.TIRED), 1)
    strange["quotes"][0] = quoted(B, specimen.JUICE)["quotes"][0]
    alone = [listed(1, A, specimen.TIRED)]
    yield "quote of another document", specimen.answer([strange], alone)
    sensitive = {**quoted(A, specimen.DOSE, 1, 2), "sensitive": True}
    half = listed(2, A, specimen.DOSE[:40])
    yield (
        "overlap counted twice",
        specimen.answer(
            [sensitive], [listed(1, A, specimen.DOSE), half], minimum_citations=2
        ),
    )
