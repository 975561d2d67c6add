"""The looks of a page's elements, which decide the text that a browser shows.

Hidden is text that is not drawn, lies off the screen, is too small to read, or has the
colour of its background. Text that a click opens (`details`) is shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode
from tinycss2 import color4
from tinycss2.ast import Node as Token

from adapters.loaders.styles import (
    UNITS,
    WIDTH,
    Styles,
    Value,
    parse_tokens,
    read_styles,
)

LEAST_PIXELS = 2.0  # size of letters that is too small to read
LEAST_OPACITY = 0.1
LEAST_CONTRAST = 1.15  # of letters to their background (WCAG); black on white has 21
FAR = 900.0  # pixels beyond an edge of the screen; full-width layouts go to 640
NEGLIGIBLE = 1.0  # pixels of a box that is too small to show anything
SIZES: Mapping[str, float] = {
    **{"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18},
    **{"x-large": 24, "xx-large": 32, "xxx-large": 48},
}
RELATIVE = {"smaller": 1 / 1.2, "larger": 1.2}
FONT_TAG = {"1": 10, "2": 13, "3": 16, "4": 18, "5": 24, "6": 32, "7": 48}
STRUCK = frozenset({"del", "s", "strike"})
UNDRAWN = frozenset({"dialog"})  # unless open
LOOKING = STRUCK | UNDRAWN | {"bdo"}  # tags with a look without any style

Colour = tuple[float, float, float]
WHITE: Colour = (1.0, 1.0, 1.0)
BLACK: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Look:
    """The look of an element, as far as it decides whether its text is visible.

    `drawn` applies to the element with its descendants, `visible` to its own text. An
    unknown colour or background, as over a picture, is None. Text that is `turned` is
    shown in another order than it is stored.
    """

    drawn: bool = True
    visible: bool = True
    pixels: float = 16.0
    opacity: float = 1.0
    colour: Colour | None = BLACK
    behind: Colour | None = WHITE
    struck: bool = False
    turned: bool = False

    @property
    def read(self) -> bool:
        """Tell whether the text is visible."""
        return self.there and self.pixels > LEAST_PIXELS and not self._faded

    @property
    def there(self) -> bool:
        """Tell whether a picture is visible."""
        return self.drawn and self.visible and self.opacity > LEAST_OPACITY

    @property
    def _faded(self) -> bool:
        if self.colour is None or self.behind is None:
            return False
        return compute_contrast(self.colour, self.behind) < LEAST_CONTRAST


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Shown:
    """The looks of the elements of a page."""

    styles: Styles

    @classmethod
    def of_page(cls, tree: LexborHTMLParser) -> "Shown":
        return cls(read_styles(tree))

    def look(self, node: LexborNode, above: Look) -> Look:
        """Find the look of an element from that of its parent."""
        said = {**_read_hints(node), **self.styles.of(node)}
        if not said and node.tag not in LOOKING:
            return above
        pixels = _read_pixels(said, above.pixels)
        behind = _read_background(said, above.behind)
        return Look(
            drawn=_is_drawn(node, said, pixels),
            visible=_is_visible(said, above=above.visible),
            pixels=pixels,
            opacity=above.opacity * _read_opacity(said),
            colour=_find_colour(said, above, behind),
            behind=behind,
            struck=above.struck or _is_struck(node, said),
            turned=_is_turned(node, said, above=above.turned),
        )


def _read_hints(node: LexborNode) -> Mapping[str, Value]:
    """Read presentational attributes, which every style overrides."""
    attributes, found = node.attributes, dict[str, Value]()
    colour = attributes.get("color" if node.tag == "font" else "text")
    if node.tag in ("font", "body") and colour:
        found["color"] = parse_tokens(colour)
    if attributes.get("bgcolor"):
        found["background-color"] = parse_tokens(attributes["bgcolor"] or "")
    if attributes.get("background"):
        found["background-image"] = parse_tokens("url(x)")
    size = attributes.get("size") or ""
    if node.tag == "font" and size in FONT_TAG:
        found["font-size"] = parse_tokens(f"{FONT_TAG[size]}px")
    closed = node.tag == "dialog" and "open" not in attributes
    if "hidden" in attributes or "popover" in attributes or closed:
        found["display"] = parse_tokens("none")
    return found


def _is_turned(node: LexborNode, said: Mapping[str, Value], *, above: bool) -> bool:
    words = _Words(said)
    forced = words.of("unicode-bidi") in ("bidi-override", "isolate-override")
    if not (forced or node.tag == "bdo"):
        return above
    right = (node.attributes.get("dir") or words.of("direction") or "").lower()
    return right == "rtl"


def _is_drawn(node: LexborNode, said: Mapping[str, Value], pixels: float) -> bool:
    word = _Words(said)
    if word.of("display") == "none" or word.of("content-visibility") == "hidden":
        return False
    return not (_is_off(said, pixels) or _is_shut(said, pixels) or _is_masked(said))


def _is_masked(said: Mapping[str, Value]) -> bool:
    """Tell whether a mask may hide everything: a picture, or transparent colours only.

    The opacity of a picture is unknown, and a missing one hides everything.
    """
    for name in ("mask", "mask-image", "-webkit-mask", "-webkit-mask-image"):
        for token in said.get(name, ()):
            if token.type == "url":
                return True
            if token.type == "function" and token.lower_name not in ("var", "calc"):
                read = [_read_colour(inner) for inner in token.arguments]
                colours = [colour for colour in read if colour is not None]
                if all(colour.alpha <= LEAST_OPACITY for colour in colours):
                    return True
    return False


def _is_off(said: Mapping[str, Value], pixels: float) -> bool:
    """Tell whether it is drawn off the screen, or shrunk to nothing."""
    placed = _Words(said).of("position") in ("absolute", "fixed", "relative", "sticky")
    sides = [(name, placed) for name in ("left", "top", "right", "bottom", "inset")]
    for name, counts in (
        *sides,
        *(("text-indent", True), ("margin-left", True), ("margin-top", True)),
        ("margin", True),
    ):
        if counts and any(
            at <= -FAR for at in _read_lengths(said.get(name, ()), pixels)
        ):
            return True
    if placed and any(
        at >= 3 * FAR
        for n in ("left", "top")
        for at in _read_lengths(said.get(n, ()), pixels)
    ):
        return True
    return _is_transformed(said, pixels)


def _is_transformed(said: Mapping[str, Value], pixels: float) -> bool:
    if any(_is_zero(token) for token in said.get("scale", ())[:2]):
        return True
    if any(abs(at) >= FAR for at in _read_lengths(said.get("translate", ()), pixels)):
        return True
    for token in said.get("transform", ()):
        if token.type != "function":
            continue
        name = token.lower_name
        if name.startswith("scale") and any(map(_is_zero, token.arguments)):
            return True
        if name.startswith("translate") and any(
            abs(at) >= FAR for at in _read_lengths(token.arguments, pixels)
        ):
            return True
    return any(_is_zero(token) for token in said.get("zoom", ()))


def _is_shut(said: Mapping[str, Value], pixels: float) -> bool:
    """Tell whether its box is clipped away or has no size."""
    for token in (*said.get("clip", ()), *said.get("clip-path", ())):
        if token.type == "function" and _is_clipping(token, pixels):
            return True
    words = _Words(said)
    cut = any(
        words.of(name) in ("hidden", "clip")
        for name in ("overflow", "overflow-x", "overflow-y")
    )
    sizes = ("width", "height", "max-width", "max-height")
    return cut and any(
        at <= NEGLIGIBLE
        for name in sizes
        for at in _read_lengths(said.get(name, ()), pixels)
    )


def _is_clipping(shape: Token, pixels: float) -> bool:
    lengths = _read_lengths(shape.arguments, pixels)
    if shape.lower_name == "rect" and len(lengths) == 4:
        top, right, bottom, left = lengths
        return right - left <= NEGLIGIBLE or bottom - top <= NEGLIGIBLE
    if shape.lower_name == "inset":
        shares = [t.value for t in shape.arguments if t.type == "percentage"]
        return any(share >= 50 for share in shares)
    round_ = shape.lower_name in ("circle", "ellipse")
    return round_ and any(at <= NEGLIGIBLE for at in lengths[:2])


def _is_visible(said: Mapping[str, Value], *, above: bool) -> bool:
    word = _Words(said).of("visibility")
    if word in ("hidden", "collapse"):
        return False
    return word in ("visible", "initial") or above


def _read_opacity(said: Mapping[str, Value]) -> float:
    values = [_read_number(token) for token in said.get("opacity", ())]
    for token in said.get("filter", ()):
        if token.type == "function" and token.lower_name == "opacity":
            values += [_read_number(inner) for inner in token.arguments]
    known = [value for value in values if value is not None]
    return min(1.0, *known) if known else 1.0


def _read_pixels(said: Mapping[str, Value], above: float) -> float:
    """Read the size of letters."""
    for token in (*said.get("font", ()), *said.get("font-size", ())):
        if token.type == "ident" and token.lower_value in SIZES:
            above = SIZES[token.lower_value]
        elif token.type == "ident" and token.lower_value in RELATIVE:
            above *= RELATIVE[token.lower_value]
        elif token == "/":
            break
        elif token.type in ("dimension", "percentage") or _is_zero(token):
            lengths = _read_lengths([token], above, whole=above)
            above = lengths[0] if lengths else above
    return above


def _read_background(said: Mapping[str, Value], above: Colour | None) -> Colour | None:
    """Read the colour behind letters; return None for a picture."""
    behind = above
    shorthand, own = said.get("background", ()), said.get("background-color", ())
    for token in (*shorthand, *own):
        colour = _read_colour(token)
        if colour is not None:
            behind = _blend(colour, behind)
    pictures = (*shorthand, *said.get("background-image", ()))
    if any(
        token.type in ("url", "function") and not _read_colour(token)
        for token in pictures
    ):
        return None
    return behind


def _find_colour(
    said: Mapping[str, Value], above: Look, behind: Colour | None
) -> Colour | None:
    """Find the colour of letters; return None where a picture shows through them."""
    words = _Words(said)
    if "text" in (words.of("background-clip"), words.of("-webkit-background-clip")):
        return None
    for name in ("-webkit-text-fill-color", "color"):
        for token in said.get(name, ()):
            colour = _read_colour(token)
            if colour is not None:
                return _blend(colour, behind)
    return above.colour


def _blend(colour: "_Rgba", behind: Colour | None) -> Colour | None:
    """Blend a transparent colour with the one behind it."""
    if behind is None and colour.alpha < 1:
        return None
    base = behind or WHITE
    red, green, blue = (
        mine * colour.alpha + theirs * (1 - colour.alpha)
        for mine, theirs in zip(colour.rgb, base, strict=True)
    )
    return red, green, blue


@dataclass(frozen=True, slots=True)
class _Rgba:
    rgb: Colour
    alpha: float


def _read_colour(token: Token) -> _Rgba | None:
    try:
        read = color4.parse_color(token)
        if read is None or isinstance(read, str):
            return None
        red, green, blue = read.to("srgb").coordinates
        return _Rgba((float(red), float(green), float(blue)), float(read.alpha))
    except (ValueError, TypeError, NotImplementedError):
        return None


def _is_struck(node: LexborNode, said: Mapping[str, Value]) -> bool:
    lines = (*said.get("text-decoration", ()), *said.get("text-decoration-line", ()))
    through = any(t.type == "ident" and t.lower_value == "line-through" for t in lines)
    return through or node.tag in STRUCK


class _Words:
    """Lookup of the first word of a property, in lower case."""

    def __init__(self, said: Mapping[str, Value]) -> None:
        self._said = said

    def of(self, name: str) -> str:
        value = self._said.get(name, ())
        first = value[0] if value else None
        word = first is not None and first.type == "ident"
        return str(first.lower_value) if word and first is not None else ""


def _read_lengths(
    value: Sequence[Token], pixels: float, whole: float = WIDTH
) -> list[float]:
    """Read the lengths in a value, in pixels; percentages are of `whole`."""
    found: list[float] = []
    for token in value:
        if token.type == "dimension" and token.lower_unit in UNITS:
            letters = token.lower_unit in ("em", "ch", "ex")
            unit = UNITS[token.lower_unit] * (pixels / 16 if letters else 1)
            found.append(token.value * unit)
        elif token.type == "percentage":
            found.append(token.value * whole / 100)
        elif _is_zero(token):
            found.append(0.0)
    return found


def _read_number(token: Token) -> float | None:
    if token.type == "percentage":
        return float(token.value) / 100
    return float(token.value) if token.type == "number" else None


def _is_zero(token: Token) -> bool:
    return token.type in ("number", "dimension", "percentage") and token.value == 0


def compute_contrast(one: Colour, other: Colour) -> float:
    """Compute the contrast of two colours (WCAG 2): from 1, for equal ones, to 21."""
    dark, light = sorted((_compute_luminance(one), _compute_luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _compute_luminance(colour: Colour) -> float:
    """Compute the relative luminance of a colour (WCAG 2)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (min(1.0, max(0.0, part)) for part in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
