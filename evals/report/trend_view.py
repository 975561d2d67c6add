"""Rates over runs as a drawing, with the same figures as a table below it."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from adapters.inert import one_line
from bot.pages.elements import element
from evals.report.trend import Point, metrics

WIDTH, HEIGHT, EDGE = 640.0, 200.0, 12.0
MOST = 60  # runs in the drawing, the newest
COLOURS = 8  # classes c0 to c7 of page.css


def drawn(points: Sequence[Point]) -> Element:
    """The trend of every metric; a sentence where there is none yet."""
    shown = points[-MOST:]
    if not shown:
        said = "No run is on record yet: each report adds one."
        return element("p", "about", said)
    names = metrics(shown)
    label = f"Rates of {len(names)} metrics over {len(shown)} runs; the table has them."
    svg = element("svg", "", *_grid(), role="img", aria_label=label)
    svg.set("viewBox", f"0 0 {WIDTH:g} {HEIGHT:g}")
    svg.extend(_line(name, at, shown) for at, name in enumerate(names))
    return element("div", "trend", svg, _legend(names, shown[-1]), _table(names, shown))


def _grid() -> list[Element]:
    return [
        element(
            "line",
            "grid",
            x1=f"{EDGE:g}",
            x2=f"{WIDTH - EDGE:g}",
            y1=_y(share),
            y2=_y(share),
        )
        for share in (0.0, 0.5, 1.0)
    ]


def _line(name: str, at: int, points: Sequence[Point]) -> Element:
    """A metric's line; runs in which it had no rate are left out."""
    places = [
        (_x(number, len(points)), _y(each.rates[name]), each)
        for number, each in enumerate(points)
        if name in each.rates
    ]
    line = element("polyline", "", points=" ".join(f"{x},{y}" for x, y, _ in places))
    dots = []
    for x, y, each in places:
        said = element("title", "", _said(name, each))
        dots.append(element("circle", "", said, cx=x, cy=y, r="3"))
    return element("g", f"c{at % COLOURS}", line, *dots)


def _legend(names: Sequence[str], last: Point) -> Element:
    items = [
        element(
            "li",
            f"c{at % COLOURS}",
            element("span", "swatch", aria_hidden="true"),
            f"{one_line(name)} {_rate(last, name)}",
        )
        for at, name in enumerate(names)
    ]
    return element("ul", "legend", *items)


def _table(names: Sequence[str], points: Sequence[Point]) -> Element:
    top = [element("th", "", head) for head in ("Run", "Result", *names)]
    rows = [
        element(
            "tr",
            "",
            element("th", "", one_line(each.run)),
            element("td", "", one_line(each.result)),
            *(element("td", "", _rate(each, name)) for name in names),
        )
        for each in reversed(points)
    ]
    table = element("table", "", element("tr", "", *top), *rows)
    wide = element("div", "wide", table, tabindex="0")
    return element("details", "", element("summary", "", "As a table"), wide)


def _said(name: str, each: Point) -> str:
    return one_line(f"{name} {_rate(each, name)}, {each.run}, {each.result}")


def _rate(each: Point, name: str) -> str:
    rate = each.rates.get(name)
    return "none" if rate is None else f"{100 * rate:.1f} %"


def _x(number: int, of: int) -> str:
    step = (WIDTH - 2 * EDGE) / max(1, of - 1)
    return f"{EDGE + number * step:.1f}"


def _y(share: float) -> str:
    return f"{HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE):.1f}"
