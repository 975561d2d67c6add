"""Tables of AsciiDoc as rows of HTML; their cells flow into the columns."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.errors import DocumentError

# What may precede the bar of a cell: its span or repetition, its alignment, its style.
_SPEC = r"(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?(?:[<^>]?(?:\.[<^>])?)([aehlmsv])?"
_CELL = {
    bar: re2.compile(rf"(?m)(?:^|[ \t]){_SPEC}{sign}|(\\?){sign}")
    for bar, sign in (("|", r"\|"), ("!", "!"))
}
_COLUMNS = re2.compile(r"\bcols=(?:\"([^\"]*)\"|'([^']*)'|([^,\"'\s]+))")
_COLUMN = re2.compile(r"^\s*(?:(\d{1,3})\*)?[<^>.]*\d*%?~?[<^>.]*([aehlmsv])?\s*$")
MOST_COLUMNS = 1_000
Cells = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    columns: int = 1
    rows: int = 1
    style: str = ""


def read_table(
    lines: Sequence[str], bar: str, told: str, cell: Cells, path: str
) -> str:
    """Read the rows of a table as HTML.

    Args:
        lines: the lines between its two delimiters.
        bar: the first character of the delimiters, which separates cells.
        told: its attributes, from the line above.
        cell: make the HTML of a cell from its text and style.
        path: the file, for messages.

    Raises:
        DocumentError: its last row lacks cells, so that the columns are uncertain.
    """
    styles = _read_styles(told)
    rows = [line for line in lines if not line.startswith("//")]
    if bar in ",:" or "format=csv" in told or "format=dsv" in told:
        delimiter = ":" if bar == ":" or "format=dsv" in told else ","
        listed = list(csv.reader([row for row in rows if row], delimiter=delimiter))
        cells = [_Cell(text) for row in listed for text in row]
        width = len(styles) or max(map(len, listed), default=0)
    else:
        first = next((row for row in rows if row.strip()), "")
        cells = list(_split_cells("\n".join(rows), bar))
        width = len(styles) or sum(one.columns for one in _split_cells(first, bar))
    heads = int("header" in told or _opens_with_head(lines))
    heads = 0 if "noheader" in told else heads
    grid = list(_flow(cells, min(width, MOST_COLUMNS), path))
    styles += [""] * width
    parts: list[str] = []
    for number, row in enumerate(grid):
        shown = (_render_cell(one, at, styles, number < heads, cell) for at, one in row)
        parts.append(f"<tr>{''.join(shown)}</tr>")
    return "".join(parts)


def _render_cell(
    one: _Cell, at: int, styles: Sequence[str], head: bool, cell: Cells
) -> str:
    style = one.style or styles[at]
    tag = "th" if head else 'th scope="row"' if style == "h" else "td"
    held = cell(one.text, "" if head else style)
    return f'<{tag} colspan="{one.columns}" rowspan="{one.rows}">{held}</{tag[:2]}>'


def _read_styles(told: str) -> list[str]:
    """Read the style of each column, where the table states its columns."""
    found = _COLUMNS.search(told)
    if found is None:
        return []
    said = next(str(group) for group in found.groups() if group is not None)
    if said.isdecimal():
        return [""] * min(int(said), MOST_COLUMNS)
    styles: list[str] = []
    for part in said.replace(";", ",").split(","):
        column = _COLUMN.match(part)
        times, style = (column.group(1), column.group(2)) if column else (None, None)
        styles += [style or ""] * min(int(times or 1), MOST_COLUMNS)
    return styles[:MOST_COLUMNS]


def _opens_with_head(lines: Sequence[str]) -> bool:
    """Tell whether a single first line is followed by a blank one."""
    return len(lines) > 2 and bool(lines[0].strip()) and not lines[1].strip()


def _split_cells(text: str, bar: str) -> Iterator[_Cell]:
    """Split a text into cells, each with the specification before its bar."""
    told: tuple[str | None, ...] | None = None
    begin = 0
    for found in _CELL[bar].finditer(text):
        if found.group(5) == "\\":
            continue
        if told is not None:
            yield from _make_cells(text[begin : found.start()], told, bar)
        told = found.groups()[:4]
        begin = found.end()
    if told is not None:
        yield from _make_cells(text[begin:], told, bar)


def _make_cells(text: str, told: tuple[str | None, ...], bar: str) -> Iterator[_Cell]:
    wide, high, sign, style = told
    text = text.strip().replace(f"\\{bar}", bar)
    columns, rows = int(wide or 1), int(high or 1)
    if sign == "*":
        yield from [_Cell(text, style=style or "")] * columns
    else:
        yield _Cell(text, max(columns, 1), max(rows, 1), style or "")


def _flow(
    cells: Sequence[_Cell], width: int, path: str
) -> Iterator[list[tuple[int, _Cell]]]:
    """Flow the cells into rows, each cell with its column."""
    held = [0] * width
    row: list[tuple[int, _Cell]] = []
    at = 0
    for cell in cells if width else ():
        while at < width and held[at]:
            at += 1
        while at >= width:
            yield row
            held, row, at = [max(0, left - 1) for left in held], [], 0
            while at < width and held[at]:
                at += 1
        if at + cell.columns > width:
            raise DocumentError(
                f"{path}: a table has a cell beyond its {width} columns; correct its "
                "cols or the number of its cells"
            )
        row.append((at, cell))
        for column in range(at, at + cell.columns):
            held[column] = cell.rows
        at += cell.columns
    if row and at + sum(1 for left in held[at:] if left) < width:
        raise DocumentError(
            f"{path}: the last row of a table lacks cells, so that none is sure of its "
            "column; write empty ones, too"
        )
    if row:
        yield row
