"""Tables of a PDF that are drawn with rules or boxes: read by these (R-A15)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from adapters.loaders.pdf_geometry import Drawing, Piece, Rule
from adapters.loaders.pdf_lines import rows_of, text_of
from adapters.loaders.tables import Cell, Table

NEAR = 3.0  # points between rules that meet
COVERED = 0.5  # of a side of a cell: then a rule parts it from the next
MOST_CELLS = 10_000


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
