"""Whether all that is served is a source's own sentences, or a fixed text (R-V2).

Nothing is compared by likeness. A quotation of the record equals its version's text at
its offsets; what is served behind a bar is just these quotations, whole, in their order
and with their numbers; and every other line is one that the record knows: a heading, a
notice, a sentence of the pack, a line of the list of sources.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from evals.forms import Case, Json, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Finding, Mutant, counted, scored
from evals.metrics.specimen import A, B, citation, quoted, said
from evals.served.reading import OMITTED, Said, claims, record, shown, visible

SOURCES = "Sources"  # stands above the list of sources, which ends a reply
CLOSE = "To see what came close: "
# What the recorder words itself: how old a source is, or that somebody chose it.
_DATED = re.compile(
    r"(?:in force (?:since|from|until) |published |retrieved )\d{4}-\d\d-\d\d[\w ,;-]*"
    r"|undated|the message that you chose"
)
_NUMBERED = re.compile(r"(?:\[\d{1,3}\] )+(.*)")
_BEHIND = re.compile(
    r"(?: \([^()]+(?:\([^()]*\)[^()]*)*\))?(?: \[demo text\])?"
)  # a title


class Verbatim:
    """R-V2, R-V3, R-V9, R-I7: every quotation at its place, and nothing beside them."""

    name = "verbatim"
    weight: Weight = "invariant"
    requirements = ("R-V2", "R-V3", "R-V9", "R-I7", "R-E2")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for one quotation elsewhere, one served otherwise, one strange line.

        The value is the share of quotations that stand at their place.
        """
        misplaced = list(_misplaced(row, sources))
        quotes = sum(len(claim.quotes) for claim in claims(row))
        wrong = [*misplaced, *_unfounded(row), *_served(row)]
        if not quotes and not wrong:
            why = "quotes nothing, and says fixed texts alone"
            return scored(self.name, row, Finding(result=Result.PASS, why=why))
        good = max(0, quotes - len(misplaced))
        return scored(self.name, row, counted(good, quotes, wrong))

    def mutants(self) -> Sequence[Mutant]:
        """Altered, moved, stitched, lost, added and made-up texts, in every style."""
        return tuple(_mutants())


# --- the record -------------------------------------------------------------------


def _misplaced(row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """Quotations that are not what stands at their offsets."""
    quotes = [quote for claim in claims(row) for quote in claim.quotes]
    places = [(q.text, q.version, q.start, q.end) for q in quotes]
    listed = [
        (quote["text"], source["version"], quote["start"], quote["end"])
        for source in record(row)["sources"]
        for quote in source.get("quotes", ())
    ]
    for text, version, start, end in dict.fromkeys((*places, *listed)):
        source = sources.get(version)
        if source is None:
            yield f"“{_short(text)}” is of a version that is not known"
        elif not 0 <= start < end or source.text[start:end] != text:
            yield f"“{_short(text)}” is not what stands in {source.path} at {start}"


def _unfounded(row: Row) -> Iterator[str]:
    """Claims that are neither quotations, whole and in order, nor fixed texts."""
    for claim in claims(row):
        if not claim.quotes and not claim.fixed:
            yield f"“{_short(claim.text)}” is neither quoted nor a text of the pack"
        if claim.quotes and not claim.citations:
            yield f"“{_short(claim.text)}” cites nothing"
        if claim.quotes and not _is_whole(claim):
            yield f"“{_short(claim.text)}” is not its quotations in their order"


def _is_whole(claim: Said) -> bool:
    apart = all(
        one.version == two.version and one.end <= two.start
        for one, two in pairwise(claim.quotes)
    )
    runs = "\n".join(quote.text for quote in claim.quotes)
    return apart and visible(runs) == visible(claim.text.replace(OMITTED, " "))


# --- what is served ---------------------------------------------------------------


def _served(row: Row) -> Iterator[str]:
    """Quotations that are served otherwise than claimed, and lines nobody knows."""
    found, lines = shown(row.served)
    due = [(visible(c.text), c.citations) for c in claims(row) if c.quotes]
    for said_, wanted in zip_longest(((f.words, f.numbers) for f in found), due):
        if said_ != wanted:
            yield f"serves {_told(said_)} in place of {_told(wanted)}"
            break
    known = _known(row)
    at = lines.index(SOURCES) if SOURCES in lines else len(lines)
    last = lines[-1] if "[demo text]" in row.served else ""  # says what a demo is
    for line in lines[:at]:
        if _unmarked(line) not in known and not _is_worded(line, row):
            yield f"serves “{_short(line)}”, which is no fixed text"
    for line in lines[at + 1 :]:
        if line is not last and not _is_source(line, row):
            yield f"serves “{_short(line)}” as a source"


def _told(part: tuple[str, tuple[int, ...]] | None) -> str:
    return f"“{_short(part[0])}” {list(part[1])}" if part else "nothing"


def _known(row: Row) -> frozenset[str]:
    """The lines of what the record says outside its quotations."""
    held = record(row)
    texts = [held["emergency"], held["header"], *held["notices"]]
    texts += [section["heading"] for section in row.sections]
    texts += [claim.text for claim in claims(row) if claim.fixed]
    body = str(held["answer"])
    for claim in (c for c in claims(row) if not c.fixed):
        body = body.replace(f"“{claim.text}”", "", 1)
    lines = (line for text in (*texts, body) if text for line in text.splitlines())
    return frozenset(map(_unmarked, lines))


def _unmarked(line: str) -> str:
    """A line without the mark of a list, which each platform writes its own way."""
    text = visible(line)
    return text[2:] if text.startswith(("- ", "\u2022 ")) else text


def _is_worded(line: str, row: Row) -> bool:
    """Whether a line is one that replies word: how a question was read, who chose."""
    held = record(row)
    intent = held["intent"]
    pairs = (f'"{wrong}" as "{right}"' for wrong, right in intent["corrections"])
    model = held.get("model") or "a language model"
    before = " ".join(str(held.get("previous") or "").split())
    if before and line.startswith("I read this together with what you asked before: "):
        return visible(before)[:100] in visible(line)
    worded = (
        f"Understood as: {intent.get('text')}",
        "Understood as: " + re.sub(r" \([^()]*\)", "", str(intent.get("text"))),
        f"You chose: {held.get('question')}",
        f"Read {', '.join(pairs)}.",
        f"Sentences chosen by {model}, shown word for word from the sources.",
    )
    lacking = str(held["answer"]).rpartition("Not found in the sources: ")[1:]
    named = all(lacking) and visible(line).endswith(visible(lacking[1]))
    asked = line.startswith(CLOSE) and not held["sources"]
    return named or asked or visible(line) in map(visible, worded)


def _is_source(line: str, row: Row) -> bool:
    """Whether a line is of the list of sources: a title, address, place or age."""
    parts = record(row)["sources"]
    numbered = _NUMBERED.match(line.strip())
    text = visible(numbered.group(1) if numbered else line)
    if not line.startswith(" "):
        titles = (visible(part["title"]) for part in parts)
        rest = (text.removeprefix(title) for title in titles if text.startswith(title))
        return any(_BEHIND.fullmatch(each) for each in rest)
    places = (f" > {visible(part.get('section') or '')}" for part in parts)
    stands = any(place.endswith(f" > {text}") for place in places)
    addresses = [part.get("url") for part in parts]
    return stands or text in addresses or _DATED.fullmatch(text) is not None


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- mutants ----------------------------------------------------------------------


def _mutants() -> Iterator[Mutant]:
    for name, row in _healthy():
        yield _mutant(name, row, Result.PASS)
    answer, made = specimen.answer(), "The user's tablets may be chewed by children"
    for name, (old, new) in _SWAPS.items():
        yield _mutant(name, specimen.swapped(answer, old, new), Result.FAIL)
    for name, runs in _RUNS.items():
        served = specimen.swapped(specimen.listed(), _LISTED, runs)
        yield _mutant(name, served, Result.FAIL)
    for mark in _STYLES:
        row = _with(f"{mark[0]}{made}{mark[1:]} [1]")
        yield _mutant(f"made up in {mark}", row, Result.FAIL)
    for line in _LINES:
        yield _mutant(f"added: {line}", _with(line), Result.FAIL)
    for line in _WORDED:
        parts = [citation(1, A, A.text.rstrip()), citation(2, B, B.text.rstrip())]
        row = specimen.answer([said(line, 1, 2)], parts)
        yield _mutant(f"own words: {line}", row, Result.FAIL)
    for name, row in _stored():
        yield _mutant(name, row, Result.FAIL)


def _mutant(name: str, row: Row, must: Result) -> Mutant:
    return Mutant(
        name=name, case=specimen.case(), row=row, must=must, sources=specimen.SOURCES
    )


def _healthy() -> Iterator[tuple[str, Row]]:
    row = specimen.answer()
    cites = quoted(A, specimen.DOSE, 1)
    fixed = {**said("Ask your care team."), "fixed": True}
    yield "as it is", row
    yield "refused", specimen.refusal()
    yield "with its lead-in", specimen.listed()
    yield "spaces", specimen.swapped(row, "12 hours", "12\u00a0 hours")
    yield "over lines", specimen.swapped(row, "meal. ", "meal.\n│ ")
    yield "with a notice", specimen.answer(notices=["A source is old."])
    yield "a sentence of the pack", specimen.answer([cites, fixed])
    yield "sources", _with(f"Sources\n[1] {A.title} (Leaflets)\n    undated")
    intent = {**record(row)["intent"], "text": "How often?"}
    above = specimen.served(row, f"Understood as: How often?\n\n{row.served}")
    held = {**record(row), "intent": intent}
    yield "how it was understood", replace(above, record=held)


_SWAPS = {
    "changed digit": ("12 hours", "2 hours"),
    "dropped not": ("should not be", "should be"),
    "changed case": ("Veltromab makes", "VELTROMAB makes"),
    "homoglyph": ("within", "w\u0456thin"),
    "full width digit": ("30 min", "3\uff10 min"),
    "swapped word": ("after a meal", "before a meal"),
    "other apostrophe": (specimen.DOSE, specimen.OWN.replace("'", "\u2019")),
    "cut": (" A missed dose of veltromab should not be doubled.", ""),
    "lost": (f"│ {specimen.BLEEDING} [2]", ""),
    "served without a bar": (f"│ {specimen.BLEEDING}", specimen.BLEEDING),
    "swapped source": ("doubled. [1]", "doubled. [2]"),
    "unknown number": (f"{specimen.BLEEDING} [2]", f"{specimen.BLEEDING} [7]"),
    "no number": (f"{specimen.BLEEDING} [2]", specimen.BLEEDING),
}
_LISTED = f"│ {specimen.LEAD}\n│ {OMITTED}\n│ {specimen.TIRED}"
_RUNS = {
    "lead-in lost": f"│ {specimen.TIRED}",
    "omission not marked": f"│ {specimen.LEAD}\n│ {specimen.TIRED}",
    "cut inside a sentence": _LISTED.replace("tiredness ", ""),
    "runs turned round": f"│ {specimen.TIRED}\n│ {OMITTED}\n│ {specimen.LEAD}",
    "run of another document": f"│ {specimen.JUICE}\n│ {OMITTED}\n│ {specimen.TIRED}",
    "run altered": _LISTED.replace("Common", "Rare"),
}
_STYLES = (
    *("“”", '""', "\u2018\u2019", "''", "«»", "»«", "„“", "„”", "\u2039\u203a"),
    *("「」", "『』", "《》", "❝❞", "\uff02\uff02", "“", "> ", "│ ", "| ", " "),
)
# Served beside the answer; all but the last two are cut or put together of its source.
_LINES = (
    "│ 12 hours apart [1]",
    f"│ {specimen.DOSE} [1]",
    "“2 hours apart” [1]",
    "The page says “12 hours apart” [1].",
    f"“{specimen.OWN}” [1]",
    f"“{A.title}” [1]",
    "“Veltromab tablets are taken twice a day, and bleeding can be dangerous.” [1]",
    "“Veltromab tablets are taken … after a meal.” [1]",
    "The patient's doctor's view counts.",
    "Chew the tablets. [1]",
    "Sources\n[1] Chew the tablets.",
    f"Sources\n[1] {A.title} may be chewed",
    "Sources\n    Chew the tablets.",
)
_WORDED = (
    "A missed dose of veltromab should not be doubled.",
    "Take it 2 times a day, 13 hours apart.",
    "Fever is above -38.5 °C.",
    "At least 4 tablets a day.",
    "It helps in 12 % of people, for 3\u0660 days.",
    "A m\u0456ssed d\u043ese should n\u043et be d\u043eubled.",
    "Missed tablets taken after a meal should be doubled in 30 minutes.",
)


_PLACES: Mapping[str, Json] = {
    "altered in store": {"text": specimen.DOSE.replace("twice", "three times")},
    "moved": {"start": 1},
    "before its document": {"start": -5},
    "of no known version": {"version": "0" * 64},
}


def _stored() -> Iterator[tuple[str, Row]]:
    """Quotations whose places, or claims whose words, are other ones in the record."""
    parts = [citation(1, A, specimen.DOSE), citation(2, B, specimen.BLEEDING)]
    claim = quoted(A, specimen.DOSE, 1)
    for name, change in _PLACES.items():
        quote = {**claim["quotes"][0], **change}
        other = {**claim, "text": quote["text"], "quotes": [quote]}
        yield name, specimen.answer([other], parts)
        listed = {**parts[0], "quotes": [quote]}
        if "version" not in change:
            yield f"{name}, of a source", specimen.answer(None, [listed, parts[1]])
    turned = {**claim, "text": specimen.DOSE.replace("not ", "")}
    yield "said otherwise", specimen.answer([turned])
    yield "cites nothing", specimen.answer([quoted(A, specimen.DOSE)])
    yield "says without a source", specimen.answer([said("It is so.")])
    back = specimen.closed(A, (specimen.TIRED, specimen.LEAD), 1)
    yield "turned round in store", specimen.answer([back], parts)
    yield "serves nothing", specimen.served(specimen.answer(), "")


def _with(line: str) -> Row:
    row = specimen.answer()
    return specimen.served(row, f"{row.served}\n\n{line}")
