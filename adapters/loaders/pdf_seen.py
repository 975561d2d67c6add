"""Hidden texts of a PDF page, which are emptied before the page is read.

Hidden is a text that is not painted, lies off the page or outside the clipping path, is
too small, has the colour of its background, or is covered by a later mark. A page that
is a picture with only hidden text is a scan with recognised text, which is kept. Struck
text is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pypdf import PageObject
from pypdf.generic import ArrayObject, NameObject, TextStringObject

from adapters.loaders.pdf_ink import Box, Colour, Ink, Mark, Text, list_off_layers
from adapters.loaders.shown import LEAST_CONTRAST, WHITE, compute_contrast

LEAST_POINTS = 1.0  # height of text that is too small to be visible
SCANNED = 0.5  # share of a page that pictures cover on a scan
INSIDE = 0.3  # of a letter's height above its base line, the point that is tested
THIN = 0.15  # of a letter's height; a box of less height is a line
THROUGH = (0.12, 0.6)  # heights of a line that strikes text, in a letter's height
MUCH = 0.6  # share of a text that a line has to cross to strike it

RECOGNISED = "its text is what text recognition read of pictures, and may be misread"
LEFT_OUT = "what is struck out in it is left out, with what is shown together with it"


@dataclass(slots=True)
class Seen:
    """The detection of hidden text in one file, with remarks on it."""

    catalog: Any
    remarks: dict[str, None] = field(default_factory=dict)

    def empty_unseen(self, page: PageObject) -> Ink:
        """Empty the hidden texts of a page; return its drawing, to restore it later."""
        ink = Ink(page.pdf, list_off_layers(self.catalog))
        content = ink.read(page)
        if content is None or not ink.texts:
            return ink
        page[NameObject("/Contents")] = content
        unseen = _find_unseen(ink, page)
        if len(unseen) == len(ink.texts) and _is_scan(ink, page):
            self.remarks[RECOGNISED] = None
            return ink
        struck = _find_struck(ink, page)
        if struck:
            self.remarks[LEFT_OUT] = None
        for text in (*unseen, *struck):
            _empty(text.operands)
        return ink


def _empty(operands: list[Any]) -> None:
    for at, operand in enumerate(operands):
        if isinstance(operand, ArrayObject):
            operands[at] = ArrayObject()
        elif isinstance(operand, str | bytes):
            operands[at] = TextStringObject("")


def _find_unseen(ink: Ink, page: PageObject) -> Sequence[Text]:
    boxes = _Boxes(ink.marks)
    frame = _read_frame(page)
    return [
        text
        for text in ink.texts
        if text.unseen
        or text.height <= LEAST_POINTS
        or _is_outside(text, frame)
        or _is_outside(text, text.clip)
        or boxes.covers(text)
        or _is_faded(text.colour, boxes.behind(text))
    ]


def _is_faded(colour: Colour | None, behind: Colour | None) -> bool:
    if colour is None or behind is None:
        return False
    return compute_contrast(colour, behind) < LEAST_CONTRAST


def _is_outside(text: Text, box: Box) -> bool:
    """Tell whether all of a text lies beyond one side of a box."""
    (x, y), (u, v) = text.start, text.end
    left, bottom, right, top = box
    return (
        max(x, u) < left
        or min(x, u) > right
        or max(y, v) + text.height < bottom
        or min(y, v) > top
    )


class _Boxes:
    """The marks of a page, for lookups by a point."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self._marks = marks
        self._boxes: NDArray[np.float64] = np.array(
            [mark.box for mark in marks], dtype=np.float64
        ).reshape(-1, 4)
        self._order = np.array([mark.order for mark in marks], dtype=np.int64)
        self._whole = np.array([mark.whole for mark in marks], dtype=np.bool_)

    def _find_holding(self, text: Text) -> NDArray[np.bool_]:
        """Find the marks that contain the first letter of a text."""
        x = text.start[0] + np.sign(text.end[0] - text.start[0]) * text.height * INSIDE
        y = text.start[1] + text.height * INSIDE
        left, bottom, right, top = self._boxes.T
        return np.asarray((left <= x) & (x <= right) & (bottom <= y) & (y <= top))

    def covers(self, text: Text) -> bool:
        """Tell whether a later mark covers a text."""
        later = self._whole & (self._order > text.order)
        return bool(later.any() and (later & self._find_holding(text)).any())

    def behind(self, text: Text) -> Colour | None:
        """Find the colour behind a text; the bare page is white."""
        before = (self._order < text.order) & self._find_holding(text)
        for at in reversed(np.flatnonzero(before).tolist()):
            mark = self._marks[at]
            if mark.colour is None or mark.whole:
                return mark.colour
        return WHITE


def _is_scan(ink: Ink, page: PageObject) -> bool:
    """Tell whether pictures cover most of a page."""
    left, bottom, right, top = _read_frame(page)
    whole = max(1.0, (right - left) * (top - bottom))
    taken = sum(
        max(0.0, min(mark.box[2], right) - max(mark.box[0], left))
        * max(0.0, min(mark.box[3], top) - max(mark.box[1], bottom))
        for mark in ink.marks
        if mark.picture
    )
    return taken >= SCANNED * whole


def _read_frame(page: PageObject) -> Box:
    box = page.cropbox
    return float(box.left), float(box.bottom), float(box.right), float(box.top)


def _find_struck(ink: Ink, page: PageObject) -> Sequence[Text]:
    """Find the texts that a line or an annotation strikes out."""
    lines = [*_list_lines(ink.marks), *_list_strikes(page)]
    if not lines:
        return ()
    return [
        text for text in ink.texts if any(_strikes_out(line, text) for line in lines)
    ]


def _list_lines(marks: Sequence[Mark]) -> Iterator[Box]:
    for mark in marks:
        left, bottom, right, top = mark.box
        if not mark.picture and right - left > 4 * (top - bottom):
            yield mark.box


def _list_strikes(page: PageObject) -> Iterator[Box]:
    """List the middle lines of strike-out annotations."""
    annotations = page.get("/Annots")
    found = annotations.get_object() if annotations is not None else ()
    for each in found if isinstance(found, ArrayObject) else ():
        note = each.get_object()
        if not hasattr(note, "get") or note.get("/Subtype") != "/StrikeOut":
            continue
        points = [float(number) for number in note.get("/QuadPoints", ())]
        for at in range(0, len(points) - 7, 8):
            xs, ys = points[at : at + 8 : 2], points[at + 1 : at + 8 : 2]
            middle = (min(ys) + max(ys)) / 2
            yield min(xs), middle, max(xs), middle


def _strikes_out(line: Box, text: Text) -> bool:
    """Tell whether a line runs through the letters of a horizontal text."""
    left, bottom, right, top = line
    (x, y), (u, v) = text.start, text.end
    if top - bottom > THIN * text.height or abs(v - y) > 1.0 or u <= x:
        return False
    low, high = (y + share * text.height for share in THROUGH)
    crossed = min(u, right) - max(x, left)
    return low <= (bottom + top) / 2 <= high and crossed >= MUCH * (u - x)
