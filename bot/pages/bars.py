"""Counts of days as stacked bars with a legend, and as a table below them."""

from collections.abc import Mapping, Sequence
from datetime import date
from xml.etree.ElementTree import Element

from bot.pages.elements import element
from bot.pages.sheet import table

WIDTH, HEIGHT = 640, 200
LEFT, TOP, BOTTOM = 36, 14, 24
SHARE = 0.6  # of a day's place that its bar takes

Day = tuple[date, Sequence[int]]


def bars(title: str, parts: Mapping[str, int], days: Sequence[Day]) -> Element:
    """Draw the bars; a sentence where nothing was counted.

    Args:
        title: what is counted.
        parts: of a bar, the lowest first, each with the number of its colour.
        days: each with the count of every part, oldest first.
    """
    most = max((sum(counts) for _, counts in days), default=0)
    if not most:
        return element("p", "about", f"{title}: nothing yet.")
    label = f"{title}, {days[0][0]} to {days[-1][0]}; the table below has the numbers."
    svg = element("svg", "", role="img", aria_label=label)
    svg.set("viewBox", f"0 0 {WIDTH} {HEIGHT}")
    for value in (0, most):
        y = f"{_y(value, most):.1f}"
        svg.append(element("line", "grid", x1=str(LEFT), x2=str(WIDTH), y1=y, y2=y))
        svg.append(_text(str(value), LEFT - 6, _y(value, most) + 4, "end"))
    step = (WIDTH - LEFT) / len(days)
    for at, (day, counts) in enumerate(days):
        x, below = LEFT + step * at, 0
        for (name, colour), count in zip(parts.items(), counts, strict=True):
            if count:
                said = element("title", "", f"{day}: {count} {name}")
                upper = _y(below + count, most)
                box = {"x": f"{x + step * (1 - SHARE) / 2:.1f}", "y": f"{upper:.1f}"}
                box["height"] = f"{_y(below, most) - upper:.1f}"
                box["width"] = f"{step * SHARE:.1f}"
                svg.append(element("rect", f"bar c{colour}", said, **box))
            below += count
        svg.append(_text(f"{day:%a} {day.day}", x + step / 2, HEIGHT - 6, "middle"))
    names = [
        element("li", "", element("span", f"swatch c{colour}"), name)
        for name, colour in parts.items()
    ]
    rows = [(f"{day:%A}, {day}", *counts) for day, counts in days]
    listed = table(title, ("Day", *parts), rows)
    more = element("details", "", element("summary", "", "As a table"), listed)
    drawn = (element("figcaption", "", title), svg, element("ul", "legend", *names))
    return element("figure", "trend", *drawn, more)


def _y(value: float, most: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / most


def _text(text: str, x: float, y: float, anchor: str) -> Element:
    return element("text", "", text, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)
