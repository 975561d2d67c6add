"""The grid of a table, and its rows as blocks: no value under another head (R-A15).

Loaders of every format hand in cells as they are written, with what they span. One line
a row comes out: cells parted by CELLS, an empty one as EMPTY, a spanning one repeated
in each row and column that it covers. What heads a row stands in its block.
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
MOST_COLUMNS = 1_000  # that one cell may span, as in browsers
MOST_HEADS = 6  # rows above each other that head the rows below
BULLET = "\u2022 "  # before the items of a list in a cell
PICTURE = "[picture]"  # stands for a cell that shows no text, and yet something
LONGEST_LABEL = 70  # characters of a line across the table that heads the rows below
LONGEST_HEAD = 60  # characters of a head that nothing marks as one
_SPACE = re2.compile(r"\s+")
_BAR = re2.compile(r"\s*\|\s*")
_ENDS = re2.compile(r"[.!\x{2026}][\"')\]\x{201d}]*$")
_FIGURE = re2.compile(r"^[^\pL\pN]{0,3}\pN")


class Heads(Enum):
    """What a cell is a head of."""

    NOTHING = "nothing"
    COLUMN = "column"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it is written. `rows` 0 spans to the end of its group of rows.

    `strong`: all of it is bold, as people write heads where nothing else marks them.
    `column`: the one in which it stands, from 1; 0 where that is the next free one.
    """

    text: str
    columns: int = 1
    rows: int = 1
    heads: Heads = Heads.NOTHING
    strong: bool = False
    column: int = 0


@dataclass(slots=True)
class _Line:
    """A row of the grid; `begins` are the columns in which a cell of its own begins."""

    cells: list[Cell | None]
    begins: set[int]
    group: int

    def at(self, column: int) -> Cell | None:
        return self.cells[column] if column < len(self.cells) else None


@dataclass(frozen=True, slots=True)
class Headed:
    """A table that stands: how many columns it has, its head rows, and its end."""

    columns: int
    heads: tuple[int, ...]
    end: int


@dataclass(slots=True)
class Table:
    """Takes the rows of a table, then places them as blocks.

    `quotable` and `lead_in` are those of its rows: `lead_in` is the block of its
    caption. `hidden` are columns that are not shown.
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
        """Append the rows, each with what heads it; empty ones are not shown.

        A table with as many columns as the one `before`, on the page before, goes on
        with it: the heads of that one head it, and are not repeated.
        """
        lines = list(_grid([self.head, *self.body, self.foot], self.path))
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


def cell_text(parts: str) -> str:
    """The text of a cell on one line, in which ` | ` does not stand.

    A line that ends in a figure before one that begins with one is parted from it.
    """
    lines = [str(_SPACE.sub(" ", line)).strip() for line in parts.split("\v")]
    text = ""
    for line in filter(None, lines):
        figures = text[-1:].isdigit() and line[:1].isdigit()
        text += f"{'; ' if figures else ' '}{line}" if text else line
    if "|" in text:
        text = str(_BAR.sub("|", text))
    return text if any(c.isprintable() and not c.isspace() for c in text) else ""


def as_text(table: Table, limits: Limits) -> str:
    """A table inside a cell, in one line: "Power: 5 kW; Weight: 20 kg"."""
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


def _grid(groups: Sequence[Sequence[Sequence[Cell]]], path: str) -> Iterator[_Line]:
    """Every row with the cells that cover it, those from above included."""
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
    """Cover the next columns: those with a cell from above, and all before `least`."""
    while len(line.cells) in held or len(line.cells) < least:
        column = len(line.cells)
        line.cells.append(held[column][0] if column in held else None)


def _put(line: _Line, column: int, cell: Cell) -> None:
    """Cover a column; where two cells overlap, the later one is shown."""
    while len(line.cells) <= column:
        line.cells.append(None)
    line.cells[column] = cell


@dataclass(slots=True, eq=False)
class _Row:
    """A row with one cell for each column that is shown.

    `group` is 0 for rows that the page itself calls heads.
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
        return _line(self.texts)

    @property
    def whole(self) -> Cell | None:
        """The one cell that spans the table.

        Where a format has no spans, one that alone holds text, and is bold or a
        sentence.
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
        """Whether every cell is a head of its column; the corner may be empty."""
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
        """How many of its first cells head the others."""
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
    """Where in a table the placing stands: what heads the row that comes next.

    `columns` are the head rows, `labels` the lines across the table that the next rows
    stand below, `full` is the last row with a first cell, `before` what the row before
    was.
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
        """Take over the heads of the table before; rows that repeat them are left."""
        text = self.out.text
        repeated = {self.out.blocks[at].of(text) for at in heads}
        self.columns, self.first = list(heads), heads
        return [row for row in rows if row.line not in repeated]

    def place(self, rows: Sequence[_Row]) -> None:
        plain = [row for row in rows if row.whole is None]
        heads = [] if self.first else _heads(plain)
        for row in rows:
            whole = row.whole
            if row.group > len(self.table.body):
                self.labels = []  # what stands below a group does not head the foot
            if whole is not None:
                self.across(row, whole)
            elif row in heads and len(self.columns) < MOST_HEADS:
                self.head(row)
            else:
                self.row(row)

    def head(self, row: _Row) -> None:
        """A head row; one that does not follow another begins the heads anew."""
        if self.before != "head":
            self.columns = []
            self.labels = self.labels if self.before == "label" else []
        place = self.add(row.texts, TableRow(at=0, head=True, heads=self.above()))
        self.columns.append(place)
        if not self.begun:
            self.first = tuple(self.columns)
        self.before, self.full = "head", None

    def row(self, row: _Row) -> None:
        under = None if row.texts[0] else self.full
        told = TableRow(
            at=0, heads=self.above(), under=under, row_heads=row.row_heads()
        )
        place = self.add(row.texts, told)
        self.full = place if row.texts[0] else self.full
        self.before, self.begun = "row", True

    def across(self, row: _Row, cell: Cell) -> None:
        """A line across the table: a label heads what is below, a note stands once."""
        if _is_note(cell.text):
            self.add([cell.text], TableRow(at=0, heads=self.above()))
            self.before = "row"
            return
        self.labels = self.labels if self.before == "label" else []
        place = self.add(row.texts, TableRow(at=0, head=True, heads=self.above()))
        self.labels.append(place)
        self.before, self.full = "label", None

    def above(self) -> tuple[int, ...]:
        return tuple(sorted([*self.columns, *self.labels]))

    def add(self, texts: Sequence[str], told: TableRow) -> int:
        """Append a row as a block, and say which one it is."""
        piece = Piece(
            BlockKind.TABLE_ROW,
            _line(texts),
            lead_in=self.table.lead_in,
            quotable=self.table.quotable,
            row=told.model_copy(update={"at": self.count}),
        )
        self.count += 1
        self.out.add(piece)
        return len(self.out.blocks) - 1


def _line(texts: Sequence[str]) -> str:
    return CELLS.join(text or EMPTY for text in texts)


def _is_note(text: str) -> bool:
    """Whether a line across a table says something, and so heads nothing."""
    return len(text) > LONGEST_LABEL or bool(_ENDS.search(text))


def _heads(rows: Sequence[_Row]) -> list[_Row]:
    """The head rows: those that the page marks, unless that is all of them."""
    marked = [row for row in rows if row.headed or row.heads_columns()]
    if len(marked) == len(rows):
        marked = [row for row in rows if row.heads_columns()]
    if len(marked) == len(rows):
        return marked[:1]
    return marked or [*rows][: _opens_unmarked(rows)]


def _opens_unmarked(rows: Sequence[_Row]) -> bool:
    """Whether the first row heads the others although nothing says so.

    It does if it alone is bold, or if it has short words above columns of figures.
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
