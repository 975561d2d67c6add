"""The drawing of a PDF page in its order: texts, filled boxes, lines and pictures.

It covers the part of the graphics model that decides whether a text is visible:
matrices, clipping, colours, render modes, transparency, hidden layers, forms. A
construct that it does not cover leaves text visible.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pypdf import PageObject
from pypdf.generic import ArrayObject, ContentStream, DictionaryObject, StreamObject

Matrix = tuple[float, float, float, float, float, float]
Colour = tuple[float, float, float]
Box = tuple[float, float, float, float]  # left, bottom, right, top

UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
BLACK: Colour = (0.0, 0.0, 0.0)
EVERYWHERE: Box = (-1e9, -1e9, 1e9, 1e9)
MOST_FORMS, DEEPEST = 5_000, 20
UNSEEN_MODES = frozenset({3, 7})
STROKED = frozenset({1, 5})
OPAQUE = 0.95
LEAST_ALPHA = 0.1
LETTER = 0.5  # width of a letter, in its height
FILLS = frozenset({b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"})
STROKES = frozenset({b"S", b"s", b"B", b"B*", b"b", b"b*"})
ENDS = FILLS | STROKES | {b"n"}
TEXTS = frozenset({b"Tj", b"TJ", b"'", b'"'})


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text: its base line from `start` to about `end`, its height in points.

    `operands` are those of its operator, to be emptied where the text is hidden;
    `unseen` says whether it is not painted at all. An unknown colour is None.
    """

    order: int
    start: tuple[float, float]
    end: tuple[float, float]
    height: float
    colour: Colour | None
    clip: Box
    unseen: bool
    operands: list[Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """A filled box or a line; its colour is None for a picture or a pattern.

    `whole` says whether it covers all of the box.
    """

    order: int
    box: Box
    colour: Colour | None
    whole: bool
    picture: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """The graphics state; `font` is a size, `leading` the distance of lines."""

    matrix: Matrix = UNIT
    clip: Box = EVERYWHERE
    fill: Colour | None = BLACK
    stroke: Colour | None = BLACK
    fill_space: str = "/DeviceGray"
    stroke_space: str = "/DeviceGray"
    alpha: float = 1.0
    stroke_alpha: float = 1.0
    plain: bool = True
    mode: int = 0
    font: float = 0.0
    bytes_a_letter: int = 1
    leading: float = 0.0
    rise: float = 0.0


@dataclass(slots=True)
class Ink:
    """The drawing of a page; `off` are the hidden layers."""

    pdf: Any
    off: frozenset[int] = frozenset()
    texts: list[Text] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    forms: list[tuple[DictionaryObject, Any, Any]] = field(default_factory=list)
    _order: int = 0
    _forms: int = 0

    def read(self, page: PageObject) -> ContentStream | None:
        """Read a page; return its content, which shares the operands of the texts."""
        held = page.get("/Contents")
        if held is None or not isinstance(
            held.get_object(), ArrayObject | StreamObject
        ):
            return None
        content = ContentStream(held, self.pdf, "bytes")  # as pypdf does for its text
        resources = page.get_inherited("/Resources", DictionaryObject())
        _Reader(self, resources, _State(), 0).read(content)
        return content

    def restore(self) -> None:
        """Restore the forms, because another page may show them differently."""
        for place, name, form in reversed(self.forms):
            dict.__setitem__(place, name, form)
        self.forms.clear()


class _Reader:
    """The reader of one content stream: a page, or a form on it."""

    def __init__(self, ink: Ink, resources: Any, state: _State, depth: int) -> None:
        self.ink = ink
        self.resources = _as_dictionary(resources)
        self.state = state
        self.depth = depth
        self.saved: list[_State] = []
        self.line: Matrix = UNIT  # the beginning of the line
        self.at: Matrix = UNIT  # the beginning of its next piece
        self.boxes: list[Box] = []
        self.points: list[tuple[float, float]] = []
        self.crooked = False
        self.clipping = False
        self.layers: list[bool] = []

    def read(self, content: ContentStream) -> None:
        for operands, operator in content.operations:
            handler = HANDLERS.get(operator)
            try:
                if operator in TEXTS:
                    self.show(operator, operands)
                elif operator in ENDS:
                    self.paint(operator)
                elif handler is not None:
                    handler(self, operands)
            except (ValueError, TypeError, IndexError, KeyError, AttributeError):
                continue  # a broken operator draws nothing

    # --- state ------------------------------------------------------------------------

    def save(self, _: Sequence[Any]) -> None:
        self.saved.append(self.state)

    def back(self, _: Sequence[Any]) -> None:
        if self.saved:
            self.state = self.saved.pop()

    def move(self, operands: Sequence[Any]) -> None:
        self.state = replace(
            self.state, matrix=multiply(_read_matrix(operands), self.state.matrix)
        )

    def set_state(self, operands: Sequence[Any]) -> None:
        said = _as_dictionary(
            _as_dictionary(self.resources.get("/ExtGState")).get(operands[0])
        )
        changes: dict[str, Any] = {}
        for key, name in (("/ca", "alpha"), ("/CA", "stroke_alpha")):
            if key in said:
                changes[name] = float(said[key])
        mask, blend = said.get("/SMask", "/None"), said.get("/BM", "/Normal")
        if "/SMask" in said or "/BM" in said:
            changes["plain"] = mask == "/None" and blend in ("/Normal", "/Compatible")
        self.state = replace(self.state, **changes)

    def fill_with(self, colour: Colour | None, space: str) -> None:
        self.state = replace(self.state, fill=colour, fill_space=space)

    def stroke_with(self, colour: Colour | None, space: str) -> None:
        self.state = replace(self.state, stroke=colour, stroke_space=space)

    def space_of(self, name: Any) -> str:
        """Find the device space that a named space is like; return "" for none."""
        known = _as_dictionary(self.resources.get("/ColorSpace")).get(name, name)
        known = known.get_object() if hasattr(known, "get_object") else known
        if isinstance(known, ArrayObject) and known:
            kind = str(known[0])
            if kind == "/ICCBased":
                return SPACES.get(int(_as_dictionary(known[1]).get("/N", 0)), "")
            return {"/CalRGB": "/DeviceRGB", "/CalGray": "/DeviceGray"}.get(kind, "")
        return str(known) if str(known) in SIZES else ""

    # --- paths ------------------------------------------------------------------------

    def rectangle(self, operands: Sequence[Any]) -> None:
        x, y, width, height = map(float, operands[:4])
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        self.add_box([self.on_page(*corner) for corner in corners])

    def add_box(self, corners: Sequence[tuple[float, float]]) -> None:
        upright = len({round(x, 2) for x, _ in corners}) <= 2
        if upright and len({round(y, 2) for _, y in corners}) <= 2:
            self.boxes.append(_find_bounds(corners))
        else:
            self.crooked = True
            self.points += corners

    def begin(self, operands: Sequence[Any]) -> None:
        self.close_points()
        self.points = [*self.points, self.on_page(*map(float, operands[:2]))]

    def line_to(self, operands: Sequence[Any]) -> None:
        self.points.append(self.on_page(*map(float, operands[:2])))

    def curve(self, operands: Sequence[Any]) -> None:
        self.crooked = True
        numbers = [*map(float, operands)]
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        self.points += [self.on_page(x, y) for x, y in pairs]

    def close_points(self) -> None:
        """Add the points so far as a box, where they form one."""
        if not self.crooked and 2 <= len(self.points) <= 5:
            points, self.points = self.points, []
            self.add_box(points)
        elif len(self.points) > 5:
            self.crooked = True

    def clip(self, _: Sequence[Any]) -> None:
        self.clipping = True

    def paint(self, operator: bytes) -> None:
        """End a path: fill it, stroke it, and clip by it."""
        self.close_points()
        state = self.state
        if not self.is_off():
            for box in self.boxes:
                if operator in FILLS:
                    self.mark(box, state.fill, whole=self.is_solid())
                elif operator in STROKES:
                    self.mark(box, state.stroke, whole=False)
            if self.points and operator in FILLS:
                self.mark(_find_bounds(self.points), None, whole=False)
        if self.clipping and (self.boxes or self.points):
            inside = _find_bounds(
                [*self.points, *(c for b in self.boxes for c in _list_corners(b))]
            )
            self.state = replace(state, clip=_intersect(state.clip, inside))
        self.boxes, self.points = [], []
        self.crooked = self.clipping = False

    def shade(self, _: Sequence[Any]) -> None:
        self.mark(self.state.clip, None, whole=False)

    def mark(
        self, box: Box, colour: Colour | None, *, whole: bool, picture: bool = False
    ) -> None:
        self.ink._order += 1
        seen = _intersect(box, self.state.clip)
        self.ink.marks.append(Mark(self.ink._order, seen, colour, whole, picture))

    def is_solid(self) -> bool:
        return self.state.plain and self.state.alpha >= OPAQUE

    # --- layers -----------------------------------------------------------------------

    def open_layer(self, operands: Sequence[Any]) -> None:
        off = False
        if len(operands) > 1 and operands[0] == "/OC":
            named = _as_dictionary(self.resources.get("/Properties"))
            off = self.is_layer_off(
                named.raw_get(operands[1]) if operands[1] in named else None
            )
        self.layers.append(off)

    def close_layer(self, _: Sequence[Any]) -> None:
        if self.layers:
            self.layers.pop()

    def is_off(self) -> bool:
        return any(self.layers)

    def is_layer_off(self, layer: Any) -> bool:
        """Tell whether a layer, or a set of layers by its policy, is hidden."""
        number = getattr(layer, "idnum", None)
        if number in self.ink.off:
            return True
        said = _as_dictionary(layer)
        inside = said.raw_get("/OCGs") if "/OCGs" in said else None
        if inside is None:
            return False
        listed = inside if isinstance(inside, ArrayObject) else [inside]
        states = [getattr(one, "idnum", None) in self.ink.off for one in listed]
        every = str(said.get("/P", "/AnyOn")) in ("/AnyOn", "/AllOff")
        return bool(states) and (all(states) if every else any(states))

    # --- texts ------------------------------------------------------------------------

    def begin_text(self, _: Sequence[Any]) -> None:
        self.line = self.at = UNIT

    def place(self, operands: Sequence[Any]) -> None:
        self.line = self.at = _read_matrix(operands)

    def next_line(self, operands: Sequence[Any]) -> None:
        x, y = map(float, operands[:2])
        self.line = self.at = multiply((1.0, 0.0, 0.0, 1.0, x, y), self.line)

    def next_line_leading(self, operands: Sequence[Any]) -> None:
        self.state = replace(self.state, leading=-float(operands[1]))
        self.next_line(operands)

    def line_below(self, _: Sequence[Any]) -> None:
        self.next_line((0.0, -self.state.leading))

    def font(self, operands: Sequence[Any]) -> None:
        held = _as_dictionary(
            _as_dictionary(self.resources.get("/Font")).get(operands[0])
        )
        wide = 2 if held.get("/Subtype") == "/Type0" else 1
        size = float(operands[1])
        self.state = replace(self.state, font=size, bytes_a_letter=wide)

    def show(self, operator: bytes, operands: list[Any]) -> None:
        """Add a piece of text at the current place and move behind it."""
        if operator in (b"'", b'"'):
            self.line_below(())
        state = self.state
        shown = multiply(self.at, state.matrix)
        letters = _count_bytes(operands) / state.bytes_a_letter
        length = LETTER * abs(state.font) * letters
        start, end = (_transform(shown, x, state.rise) for x in (0.0, length))
        stroked = state.mode in STROKED
        alpha = state.stroke_alpha if stroked else state.alpha
        self.ink._order += 1
        self.ink.texts.append(
            Text(
                order=self.ink._order,
                start=start,
                end=end,
                height=abs(state.font) * _measure_scale(shown),
                colour=state.stroke if stroked else state.fill,
                clip=state.clip,
                unseen=state.mode in UNSEEN_MODES
                or self.is_off()
                or alpha < LEAST_ALPHA,
                operands=operands,
            )
        )
        self.at = multiply((1.0, 0.0, 0.0, 1.0, length, 0.0), self.at)

    # --- forms and pictures -----------------------------------------------------------

    def draw(self, operands: Sequence[Any]) -> None:
        place = _as_dictionary(self.resources.get("/XObject"))
        form: Any = place[operands[0]].get_object()
        raw = place.raw_get(operands[0])
        off = "/OC" in form and self.is_layer_off(form.raw_get("/OC"))
        if form.get("/Subtype") == "/Image":
            corners = [self.on_page(x, y) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
            thin = any(key in form for key in ("/SMask", "/Mask", "/ImageMask"))
            if not (off or self.is_off()):
                solid = self.is_solid() and not thin
                self.mark(_find_bounds(corners), None, whole=solid, picture=True)
            return
        self.ink._forms += 1
        if self.depth >= DEEPEST or self.ink._forms > MOST_FORMS:
            return
        content = _open_form(form, self.ink.pdf)
        self.ink.forms.append((place, operands[0], raw))
        dict.__setitem__(place, operands[0], content)
        state = replace(
            self.state,
            matrix=multiply(_read_matrix(form.get("/Matrix", UNIT)), self.state.matrix),
        )
        inner = _Reader(
            self.ink, form.get("/Resources", self.resources), state, self.depth + 1
        )
        inner.layers = [off or self.is_off()]
        if "/BBox" in form:
            left, bottom, right, top = map(float, form["/BBox"])
            corners = [
                inner.on_page(x, y) for x in (left, right) for y in (bottom, top)
            ]
            inner.state = replace(
                state, clip=_intersect(state.clip, _find_bounds(corners))
            )
        inner.read(content)

    def on_page(self, x: float, y: float) -> tuple[float, float]:
        return _transform(self.state.matrix, x, y)


def _open_form(form: Any, pdf: Any) -> ContentStream:
    """Copy a form to a content stream, so that its operands can be changed."""
    content = ContentStream(form, pdf, "bytes")
    for key, value in dict.items(form):
        dict.__setitem__(content, key, value)
    return content


SIZES = {"/DeviceGray": 1, "/DeviceRGB": 3, "/DeviceCMYK": 4}
SPACES = {size: name for name, size in SIZES.items()}


def _read_colour(space: str, operands: Sequence[Any]) -> Colour | None:
    """Read a colour of a device space; return None for an unknown one."""
    if len(operands) != SIZES.get(space):
        return None
    parts = [min(1.0, max(0.0, float(each))) for each in operands]
    if space == "/DeviceGray":
        return parts[0], parts[0], parts[0]
    if space == "/DeviceRGB":
        return parts[0], parts[1], parts[2]
    cyan, magenta, yellow, black = parts
    return (
        (1 - cyan) * (1 - black),
        (1 - magenta) * (1 - black),
        (1 - yellow) * (1 - black),
    )


def _make_colour_setter(
    space: str, *, fill: bool
) -> Callable[[_Reader, Sequence[Any]], None]:
    def set_colour(reader: _Reader, operands: Sequence[Any]) -> None:
        put = reader.fill_with if fill else reader.stroke_with
        put(_read_colour(space, operands), space)

    return set_colour


def _make_space_setter(*, fill: bool) -> Callable[[_Reader, Sequence[Any]], None]:
    def set_space(reader: _Reader, operands: Sequence[Any]) -> None:
        space = reader.space_of(operands[0])
        put = reader.fill_with if fill else reader.stroke_with
        put(BLACK if space else None, space)

    return set_space


def _make_components_setter(*, fill: bool) -> Callable[[_Reader, Sequence[Any]], None]:
    def set_components(reader: _Reader, operands: Sequence[Any]) -> None:
        state = reader.state
        space = state.fill_space if fill else state.stroke_space
        put = reader.fill_with if fill else reader.stroke_with
        put(_read_colour(space, operands), space)

    return set_components


def _make_number_setter(
    name: str, kind: type = float
) -> Callable[[_Reader, Sequence[Any]], None]:
    def set_number(reader: _Reader, operands: Sequence[Any]) -> None:
        reader.state = replace(reader.state, **{name: kind(operands[0])})

    return set_number


HANDLERS: Mapping[bytes, Callable[[_Reader, Sequence[Any]], None]] = {
    b"q": _Reader.save,
    b"Q": _Reader.back,
    b"cm": _Reader.move,
    b"gs": _Reader.set_state,
    b"g": _make_colour_setter("/DeviceGray", fill=True),
    b"G": _make_colour_setter("/DeviceGray", fill=False),
    b"rg": _make_colour_setter("/DeviceRGB", fill=True),
    b"RG": _make_colour_setter("/DeviceRGB", fill=False),
    b"k": _make_colour_setter("/DeviceCMYK", fill=True),
    b"K": _make_colour_setter("/DeviceCMYK", fill=False),
    b"cs": _make_space_setter(fill=True),
    b"CS": _make_space_setter(fill=False),
    b"sc": _make_components_setter(fill=True),
    b"scn": _make_components_setter(fill=True),
    b"SC": _make_components_setter(fill=False),
    b"SCN": _make_components_setter(fill=False),
    b"re": _Reader.rectangle,
    b"m": _Reader.begin,
    b"l": _Reader.line_to,
    b"c": _Reader.curve,
    b"v": _Reader.curve,
    b"y": _Reader.curve,
    b"W": _Reader.clip,
    b"W*": _Reader.clip,
    b"sh": _Reader.shade,
    b"BDC": _Reader.open_layer,
    b"BMC": _Reader.open_layer,
    b"EMC": _Reader.close_layer,
    b"BT": _Reader.begin_text,
    b"Tm": _Reader.place,
    b"Td": _Reader.next_line,
    b"TD": _Reader.next_line_leading,
    b"T*": _Reader.line_below,
    b"TL": _make_number_setter("leading"),
    b"Ts": _make_number_setter("rise"),
    b"Tr": _make_number_setter("mode", int),
    b"Tf": _Reader.font,
    b"Do": _Reader.draw,
}


def list_off_layers(catalog: Any) -> frozenset[int]:
    """List the layers of a file that are hidden by default."""
    said = _as_dictionary(_as_dictionary(catalog).get("/OCProperties"))
    default = _as_dictionary(said.get("/D"))
    off = {*_list_numbers(default.get("/OFF"))}
    if str(default.get("/BaseState", "/ON")) == "/OFF":
        off |= {*_list_numbers(said.get("/OCGs"))} - {
            *_list_numbers(default.get("/ON"))
        }
    return frozenset(off)


def _list_numbers(listed: Any) -> Iterator[int]:
    found = listed.get_object() if hasattr(listed, "get_object") else listed
    for one in found if isinstance(found, ArrayObject) else ():
        if hasattr(one, "idnum"):
            yield one.idnum


def multiply(one: Matrix, other: Matrix) -> Matrix:
    """Multiply two matrices: the result applies `one`, then `other`."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (
        *(a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j),
        *(e * g + f * i + k, e * h + f * j + m),
    )


def _read_matrix(operands: Sequence[Any]) -> Matrix:
    a, b, c, d, e, f = map(float, operands[:6])
    return a, b, c, d, e, f


def _transform(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _measure_scale(matrix: Matrix) -> float:
    return float((matrix[2] ** 2 + matrix[3] ** 2) ** 0.5)


def _find_bounds(points: Sequence[tuple[float, float]]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _list_corners(box: Box) -> Sequence[tuple[float, float]]:
    return (box[0], box[1]), (box[2], box[3])


def _intersect(one: Box, other: Box) -> Box:
    return (
        *(max(one[0], other[0]), max(one[1], other[1])),
        *(min(one[2], other[2]), min(one[3], other[3])),
    )


def _count_bytes(operands: Sequence[Any]) -> int:
    """Count the bytes of text in operands."""
    count = 0
    for operand in operands:
        for part in operand if isinstance(operand, ArrayObject) else (operand,):
            count += len(part) if isinstance(part, str | bytes) else 0
    return count


def _as_dictionary(value: Any) -> Any:
    found = value.get_object() if hasattr(value, "get_object") else value
    return found if isinstance(found, DictionaryObject) else DictionaryObject()
