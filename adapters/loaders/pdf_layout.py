"""Columns and tables of a PDF page, read by the positions of their text.

pypdf joins text at one height. That is right only for a single column: lines of two
columns would be mixed into false sentences, and cells would lose their places. Pages
with text beside text are read again here.

A table is read by its rules. Without rules between its rows it is read only where every
line is certainly a row; otherwise its text is kept and never quoted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from adapters.loaders.pdf_geometry import Drawing, Piece, Rule
from adapters.loaders.pdf_lines import (
    Part,
    join_text,
    make_line,
    split_parts,
    split_rows,
)
from adapters.loaders.tables import Cell, Table
from adapters.loaders.typeface import Line

LIKE = 0.98  # share of the letters of a page that both readings have to find
GUTTER = 1.0  # of the height of text; the least width between columns
APART = 2.6  # of the height; lines further apart belong to different blocks
SEEN_IN = 4  # lines within which a second column has to begin
LEAST = 3  # lines of a column, and rows of a table
PROSE = 18  # characters of a usual line of text in a column
FILLED = 0.6  # share of the width of a column that its usual line fills
BELOW = 1.3  # times the usual distance of rows; a lower line is below the table
UNEVEN = 0.8  # of the widest distance of lines; a smaller one is inside a row
MOST_COLUMNS = 40
BLANK = Line("")
NEAR = 3.0  # points between rules that meet
COVERED = 0.5  # share of a cell's side from which a rule separates two cells
MOST_CELLS = 10_000


@dataclass(slots=True)
class _Row(Part):
    """A whole line of the page, and its parts."""

    parts: list[Part]


@dataclass(slots=True)
class _Block:
    """Lines in columns; `columns` are the left and right edges."""

    rows: list[_Row]
    columns: list[tuple[float, float]]

    def column(self, part: Part) -> int:
        """Find the column of a part of a line."""
        middle = (part.left + part.right) / 2
        return sum(middle > right for _, right in self.columns[:-1])

    def cells(self, row: _Row) -> dict[int, list[Part]]:
        found: dict[int, list[Part]] = {}
        for part in row.parts:
            found.setdefault(self.column(part), []).append(part)
        return found


def read_layout(drawing: Drawing, plain: str, path: str) -> list[Line] | None:
    """Read the lines of a page in reading order, with its tables.

    Return None where no text is beside other text, or where the positions of some text
    are unknown.
    """
    letters = sum(len("".join(piece.text.split())) for piece in drawing.pieces)
    expected = len("".join(plain.split()))
    if not expected or not LIKE <= letters / expected <= 2 - LIKE:
        return None
    found: list[tuple[float, list[Line]]] = []
    rest = drawing.pieces
    for grid in find_grids(drawing):
        inside = [piece for piece in rest if grid.holds(piece)]
        if len(split_rows(inside)) < 2:
            continue
        rest = [piece for piece in rest if not grid.holds(piece)]
        table = grid.table(inside, path)
        found.append((grid.top, [_make_table_line(table, inside)]))
    rows = [_Row(row, split_parts(row)) for row in split_rows(rest)]
    changed = bool(found)
    for block in _split_blocks(rows):
        lines = _read_block(block, drawing, path) if isinstance(block, _Block) else None
        changed |= lines is not None
        held = block.rows if isinstance(block, _Block) else [block]
        plainly = [make_line(row.pieces) for row in held]
        found.append((held[0].base, plainly if lines is None else lines))
    if not changed:
        return None
    found.sort(key=lambda each: -each[0])
    lines = [line for _, lines in found for line in lines]
    while lines and lines[0] == BLANK:
        lines.pop(0)
    while lines and lines[-1] == BLANK:
        lines.pop()
    return lines


def _make_table_line(table: Table | None, pieces: Sequence[Piece]) -> Line:
    """Make a line of a table, or an unquotable line of its text without one."""
    if table is not None:
        return Line("", table=table)
    text = "\n".join(make_line(row).text for row in split_rows(pieces))
    return Line(text, quotable=False)


# --- columns ----------------------------------------------------------------------


def _split_blocks(rows: Sequence[_Row]) -> Iterator[_Row | _Block]:
    """Split a page into single lines and blocks of lines in columns."""
    at = 0
    while at < len(rows):
        block = _find_block(rows, at)
        if block is None:
            yield rows[at]
            at += 1
        else:
            yield block
            at += len(block.rows)


def _find_block(rows: Sequence[_Row], start: int) -> _Block | None:
    """Find the lines from `start` with gaps in common; return None for fewer."""
    covered: list[tuple[float, float]] = []
    end = start
    for at in range(start, len(rows)):
        row = rows[at]
        apart = rows[at - 1].base - row.base if at > start else 0.0
        wider = _cover(covered, row)
        closed = len(covered) > 1 and len(wider) < 2
        late = len(wider) < 2 and at - start >= SEEN_IN
        if apart > APART * row.height or closed or late:
            break
        covered, end = wider, at + 1
    if len(covered) < 2 or len(covered) > MOST_COLUMNS:
        return None
    block = _Block(list(rows[start:end]), covered)
    while (
        len(block.rows) > LEAST and _is_below_table(block.rows) and not _is_prose(block)
    ):
        block.rows.pop()
    return block if len(block.rows) >= LEAST else None


def _is_below_table(rows: Sequence[_Row]) -> bool:
    """Tell whether the last line is below a table instead of one of its rows."""
    apart = [a.base - b.base for a, b in pairwise(rows)]
    return len(rows[-1].parts) < 2 and apart[-1] > BELOW * median(apart)


def _cover(
    covered: Sequence[tuple[float, float]], row: _Row
) -> list[tuple[float, float]]:
    """Merge the spans of one more line into the covered ones, closing narrow gaps."""
    spans = sorted([*covered, *((part.left, part.right) for part in row.parts)])
    merged: list[tuple[float, float]] = []
    for left, right in spans:
        if merged and left - merged[-1][1] < GUTTER * row.height:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _list_columns(block: _Block) -> list[list[Part]]:
    """List the parts of each column, from the top."""
    found: list[list[Part]] = [[] for _ in block.columns]
    for row in block.rows:
        for part in row.parts:
            found[block.column(part)].append(part)
    return found


def _is_prose(block: _Block) -> bool:
    """Tell whether every column is running text or line numbers."""
    texts = 0
    for (left, right), parts in zip(block.columns, _list_columns(block), strict=True):
        if len(parts) < LEAST:
            return False
        usual = median(part.right - part.left for part in parts)
        words = median(len(part.text) for part in parts) >= PROSE
        if words and usual >= FILLED * (right - left):
            texts += 1
        elif not _are_numbers(parts):
            return False
    return texts > 0


def _are_numbers(parts: Sequence[Part]) -> bool:
    """Tell whether parts are line numbers, which rise by a constant step."""
    numbers = [int(p.text) if p.text.isdecimal() else -1 for p in parts]
    steps = {b - a for a, b in pairwise(numbers)}
    return min(numbers) >= 0 and len(steps) == 1 and min(steps) > 0


def _read_block(block: _Block, drawing: Drawing, path: str) -> list[Line] | None:
    """Read the lines of a block; return None where the plain reading is right."""
    if _is_prose(block):
        columns = _list_columns(block)
        numbered = any(map(_are_numbers, columns))
        woven = numbered or _is_woven(block, drawing.pieces)
        return [*_read_columns(block, columns)] if woven else None
    full = [row for row in block.rows if len(row.parts) > 1]
    if len(full) < LEAST or 2 * len(full) < len(block.rows):
        return None
    pieces = [piece for row in block.rows for piece in row.pieces]
    return [_make_table_line(_read_aligned(block, drawing.across, path), pieces)]


def _read_columns(block: _Block, columns: Sequence[Sequence[Part]]) -> Iterator[Line]:
    """Read one column after the other; line numbers are not quotable."""
    yield BLANK
    for at, parts in enumerate(columns):
        if _are_numbers(parts):
            text = " ".join(part.text for part in parts)
            yield Line(text, quotable=False)
            continue
        rows = [block.cells(row).get(at, ()) for row in block.rows]
        lines = [
            make_line([p for part in row for p in part.pieces]) for row in rows if row
        ]
        room = max(len(line.text) for line in lines)
        yield from (replace(line, room=room) for line in lines)
    yield BLANK


def _is_woven(block: _Block, pieces: Sequence[Piece]) -> bool:
    """Tell whether the page is written line by line across its columns."""
    bottom, top = block.rows[-1].base - 1, block.rows[0].base + 1
    order = [
        block.column(Part([piece]))
        for piece in pieces
        if bottom <= piece.base <= top and piece.text.strip()
    ]
    turns = sum(a != b for a, b in pairwise(order))
    return bool(turns > 2 * len(block.columns))


# --- tables without a grid of rules -----------------------------------------------


def _read_aligned(block: _Block, across: Sequence[Rule], path: str) -> Table | None:
    """Read a table by the gaps between its columns; None where rows are uncertain."""
    left, right = block.columns[0][0], block.columns[-1][1]
    rules = sorted(
        {
            round(rule.at)
            for rule in across
            if min(right, rule.last) - max(left, rule.first) > (right - left) / 2
        },
        reverse=True,
    )
    groups = _group_lines(block.rows, rules)
    inner = [r for r in rules if block.rows[-1].base < r < block.rows[0].base]
    table = Table(path)
    heads = [g for g in groups if inner and g[-1].base > inner[0]]
    alone = len(groups) == len(block.rows) and not _is_certain(
        groups[len(heads) :], block
    )
    if alone or len(groups) < 2:
        return None
    head = heads if len(heads) < len(groups) and len(heads) <= LEAST else []
    for group in groups:
        cells = [*_make_cells(group, block)]
        if group in head:
            table.head.append(cells)
        else:
            table.add(cells)
    return table


def _group_lines(rows: Sequence[_Row], rules: Sequence[float]) -> list[list[_Row]]:
    """Group lines to rows, by rules between all rows or else by uneven distances."""
    bands: dict[int, list[_Row]] = {}
    for row in rows:
        bands.setdefault(sum(row.base < rule for rule in rules), []).append(row)
    if len(bands) > LEAST:
        return list(bands.values())
    apart = [a.base - b.base for a, b in pairwise(rows)]
    inside = UNEVEN * max(apart, default=0.0)
    groups = [[rows[0]]]
    for row, distance in zip(rows[1:], apart, strict=True):
        if distance < inside:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _is_certain(groups: Sequence[Sequence[_Row]], block: _Block) -> bool:
    """Tell whether every row begins in the first column and continues no other."""
    for number, group in enumerate(groups):
        first = block.cells(group[0]).get(0)
        text = first[0].text if first else ""
        if number and (not text or text[0].islower()):
            return False
    return True


def _make_cells(group: Sequence[_Row], block: _Block) -> Iterator[Cell]:
    for column in range(len(block.columns)):
        parts = [p for row in group for p in block.cells(row).get(column, ())]
        if parts:
            text = join_cell(part.text for part in parts)
            strong = all(part.bold for part in parts)
            yield Cell(text, strong=strong, column=column + 1)


@dataclass(slots=True)
class Grid:
    """The grid of a table's rules: columns from the left, rows from the top."""

    columns: list[float]
    rows: list[float]
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)

    @property
    def top(self) -> float:
        return self.rows[0]

    def holds(self, piece: Piece) -> bool:
        """Tell whether a piece of text is inside."""
        middle = (piece.left + piece.right) / 2
        inside = self.columns[0] - NEAR <= middle <= self.columns[-1] + NEAR
        return inside and self.rows[-1] - NEAR <= piece.base <= self.rows[0] + NEAR

    def table(self, pieces: Sequence[Piece], path: str) -> Table | None:
        """Read the table of pieces of text.

        Return None where a cell is not a rectangle or a piece lies in two cells.
        """
        roots = self.joined()
        inside: dict[tuple[int, int], list[Piece]] = {}
        for piece in pieces:
            place = self.place(piece, roots)
            if place is None:
                return None
            inside.setdefault(roots[place], []).append(piece)
        areas: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for place, root in roots.items():
            areas.setdefault(root, []).append(place)
        table = Table(path)
        for row in range(len(self.rows) - 1):
            cells: list[Cell] = []
            for column in range(len(self.columns) - 1):
                area = areas.get((row, column))
                if area is None:
                    continue
                high = max(r for r, _ in area) - row + 1
                wide = max(c for _, c in area) - column + 1
                if high * wide != len(area):
                    return None
                cells.append(
                    _make_cell(inside.get((row, column), ()), wide, high, column)
                )
            table.add(cells)
        return table

    def place(
        self, piece: Piece, roots: dict[tuple[int, int], tuple[int, int]]
    ) -> tuple[int, int] | None:
        """Find the cell of a piece; return None where it lies in two."""
        height = piece.base + piece.height / 3
        row = sum(height < edge for edge in self.rows[1:-1])
        first, last = (
            sum(at > edge for edge in self.columns[1:-1])
            for at in (piece.left + NEAR, piece.right - NEAR)
        )
        alike = roots[(row, first)] == roots[(row, max(first, last))]
        return (row, first) if alike or not piece.text.strip() else None

    def joined(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Map each place to the first place of the cell that covers it."""
        roots: dict[tuple[int, int], tuple[int, int]] = {}
        for row in range(len(self.rows) - 1):
            for column in range(len(self.columns) - 1):
                roots[(row, column)] = (row, column)
        for row, column in list(roots):
            top, bottom = self.rows[row], self.rows[row + 1]
            left, right = self.columns[column], self.columns[column + 1]
            if (row, column + 1) in roots and not _is_parted(
                self.down, right, bottom, top
            ):
                _join(roots, (row, column), (row, column + 1))
            if (row + 1, column) in roots and not _is_parted(
                self.across, bottom, left, right
            ):
                _join(roots, (row, column), (row + 1, column))
        return {place: _find_root(roots, place) for place in roots}


def find_grids(drawing: Drawing) -> list[Grid]:
    """Find the tables that rules form, with at least two columns and two rows."""
    across, down = _merge_rules(drawing.across), _merge_rules(drawing.down)
    grids: list[Grid] = []
    for these, those in _group_rules(across, down):
        columns = _find_edges(
            [r.at for r in those], [e for r in these for e in _list_ends(r)]
        )
        rows = _find_edges(
            [r.at for r in these], [e for r in those for e in _list_ends(r)]
        )
        enough = len(columns) > 2 and len(rows) > 2
        if enough and len(columns) * len(rows) <= MOST_CELLS:
            grids.append(Grid(columns, rows[::-1], these, those))
    return sorted(grids, key=lambda grid: -grid.top)


def _make_cell(pieces: Sequence[Piece], wide: int, high: int, column: int) -> Cell:
    bold = bool(pieces) and all(p.bold for p in pieces if p.text.strip())
    lines = (join_text(row) for row in split_rows(pieces))
    return Cell(join_cell(lines), wide, high, strong=bold, column=column + 1)


def join_cell(lines: Iterable[str]) -> str:
    """Join the lines of a cell, which were wrapped, to one."""
    text = ""
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        hyphen = text.endswith("-") and line[:1].islower()
        text = f"{text}{line}" if hyphen else f"{text} {line}".strip()
    return text.replace(" | ", "|")


def _list_ends(rule: Rule) -> tuple[float, float]:
    return rule.first, rule.last


def _find_edges(rules: Sequence[float], ends: Sequence[float]) -> list[float]:
    """Find the edges of columns or rows: at rules, and at the ends of crossing ones."""
    edges: list[float] = []
    for at in sorted([*rules, min(ends, default=0.0), max(ends, default=0.0)]):
        if not edges or at - edges[-1] > NEAR:
            edges.append(at)
    return edges


def _merge_rules(rules: Iterable[Rule]) -> list[Rule]:
    """Merge rules that touch on one line."""
    merged: list[Rule] = []
    for rule in sorted(rules, key=lambda r: (round(r.at), r.first)):
        last = merged[-1] if merged else None
        if last and abs(last.at - rule.at) <= 1 and rule.first <= last.last + NEAR:
            merged[-1] = Rule(last.at, last.first, max(last.last, rule.last))
        else:
            merged.append(rule)
    return merged


def _group_rules(
    across: Sequence[Rule], down: Sequence[Rule]
) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Group the rules that meet directly or through others."""
    left = list(down)
    waiting = list(across)
    while waiting:
        these, those = [waiting.pop()], list[Rule]()
        new_across = these[:]
        while new_across:
            found = [d for d in left if any(_touch(a, d) for a in new_across)]
            left = [d for d in left if d not in found]
            those += found
            new_across = [a for a in waiting if any(_touch(a, d) for d in found)]
            waiting = [a for a in waiting if a not in new_across]
            these += new_across
        yield these, those


def _touch(across: Rule, down: Rule) -> bool:
    return (
        across.first - NEAR <= down.at <= across.last + NEAR
        and down.first - NEAR <= across.at <= down.last + NEAR
    )


def _is_parted(rules: Sequence[Rule], at: float, first: float, last: float) -> bool:
    """Tell whether rules separate two cells along their common side."""
    covered = sum(
        max(0.0, min(last, rule.last) - max(first, rule.first))
        for rule in rules
        if abs(rule.at - at) <= NEAR
    )
    return covered >= COVERED * (last - first)


def _find_root(
    roots: dict[tuple[int, int], tuple[int, int]], place: tuple[int, int]
) -> tuple[int, int]:
    while roots[place] != place:
        place = roots[place]
    return place


def _join(
    roots: dict[tuple[int, int], tuple[int, int]],
    one: tuple[int, int],
    two: tuple[int, int],
) -> None:
    first, second = sorted((_find_root(roots, one), _find_root(roots, two)))
    roots[second] = first
