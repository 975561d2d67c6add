"""Consolidated statutes and regulations in the XML of Justice Laws.

Each section is a document, because each has its own period of force. It begins on the
latest day given in the section or any part of it, because amended text does not hold
for earlier days. Provisions that are not in force yet and related provisions of other
statutes (at the end of a file) are left out.

The address of a section comes from the file's name (`eng/acts/I-2.5.xml`), which
whoever prepares the folder can check, and never from the file's contents.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from xml.etree.ElementTree import Element

import re2

from adapters.loaders.canonical import (
    CanonicalText,
    Piece,
    to_subscript,
    to_superscript,
)
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.markup_tree import read_tree
from adapters.loaders.readers import make_loader_name
from adapters.loaders.sections import ENDS, LONGEST_WHOLE, Section
from adapters.loaders.tables import Cell, Table, clean_cell
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("justice-laws")
ROOTS = frozenset({"Statute", "Regulation"})
SITE = "https://laws-lois.justice.gc.ca/eng"
PLACE = re2.compile(r"(?:^|/)(acts|regulations)/([A-Za-z0-9.,_-]+)\.xml$")
_LIMS = "{http://justice.gc.ca/lims}"
_BEGINS = (f"{_LIMS}inforce-start-date", f"{_LIMS}lastAmendedDate")
_LABELLED = ("Subsection", "Paragraph", "Subparagraph", "Clause", "Subclause")
# Elements that are a list below their introduction.
_LISTED = frozenset(_LABELLED[1:])
# Prefix of elements that continue a provision after its list.
_CONTINUED = "Continued"
_UNSEEN = frozenset({"FootnoteRef", "Footnote", "MarginalNote", "Label"})
_AS_ONE = frozenset({"FormulaGroup", "Provision", "ReadAsText", "List"})
_RAISED = {"Sup": to_superscript, "Sub": to_subscript}
_SPACE = re2.compile(r"\s+")
Read = Callable[[Element], str]  # the text of an element, on one line


@dataclass(slots=True)
class _Instrument:
    """The statute or regulation of sections, with the headings above them."""

    path: str
    limits: Limits
    title: str
    number: str
    current: date | None
    address: str | None
    headings: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, heading: Element) -> None:
        """Enter a heading, which ends those of its level and below."""
        level = int(heading.get("level") or 1)
        text = " ".join(
            filter(None, (_find_text(heading, "Label"), _read_title(heading)))
        )
        self.headings = [h for h in self.headings if h[0] < level]
        if text:
            self.headings.append((level, text))


def parse(text: str, path: str, limits: Limits) -> Loaded:
    """Parse every section in force, and report the ones that cannot be read.

    Raises:
        DocumentError: it is not the XML of a statute or regulation.
    """
    root = read_tree(text, path, limits)
    if root.tag not in ROOTS:
        raise DocumentError(
            f"{path}: is XML with the root <{root.tag}>, which nothing reads; known "
            f"are <{'>, <'.join(sorted(ROOTS))}> of Justice Laws"
        )
    instrument = _read_instrument(root, path, limits)
    documents: list[Parsed] = []
    problems: list[str] = []
    for element in _list_body(root):
        if element.tag == "Heading":
            instrument.enter(element)
            continue
        if element.get("in-force") == "no":
            continue
        try:
            documents.append(_read_section(element, instrument))
        except DocumentError as error:
            problems.append(str(error))
    if not documents and not problems:
        raise DocumentError(f"{path}: holds no section; remove it or add its text")
    return Loaded(documents=tuple(documents), problems=tuple(problems))


def _read_instrument(root: Element, path: str, limits: Limits) -> _Instrument:
    known = root.find("Identification")
    about = Element("Identification") if known is None else known
    title = _find_text(about, "ShortTitle") or _find_text(about, "LongTitle")
    number = _find_text(about, "InstrumentNumber") or _find_text(
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
        current=_read_day(root.get(f"{_LIMS}current-date"), path),
        address=f"{SITE}/{place.group(1)}/{place.group(2)}" if place else None,
    )


def _list_body(root: Element) -> Iterator[Element]:
    """List headings and sections in order, without schedules and what follows."""
    for element in root.findall("Body"):
        yield from (e for e in element.iter() if e.tag in {"Heading", "Section"})


def _read_section(section: Element, instrument: _Instrument) -> Parsed:
    """Read one section as a document.

    Raises:
        DocumentError: it has no number, no text, or an invalid date.
    """
    label = _find_text(section, "Label").lstrip("*")
    path = f"{instrument.path}#{label}"
    if not label:
        raise DocumentError(f"{instrument.path}: a section has no <Label>; repair it")
    out = CanonicalText(path, instrument.limits)
    named = Section(label, _find_text(section, "MarginalNote"))
    named.append_headings(out, instrument.headings)
    above = len(out.blocks)
    _append_provision(section, out, depth=0)
    if len(out.blocks) == above:
        raise DocumentError(f"{path}: the section holds no text; repair the file")
    said = out.blocks[above:]
    for history in section.iter("HistoricalNote"):
        out.add(
            Piece(
                BlockKind.PARAGRAPH,
                f"History: {_read_history(history)}",
                quotable=False,
            )
        )
    name = label.replace(" ", "-")
    instruments = (instrument.title, instrument.number)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=named.write_title(instrument.title),
        url=instrument.address and f"{instrument.address}/section-{name}.html",
        retrieved=instrument.current,
        in_force_from=_find_begin(section, path),
        things=(named.make_thing(instruments, out.text, said),),
    )


def _find_begin(section: Element, path: str) -> date | None:
    """Find the day since which all of the section holds as it is."""
    said = (e.get(name) for e in section.iter() for name in _BEGINS)
    days = [day for text in said if (day := _read_day(text, path)) is not None]
    return max(days, default=None)


def _read_day(text: str | None, path: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise DocumentError(
            f"{path}: {text[:40]!r} is no date; write it as YYYY-MM-DD"
        ) from error


# --- provisions -------------------------------------------------------------------


def _append_provision(element: Element, out: CanonicalText, depth: int) -> None:
    """Append the text of a section or a part of it, with all parts below it.

    A list whose sentence ends behind it ("… is guilty of an offence") becomes one
    block, because no item of it states anything alone.
    """
    if any(child.tag.startswith(_CONTINUED) for child in element):
        whole = "\n".join(_list_lines(element, 0))
        if len(whole) <= LONGEST_WHOLE:
            out.add(Piece(BlockKind.PARAGRAPH, whole))
            return
    lead_in = _append_opening(element, out, depth)
    for child in element:
        _append_below(child, out, depth, lead_in)


def _append_opening(
    element: Element, out: CanonicalText, depth: int, lead_in: int | None = None
) -> int | None:
    """Append the opening of a provision as a block, before the parts below it."""
    text = _read_opening(element)
    listed = any(child.tag in _LISTED for child in element)
    unfinished = listed and not ENDS.search(text)
    if depth == 0 or lead_in is None:
        return out.add(Piece(BlockKind.PARAGRAPH, text, unfinished=unfinished))
    return out.add(
        Piece(BlockKind.LIST_ITEM, text, depth, lead_in, unfinished=unfinished)
    )


def _append_below(
    child: Element, out: CanonicalText, depth: int, lead_in: int | None
) -> None:
    if child.tag == "Subsection":
        _append_provision(child, out, 0)
    elif child.tag in _LABELLED:
        _append_item(child, out, depth + 1, lead_in)
    elif child.tag == "Definition":
        _append_definition(child, out)
    elif child.tag.startswith(_CONTINUED) or child.tag in _AS_ONE:
        out.add(Piece(BlockKind.PARAGRAPH, _flatten(child)))
    elif child.tag == "TableGroup":
        place_tables(out, child, _flatten)


def _append_item(
    item: Element, out: CanonicalText, depth: int, lead_in: int | None
) -> None:
    """Append a lettered paragraph and those below it, each with its introduction."""
    if any(child.tag.startswith(_CONTINUED) for child in item):
        whole = " ".join(_list_lines(item, 0))
        kind = BlockKind.PARAGRAPH if lead_in is None else BlockKind.LIST_ITEM
        level = 0 if lead_in is None else depth
        out.add(Piece(kind, whole, level, lead_in))
        return
    own = _append_opening(item, out, depth, lead_in)
    for child in item:
        _append_below(child, out, depth, own if own is not None else lead_in)


def _append_definition(definition: Element, out: CanonicalText) -> None:
    """Append a definition with its paragraphs as one block, as one sentence."""
    whole = "\n".join(_list_lines(definition, 0))
    if len(whole) <= LONGEST_WHOLE:
        out.add(Piece(BlockKind.PARAGRAPH, whole))
        return
    own = out.add(Piece(BlockKind.PARAGRAPH, _read_opening(definition)))
    for child in definition:
        _append_below(child, out, 0, own)


def _list_lines(element: Element, depth: int) -> Iterator[str]:
    """List the lines of a provision in reading order."""
    opening = _read_opening(element)
    if opening:
        yield opening
    for child in element:
        if child.tag in _LABELLED:
            yield from _list_lines(child, depth + 1)
        elif child.tag not in {"Text", "HistoricalNote", *_UNSEEN}:
            text = _flatten(child)
            if text:
                yield text


def _read_opening(element: Element) -> str:
    """Read number, marginal note and text; a section has its own in its heading."""
    parts = []
    if element.tag != "Section":
        parts.append(_find_text(element, "Label"))
        note = _find_text(element, "MarginalNote")
        parts.append(f"[{note}]" if note else "")
    parts += [_flatten(text) for text in element.findall("Text")]
    return " ".join(filter(None, parts))


def _read_history(note: Element) -> str:
    items = [_flatten(item) for item in note.iter("HistoricalNoteSubItem")]
    return "; ".join(items) or _flatten(note)


def _read_title(heading: Element) -> str:
    return _find_text(heading, "TitleText")


def _find_text(element: Element, path: str) -> str:
    found = element.find(path)
    return "" if found is None else _flatten(found)


def _flatten(element: Element) -> str:
    """Read all visible text of an element, on one line."""
    return str(_SPACE.sub(" ", "".join(_list_inner(element)))).strip()


def _list_inner(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in _RAISED:
            yield _RAISED[child.tag](_flatten(child))
        elif child.tag not in _UNSEEN or child.tag == "Label":
            inline = child.tag[:1].isupper() and child.tag not in {"Text", "Label"}
            yield from _list_inner(child) if inline else (" ", *_list_inner(child), " ")
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
            _read_table(out.path, lead_in, inner, read).place(out)


def _read_table(path: str, lead_in: int | None, group: Element, read: Read) -> Table:
    table = Table(path, lead_in=lead_in)
    numbers, spans = _number_columns(group), _read_spans(group)
    for part in group:
        rows = [[*_read_cells(row, numbers, spans, read)] for row in part.iter("row")]
        if part.tag == "thead":
            table.head += rows
        elif part.tag == "tfoot":
            table.foot += rows
        elif rows:
            table.body.append(rows)
    return table


def _number_columns(group: Element) -> dict[str, int]:
    """Map the names of columns to their numbers."""
    numbers: dict[str, int] = {}
    number = 0
    for spec in group.findall("colspec"):
        number = _read_number(spec.get("colnum"), number + 1)
        numbers[spec.get("colname") or str(number)] = number
    return numbers


def _read_spans(group: Element) -> dict[str, tuple[str, str]]:
    return {
        spec.get("spanname") or "": (
            spec.get("namest") or "",
            spec.get("nameend") or "",
        )
        for spec in group.findall("spanspec")
    }


def _read_cells(
    row: Element,
    numbers: dict[str, int],
    spans: dict[str, tuple[str, str]],
    read: Read,
) -> Iterator[Cell]:
    """Read the cells of a row, each in the column that it names, if any."""
    for entry in row:
        if entry.tag not in {"entry", "entrytbl"}:
            continue
        first, last = spans.get(
            entry.get("spanname") or "",
            (entry.get("namest") or "", entry.get("nameend") or ""),
        )
        begins, ends = numbers.get(first, 0), numbers.get(last, 0)
        wide = ends - begins + 1 if begins and ends >= begins else 1
        high = 1 + _read_number(entry.get("morerows"), 0)
        column = begins or numbers.get(entry.get("colname") or "", 0)
        yield Cell(clean_cell(read(entry)), wide, high, column=column)


def _read_number(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 6 else otherwise
