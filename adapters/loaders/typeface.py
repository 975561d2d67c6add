"""The lines of a PDF page with their typeface: size and weight.

Headings are recognised by their typeface. The text size is the one that most characters
of the file have.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pypdf import PageObject
from pypdf.generic import DictionaryObject

from adapters.loaders.pdf_geometry import Beside, is_bold_name, round_size
from adapters.loaders.pdf_seen import Seen
from adapters.loaders.tables import Table

BOLD_WEIGHT = 600
FORCE_BOLD = 1 << 18  # flag of a font's descriptor
LARGER = 1.12  # times the text size, above the error of rounding
LEVELS = 6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page; `size` in points, 0 where it is unknown.

    `room` is the number of characters of the longest line in its column; 0 means the
    page's. A table takes the place of a line. A line that is not `quotable` could not
    be read in its order on the page.
    """

    text: str
    size: float = 0.0
    bold: bool = False
    room: int = 0
    table: Table | None = None
    quotable: bool = True


@dataclass(slots=True)
class _Setter:
    """Joins the pieces of a page, as they are shown, to lines."""

    pieces: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)
    _text: list[str] = field(default_factory=list)
    _sizes: Counter[float] = field(default_factory=Counter)
    _bold: bool = True

    def show(
        self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: Any
    ) -> None:
        """Add one piece of text, in one typeface."""
        self.pieces.append(text)
        high = round_size(float(size or 0) * _measure_scale(cm) * _measure_scale(tm))
        bold = isinstance(font, DictionaryObject) and is_bold(font)
        first, *others = text.split("\n")
        self._take(first, high, bold=bold)
        for part in others:
            self.end()
            self._take(part, high, bold=bold)

    def _take(self, part: str, size: float, *, bold: bool) -> None:
        self._text.append(part)
        seen = sum(not character.isspace() for character in part)
        if seen:
            self._sizes[size] += seen
            self._bold &= bold

    def end(self) -> None:
        """End a line; its size is that of most of it, and it is bold if all is."""
        size = self._sizes.most_common(1)[0][0] if self._sizes else 0.0
        bold = self._bold and bool(self._sizes)
        self.lines.append(Line("".join(self._text), size, bold))
        self.sizes.update(self._sizes)
        self._text.clear()
        self._sizes.clear()
        self._bold = True


Lay = Callable[[PageObject, str], list[Line] | None]  # a page, and its plain text


@dataclass(slots=True)
class Print:
    """The pages of a file, and its number of characters of each size."""

    pages: list[list[Line]] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)
    lay: Lay | None = None

    def read(self, page: PageObject, seen: Seen) -> None:
        """Read the visible text of a page.

        Where its pieces differ from its text, sizes are unknown. A page with text
        beside text is passed to `lay`, which may read it by position.
        """
        setter, beside = _Setter(), Beside()
        ink = seen.empty_unseen(page)
        text = page.extract_text(
            visitor_text=setter.show, visitor_operand_before=beside.see
        )
        setter.end()
        laid = self.lay(page, text) if self.lay and beside.found else None
        ink.restore()
        if laid is not None:
            self.pages.append(laid)
            for line in laid:
                self.sizes[line.size] += len("".join(line.text.split()))
        elif "".join(setter.pieces) == text:
            self.pages.append(_strip_lines(setter.lines))
            self.sizes.update(setter.sizes)
        else:
            self.pages.append([Line(line) for line in text.strip().split("\n")])

    def type(self) -> "Type":
        """Find the typefaces of the file's text and headings."""
        known = {size: count for size, count in self.sizes.items() if size}
        body = max(known, key=lambda size: known[size]) if known else 0.0
        larger = {
            line.size
            for page in self.pages
            for line in page
            if line.size > LARGER * body
        }
        levels = {size: at for at, size in enumerate(sorted(larger, reverse=True), 1)}
        bold = any(
            line.bold and line.size == body for page in self.pages for line in page
        )
        plain = any(
            not line.bold and line.size == body for page in self.pages for line in page
        )
        return Type(body, levels, bold=bold and plain)


@dataclass(frozen=True, slots=True)
class Type:
    """The size of the text, the larger ones with their levels, and if it has bold."""

    body: float
    larger: Mapping[float, int]
    bold: bool

    @property
    def tells(self) -> bool:
        """Tell whether the typeface distinguishes headings from text."""
        return self.bold or bool(self.larger)

    def level(self, line: Line) -> int:
        """Return the level of a line in larger type; 0 for one at text size."""
        return min(self.larger.get(line.size, 0), LEVELS)

    def bold_level(self) -> int:
        """Return the level of a bold heading at text size, below all larger ones."""
        return min(len(self.larger) + 1, LEVELS)

    def is_bold(self, line: Line) -> bool:
        """Tell whether a line is bold at text size, in a file with other text."""
        size = self.body <= line.size <= LARGER * self.body
        return self.bold and line.bold and size


def is_bold(font: Mapping[str, Any]) -> bool:
    """Tell whether a font is bold, by its name or its descriptor."""
    if is_bold_name(str(font.get("/BaseFont", ""))):
        return True
    held = font.get("/FontDescriptor")
    told = held.get_object() if held is not None else None
    if not isinstance(told, DictionaryObject):
        return False
    weight, flags = told.get("/FontWeight", 0), told.get("/Flags", 0)
    heavy = isinstance(weight, int | float) and weight >= BOLD_WEIGHT
    return heavy or (isinstance(flags, int) and bool(flags & FORCE_BOLD))


def _measure_scale(matrix: Sequence[float]) -> float:
    """Measure the vertical scale of a matrix."""
    return math.hypot(float(matrix[2]), float(matrix[3]))


def _strip_lines(lines: list[Line]) -> list[Line]:
    """Strip empty lines and blanks at both ends, as of a page's text."""
    kept = [at for at, line in enumerate(lines) if line.text.strip()]
    if not kept:
        return [Line("")]
    held = lines[kept[0] : kept[-1] + 1]
    held[0] = replace(held[0], text=held[0].text.lstrip())
    held[-1] = replace(held[-1], text=held[-1].text.rstrip())
    return held
