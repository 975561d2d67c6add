"""The grid of a table, and its rows as blocks, with every value under its head.

Loaders of all formats pass cells as written, with their spans. Each row becomes one
line: cells separated by CELLS, an empty one as EMPTY, a spanning one repeated in each
row and column that it covers. The block of a row refers to its heads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import re2

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.limits import Limits
from engine.model.document import BlockKind, TableRow
from engine.model.errors import DocumentTooLarge
from engine.text.cells import CELLS, EMPTY

MOST_CELLS = 1_000_000  # of one table, spans counted
MOST_COLUMNS = 1_000  # columns that one cell may span, as in browsers
MOST_HEADS = 6  # head rows above each other
BULLET = "\u2022 "  # before the items of a list in a cell
PICTURE = "[picture]"  # for a cell that shows something without text
LONGEST_LABEL = 70  # characters of a line across the table that labels rows below
LONGEST_HEAD = 60  # characters of an unmarked head
_SPACE = re2.compile(r"\s+")
_BAR = re2.compile(r"\s*\|\s*")
_ENDS = re2.compile(r"[.!\x{2026}][\"')\]\x{201d}]*$")
_FIGURE = re2.compile(r"^[^\pL\pN]{0,3}\pN")


class Heads(Enum):
    """The direction that a cell is a head of."""

    NOTHING = "nothing"
    COLUMN = "column"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it is written. `rows` 0 spans to the end of its group of rows.

    `strong` says whether all of it is bold, as people mark heads. `column` is its
    column, from 1; 0 means the next free one.
    """

    text: str
    columns: int = 1
    rows: int = 1
    heads: Heads = Heads.NOTHING
    strong: bool = False
    column: int = 0


@dataclass(slots=True)
class _Line:
    """A row of the grid; `begins` are the columns in which its own cells begin."""

    cells: list[Cell | None]
    begins: set[int]
    group: int

    def at(self, column: int) -> Cell | None:
        return self.cells[column] if column < len(self.cells) else None


@dataclass(frozen=True, slots=True)
class Headed:
    """A placed table: its number of columns, its head rows, and its end."""

    columns: int
    heads: tuple[int, ...]
    end: int


@dataclass(slots=True)
class Table:
    """The rows of a table, to be placed as blocks.

    `quotable` and `lead_in` apply to its rows; `lead_in` is the block of its caption.
    `hidden` are columns that are not shown.
    """

    path: str
    quotable: bool = True
    lead_in: int | None = None
    head: list[list[Cell]] = field(default_factory=list)
    body: list[list[list[Cell]]] = field(default_factory=list)
    foot: list[list[Cell]] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)

    def add(self, row: Sequence[Cell]) -> None:
        """Append a row to the last group of its body."""
        if not self.body:
            self.body.append([])
        self.body[-1].append(list(row))

    def place(self, out: CanonicalText, before: Headed | None = None) -> Headed:
        """Append the rows that are not empty, each with its heads.

        A table with as many columns as the one `before`, on the page before, continues
        it: it takes over its heads, and does not repeat them.
        """
        lines = list(_make_grid([self.head, *self.body, self.foot], self.path))
        begun = {column for line in lines for column in line.begins}
        kept = sorted(begun - self.hidden)
        rows = [
            _Row([line.at(column) for column in kept], line.group)
            for line in lines
            if line.begins
        ]
        placing = _Placing(out, self)
        shown = [row for row in rows if any(row.texts)]
        if before is not None and before.columns == len(kept):
            shown = placing.go_on(shown, before.heads)
        placing.place(shown)
        return Headed(len(kept), placing.first, len(out.blocks))


def clean_cell(parts: str) -> str:
    """Put the text of a cell on one line, without ` | ` in it.

    Two figures at the ends of lines are separated by a semicolon.
    """
    lines = [str(_SPACE.sub(" ", line)).strip() for line in parts.split("\v")]
    text = ""
    for line in filter(None, lines):
        figures = text[-1:].isdigit() and line[:1].isdigit()
        text += f"{'; ' if figures else ' '}{line}" if text else line
    if "|" in text:
        text = str(_BAR.sub("|", text))
    return text if any(c.isprintable() and not c.isspace() for c in text) else ""


def write_inline(table: Table, limits: Limits) -> str:
    """Write a table inside a cell in one line: "Power: 5 kW; Weight: 20 kg"."""
    inner = CanonicalText(table.path, limits)
    table.place(inner)
    rows: list[str] = []
    for block in inner.blocks:
        if block.row is None or block.row.head:
            continue
        cells = block.of(inner.text).split(CELLS)
        heads = [inner.blocks[at].of(inner.text).split(CELLS) for at in block.row.heads]
        above = next((head for head in heads if len(head) == len(cells)), None)
        if above is not None:
            pairs = (f"{head}: {cell}" for head, cell in zip(above, cells, strict=True))
            rows.append(", ".join(pairs))
        else:
            rows.append((": " if len(cells) == 2 else ", ").join(cells))
    return "; ".join(rows)


def _make_grid(
    groups: Sequence[Sequence[Sequence[Cell]]], path: str
) -> Iterator[_Line]:
    """Make every row with the cells that cover it, those from above included."""
    spent = 0
    for number, group in enumerate(groups):
        held: dict[int, tuple[Cell, int]] = {}  # column: a cell from above, rows left
        for at, row in enumerate(group):
            line = _Line([], set(), number)
            left = len(group) - at
            for cell in row:
                _fill(line, held, min(cell.column, MOST_COLUMNS) - 1)
                column = len(line.cells)
                wide = max(1, min(cell.columns, MOST_COLUMNS))
                high = left if cell.rows == 0 else max(1, min(cell.rows, left))
                line.begins.add(column)
                spent += wide
                if spent > MOST_CELLS:
                    raise DocumentTooLarge(
                        f"{path}: a table of more than {MOST_CELLS:,} cells; split it"
                    )
                for over in range(column, column + wide):
                    _put(line, over, cell)
                    if high > 1:
                        held[over] = (cell, high)
            _fill(line, held, max(held, default=-1) + 1)
            spent += len(held)
            held = {
                over: (cell, high - 1)
                for over, (cell, high) in held.items()
                if high > 1
            }
            yield line


def _fill(line: _Line, held: dict[int, tuple[Cell, int]], least: int) -> None:
    """Cover the next columns that have a cell from above, and all before `least`."""
    while len(line.cells) in held or len(line.cells) < least:
        column = len(line.cells)
        line.cells.append(held[column][0] if column in held else None)


def _put(line: _Line, column: int, cell: Cell) -> None:
    """Cover a column; where two cells overlap, the later one wins."""
    while len(line.cells) <= column:
        line.cells.append(None)
    line.cells[column] = cell


@dataclass(slots=True, eq=False)
class _Row:
    """A row with one cell for each shown column.

    `group` is 0 for rows that the page marks as heads.
    """

    cells: list[Cell | None]
    group: int

    @property
    def headed(self) -> bool:
        return self.group == 0

    @property
    def texts(self) -> list[str]:
        return [cell.text if cell else "" for cell in self.cells]

    @property
    def line(self) -> str:
        return _write_line(self.texts)

    @property
    def whole(self) -> Cell | None:
        """Return the one cell that spans the table, or None.

        Where a format has no spans, it is a first cell that alone has text and is bold,
        a label or a sentence.
        """
        first = self.cells[0]
        if first is None or len(self.cells) == 1 or not first.text:
            return None
        if all(cell is first for cell in self.cells):
            return first
        alone = not any(self.texts[1:])
        marked = first.strong or first.text.endswith(":") or _is_note(first.text)
        return first if alone and marked else None

    def heads_columns(self) -> bool:
        """Tell whether every cell is a head of its column; the corner may be empty."""
        cells = list(self.cells)
        while cells and (cells[0] is None or not cells[0].text):
            cells.pop(0)
        return bool(cells) and all(
            cell is not None and cell.heads is Heads.COLUMN for cell in cells
        )

    def is_strong(self) -> bool:
        held = [cell for cell in self.cells if cell is not None and cell.text]
        return len(held) > 1 and all(cell.strong for cell in held)

    def row_heads(self) -> int:
        """Count the first cells that are heads of the others."""
        count = 0
        for cell in self.cells:
            if cell is None or cell.heads is Heads.NOTHING:
                break
            count += 1
        if not count and self.cells[0] is not None and self.cells[0].strong:
            count = 1
        return count if count < len(self.cells) else 0


@dataclass(slots=True)
class _Placing:
    """The state of placing a table: the heads of the next row.

    `columns` are the head rows, `labels` the lines across the table above the next
    rows, `full` is the last row with a first cell, `before` the kind of the last row.
    """

    out: CanonicalText
    table: Table
    count: int = 0
    columns: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    full: int | None = None
    before: str = ""
    first: tuple[int, ...] = ()
    begun: bool = False

    def go_on(self, rows: Sequence[_Row], heads: tuple[int, ...]) -> list[_Row]:
        """Take over the heads of the table before, and drop rows that repeat them."""
        text = self.out.text
        repeated = {self.out.blocks[at].of(text) for at in heads}
        self.columns, self.first = list(heads), heads
        return [row for row in rows if row.line not in repeated]

    def place(self, rows: Sequence[_Row]) -> None:
        plain = [row for row in rows if row.whole is None]
        heads = [] if self.first else _find_heads(plain)
        for row in rows:
            whole = row.whole
            if row.group > len(self.table.body):
                self.labels = []  # labels of a group do not apply to the foot
            if whole is not None:
                self.place_across(row, whole)
            elif row in heads and len(self.columns) < MOST_HEADS:
                self.place_head(row)
            else:
                self.place_row(row)

    def place_head(self, row: _Row) -> None:
        """Place a head row; one that does not follow another replaces the heads."""
        if self.before != "head":
            self.columns = []
            self.labels = self.labels if self.before == "label" else []
        place = self.add(row.texts, TableRow(at=0, head=True, heads=self.list_heads()))
        self.columns.append(place)
        if not self.begun:
            self.first = tuple(self.columns)
        self.before, self.full = "head", None

    def place_row(self, row: _Row) -> None:
        under = None if row.texts[0] else self.full
        told = TableRow(
            at=0, heads=self.list_heads(), under=under, row_heads=row.row_heads()
        )
        place = self.add(row.texts, told)
        self.full = place if row.texts[0] else self.full
        self.before, self.begun = "row", True

    def place_across(self, row: _Row, cell: Cell) -> None:
        """Place a line across the table: a label of the rows below, or a note."""
        if _is_note(cell.text):
            self.add([cell.text], TableRow(at=0, heads=self.list_heads()))
            self.before = "row"
            return
        self.labels = self.labels if self.before == "label" else []
        place = self.add(row.texts, TableRow(at=0, head=True, heads=self.list_heads()))
        self.labels.append(place)
        self.before, self.full = "label", None

    def list_heads(self) -> tuple[int, ...]:
        return tuple(sorted([*self.columns, *self.labels]))

    def add(self, texts: Sequence[str], told: TableRow) -> int:
        """Append a row as a block and return its index."""
        piece = Piece(
            BlockKind.TABLE_ROW,
            _write_line(texts),
            lead_in=self.table.lead_in,
            quotable=self.table.quotable,
            row=told.model_copy(update={"at": self.count}),
        )
        self.count += 1
        self.out.add(piece)
        return len(self.out.blocks) - 1


def _write_line(texts: Sequence[str]) -> str:
    return CELLS.join(text or EMPTY for text in texts)


def _is_note(text: str) -> bool:
    """Tell whether a line across a table is a statement instead of a label."""
    return len(text) > LONGEST_LABEL or bool(_ENDS.search(text))


def _find_heads(rows: Sequence[_Row]) -> list[_Row]:
    """Find the head rows: those that the page marks, unless it marks all."""
    marked = [row for row in rows if row.headed or row.heads_columns()]
    if len(marked) == len(rows):
        marked = [row for row in rows if row.heads_columns()]
    if len(marked) == len(rows):
        return marked[:1]
    return marked or [*rows][: _has_unmarked_head(rows)]


def _has_unmarked_head(rows: Sequence[_Row]) -> bool:
    """Tell whether the first row is an unmarked head.

    It is if it alone is bold, or if it has short words above columns of figures.
    """
    if len(rows) < 2:
        return False
    first, *others = rows
    if first.is_strong():
        return not any(row.is_strong() for row in others)
    texts = first.texts
    words = all(
        text and len(text) <= LONGEST_HEAD and not any(map(str.isdigit, text))
        for text in texts[1:]
    )
    if not words or len(set(texts)) < len(texts) or len(others) < 2:
        return False
    return any(
        all(_FIGURE.search(cell) for cell in column if cell) and any(column)
        for column in zip(*(row.texts[1:] for row in others), strict=True)
    )
