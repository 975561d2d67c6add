"""Positions of the text of a PDF page, and the rules and boxes drawn on it.

pypdf's plain extraction, which the loader uses, joins text at one height. Its layout
extraction knows the extent of every piece of text; this module takes the pieces before
pypdf joins them to lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import re2
from pypdf import PageObject
from pypdf._text_extraction._layout_mode._fixed_width_page import (
    recurse_to_target_op,
    set_font_operation,
)
from pypdf._text_extraction._layout_mode._text_state_manager import TextStateManager
from pypdf._text_extraction._layout_mode._text_state_params import TextStateParams
from pypdf.generic import ArrayObject, ContentStream, StreamObject

from adapters.loaders.canonical import make_storable

BOLD_NAME = re2.compile(r"(?i)bold|black|heavy|demi")
STEP = 2  # sizes are rounded to halves of a point
MOST_PIECES = 20_000  # of one page
MOST_RULES = 5_000
FAR = 20.0  # points between text beside text, at one height
FURTHER = 100.0  # the same, one line lower or higher

Matrix = tuple[float, float, float, float, float, float]
SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text: from `left` to `right` on a base line at `base`."""

    text: str
    left: float
    right: float
    base: float
    height: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line at `at`, from `first` to `last` along the other axis."""

    at: float
    first: float
    last: float


@dataclass(slots=True)
class Beside:
    """Detects text beside text, shown further right at one height."""

    jumps: int = 0
    last: tuple[float, float] | None = None

    @property
    def found(self) -> bool:
        return self.jumps > 1

    def see(self, operator: bytes, _: Any, cm: Sequence[float], tm: Any) -> None:
        """Watch an operator; pypdf calls this before each, with both matrices."""
        if operator not in (b"Tj", b"TJ"):
            return
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        if self.last is not None:
            right, lower = x - self.last[0], abs(y - self.last[1])
            same = lower < 2 and right > FAR
            self.jumps += same or (lower < FAR and right > FURTHER)
        self.last = (x, y)


@dataclass(slots=True)
class Drawing:
    """The drawing of a page: pieces of text in their order, and rules."""

    pieces: list[Piece] = field(default_factory=list)
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)


class _Pen(TextStateManager):
    """A text state manager that keeps every piece of text shown."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self.drawing = drawing

    def text_state_params(self, value: bytes | str = "") -> TextStateParams:
        told = super().text_state_params(value)
        text = make_storable(told.text)
        if text and not told.rotated and len(self.drawing.pieces) < MOST_PIECES:
            self.drawing.pieces.append(
                Piece(
                    text=text,
                    left=min(told.tx, told.displaced_tx),
                    right=max(told.tx, told.displaced_tx),
                    base=told.ty,
                    height=told.font_height,
                    size=round_size(told.font_height),
                    bold=is_bold_name(told.font.name),
                )
            )
        return told


def read_drawing(page: PageObject) -> Drawing | None:
    """Read the drawing of a page; return None where it has no content."""
    contents = page.get("/Contents")
    held = contents.get_object() if contents is not None else None
    if not isinstance(held, ArrayObject | StreamObject):
        return None
    fonts = page._layout_mode_fonts()
    drawing = Drawing()
    pen, paths = _Pen(drawing), _Paths(drawing)
    # A content stream that was read already has its hidden texts emptied.
    known = held if isinstance(held, ContentStream) else None
    content = known or ContentStream(held, page.pdf, "bytes")
    operations = paths.watch(content.operations)
    for operands, operator in operations:
        if operator in (b"BT", b"q"):
            end: Any = b"ET" if operator == b"BT" else b"Q"
            recurse_to_target_op(operations, pen, end, fonts)
        elif operator == b"cm":
            pen.add_cm(*operands)
        elif operator == b"Tf":
            set_font_operation(pen, fonts, operands)
        else:
            pen.set_state_param(operator, operands)
    return drawing


@dataclass(slots=True)
class _Paths:
    """Follows the drawing of lines and boxes, and keeps the straight ones."""

    drawing: Drawing
    matrix: Matrix = SAME
    stack: list[Matrix] = field(default_factory=list)
    point: tuple[float, float] = (0.0, 0.0)
    first: tuple[float, float] = (0.0, 0.0)
    lines: list[tuple[float, float, float, float]] = field(default_factory=list)

    def watch(
        self, operations: Sequence[tuple[list[Any], bytes]]
    ) -> Iterator[tuple[list[Any], bytes]]:
        for operands, operator in operations:
            numbers = [float(n) for n in operands if isinstance(n, int | float)]
            self.take(operator, numbers)
            yield operands, operator

    def take(self, operator: bytes, numbers: Sequence[float]) -> None:
        if operator == b"q":
            self.stack.append(self.matrix)
        elif operator == b"Q":
            self.matrix = self.stack.pop() if self.stack else SAME
        elif operator == b"cm" and len(numbers) == 6:
            self.matrix = _multiply(numbers, self.matrix)
        elif operator in (b"m", b"l", b"re", b"h"):
            self.draw(operator, numbers)
        elif operator in (b"S", b"s", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"):
            self.keep()
        elif operator == b"n":
            self.lines.clear()

    def draw(self, operator: bytes, numbers: Sequence[float]) -> None:
        if operator == b"re" and len(numbers) == 4:
            x, y, wide, high = numbers
            corners = [
                *((x, y), (x + wide, y)),
                *((x + wide, y + high), (x, y + high), (x, y)),
            ]
            placed = [self.placed(*corner) for corner in corners]
            self.lines += [(*a, *b) for a, b in pairwise(placed)]
        elif operator == b"m" and len(numbers) == 2:
            self.point = self.first = self.placed(*numbers)
        elif operator == b"l" and len(numbers) == 2:
            end = self.placed(*numbers)
            self.lines.append((*self.point, *end))
            self.point = end
        elif operator == b"h":
            self.lines.append((*self.point, *self.first))

    def placed(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self.matrix
        return a * x + c * y + e, b * x + d * y + f

    def keep(self) -> None:
        """Keep the straight lines of the painted path."""
        drawing = self.drawing
        for x, y, to_x, to_y in self.lines:
            if len(drawing.across) + len(drawing.down) >= MOST_RULES:
                break
            if abs(to_y - y) < 1 < abs(to_x - x):
                drawing.across.append(Rule(y, *sorted((x, to_x))))
            elif abs(to_x - x) < 1 < abs(to_y - y):
                drawing.down.append(Rule(x, *sorted((y, to_y))))
        self.lines.clear()


def is_bold_name(name: str) -> bool:
    """Tell whether a font is bold by its name."""
    return BOLD_NAME.search(name) is not None


def round_size(size: float) -> float:
    return round(size * STEP) / STEP


def _multiply(one: Sequence[float], two: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return (
        *(a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j),
        *(e * g + f * i + k, e * h + f * j + m),
    )
