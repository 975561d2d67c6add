"""Tables of the CALS model (thead, tbody, row, entry), as statutes in XML have them."""

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.tables import Cell, Table, cell_text
from engine.model.document import BlockKind

Read = Callable[[Element], str]  # the text of an element, on one line


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
