"""Delimited tables (.csv, .tsv): commas, semicolons, tabs or bars between cells.

A row with more or fewer cells than its table is refused with its line, because its
values would be under wrong heads.
"""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import PurePath

import re2

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.limits import Limits
from adapters.loaders.readers import make_loader_name
from adapters.loaders.sheet_heads import count_heads_by_words
from adapters.loaders.tables import Cell, Heads, Table, clean_cell
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("csv")
DELIMITERS = ",;\t|"
STATED = re2.compile(r"(?i)\Asep=(.)\n")  # as spreadsheet programs write it
LOOKED_AT = 200  # rows used to find the delimiter
LONGEST_CELL = 1_000_000


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[str, ...]
    line: int


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one table; single cells above it are its caption, below it notes.

    Raises:
        DocumentError: its quotation marks do not close, or a row has too many or too
            few cells.
    """
    csv.field_size_limit(LONGEST_CELL)
    rows = _read_rows(text, path)
    out = CanonicalText(path, limits)
    width = _find_width(rows)
    begins = next((at for at, row in enumerate(rows) if len(row.cells) == width), 0)
    caption = None
    for row in rows[:begins]:
        _check(row, 1, path)
        caption = out.add(Piece(BlockKind.PARAGRAPH, row.cells[0], unfinished=True))
    table = Table(path, lead_in=caption)
    body = [_fit(row, width, path) for row in rows[begins:]]
    used = [any(column) for column in zip(*body, strict=True)]
    body = [tuple(compress(row, used)) for row in body]
    whole = [cells for cells in body if any(cells[1:])]
    heads = count_heads_by_words(whole) if width > 1 else 0
    for at, cells in enumerate(body):
        kind = Heads.COLUMN if at < heads else Heads.NOTHING
        table.add([Cell(text, heads=kind) for text in cells])
    table.place(out)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=PurePath(path).stem,
    )


def _read_rows(text: str, path: str) -> list[_Row]:
    """Read the rows that are not empty, with the delimiter that fits best."""
    stated = STATED.match(text)
    if stated:
        return _read(text[stated.end() :], str(stated.group(1)), path)
    best: list[_Row] = []
    most = (-1.0, 0)
    problem: DocumentError | None = None
    for delimiter in DELIMITERS:
        try:
            rows = _read(text, delimiter, path)
        except DocumentError as error:
            problem = problem or error
            continue
        looked = [len(row.cells) for row in rows[:LOOKED_AT]]
        width = _find_width(rows)
        even = looked.count(width) / max(len(looked), 1) if width > 1 else 0
        if (even, width) > most:
            most, best = (even, width), rows
    if problem and not best:
        raise problem
    return best


def _read(text: str, delimiter: str, path: str) -> list[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[_Row] = []
    try:
        for cells in reader:
            read = tuple(clean_cell(cell.replace("\n", "\v")) for cell in cells)
            if any(read):
                rows.append(_Row(_trim(read), reader.line_num))
    except csv.Error as error:
        raise DocumentError(
            f"{path}: line {reader.line_num} does not read ({error}); a quotation mark "
            "inside a cell is written twice"
        ) from error
    return rows


def _trim(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Cut a row to its first cell where only that has text."""
    return cells if any(cells[1:]) or not cells[0] else cells[:1]


def _find_width(rows: Sequence[_Row]) -> int:
    """Find how many cells most rows have, without single cells."""
    counted = Counter(len(row.cells) for row in rows if len(row.cells) > 1)
    return counted.most_common(1)[0][0] if counted else 1


def _fit(row: _Row, width: int, path: str) -> tuple[str, ...]:
    """Fit a row to the width of its table; fill up a single cell."""
    cells = row.cells
    if len(cells) == 1:
        return cells + ("",) * (width - 1)
    while len(cells) > width and not cells[-1]:
        cells = cells[:-1]
    _check(_Row(cells, row.line), width, path)
    return cells


def _check(row: _Row, width: int, path: str) -> None:
    if len(row.cells) != width:
        raise DocumentError(
            f"{path}: line {row.line} has {len(row.cells)} cells where its table "
            f"has {width}; put a cell that holds the delimiter between "
            "quotation marks, and write empty cells, too"
        )
