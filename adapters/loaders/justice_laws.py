"""Consolidated statutes and regulations in the XML of Justice Laws, a section each.

A section is a document of its own, because each has its own period of force. It begins
on the latest day that the section or any part of it names: text that was amended since
says nothing of the days before. What is not in force yet and what other statutes
enacted beside it (at the end of a file) is left out.

The address of a section comes from the file's name (`eng/acts/I-2.5.xml`), which
whoever prepares the folder sees, never from what the file says of itself (R-S7).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from xml.etree.ElementTree import Element

import re2

from adapters.loaders.canonical import CanonicalText, Piece, subscript, superscript
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.markup_tree import read_tree
from adapters.loaders.readers import named
from adapters.loaders.tables import Cell, Table, cell_text
from engine.model.document import Attribute, BlockKind, Parsed, Thing
from engine.model.errors import DocumentError

NAME = named("justice-laws")
KIND = "section"
ROOTS = frozenset({"Statute", "Regulation"})
SITE = "https://laws-lois.justice.gc.ca/eng"
PLACE = re2.compile(r"(?:^|/)(acts|regulations)/([A-Za-z0-9.,_-]+)\.xml$")
_LIMS = "{http://justice.gc.ca/lims}"
_BEGINS = (f"{_LIMS}inforce-start-date", f"{_LIMS}lastAmendedDate")
_LABELLED = ("Subsection", "Paragraph", "Subparagraph", "Clause", "Subclause")
# Those that stand as a list under what introduces them.
_LISTED = frozenset(_LABELLED[1:])
# What goes on after a list, at the depth of what introduced it.
_CONTINUED = "Continued"
_UNSEEN = frozenset({"FootnoteRef", "Footnote", "MarginalNote", "Label"})
_AS_ONE = frozenset({"FormulaGroup", "Provision", "ReadAsText", "List"})
_RAISED = {"Sup": superscript, "Sub": subscript}
_SPACE = re2.compile(r"\s+")
_ENDS = re2.compile(r"[.!?][\"')\]\x{201d}]*$")
LONGEST_WHOLE = 1_500  # characters of a provision whose list is followed by its end
Read = Callable[[Element], str]  # the text of an element, on one line


@dataclass(slots=True)
class _Instrument:
    """The statute or regulation that sections belong to, and what stands above them."""

    path: str
    limits: Limits
    title: str
    number: str
    current: date | None
    address: str | None
    headings: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, heading: Element) -> None:
        """A heading ends those of its level and below."""
        level = int(heading.get("level") or 1)
        text = " ".join(filter(None, (_said(heading, "Label"), _titled(heading))))
        self.headings = [h for h in self.headings if h[0] < level]
        if text:
            self.headings.append((level, text))


def parse(text: str, path: str, limits: Limits) -> Loaded:
    """Every section that is in force, and what was wrong with the others.

    Raises:
        DocumentError: it is no XML, or none of a statute or regulation.
    """
    root = read_tree(text, path, limits)
    if root.tag not in ROOTS:
        raise DocumentError(
            f"{path}: is XML with the root <{root.tag}>, which nothing reads; known "
            f"are <{'>, <'.join(sorted(ROOTS))}> of Justice Laws"
        )
    instrument = _instrument(root, path, limits)
    documents: list[Parsed] = []
    problems: list[str] = []
    for element in _body(root):
        if element.tag == "Heading":
            instrument.enter(element)
            continue
        if element.get("in-force") == "no":
            continue
        try:
            documents.append(_section(element, instrument))
        except DocumentError as error:
            problems.append(str(error))
    if not documents and not problems:
        raise DocumentError(f"{path}: holds no section; remove it or add its text")
    return Loaded(documents=tuple(documents), problems=tuple(problems))


def _instrument(root: Element, path: str, limits: Limits) -> _Instrument:
    known = root.find("Identification")
    about = Element("Identification") if known is None else known
    title = _said(about, "ShortTitle") or _said(about, "LongTitle")
    number = _said(about, "InstrumentNumber") or _said(
        about, "Chapter/ConsolidatedNumber"
    )
    if not title or not number:
        raise DocumentError(
            f"{path}: its <Identification> lacks a title or a number; repair the file"
        )
    place = PLACE.search(path)
    return _Instrument(
        path=path,
        limits=limits,
        title=title,
        number=number,
        current=_day(root.get(f"{_LIMS}current-date"), path),
        address=f"{SITE}/{place.group(1)}/{place.group(2)}" if place else None,
    )


def _body(root: Element) -> Iterator[Element]:
    """Headings and sections in order; schedules and what follows them are left out."""
    for element in root.findall("Body"):
        yield from (e for e in element.iter() if e.tag in {"Heading", "Section"})


def _section(section: Element, instrument: _Instrument) -> Parsed:
    """One section as a document.

    Raises:
        DocumentError: it has no number, no text, or a date that is none.
    """
    label = _said(section, "Label").lstrip("*")
    path = f"{instrument.path}#{label}"
    if not label:
        raise DocumentError(f"{instrument.path}: a section has no <Label>; repair it")
    out = CanonicalText(path, instrument.limits)
    for level, text in instrument.headings:
        out.add(Piece(BlockKind.HEADING, text, min(level, 5)))
    note = _said(section, "MarginalNote")
    out.add(Piece(BlockKind.HEADING, " ".join(filter(None, (label, note))), 6))
    above = len(out.blocks)
    _provision(section, out, depth=0)
    if len(out.blocks) == above:
        raise DocumentError(f"{path}: the section holds no text; repair the file")
    said = out.blocks[above:]
    for history in section.iter("HistoricalNote"):
        out.add(
            Piece(BlockKind.PARAGRAPH, f"History: {_history(history)}", quotable=False)
        )
    name = label.replace(" ", "-")
    named = Thing(
        start=0,
        end=len(out.text),
        kind=KIND,
        names=(f"{label} {instrument.title}", f"{label} {instrument.number}"),
        attributes=(Attribute(name="text", start=said[0].start, end=said[-1].end),),
    )
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=f"{instrument.title}, section {label}" + (f": {note}" if note else ""),
        url=instrument.address and f"{instrument.address}/section-{name}.html",
        retrieved=instrument.current,
        in_force_from=_begins(section, path),
        things=(named,),
    )


def _begins(section: Element, path: str) -> date | None:
    """The day since which all of the section stands as it does."""
    said = (e.get(name) for e in section.iter() for name in _BEGINS)
    days = [day for text in said if (day := _day(text, path)) is not None]
    return max(days, default=None)


def _day(text: str | None, path: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise DocumentError(
            f"{path}: {text[:40]!r} is no date; write it as YYYY-MM-DD"
        ) from error


# --- what a provision says --------------------------------------------------------


def _provision(element: Element, out: CanonicalText, depth: int) -> None:
    """The text of a section or a part of it, with what stands below it.

    A list that is followed by its own end ("… is guilty of an offence") is one block:
    no item of it says anything alone.
    """
    if any(child.tag.startswith(_CONTINUED) for child in element):
        whole = "\n".join(_lines(element, 0))
        if len(whole) <= LONGEST_WHOLE:
            out.add(Piece(BlockKind.PARAGRAPH, whole))
            return
    lead_in = _add(element, out, depth)
    for child in element:
        _below(child, out, depth, lead_in)


def _add(
    element: Element, out: CanonicalText, depth: int, lead_in: int | None = None
) -> int | None:
    """What a provision opens with, as a block, before what stands below it."""
    text = _opening(element)
    listed = any(child.tag in _LISTED for child in element)
    unfinished = listed and not _ENDS.search(text)
    if depth == 0 or lead_in is None:
        return out.add(Piece(BlockKind.PARAGRAPH, text, unfinished=unfinished))
    return out.add(
        Piece(BlockKind.LIST_ITEM, text, depth, lead_in, unfinished=unfinished)
    )


def _below(child: Element, out: CanonicalText, depth: int, lead_in: int | None) -> None:
    if child.tag == "Subsection":
        _provision(child, out, 0)
    elif child.tag in _LABELLED:
        _item(child, out, depth + 1, lead_in)
    elif child.tag == "Definition":
        _definition(child, out)
    elif child.tag.startswith(_CONTINUED) or child.tag in _AS_ONE:
        out.add(Piece(BlockKind.PARAGRAPH, _flat(child)))
    elif child.tag == "TableGroup":
        place_tables(out, child, _flat)


def _item(item: Element, out: CanonicalText, depth: int, lead_in: int | None) -> None:
    """A lettered paragraph and those below it, each under what introduces it."""
    if any(child.tag.startswith(_CONTINUED) for child in item):
        whole = " ".join(_lines(item, 0))
        kind = BlockKind.PARAGRAPH if lead_in is None else BlockKind.LIST_ITEM
        level = 0 if lead_in is None else depth
        out.add(Piece(kind, whole, level, lead_in))
        return
    own = _add(item, out, depth, lead_in)
    for child in item:
        _below(child, out, depth, own if own is not None else lead_in)


def _definition(definition: Element, out: CanonicalText) -> None:
    """A definition with its paragraphs is one block: it is one sentence."""
    whole = "\n".join(_lines(definition, 0))
    if len(whole) <= LONGEST_WHOLE:
        out.add(Piece(BlockKind.PARAGRAPH, whole))
        return
    own = out.add(Piece(BlockKind.PARAGRAPH, _opening(definition)))
    for child in definition:
        _below(child, out, 0, own)


def _lines(element: Element, depth: int) -> Iterator[str]:
    """A provision line by line, in reading order."""
    opening = _opening(element)
    if opening:
        yield opening
    for child in element:
        if child.tag in _LABELLED:
            yield from _lines(child, depth + 1)
        elif child.tag not in {"Text", "HistoricalNote", *_UNSEEN}:
            text = _flat(child)
            if text:
                yield text


def _opening(element: Element) -> str:
    """Number, marginal note and text; a section's own stand in its heading."""
    parts = []
    if element.tag != "Section":
        parts.append(_said(element, "Label"))
        note = _said(element, "MarginalNote")
        parts.append(f"[{note}]" if note else "")
    parts += [_flat(text) for text in element.findall("Text")]
    return " ".join(filter(None, parts))


def _history(note: Element) -> str:
    items = [_flat(item) for item in note.iter("HistoricalNoteSubItem")]
    return "; ".join(items) or _flat(note)


def _titled(heading: Element) -> str:
    return _said(heading, "TitleText")


def _said(element: Element, path: str) -> str:
    found = element.find(path)
    return "" if found is None else _flat(found)


def _flat(element: Element) -> str:
    """All that a reader sees of an element, on one line."""
    return str(_SPACE.sub(" ", "".join(_inner(element)))).strip()


def _inner(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in _RAISED:
            yield _RAISED[child.tag](_flat(child))
        elif child.tag not in _UNSEEN or child.tag == "Label":
            inline = child.tag[:1].isupper() and child.tag not in {"Text", "Label"}
            yield from _inner(child) if inline else (" ", *_inner(child), " ")
        yield child.tail or ""


def place_tables(out: CanonicalText, group: Element, read: Read) -> None:
    """Append the tables of a `TableGroup`, each below its title and caption."""
    for table in group.iter("table"):
        above = " ".join(
            filter(None, (read(e) for e in table if e.tag in {"title", "Caption"}))
        )
        lead_in = None
        if above:
            piece = Piece(BlockKind.PARAGRAPH, above, unfinished=True)
            lead_in = out.add(piece)
        for inner in table.iter("tgroup"):
            _read(out.path, lead_in, inner, read).place(out)


def _read(path: str, lead_in: int | None, group: Element, read: Read) -> Table:
    table = Table(path, lead_in=lead_in)
    numbers, spans = _columns(group), _spans(group)
    for part in group:
        rows = [[*_cells(row, numbers, spans, read)] for row in part.iter("row")]
        if part.tag == "thead":
            table.head += rows
        elif part.tag == "tfoot":
            table.foot += rows
        elif rows:
            table.body.append(rows)
    return table


def _columns(group: Element) -> dict[str, int]:
    """The number of each column that has a name."""
    numbers: dict[str, int] = {}
    number = 0
    for spec in group.findall("colspec"):
        number = _number(spec.get("colnum"), number + 1)
        numbers[spec.get("colname") or str(number)] = number
    return numbers


def _spans(group: Element) -> dict[str, tuple[str, str]]:
    return {
        spec.get("spanname") or "": (
            spec.get("namest") or "",
            spec.get("nameend") or "",
        )
        for spec in group.findall("spanspec")
    }


def _cells(
    row: Element,
    numbers: dict[str, int],
    spans: dict[str, tuple[str, str]],
    read: Read,
) -> Iterator[Cell]:
    """The cells of a row; an entry that names its column stands there."""
    for entry in row:
        if entry.tag not in {"entry", "entrytbl"}:
            continue
        first, last = spans.get(
            entry.get("spanname") or "",
            (entry.get("namest") or "", entry.get("nameend") or ""),
        )
        begins, ends = numbers.get(first, 0), numbers.get(last, 0)
        wide = ends - begins + 1 if begins and ends >= begins else 1
        high = 1 + _number(entry.get("morerows"), 0)
        column = begins or numbers.get(entry.get("colname") or "", 0)
        yield Cell(cell_text(read(entry)), wide, high, column=column)


def _number(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 6 else otherwise
