"""What of a page a browser shows: what its own styles hide is no text (R-A15).

Hidden is what is not drawn, lies off the screen, is too small to read, or has the
colour of what is behind it. What is opened by a click (`details`) is text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode
from tinycss2 import color4
from tinycss2.ast import Node as Token

from adapters.loaders.styles import UNITS, WIDTH, Styles, Value, styles_of, tokens

LEAST_PIXELS = 2.0  # letters of that size are none
LEAST_OPACITY = 0.1
LEAST_CONTRAST = 1.15  # of letters to what is behind them (WCAG); black on white has 21
FAR = 900.0  # pixels beyond an edge of the screen; full-width layouts go to 640
NEGLIGIBLE = 1.0  # pixels of a box that shows nothing
SIZES: Mapping[str, float] = {
    **{"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18},
    **{"x-large": 24, "xx-large": 32, "xxx-large": 48},
}
RELATIVE = {"smaller": 1 / 1.2, "larger": 1.2}
FONT_TAG = {"1": 10, "2": 13, "3": 16, "4": 18, "5": 24, "6": 32, "7": 48}
STRUCK = frozenset({"del", "s", "strike"})
UNDRAWN = frozenset({"dialog"})  # unless open
LOOKING = STRUCK | UNDRAWN | {"bdo"}  # that look otherwise without any style

Colour = tuple[float, float, float]
WHITE: Colour = (1.0, 1.0, 1.0)
BLACK: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Look:
    """How the text of an element looks, as far as it decides whether it is seen.

    `drawn` is of the element with all inside, `visible` of its own text. A colour or
    what is behind it is None where nobody knows, as over a picture. What is `turned`
    shows its letters and digits in another order than it holds them.
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
        """Whether a reader sees the text."""
        return self.there and self.pixels > LEAST_PIXELS and not self._faded

    @property
    def there(self) -> bool:
        """Whether a reader sees a picture."""
        return self.drawn and self.visible and self.opacity > LEAST_OPACITY

    @property
    def _faded(self) -> bool:
        if self.colour is None or self.behind is None:
            return False
        return contrast(self.colour, self.behind) < LEAST_CONTRAST


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Shown:
    """Looks at the elements of a page."""

    styles: Styles

    @classmethod
    def of_page(cls, tree: LexborHTMLParser) -> "Shown":
        return cls(styles_of(tree))

    def look(self, node: LexborNode, above: Look) -> Look:
        """How an element looks inside another."""
        said = {**_hints(node), **self.styles.of(node)}
        if not said and node.tag not in LOOKING:
            return above
        pixels = _pixels(said, above.pixels)
        behind = _behind(said, above.behind)
        return Look(
            drawn=_is_drawn(node, said, pixels),
            visible=_is_visible(said, above=above.visible),
            pixels=pixels,
            opacity=above.opacity * _opacity(said),
            colour=_colour(said, above, behind),
            behind=behind,
            struck=above.struck or _is_struck(node, said),
            turned=_is_turned(node, said, above=above.turned),
        )


def _hints(node: LexborNode) -> Mapping[str, Value]:
    """What attributes say of a look, which every style overrules."""
    attributes, found = node.attributes, dict[str, Value]()
    colour = attributes.get("color" if node.tag == "font" else "text")
    if node.tag in ("font", "body") and colour:
        found["color"] = tokens(colour)
    if attributes.get("bgcolor"):
        found["background-color"] = tokens(attributes["bgcolor"] or "")
    if attributes.get("background"):
        found["background-image"] = tokens("url(x)")
    size = attributes.get("size") or ""
    if node.tag == "font" and size in FONT_TAG:
        found["font-size"] = tokens(f"{FONT_TAG[size]}px")
    closed = node.tag == "dialog" and "open" not in attributes
    if "hidden" in attributes or "popover" in attributes or closed:
        found["display"] = tokens("none")
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
    """Whether a mask leaves nothing: a picture, or colours that are all transparent.

    Nobody knows what a picture lets through; one that is not found lets nothing.
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
    """Whether it is drawn beyond the edges of the screen, or shrunk to nothing."""
    placed = _Words(said).of("position") in ("absolute", "fixed", "relative", "sticky")
    sides = [(name, placed) for name in ("left", "top", "right", "bottom", "inset")]
    for name, counts in (
        *sides,
        *(("text-indent", True), ("margin-left", True), ("margin-top", True)),
        ("margin", True),
    ):
        if counts and any(at <= -FAR for at in _lengths(said.get(name, ()), pixels)):
            return True
    if placed and any(
        at >= 3 * FAR
        for n in ("left", "top")
        for at in _lengths(said.get(n, ()), pixels)
    ):
        return True
    return _is_transformed(said, pixels)


def _is_transformed(said: Mapping[str, Value], pixels: float) -> bool:
    if any(_is_zero(token) for token in said.get("scale", ())[:2]):
        return True
    if any(abs(at) >= FAR for at in _lengths(said.get("translate", ()), pixels)):
        return True
    for token in said.get("transform", ()):
        if token.type != "function":
            continue
        name = token.lower_name
        if name.startswith("scale") and any(map(_is_zero, token.arguments)):
            return True
        if name.startswith("translate") and any(
            abs(at) >= FAR for at in _lengths(token.arguments, pixels)
        ):
            return True
    return any(_is_zero(token) for token in said.get("zoom", ()))


def _is_shut(said: Mapping[str, Value], pixels: float) -> bool:
    """Whether nothing of its box is left: it is clipped, or has no size to show it."""
    for token in (*said.get("clip", ()), *said.get("clip-path", ())):
        if token.type == "function" and _clips(token, pixels):
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
        for at in _lengths(said.get(name, ()), pixels)
    )


def _clips(shape: Token, pixels: float) -> bool:
    lengths = _lengths(shape.arguments, pixels)
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


def _opacity(said: Mapping[str, Value]) -> float:
    values = [_number(token) for token in said.get("opacity", ())]
    for token in said.get("filter", ()):
        if token.type == "function" and token.lower_name == "opacity":
            values += [_number(inner) for inner in token.arguments]
    known = [value for value in values if value is not None]
    return min(1.0, *known) if known else 1.0


def _pixels(said: Mapping[str, Value], above: float) -> float:
    """The size of letters."""
    for token in (*said.get("font", ()), *said.get("font-size", ())):
        if token.type == "ident" and token.lower_value in SIZES:
            above = SIZES[token.lower_value]
        elif token.type == "ident" and token.lower_value in RELATIVE:
            above *= RELATIVE[token.lower_value]
        elif token == "/":
            break
        elif token.type in ("dimension", "percentage") or _is_zero(token):
            lengths = _lengths([token], above, whole=above)
            above = lengths[0] if lengths else above
    return above


def _behind(said: Mapping[str, Value], above: Colour | None) -> Colour | None:
    """What letters stand on; None for a picture."""
    behind = above
    shorthand, own = said.get("background", ()), said.get("background-color", ())
    for token in (*shorthand, *own):
        colour = _read_colour(token)
        if colour is not None:
            behind = _over(colour, behind)
    pictures = (*shorthand, *said.get("background-image", ()))
    if any(
        token.type in ("url", "function") and not _read_colour(token)
        for token in pictures
    ):
        return None
    return behind


def _colour(
    said: Mapping[str, Value], above: Look, behind: Colour | None
) -> Colour | None:
    """The colour of letters; None where a picture shows through them."""
    words = _Words(said)
    if "text" in (words.of("background-clip"), words.of("-webkit-background-clip")):
        return None
    for name in ("-webkit-text-fill-color", "color"):
        for token in said.get(name, ()):
            colour = _read_colour(token)
            if colour is not None:
                return _over(colour, behind)
    return above.colour


def _over(colour: "_Rgba", behind: Colour | None) -> Colour | None:
    """A colour on another, through which as much of it shows as it is transparent."""
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
    """The first word of a property, in lower case."""

    def __init__(self, said: Mapping[str, Value]) -> None:
        self._said = said

    def of(self, name: str) -> str:
        value = self._said.get(name, ())
        first = value[0] if value else None
        word = first is not None and first.type == "ident"
        return str(first.lower_value) if word and first is not None else ""


def _lengths(
    value: Sequence[Token], pixels: float, whole: float = WIDTH
) -> list[float]:
    """The lengths in a value, in pixels; a share is one of `whole`."""
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


def _number(token: Token) -> float | None:
    if token.type == "percentage":
        return float(token.value) / 100
    return float(token.value) if token.type == "number" else None


def _is_zero(token: Token) -> bool:
    return token.type in ("number", "dimension", "percentage") and token.value == 0


def contrast(one: Colour, other: Colour) -> float:
    """How far two colours stand apart (WCAG 2): 1 for the same, 21 at most."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Colour) -> float:
    """Relative luminance (WCAG 2)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (min(1.0, max(0.0, part)) for part in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
