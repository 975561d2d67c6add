"""Columns and tables of a PDF page, one after the other and by their grid (R-A15).

pypdf joins what stands at one height. That is right for one column alone: lines of two
become sentences that nobody wrote, and cells of a table lose their places. Pages on
which text stands beside other text are read anew here, by where it stands.

A table is read by its rules. Without rules between its rows it is read where every line
is a row for certain; else its text is kept and never quoted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from adapters.loaders.pdf_geometry import Drawing, Piece, Rule
from adapters.loaders.pdf_lines import Part, line_of, parts_of, rows_of, text_of
from adapters.loaders.tables import Cell, Table
from adapters.loaders.typeface import Line

LIKE = 0.98  # of the letters of a page, that both readings have to find
GUTTER = 1.0  # of the height of text: the least width between columns
APART = 2.6  # of the height: lines that are further apart belong to no one block
SEEN_IN = 4  # lines within which a second column shows
LEAST = 3  # lines of a column, and rows of a table
PROSE = 18  # characters of a usual line of text in a column
FILLED = 0.6  # of the width of a column that its usual line fills
BELOW = 1.3  # times the usual distance of rows: a line that is lower follows them
UNEVEN = 0.8  # of the widest distance of lines: a smaller one is inside a row
MOST_COLUMNS = 40
BLANK = Line("")
NEAR = 3.0  # points between rules that meet
COVERED = 0.5  # of a side of a cell: then a rule parts it from the next
MOST_CELLS = 10_000


@dataclass(slots=True)
class _Row(Part):
    """A whole line of the page, and its parts."""

    parts: list[Part]


@dataclass(slots=True)
class _Block:
    """Lines that columns part: `columns` are their left and right edges."""

    rows: list[_Row]
    columns: list[tuple[float, float]]

    def column(self, part: Part) -> int:
        """The column that a part of a line stands in."""
        middle = (part.left + part.right) / 2
        return sum(middle > right for _, right in self.columns[:-1])

    def cells(self, row: _Row) -> dict[int, list[Part]]:
        found: dict[int, list[Part]] = {}
        for part in row.parts:
            found.setdefault(self.column(part), []).append(part)
        return found


def read_layout(drawing: Drawing, plain: str, path: str) -> list[Line] | None:
    """The lines of a page in the order in which people read them, tables among them.

    None where nothing stands beside anything, or where it is not known where all of the
    text stands.
    """
    letters = sum(len("".join(piece.text.split())) for piece in drawing.pieces)
    expected = len("".join(plain.split()))
    if not expected or not LIKE <= letters / expected <= 2 - LIKE:
        return None
    found: list[tuple[float, list[Line]]] = []
    rest = drawing.pieces
    for grid in find_grids(drawing):
        inside = [piece for piece in rest if grid.holds(piece)]
        if len(rows_of(inside)) < 2:
            continue
        rest = [piece for piece in rest if not grid.holds(piece)]
        table = grid.table(inside, path)
        found.append((grid.top, [_table(table, inside)]))
    rows = [_Row(row, parts_of(row)) for row in rows_of(rest)]
    changed = bool(found)
    for block in _blocks(rows):
        lines = _read(block, drawing, path) if isinstance(block, _Block) else None
        changed |= lines is not None
        held = block.rows if isinstance(block, _Block) else [block]
        plainly = [line_of(row.pieces) for row in held]
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


def _table(table: Table | None, pieces: Sequence[Piece]) -> Line:
    """A table as a line of the page; one that cannot be read is not quoted."""
    if table is not None:
        return Line("", table=table)
    text = "\n".join(line_of(row).text for row in rows_of(pieces))
    return Line(text, quotable=False)


# --- what stands beside what ------------------------------------------------------


def _blocks(rows: Sequence[_Row]) -> Iterator[_Row | _Block]:
    """Lines of one column, and blocks of lines with columns."""
    at = 0
    while at < len(rows):
        block = _block(rows, at)
        if block is None:
            yield rows[at]
            at += 1
        else:
            yield block
            at += len(block.rows)


def _block(rows: Sequence[_Row], start: int) -> _Block | None:
    """The lines from `start` on through which the same gaps run; None: none does."""
    covered: list[tuple[float, float]] = []
    end = start
    for at in range(start, len(rows)):
        row = rows[at]
        apart = rows[at - 1].base - row.base if at > start else 0.0
        wider = _covering(covered, row)
        closed = len(covered) > 1 and len(wider) < 2
        late = len(wider) < 2 and at - start >= SEEN_IN
        if apart > APART * row.height or closed or late:
            break
        covered, end = wider, at + 1
    if len(covered) < 2 or len(covered) > MOST_COLUMNS:
        return None
    block = _Block(list(rows[start:end]), covered)
    while len(block.rows) > LEAST and _follows(block.rows) and not _is_prose(block):
        block.rows.pop()
    return block if len(block.rows) >= LEAST else None


def _follows(rows: Sequence[_Row]) -> bool:
    """Whether the last line stands below a table, and is none of its rows."""
    apart = [a.base - b.base for a, b in pairwise(rows)]
    return len(rows[-1].parts) < 2 and apart[-1] > BELOW * median(apart)


def _covering(
    covered: Sequence[tuple[float, float]], row: _Row
) -> list[tuple[float, float]]:
    """What is covered from left to right, with one more line; narrow gaps are none."""
    spans = sorted([*covered, *((part.left, part.right) for part in row.parts)])
    merged: list[tuple[float, float]] = []
    for left, right in spans:
        if merged and left - merged[-1][1] < GUTTER * row.height:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _columns(block: _Block) -> list[list[Part]]:
    """The parts of each column, from the top."""
    found: list[list[Part]] = [[] for _ in block.columns]
    for row in block.rows:
        for part in row.parts:
            found[block.column(part)].append(part)
    return found


def _is_prose(block: _Block) -> bool:
    """Whether every column is running text, but for numbers of lines."""
    texts = 0
    for (left, right), parts in zip(block.columns, _columns(block), strict=True):
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
    """Whether they count lines: figures that rise by one, or by five."""
    numbers = [int(p.text) if p.text.isdecimal() else -1 for p in parts]
    steps = {b - a for a, b in pairwise(numbers)}
    return min(numbers) >= 0 and len(steps) == 1 and min(steps) > 0


def _read(block: _Block, drawing: Drawing, path: str) -> list[Line] | None:
    """The lines of a block; None where they are read rightly as they are written."""
    if _is_prose(block):
        columns = _columns(block)
        numbered = any(map(_are_numbers, columns))
        woven = numbered or _woven(block, drawing.pieces)
        return [*_in_turn(block, columns)] if woven else None
    full = [row for row in block.rows if len(row.parts) > 1]
    if len(full) < LEAST or 2 * len(full) < len(block.rows):
        return None
    pieces = [piece for row in block.rows for piece in row.pieces]
    return [_table(_aligned(block, drawing.across, path), pieces)]


def _in_turn(block: _Block, columns: Sequence[Sequence[Part]]) -> Iterator[Line]:
    """The lines of one column after the other; numbers of lines are no text."""
    yield BLANK
    for at, parts in enumerate(columns):
        if _are_numbers(parts):
            text = " ".join(part.text for part in parts)
            yield Line(text, quotable=False)
            continue
        rows = [block.cells(row).get(at, ()) for row in block.rows]
        lines = [
            line_of([p for part in row for p in part.pieces]) for row in rows if row
        ]
        room = max(len(line.text) for line in lines)
        yield from (replace(line, room=room) for line in lines)
    yield BLANK


def _woven(block: _Block, pieces: Sequence[Piece]) -> bool:
    """Whether the page is written line by line over its columns."""
    bottom, top = block.rows[-1].base - 1, block.rows[0].base + 1
    order = [
        block.column(Part([piece]))
        for piece in pieces
        if bottom <= piece.base <= top and piece.text.strip()
    ]
    turns = sum(a != b for a, b in pairwise(order))
    return bool(turns > 2 * len(block.columns))


# --- tables without a grid of rules -----------------------------------------------


def _aligned(block: _Block, across: Sequence[Rule], path: str) -> Table | None:
    """A table by the gaps between its columns; None where rows are not certain."""
    left, right = block.columns[0][0], block.columns[-1][1]
    rules = sorted(
        {
            round(rule.at)
            for rule in across
            if min(right, rule.last) - max(left, rule.first) > (right - left) / 2
        },
        reverse=True,
    )
    groups = _grouped(block.rows, rules)
    inner = [r for r in rules if block.rows[-1].base < r < block.rows[0].base]
    table = Table(path)
    heads = [g for g in groups if inner and g[-1].base > inner[0]]
    alone = len(groups) == len(block.rows) and not _certain(groups[len(heads) :], block)
    if alone or len(groups) < 2:
        return None
    head = heads if len(heads) < len(groups) and len(heads) <= LEAST else []
    for group in groups:
        cells = [*_cells(group, block)]
        if group in head:
            table.head.append(cells)
        else:
            table.add(cells)
    return table


def _grouped(rows: Sequence[_Row], rules: Sequence[float]) -> list[list[_Row]]:
    """The lines of each row: by rules between all rows, else by uneven distances."""
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


def _certain(groups: Sequence[Sequence[_Row]], block: _Block) -> bool:
    """Whether no line goes on with the one above: each begins in the first column."""
    for number, group in enumerate(groups):
        first = block.cells(group[0]).get(0)
        text = first[0].text if first else ""
        if number and (not text or text[0].islower()):
            return False
    return True


def _cells(group: Sequence[_Row], block: _Block) -> Iterator[Cell]:
    for column in range(len(block.columns)):
        parts = [p for row in group for p in block.cells(row).get(column, ())]
        if parts:
            text = text_of_cell(part.text for part in parts)
            strong = all(part.bold for part in parts)
            yield Cell(text, strong=strong, column=column + 1)


@dataclass(slots=True)
class Grid:
    """Where the rules of one table cross: columns from the left, rows from the top."""

    columns: list[float]
    rows: list[float]
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)

    @property
    def top(self) -> float:
        return self.rows[0]

    def holds(self, piece: Piece) -> bool:
        """Whether a piece of text stands in it."""
        middle = (piece.left + piece.right) / 2
        inside = self.columns[0] - NEAR <= middle <= self.columns[-1] + NEAR
        return inside and self.rows[-1] - NEAR <= piece.base <= self.rows[0] + NEAR

    def table(self, pieces: Sequence[Piece], path: str) -> Table | None:
        """What stands in it as a table; None where its cells are no rectangles, or a
        piece of text stands in two of them."""
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
                cells.append(_cell(inside.get((row, column), ()), wide, high, column))
            table.add(cells)
        return table

    def place(
        self, piece: Piece, roots: dict[tuple[int, int], tuple[int, int]]
    ) -> tuple[int, int] | None:
        """The cell that a piece stands in; None where it stands in two."""
        height = piece.base + piece.height / 3
        row = sum(height < edge for edge in self.rows[1:-1])
        first, last = (
            sum(at > edge for edge in self.columns[1:-1])
            for at in (piece.left + NEAR, piece.right - NEAR)
        )
        alike = roots[(row, first)] == roots[(row, max(first, last))]
        return (row, first) if alike or not piece.text.strip() else None

    def joined(self) -> dict[tuple[int, int], tuple[int, int]]:
        """For each place the first place of the cell that covers it."""
        roots: dict[tuple[int, int], tuple[int, int]] = {}
        for row in range(len(self.rows) - 1):
            for column in range(len(self.columns) - 1):
                roots[(row, column)] = (row, column)
        for row, column in list(roots):
            top, bottom = self.rows[row], self.rows[row + 1]
            left, right = self.columns[column], self.columns[column + 1]
            if (row, column + 1) in roots and not _parted(
                self.down, right, bottom, top
            ):
                _join(roots, (row, column), (row, column + 1))
            if (row + 1, column) in roots and not _parted(
                self.across, bottom, left, right
            ):
                _join(roots, (row, column), (row + 1, column))
        return {place: _root(roots, place) for place in roots}


def find_grids(drawing: Drawing) -> list[Grid]:
    """The tables that rules make: two columns and two rows at least."""
    across, down = _merged(drawing.across), _merged(drawing.down)
    grids: list[Grid] = []
    for these, those in _together(across, down):
        columns = _edges([r.at for r in those], [e for r in these for e in _ends(r)])
        rows = _edges([r.at for r in these], [e for r in those for e in _ends(r)])
        enough = len(columns) > 2 and len(rows) > 2
        if enough and len(columns) * len(rows) <= MOST_CELLS:
            grids.append(Grid(columns, rows[::-1], these, those))
    return sorted(grids, key=lambda grid: -grid.top)


def _cell(pieces: Sequence[Piece], wide: int, high: int, column: int) -> Cell:
    bold = bool(pieces) and all(p.bold for p in pieces if p.text.strip())
    lines = (text_of(row) for row in rows_of(pieces))
    return Cell(text_of_cell(lines), wide, high, strong=bold, column=column + 1)


def text_of_cell(lines: Iterable[str]) -> str:
    """The lines of a cell as one: they were broken for want of room."""
    text = ""
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        hyphen = text.endswith("-") and line[:1].islower()
        text = f"{text}{line}" if hyphen else f"{text} {line}".strip()
    return text.replace(" | ", "|")


def _ends(rule: Rule) -> tuple[float, float]:
    return rule.first, rule.last


def _edges(rules: Sequence[float], ends: Sequence[float]) -> list[float]:
    """Where columns or rows end: at rules, and where the rules across end."""
    edges: list[float] = []
    for at in sorted([*rules, min(ends, default=0.0), max(ends, default=0.0)]):
        if not edges or at - edges[-1] > NEAR:
            edges.append(at)
    return edges


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Rules on one line that touch are one."""
    merged: list[Rule] = []
    for rule in sorted(rules, key=lambda r: (round(r.at), r.first)):
        last = merged[-1] if merged else None
        if last and abs(last.at - rule.at) <= 1 and rule.first <= last.last + NEAR:
            merged[-1] = Rule(last.at, last.first, max(last.last, rule.last))
        else:
            merged.append(rule)
    return merged


def _together(
    across: Sequence[Rule], down: Sequence[Rule]
) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Rules that meet, directly or by way of others."""
    left = list(down)
    waiting = list(across)
    while waiting:
        these, those = [waiting.pop()], list[Rule]()
        new_across = these[:]
        while new_across:
            found = [d for d in left if any(_meet(a, d) for a in new_across)]
            left = [d for d in left if d not in found]
            those += found
            new_across = [a for a in waiting if any(_meet(a, d) for d in found)]
            waiting = [a for a in waiting if a not in new_across]
            these += new_across
        yield these, those


def _meet(across: Rule, down: Rule) -> bool:
    return (
        across.first - NEAR <= down.at <= across.last + NEAR
        and down.first - NEAR <= across.at <= down.last + NEAR
    )


def _parted(rules: Sequence[Rule], at: float, first: float, last: float) -> bool:
    """Whether rules part two cells along their common side."""
    covered = sum(
        max(0.0, min(last, rule.last) - max(first, rule.first))
        for rule in rules
        if abs(rule.at - at) <= NEAR
    )
    return covered >= COVERED * (last - first)


def _root(
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
    first, second = sorted((_root(roots, one), _root(roots, two)))
    roots[second] = first
