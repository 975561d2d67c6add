"""Workbooks (.xlsx) to canonical text: the values that sheets show, cell by cell.

Blank rows split a sheet into tables, each below a heading with its range (`A3:D20`).
Formulas are read as their last result, figures in their number format. Hidden sheets,
rows and columns, comments and values that a format hides are left out.
"""

import io
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import re2
from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from adapters.loaders.canonical import UNSHOWN, CanonicalText, Piece, to_superscript
from adapters.loaders.limits import Limits
from adapters.loaders.number_format import format_value
from adapters.loaders.office_package import (
    Package,
    local_name,
    make_damaged,
    open_package,
    refuse_types,
)
from adapters.loaders.readers import make_loader_name
from adapters.loaders.sheet_heads import count_heads_by_look, count_heads_by_words
from adapters.loaders.tables import Cell, Heads, Table, clean_cell
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentTooLarge

NAME = make_loader_name("xlsx")
MOST_CELLS = 2_000_000  # of one sheet, from its first to its last
HIDDEN = "has hidden sheets, rows or columns, which are left out"
UNCOUNTED = (
    "has formulas without a result: their rows are not quoted; open it in its own "
    "program and save it again"
)
DRAWN = "has text in shapes or charts on a sheet, which is not read"
# A formula without a computed value.
UNRESOLVED = re2.compile(
    rb"<(?:\w+:)?c ([^>]*)>\s*<(?:\w+:)?f(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
DRAWING = re2.compile(r"^xl/drawings/drawing\d*\.xml$")
NAMED = re2.compile(rb'\br="([A-Z]{1,3}[0-9]{1,7})"')
TEXT_RESULT = re2.compile(rb'\bt="str"')
# Exceptions that openpyxl raises for damaged files.
DAMAGE = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError),
    *(OverflowError, RecursionError, OSError, SyntaxError, NotImplementedError),
)
Place = tuple[int, int]  # row and column, from 1
Places = frozenset[Place]


def parse(data: bytes, path: str, limits: Limits) -> Parsed:
    """Parse the sheets of a workbook in their order.

    Raises:
        DocumentError: damaged, with a password, or without a cell that is shown.
        DocumentTooLarge: it unpacks to more than the limit, or a sheet is too large.
    """
    package = open_package(data, path, limits)
    refuse_types(package)
    out = CanonicalText(path, limits)
    try:
        book = load_workbook(io.BytesIO(data), data_only=True, rich_text=True)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if len(sheets) < len(book.worksheets):
            out.remark(HIDDEN)
        unresolved = _find_unresolved(package)
        for sheet in sheets:
            _Sheet(sheet, out, unresolved.get(sheet.title, frozenset())).place()
    except DAMAGE as error:
        raise make_damaged(path, error) from error
    if _has_drawings(package):
        out.remark(DRAWN)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=package.title() or PurePath(path).stem,
        remarks=out.remarks,
    )


def _find_unresolved(package: Package) -> dict[str, Places]:
    """Find the cells of each sheet whose formula has no result."""
    found: dict[str, Places] = {}
    main = package.main()
    tree, relations = package.tree(main), package.relations(main)
    for node in tree.iter() if tree is not None else ():
        if local_name(node) != "sheet":
            continue
        told = next((v for k, v in node.attrib.items() if k.endswith("}id")), "")
        relation = relations.get(told)
        if relation is None or relation.target not in package.names:
            continue
        places = set()
        for cell in UNRESOLVED.finditer(package.read(relation.target)):
            place = NAMED.search(cell[1])
            if place and not TEXT_RESULT.search(cell[1]):
                column, row, _, _ = range_boundaries(place[1].decode())
                places.add((int(row or 0), int(column or 0)))
        found[node.get("name", "")] = frozenset(places)
    return found


def _has_drawings(package: Package) -> bool:
    """Tell whether there is text in a shape or a chart."""
    drawings = (name for name in package.names if DRAWING.match(name))
    return any(
        b":t>" in (said := package.read(n)) or b":chart " in said for n in drawings
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a sheet without a blank row or column through it."""

    rows: list[int]
    columns: list[int]


@dataclass(slots=True)
class _Sheet:
    """One sheet: the texts of its cells, merged cells, and hidden columns.

    `filled` are all places with a text, those that a merged cell covers included.
    """

    sheet: Worksheet
    out: CanonicalText
    unresolved: Places
    hidden: set[int] = field(default_factory=set)
    texts: dict[Place, str] = field(default_factory=dict)
    spans: dict[Place, tuple[int, int]] = field(default_factory=dict)
    covered: set[Place] = field(default_factory=set)
    filled: dict[Place, str] = field(default_factory=dict)

    def place(self) -> None:
        """Append the tables of the sheet, each below a heading with its range."""
        self.read_cells()
        if not self.texts:
            return
        title = str(self.sheet.title)
        self.out.add(Piece(BlockKind.HEADING, title, 1, quotable=False))
        above: _Part | None = None
        for part in self.split_parts():
            if len(part.rows) == len(part.columns) == 1 and above is None:
                above = part  # a line above a table is its title
                continue
            self.append_region(part, above)
            above = None
        if above is not None:
            self.append_region(above, None)

    # --- shown values --------------------------------------------------------

    def read_cells(self) -> None:
        """Read the shown texts and the merged cells."""
        self.hidden = _find_hidden_columns(self.sheet)
        held = {
            place: cell
            for place, cell in self.sheet._cells.items()
            if cell.value is not None or place in self.unresolved
        }
        if not held:
            return
        last = (max(row for row, _ in held), max(column for _, column in held))
        moved = self.merge(last)
        for place, cell in sorted(held.items()):
            at = moved.get(place, place)
            if at is None or place in self.covered:
                continue
            if self.is_hidden_row(at[0]) or at[1] in self.hidden:
                self.out.remark(HIDDEN)
            elif text := self.read_text(cell):
                self.texts[at] = text
        self.filled = dict(self.texts)
        for place in self.texts.keys() & self.spans.keys():
            rows, columns = self.list_area(place)
            for row in rows:
                self.filled |= {(row, c): self.texts[place] for c in columns}

    def is_hidden_row(self, row: int) -> bool:
        dimensions = self.sheet.row_dimensions
        if row not in dimensions:
            return False
        return bool(dimensions[row].hidden) or dimensions[row].height == 0

    def shown_rows(self, first: int, last: int) -> list[int]:
        return [row for row in range(first, last + 1) if not self.is_hidden_row(row)]

    def shown_columns(self, first: int, last: int) -> list[int]:
        return [c for c in range(first, last + 1) if c not in self.hidden]

    def merge(self, last: Place) -> dict[Place, Place | None]:
        """Map merged cells to their first shown place; None where all is hidden.

        Raises:
            DocumentTooLarge: they cover more cells than the limit.
        """
        moved: dict[Place, Place | None] = {}
        for area in self.sheet.merged_cells.ranges:
            origin = (area.min_row, area.min_col)
            rows = self.shown_rows(area.min_row, min(area.max_row, last[0]))
            columns = self.shown_columns(area.min_col, min(area.max_col, last[1]))
            if len(self.covered) + len(rows) * len(columns) > MOST_CELLS:
                raise DocumentTooLarge(
                    f"{self.out.path}: merged cells of {self.sheet.title!r} cover more "
                    f"than {MOST_CELLS:,} cells; part them"
                )
            seen = (rows[0], columns[0]) if rows and columns else None
            moved[origin] = seen
            if seen is not None:
                self.spans[seen] = (len(rows), len(columns))
                self.covered |= {(r, c) for r in rows for c in columns} - {origin}
        return moved

    def list_area(self, place: Place) -> tuple[list[int], list[int]]:
        """List the shown rows and columns that the cell at a place covers."""
        high, wide = self.spans.get(place, (1, 1))
        rows = self.shown_rows(place[0], place[0] + high - 1)
        while len(rows) < high:
            rows.append(next(self._list_after(rows[-1], rows=True)))
        columns = self.shown_columns(place[1], place[1] + wide - 1)
        while len(columns) < wide:
            columns.append(next(self._list_after(columns[-1], rows=False)))
        return rows, columns

    def _list_after(self, at: int, *, rows: bool) -> Iterator[int]:
        """List the next shown rows or columns."""
        while True:
            at += 1
            if not (self.is_hidden_row(at) if rows else at in self.hidden):
                yield at

    def read_text(self, cell: Any) -> str:
        """Read the shown text of a cell on one line."""
        if (cell.row, cell.column) in self.unresolved:
            self.out.remark(UNCOUNTED)
            return UNSHOWN
        if _is_invisible(cell):
            self.out.remark(HIDDEN)
            return ""
        if isinstance(cell.value, CellRichText):
            said = "".join(map(_read_rich, cell.value))
        else:
            said = format_value(cell.value, cell.number_format)
        text = clean_cell(said.replace("\n", "\v"))
        return f"~~{text}~~" if text and cell.font and cell.font.strike else text

    # --- tables and lines of text ---------------------------------------------

    def split_parts(self) -> Iterator[_Part]:
        """Split the sheet at blank rows, and at blank columns between tables."""
        run: list[int] = []
        for row in sorted({row for row, _ in self.filled}):
            if run and next(self._list_after(run[-1], rows=True)) < row:
                yield from self.split_columns(run)
                run = []
            run.append(row)
        yield from self.split_columns(run)

    def split_columns(self, rows: list[int]) -> Iterator[_Part]:
        """Split rows into tables beside each other, at blank columns.

        A table has at least two columns; with a narrower one nothing is split.
        """
        within = set(rows)
        used = sorted({column for row, column in self.filled if row in within})
        parts: list[list[int]] = [[]]
        for column in used:
            run = parts[-1]
            if run and next(self._list_after(run[-1], rows=False)) < column:
                parts.append([])
            parts[-1].append(column)
        if len(parts) == 1 or any(len(part) == 1 for part in parts):
            yield _Part(rows, used)
            return
        for part in parts:
            own = set(part)
            inside = {row for row, column in self.filled if column in own}
            yield _Part([row for row in rows if row in inside], part)

    def append_region(self, part: _Part, above: _Part | None) -> None:
        """Append a table below the lines of its title, or only lines of text.

        A line is a row with one cell.
        """
        rows, columns = part.rows, part.columns
        lines = [self.texts[above.rows[0], above.columns[0]]] if above else []
        lone = 0
        while lone < len(rows) and (said := self.read_line(rows[lone], columns)):
            lines.append(said)
            lone += 1
        columns_named = [*columns, *(above.columns if above else ())]
        rows_named = [*(above.rows if above else ()), *rows]
        name = _name_range(rows_named, columns_named)
        self.out.add(Piece(BlockKind.HEADING, name, 2, quotable=False))
        caption, tabled = None, lone < len(rows)
        for said in lines:
            piece = Piece(BlockKind.PARAGRAPH, said, unfinished=tabled)
            caption = self.out.add(piece)
        if tabled:
            self.append_table(rows[lone:], columns, caption)

    def read_line(self, row: int, columns: list[int]) -> str:
        """Return the text of a row with its first cell alone; "" for other rows."""
        places = [(row, column) for column in columns if (row, column) in self.texts]
        if len(places) != 1 or places[0][1] != columns[0]:
            return ""
        high, wide = self.spans.get(places[0], (1, 1))
        filled = sum((row, column) in self.filled for column in columns)
        return self.texts[places[0]] if high == 1 and wide == filled else ""

    def append_table(
        self, rows: list[int], columns: list[int], caption: int | None
    ) -> None:
        table = Table(self.out.path, lead_in=caption)
        heads = self.count_heads(rows, columns)
        for number, row in enumerate(rows):
            table.add(
                [
                    Cell(
                        self.texts.get((row, column), ""),
                        columns=min(
                            self.spans.get((row, column), (1, 1))[1],
                            len(columns) - at + 1,
                        ),
                        rows=min(
                            self.spans.get((row, column), (1, 1))[0], len(rows) - number
                        ),
                        heads=Heads.COLUMN if number < heads else Heads.NOTHING,
                        strong=self.is_strong(row, column),
                        column=at,
                    )
                    for at, column in enumerate(columns, 1)
                    if (row, column) not in self.covered or (row, column) in self.texts
                ]
            )
        table.place(self.out)

    # --- heads ----------------------------------------------------------------

    def count_heads(self, rows: list[int], columns: list[int]) -> int:
        """Count the head rows at the top of a table."""
        told = self.count_stated_heads(rows, columns)
        if told:
            return told
        looks = [self.find_row_look(row, columns) for row in rows]
        found = count_heads_by_look(looks)
        if found:
            return found
        texts = [[self.filled.get((row, c), "") for c in columns] for row in rows]
        grouped = any(self.spans.get((rows[0], c), (1, 1))[1] > 1 for c in columns)
        if not grouped or len(rows) < 3:
            return count_heads_by_words(texts)
        groups, names, *others = texts
        both = [
            name if name == group else f"{group} {name}".strip()
            for group, name in zip(groups, names, strict=True)
        ]
        return 2 * count_heads_by_words([both, *others])

    def count_stated_heads(self, rows: list[int], columns: list[int]) -> int:
        """Count the head rows that the file states: a table, a filter, frozen panes."""
        tables = self.sheet.tables.values()
        stated = [table.ref for table in tables if table.headerRowCount != 0]
        stated += [self.sheet.auto_filter.ref] if self.sheet.auto_filter.ref else []
        for ref in stated:
            left, top, right, _ = range_boundaries(ref)
            inside = {c for c in columns if (left or 0) <= c <= (right or 0)}
            if top in rows[:6] and inside:
                return rows.index(top) + 1
        pane = self.sheet.freeze_panes
        if isinstance(pane, str):
            _, top, _, _ = range_boundaries(pane)
            above = [row for row in rows if row < (top or 0)]
            if 0 < len(above) < min(len(rows), 6):
                return len(above)
        return 0

    def find_row_look(self, row: int, columns: list[int]) -> Hashable | None:
        """Return the look of a row's filled cells; None for that of plain text."""
        looks: set[tuple[bool, Hashable]] = {
            (self.is_strong(row, c), _read_fill(self.sheet.cell(row, c)))
            for c in columns
            if (row, c) in self.texts
        }
        if len(looks) != 1:
            return None
        look = looks.pop()
        return look if look != (False, None) else None

    def is_strong(self, row: int, column: int) -> bool:
        font = self.sheet.cell(row, column).font
        return bool(font and font.b)


def _name_range(rows: list[int], columns: list[int]) -> str:
    """Write a range of cells as spreadsheet programs do."""
    first = f"{get_column_letter(min(columns))}{rows[0]}"
    last = f"{get_column_letter(max(columns))}{rows[-1]}"
    return first if first == last else f"{first}:{last}"


def _find_hidden_columns(sheet: Worksheet) -> set[int]:
    """Find the columns that are hidden or without a width."""
    hidden: set[int] = set()
    for dimension in sheet.column_dimensions.values():
        if dimension.hidden or (dimension.customWidth and dimension.width == 0):
            last = min(dimension.max or 0, sheet.max_column)
            hidden |= set(range(dimension.min or 1, last + 1))
    return hidden


def _read_rich(part: str | TextBlock) -> str:
    """Read a part of a rich text, with superscripts and struck text."""
    if isinstance(part, str):
        return part
    text = str(part.text)
    text = to_superscript(text) if part.font.vertAlign == "superscript" else text
    return f"~~{text}~~" if part.font.strike and text.strip() else text


def _read_fill(cell: Any) -> Hashable | None:
    """Read the colour behind a cell, or None."""
    fill = cell.fill
    if fill is None or fill.patternType != "solid":
        return None
    return _read_colour(fill.fgColor)


def _read_colour(colour: Any) -> tuple[str, Hashable] | None:
    if colour is None:
        return None
    value = colour.value if isinstance(colour.value, str | int) else None
    return (str(colour.type), value if value != "00000000" else None)


def _is_invisible(cell: Any) -> bool:
    """Tell whether letters are white on white or have the colour behind them."""
    colour = _read_colour(cell.font.color) if cell.font else None
    behind = _read_fill(cell)
    white = colour in {("rgb", "FFFFFFFF"), ("theme", 0), ("indexed", 9)}
    return colour is not None and (colour == behind or (white and behind is None))
