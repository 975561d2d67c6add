"""Pieces of text of a PDF page joined to lines, and to parts of lines between gaps."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import re2

from adapters.loaders.pdf_geometry import Piece
from adapters.loaders.typeface import Line

SAME_LINE = 0.5  # of the height of text; nearer base lines are one line
WORDS = 0.16  # of the height; a wider gap is a blank
PARTS = 0.9  # of the height; a wider gap splits a line
# The mark of an item, which belongs to its text despite the gap.
MARK = re2.compile(
    r"^(?:[\x{2022}\x{25cf}\x{25e6}\x{25aa}\x{25a0}\x{2023}\x{2013}\x{2014}\x{b7}*o-]|"
    r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\])$"
)


@dataclass(slots=True)
class Part:
    """A part of a line: text without a wide gap in it."""

    pieces: list[Piece]

    @property
    def left(self) -> float:
        return self.pieces[0].left

    @property
    def right(self) -> float:
        return max(piece.right for piece in self.pieces)

    @property
    def base(self) -> float:
        return self.pieces[0].base

    @property
    def height(self) -> float:
        return max(piece.height for piece in self.pieces)

    @property
    def text(self) -> str:
        return join_text(self.pieces)

    @property
    def bold(self) -> bool:
        return all(piece.bold for piece in self.pieces if piece.text.strip())


def split_rows(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Group pieces by base line from the top, each line from the left."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda p: (-p.base, p.left)):
        if not piece.text.strip():
            continue
        near = rows and abs(rows[-1][0].base - piece.base) <= SAME_LINE * max(
            piece.height, rows[-1][0].height
        )
        if near:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda p: p.left) for row in rows]


def split_parts(row: Sequence[Piece]) -> list[Part]:
    """Split a line at wide gaps, from the left."""
    parts: list[Part] = []
    right = 0.0
    for piece in row:
        near = parts and piece.left - right <= PARTS * piece.height
        if near or (parts and MARK.match(parts[-1].text)):
            parts[-1].pieces.append(piece)
            right = max(right, piece.right)
        else:
            parts.append(Part([piece]))
            right = piece.right
    return parts


def join_text(row: Sequence[Piece]) -> str:
    """Join the pieces of one line, with blanks at gaps."""
    return "".join(_space_pieces(row)).strip()


def make_line(row: Sequence[Piece]) -> Line:
    """Make a line with its typeface: the size of most of it, bold if all is bold."""
    sizes: dict[float, int] = {}
    for piece in row:
        sizes[piece.size] = sizes.get(piece.size, 0) + len(piece.text.strip())
    size = max(sizes, key=lambda each: sizes[each])
    bold = all(piece.bold for piece in row if piece.text.strip())
    return Line(join_text(row), size, bold)


def _space_pieces(row: Sequence[Piece]) -> Iterator[str]:
    last: Piece | None = None
    for piece in row:
        if last is not None:
            gap = piece.left - last.right > WORDS * piece.height
            blank = last.text[-1:].isspace() or piece.text[:1].isspace()
            if gap and not blank:
                yield " "
        yield piece.text
        last = piece
