"""A figure over days as a drawing with labelled axes, and as a table below it."""

from collections.abc import Sequence
from datetime import date
from xml.etree.ElementTree import Element

from bot.pages.elements import element
from bot.pages.sheet import table

WIDTH, HEIGHT = 640.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 12.0, 30.0, 34.0

Point = tuple[date, float | None]


def trend(title: str, unit: str, points: Sequence[Point]) -> Element:
    """Draw a figure over days; a sentence where nothing was counted.

    Args:
        title: what it is.
        unit: of the upright axis.
        points: a day and its figure each, oldest first; None is left out.
    """
    known = [(at, value) for at, (_, value) in enumerate(points) if value is not None]
    if not known:
        return element("p", "about", f"{title}: nothing was counted.")
    most = max(value for _, value in known) or 1.0
    places = [(_x(at, len(points)), _y(value / most)) for at, value in known]
    label = f"{title}, {unit}, {points[0][0]} to {points[-1][0]}; the table has it."
    svg = element("svg", "", role="img", aria_label=label)
    svg.set("viewBox", f"0 0 {WIDTH:g} {HEIGHT:g}")
    svg.extend(_draw_axes(unit, most, points))
    svg.append(element("polyline", "", points=" ".join(f"{x},{y}" for x, y in places)))
    for (at, value), (x, y) in zip(known, places, strict=True):
        said = element("title", "", f"{points[at][0]}: {value:g} {unit}")
        svg.append(element("circle", "", said, cx=x, cy=y, r="3"))
    rows = [(day.isoformat(), "none" if v is None else v) for day, v in points]
    listed = table(title, ("Day", unit), rows)
    more = element("details", "", element("summary", "", "As a table"), listed)
    return element("figure", "trend", element("figcaption", "", title), svg, more)


def _draw_axes(unit: str, most: float, points: Sequence[Point]) -> list[Element]:
    """Draw both axes: the unit with three values, and the first and the last day."""
    drawn = []
    for share in (0.0, 0.5, 1.0):
        y = _y(share)
        ends = {"x1": f"{LEFT:g}", "x2": f"{WIDTH - RIGHT:g}", "y1": y, "y2": y}
        drawn.append(element("line", "grid", **ends))
        drawn.append(_text(f"{most * share:g}", f"{LEFT - 6:g}", y, "end"))
    bottom = f"{HEIGHT - 16:g}"
    drawn.append(_text(points[0][0].isoformat(), f"{LEFT:g}", bottom, "start"))
    last = points[-1][0].isoformat()
    drawn.append(_text(last, f"{WIDTH - RIGHT:g}", bottom, "end"))
    drawn.append(_text("day", f"{WIDTH / 2:g}", f"{HEIGHT - 3:g}", "middle"))
    drawn.append(_text(unit, "2", "12", "start"))
    return drawn


def _text(text: str, x: str, y: str, anchor: str) -> Element:
    return element("text", "", text, x=x, y=y, text_anchor=anchor)


def _x(number: int, of: int) -> str:
    step = (WIDTH - LEFT - RIGHT) / max(1, of - 1)
    return f"{LEFT + number * step:.1f}"


def _y(share: float) -> str:
    return f"{HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM):.1f}"
