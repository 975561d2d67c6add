"""Pieces of text of a PDF page as lines, and as parts of lines that gaps divide."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import re2

from adapters.loaders.pdf_geometry import Piece
from adapters.loaders.typeface import Line

SAME_LINE = 0.5  # of the height of text: base lines that are nearer are one
WORDS = 0.16  # of the height: a wider gap is a blank
PARTS = 0.9  # of the height: a wider gap divides a line
# The mark of an item stands apart from its text and is a part of it.
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
        return text_of(self.pieces)

    @property
    def bold(self) -> bool:
        return all(piece.bold for piece in self.pieces if piece.text.strip())


def rows_of(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces by base line from the top, each from the left."""
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


def parts_of(row: Sequence[Piece]) -> list[Part]:
    """The parts of a line, from the left."""
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


def text_of(row: Sequence[Piece]) -> str:
    """The text of pieces of one line, with a blank where a gap is."""
    return "".join(_spaced(row)).strip()


def line_of(row: Sequence[Piece]) -> Line:
    """A line with its type: the size that most of it has, bold if all of it is."""
    sizes: dict[float, int] = {}
    for piece in row:
        sizes[piece.size] = sizes.get(piece.size, 0) + len(piece.text.strip())
    size = max(sizes, key=lambda each: sizes[each])
    bold = all(piece.bold for piece in row if piece.text.strip())
    return Line(text_of(row), size, bold)


def _spaced(row: Sequence[Piece]) -> Iterator[str]:
    last: Piece | None = None
    for piece in row:
        if last is not None:
            gap = piece.left - last.right > WORDS * piece.height
            blank = last.text[-1:].isspace() or piece.text[:1].isspace()
            if gap and not blank:
                yield " "
        yield piece.text
        last = piece
