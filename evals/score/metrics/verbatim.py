"""Whether all that is served is a source's own sentences, or a fixed text.

Nothing is compared by likeness. A quotation of the record equals its version's text at
its offsets; what is served behind a bar is just these quotations, whole, in their order
and with their numbers; and every other line is one of the pack, by the texts that a row
brings (`evals/score/wording.py`), or says how a question was read, or is of the list of
sources; titles, headings and addresses are those of the ledger's documents, and words
of a question are those of who asked.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, zip_longest

from evals.forms import Case, Json, Result, Row, Shown, Source
from evals.reading import OMITTED, Said, claims, record, shown, visible
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, counted
from evals.score.specimen import A, B, Mutant, citation, quoted, said
from evals.score.wording import fixed, is_worded, misnamed

SOURCES = "Sources"  # stands above the list of sources, which ends a reply
DEMO = " [demo text]"  # behind the title of a source that is one
_DAY = r"\d{4}-\d\d-\d\d"
_AGE = rf"(?:\d+ (?:day|week|month|year)s? old|dated in the future)(?: on {_DAY})?"
_FORCE = rf"in force (?:from {_DAY} to|since|until) {_DAY}"
_AGED = rf"(?:published|retrieved) {_DAY}, (?:{_AGE}|after {_DAY})"
# What the product words itself: how old a source is, or that somebody chose it.
_DATED = re.compile(
    rf"{_FORCE}(?:; {_AGED})?|{_AGED}|undated|the message that you chose"
)
_NUMBERED = re.compile(r"(?:\[\d{1,3}\] )+(.*)")


def verbatim(on: Subject) -> Finding:
    """Fail for one quotation elsewhere, one served otherwise, one strange line.

    The value is the share of quotations that stand at their place.
    """
    row = on.row
    misplaced = list(_misplaced(row, on.sources))
    quotes = sum(len(claim.quotes) for claim in claims(row))
    wrong = [*misplaced, *_unfounded(row), *_served(row, on.case)]
    wrong += misnamed(row, on.sources)
    wrong += row.shown.faults if row.shown is not None else ()
    if not quotes and not wrong:
        why = "quotes nothing, and says fixed texts alone"
        return Finding(result=Result.PASS, why=why)
    return counted(max(0, quotes - len(misplaced)), quotes, wrong)


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
    is_fixed = fixed(row)
    for claim in claims(row):
        if not claim.quotes and not all(map(is_fixed, claim.text.splitlines() or [""])):
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


def _served(row: Row, case: Case) -> Iterator[str]:
    """Quotations that are served otherwise than claimed, and lines nobody knows."""
    found, lines = shown(row.served)
    due = [(visible(c.text), c.citations) for c in claims(row) if c.quotes]
    for said_, wanted in zip_longest(((f.words, f.numbers) for f in found), due):
        if said_ != wanted:
            yield f"serves {_told(said_)} in place of {_told(wanted)}"
            break
    at = lines.index(SOURCES) if SOURCES in lines else len(lines)
    is_fixed = fixed(row)
    for line in lines[:at]:
        if not is_fixed(line) and not is_worded(line, row, case):
            yield f"serves “{_short(line)}”, which is no fixed text"
    listed = lines[at + 1 :]
    if listed and DEMO in row.served and _is_demo(listed[-1], row):
        listed = listed[:-1]
    for line in listed:
        if not _is_source(line, row):
            yield f"serves “{_short(line)}” as a source"


def _told(part: tuple[str, tuple[int, ...]] | None) -> str:
    return f"“{_short(part[0])}” {list(part[1])}" if part else "nothing"


def _is_demo(line: str, row: Row) -> bool:
    """Whether a line says, in the words of the pack, what a demo text is."""
    return visible(line) in map(visible, row.worded.get("demo", ()))


def _is_source(line: str, row: Row) -> bool:
    """Whether a line is of the list of sources: a title, address, place or age."""
    parts = record(row)["sources"]
    numbered = _NUMBERED.match(line.strip())
    text = visible(numbered.group(1) if numbered else line)
    if not line.startswith(" "):
        return text.removesuffix(DEMO) in _titles(row)
    places = (f" > {visible(part.get('section') or '')}" for part in parts)
    stands = any(place.endswith(f" > {text}") for place in places)
    addresses = [part.get("url") for part in parts]
    return stands or text in addresses or _DATED.fullmatch(text) is not None


def _titles(row: Row) -> Iterator[str]:
    """The title of each source, and the same with its publisher behind it."""
    publishers = row.worded.get("publishers", {})
    for part in record(row)["sources"]:
        yield visible(part["title"])
        yield visible(f"{part['title']} ({publishers.get(part['source'])})")


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- mutants ----------------------------------------------------------------------


def mutants() -> Iterator[Mutant]:
    """Alter, move, stitch, lose, add and make up texts, in every style."""
    for name, row in _healthy():
        yield _mutant(name, row, Result.PASS)
    answer, made = specimen.answer(), "The user's tablets may be chewed by children"
    for name, (old, new) in _SWAPS.items():
        yield _mutant(name, specimen.swapped(answer, old, new), Result.FAIL)
    for name, runs in _RUNS.items():
        served = specimen.swapped(specimen.listed(), _RUN, runs)
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
    for name, row in (*_stored(), *_misnamed(), *_vouched()):
        yield _mutant(name, row, Result.FAIL)


def _mutant(name: str, row: Row, must: Result) -> Mutant:
    case = replace(specimen.case(), previous=BEFORE)
    return Mutant(name, case, row, must)


def _healthy() -> Iterator[tuple[str, Row]]:
    row = specimen.answer()
    cites = quoted(A, specimen.DOSE, 1)
    own = {**said("Ask your care team."), "fixed": True}
    cited = [citation(1, A, specimen.DOSE)]
    yield "as it is", row
    yield "refused", specimen.refusal()
    yield "with its lead-in", specimen.listed()
    yield "spaces", specimen.swapped(row, "12 hours", "12\u00a0 hours")
    yield "over lines", specimen.swapped(row, "meal. ", "meal.\n│ ")
    yield "with a notice", specimen.answer(notices=["A source is old."])
    yield "a sentence of the pack", specimen.answer([cites, own])
    yield "sources", _with(_listed("Leaflets", "undated"))
    aged = "published 2026-01-31, 3 months old"
    yield "a demo text", _with(f"{_listed('Leaflets', aged, DEMO)}\n{specimen.DEMO}")
    yield "a heading of the pack", specimen.sectioned([("ADVICE", [cites])], cited)
    yield "what is not found", specimen.on_top(row, f"{_LACKS} how is veltromab taken")
    yield "a date in a notice", specimen.on_top(row, _UNUSED.format("2026-01-31"))
    yield "what was asked before", _understood(f"{_TOGETHER} “{BEFORE[:160]}…”")
    pairs = [["veltromab", "Veltromab"]]
    line = 'Read "veltromab" as "Veltromab".'
    yield "a word that was read otherwise", _understood(line, corrections=pairs)
    entry = {"section": f"{A.title} > Times", "url": A.url}
    yield "its heading and address", _entered(entry)


BEFORE = f"Is veltromab taken before meals {'x' * 200}?"
_TOGETHER = "I read this together with:"
_LACKS = "Not found in the sources:"
_UNUSED = "Sources published after {} were not used."
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
_RUN = f"│ {specimen.LEAD}\n│ {OMITTED}\n│ {specimen.TIRED}"
_RUNS = {
    "lead-in lost": f"│ {specimen.TIRED}",
    "omission not marked": f"│ {specimen.LEAD}\n│ {specimen.TIRED}",
    "cut inside a sentence": _RUN.replace("tiredness ", ""),
    "runs turned round": f"│ {specimen.TIRED}\n│ {OMITTED}\n│ {specimen.LEAD}",
    "run of another document": f"│ {specimen.JUICE}\n│ {OMITTED}\n│ {specimen.TIRED}",
    "run altered": _RUN.replace("Common", "Rare"),
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


def _vouched() -> Iterator[tuple[str, Row]]:
    """Prose for which the record of the reply itself vouches, or a line around it."""
    prose = "Chew the tablets twice a day."
    row = specimen.answer()
    cites, cited = quoted(A, specimen.DOSE, 1), [citation(1, A, specimen.DOSE)]
    above = specimen.on_top(row, prose)
    held = {**record(above), "answer": f"{prose}\n\n{record(row)['answer']}"}
    elsewhere = Shown(faults=("slack mention quotes “Chew”",))
    yield "altered on a platform", replace(row, shown=elsewhere)
    yield "in the record's answer", replace(above, record=held)
    yield "as a notice", specimen.answer(notices=[prose])
    yield "behind a notice", specimen.answer(notices=[f"A source is old. {prose}"])
    yield "as the header", specimen.answer(header=prose)
    yield "as the emergency", specimen.answer(emergency=prose)
    yield "as a heading", specimen.sectioned([(prose, [cites])], cited)
    yield "as a refusal", specimen.refusal(answer=prose)
    yield "said to be fixed", specimen.answer([cites, {**said(prose), "fixed": True}])
    yield "before what is not found", specimen.on_top(row, f"{prose} {_LACKS} taken")
    yield "as what is not found", specimen.on_top(row, f"{_LACKS} {prose}")
    yield "in place of a date", specimen.on_top(row, _UNUSED.format(prose))
    for name, (publisher, dated) in {
        "behind a title": (prose, "undated"),
        "as another's publisher": ("Institute", "undated"),
        "behind a date": ("Leaflets", f"published 2026-01-01, {prose}"),
        "behind an age": ("Leaflets", f"published 2026-01-01, 3 days old. {prose}"),
    }.items():
        yield name, _with(_listed(publisher, dated))
    plain, demo = _listed("Leaflets", "undated"), _listed("Leaflets", "undated", DEMO)
    yield "in place of the last line", _with(f"{demo}\n{prose}")
    yield "behind the last line", _with(f"{demo}\n{specimen.DEMO} {prose}")
    yield "demo words of no demo", _with(f"{plain}\n{specimen.DEMO}")


def _listed(publisher: str, dated: str, demo: str = "") -> str:
    return f"Sources\n[1] {A.title} ({publisher}){demo}\n    {dated}"


def _with(line: str) -> Row:
    row = specimen.answer()
    return specimen.served(row, f"{row.served}\n\n{line}")


def _misnamed() -> Iterator[tuple[str, Row]]:
    """What the record says of a source, and the list with it, that its document does
    not; and what it says of the question."""
    prose = "Chew the tablets twice a day"
    for name, entry in {
        "title": {"title": prose},
        "source": {"source": "leaflet"},
        "heading": {"section": prose},
        "heading below one": {"section": f"{A.title} > {prose}"},
        "heading of another": {"section": B.title},
        "lines of another file": {"section": "other.md:3-4"},
        "address": {"url": "https://evil.example/login"},
        "address behind its own": {"url": f"{A.url}/chew"},
    }.items():
        yield f"another {name}", _entered(entry)
    pairs = [["veltromab", prose]]
    line = f'Read "veltromab" as "{prose}".'
    yield "prose read for a word", _understood(line, corrections=pairs)
    pairs = [["tablets", "chew"]]
    yield (
        "a word read that nobody wrote",
        _understood('Read "tablets" as "chew".', corrections=pairs),
    )
    yield (
        "prose behind what was asked",
        _understood(f"{_TOGETHER} “{BEFORE[:160]}…” {prose}"),
    )
    row = _understood(f"{_TOGETHER} “{prose}”")
    yield (
        "asked before by nobody",
        replace(row, record={**record(row), "previous": prose}),
    )
    row = _understood(f"You chose: {prose}")
    yield "chosen by nobody", replace(row, record={**record(row), "question": prose})


def _entered(entry: Json) -> Row:
    """An answer whose first source the record and the list say so of."""
    row = specimen.answer()
    first, *others = record(row)["sources"]
    told = {**first, **entry}
    below = [told[name] for name in ("section", "url") if told.get(name)]
    lines = [f"[1] {told['title']}", *(f"    {line}" for line in below)]
    held = {**record(row), "sources": [told, *others]}
    listed = "\n".join(("Sources", *lines, "    undated"))
    return replace(row, record=held, served=f"{row.served}\n\n{listed}")


def _understood(line: str, **intent: object) -> Row:
    row = specimen.on_top(specimen.answer(), line)
    held = {**record(row)["intent"], **intent}
    return replace(row, record={**record(row), "intent": held})
