"""Whether each quotation of the served text stands word for word in what it cites."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evals.forms import Case, Json, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Finding, Mutant, abstained, counted, scored
from evals.metrics.specimen import A, B, citation, quoted, said
from evals.served.anchoring import ANCHORED, Anchor, Anchored, anchor
from evals.served.quotes import OMITTED, Quotation, quotations
from evals.served.reading import cited, claims, plain, record


class QuoteAnchor:
    """R-I7, R-V2 over every quotation style, with document version and offsets.

    A quotation of several runs (R-A14) is one of whole sentences, in the order of the
    version that it cites, one of which reaches into the cited passage.

    Titles of cited documents, and what the record says on top, stand in quotation marks
    without being quotations of a source. What carries a citation number never counts
    as such, so that a title cannot lend its marks to a claim.
    """

    name = "quote_anchor"
    weight: Weight = "invariant"
    requirements = ("R-I7", "R-V2")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL where one quotation is not anchored; marks hold each with its class."""
        if row.refused:
            return scored(self.name, row, abstained())
        return scored(self.name, row, _judge(row, sources))

    def mutants(self) -> Sequence[Mutant]:
        """Changed digit, dropped "not", stitched span, apostrophe trick and more."""
        return tuple(_mutants())


def _judge(row: Row, sources: Mapping[str, Source]) -> Finding:
    judged = [*_served(row, sources), *_stored(row, sources)]
    if not judged:
        if any(claim.quotation for claim in claims(row)):
            why = "the answer quotes, and its served text shows no quotation"
            return Finding(result=Result.FAIL, why=why, value=0.0)
        why = "the answer quotes nothing"
        return Finding(result=Result.NOT_APPLICABLE, why=why)
    wrong = [
        f"{found.kind}: “{_short(text)}” {found.why}"
        for text, found in judged
        if found.kind not in ANCHORED
    ]
    marks = [_mark(text, found) for text, found in judged]
    return counted(len(judged) - len(wrong), len(judged), wrong, marks)


def _served(row: Row, sources: Mapping[str, Source]) -> Iterator[tuple[str, Anchored]]:
    known = ours(row)
    for quotation in quotations(row.served):
        if not quotation.numbers and plain(quotation.inner) in known:
            continue
        yield quotation.inner, _anchor(quotation, row, sources)


def _anchor(quotation: Quotation, row: Row, sources: Mapping[str, Source]) -> Anchored:
    every = cited(row)
    own = [part for part in every if part.number in quotation.numbers]
    if quotation.numbers and not own:
        why = f"cites {list(quotation.numbers)}, which the answer does not list"
        return Anchored(Anchor.NOT_FOUND, why=why)
    return anchor(quotation.inner, own or every, every, sources)


def _stored(row: Row, sources: Mapping[str, Source]) -> Iterator[tuple[str, Anchored]]:
    """Quotes of the structured answer that do not stand at their offsets."""
    for claim in claims(row):
        for quote in claim.quotes:
            source = sources.get(quote.version)
            at = (quote.version, quote.start, quote.end)
            if source is None:
                why = "comes from a document version that is not known"
                yield quote.text, Anchored(Anchor.NOT_FOUND, *at, why)
            elif source.text[quote.start : quote.end] != quote.text:
                why = f"is not what stands in {source.path} at its offsets"
                yield quote.text, Anchored(Anchor.ALTERED, *at, why)


def ours(row: Row) -> frozenset[str]:
    """What stands in marks without being a quotation: titles, corrections, notices."""
    held = record(row)
    words = [text for source in held["sources"] for text in _places(source)]
    words += [word for pair in held["intent"]["corrections"] for word in pair]
    on_top = [held["emergency"], held["header"], *held["notices"]]
    for text in filter(None, on_top):
        words += [quotation.inner for quotation in quotations(text)]
    return frozenset(plain(word) for word in words)


def _places(source: Mapping[str, Any]) -> tuple[str, str]:
    """The title of a source, and that with the headings below it."""
    title, path = source["title"], source.get("section", "").split(" > ")
    below = [part for part in path if part and part.casefold() != title.casefold()]
    return title, " > ".join((title, *below))


def _mark(text: str, found: Anchored) -> Json:
    mark: dict[str, object] = {"class": str(found.kind), "text": _short(text)}
    if found.version:
        mark |= {"version": found.version, "start": found.start, "end": found.end}
    return mark


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- mutants ----------------------------------------------------------------------


def _mutants() -> Iterator[Mutant]:
    for name, row in _healthy():
        yield _mutant(name, row, Result.PASS)
    for name, row in (*_altered(), *_marked(), *_misplaced()):
        yield _mutant(name, row, Result.FAIL)
    yield _mutant("refused", specimen.refusal(), Result.ABSTAINED)


def _mutant(name: str, row: Row, must: Result) -> Mutant:
    return Mutant(
        name=name, case=specimen.case(), row=row, must=must, sources=specimen.SOURCES
    )


def _healthy() -> Iterator[tuple[str, Row]]:
    row = specimen.answer()
    bars = "│ " + specimen.DOSE.replace("meal. ", "meal.\n│ ")
    shown = row.served
    yield "as it is", row
    yield (
        "curly apostrophe",
        _own_row("It is the patient\u2019s own decision when to begin."),
    )
    yield "two apostrophes", _with("The patient's doctor's view counts. [1]")
    yield "bars", specimen.served(row, shown.replace(f"“{specimen.DOSE}”", bars))
    yield "angles", specimen.served(row, shown.replace("“", "«").replace("”", "»"))
    yield "spaces", specimen.swapped(row, "12 hours", "12\u00a0 hours")
    # The last one of these is quoted inside prose, with its number behind it.
    yield "in prose", _with("The page says “12 hours apart” [1].")
    yield "with its lead-in", specimen.listed()


def _own_row(text: str) -> Row:
    row = specimen.answer([quoted(A, specimen.OWN, 1)], [citation(1, A, specimen.OWN)])
    return specimen.swapped(row, specimen.OWN, text)


def _with(line: str) -> Row:
    row = specimen.answer()
    return specimen.served(row, f"{row.served}\n\n{line}")


def _altered() -> Iterator[tuple[str, Row]]:
    row = specimen.answer()
    yield "changed digit", specimen.swapped(row, "12 hours", "2 hours")
    yield "dropped not", specimen.swapped(row, "should not be", "should be")
    yield "changed case", specimen.swapped(row, "Veltromab makes", "VELTROMAB makes")
    yield "homoglyph", specimen.swapped(row, "within", "w\u0456thin")
    yield "full width digit", specimen.swapped(row, "30 min", "3\uff10 min")
    yield "swapped word", specimen.swapped(row, "after a meal", "before a meal")
    yield "cut number", _with("“2 hours apart” [1]")
    yield "cut word", _with("“elt a meal” [1]")
    text = specimen.DOSE.replace("twice", "three times")
    claim = {**quoted(A, specimen.DOSE, 1), "text": text}
    claim["quotes"] = [{**claim["quotes"][0], "text": text}]
    yield "wrong in store", specimen.answer([claim], [citation(1, A, specimen.DOSE)])


def _marked() -> Iterator[tuple[str, Row]]:
    """Fabricated quotations in every style, as a reader sees them."""
    made = "Veltromab tablets may be chewed by the patient's children"
    yield "apostrophe trick", _with(f'"{made}" [1]')
    yield "apostrophe trick, single", _with(f"\u2018{made}\u2019 [1]")
    yield "straight single", _with("'tablets may be chewed by children' [1]")
    yield (
        "plural apostrophe",
        _with("\u2018the patients\u2019 children may chew them\u2019 [1]"),
    )
    for mark in (
        "«»",
        "»«",
        "„“",
        "„”",
        "\u2039\u203a",
        "「」",
        "『』",
        "《》",
        "❝❞",
        "\uff02\uff02",
    ):
        yield f"style {mark}", _with(f"{mark[0]}{made}{mark[1]} [1]")
    yield "nested", _with(f"“{specimen.BLEEDING} „{made}“” [2]")
    yield "two words", _with("“chew them” [1]")
    yield "line break", _with("“chew\nthem all” [1]")
    yield "never closed", _with(f"“{made} [1]")
    yield "block", _with(f"> {made} [1]")
    yield "bar", _with(f"│ {made} [1]")
    yield "no number", _with(f"“{made}”")
    yield "a title with a number", _with(f"“{A.title} at once” [1]")


_RUNS = f"{specimen.LEAD}\n{OMITTED}\n{specimen.TIRED}"
_RUNS_WRONG = {
    "cut inside a sentence": f"{specimen.LEAD} {OMITTED} that lasts 2 to 3 weeks",
    "runs turned round": f"{specimen.TIRED}\n{OMITTED}\n{specimen.LEAD}",
    "run of another document": f"{specimen.JUICE}\n{OMITTED}\n{specimen.TIRED}",
    "run altered": _RUNS.replace("Common", "Rare"),
    "nothing of the passage": f"{specimen.OWN}\n{OMITTED}\n{specimen.LEAD}",
}


def _misplaced() -> Iterator[tuple[str, Row]]:
    row = specimen.answer()
    swap = row.served.replace("[1]", "[9]").replace("[2]", "[1]").replace("[9]", "[2]")
    yield "swapped source", specimen.served(row, swap)
    yield "unknown number", specimen.swapped(row, "” [2]", "” [7]")
    yield "outside its passage", _with(f"“{specimen.OWN}” [1]")
    yield (
        "stitched",
        _with(
            "“Veltromab tablets are taken twice a day, and bleeding can be dangerous.” "
            "[1]"
        ),
    )
    yield "ellipsis", _with("“Veltromab tablets are taken … after a meal.” [1]")
    yield from (
        (name, specimen.swapped(specimen.listed(), _RUNS, other))
        for name, other in _RUNS_WRONG.items()
    )
    bare = row.served.replace("“", "").replace("”", "").replace('"', "")
    yield "marks lost", specimen.served(row, bare)
    claim = {**said("The page says so.", 1)}
    version = replace(A, version="0" * 64)
    yield (
        "version gone",
        specimen.answer(
            [quoted(version, specimen.DOSE, 1), claim],
            [citation(1, version, specimen.DOSE), citation(2, B, specimen.BLEEDING)],
        ),
    )
