"""A picture of measured figures: panels of labelled horizontal bars, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, PANEL_GAP, TITLE, BAR, GAP = 760, 26, 24, 20, 6
LABEL, FIGURE = 190, 110  # columns left and right of the bars
COLOURS = ("#3b6ea8", "#c4762b", "#5a8f5a", "#8a5a9a")
_STYLE = "font: 13px sans-serif; fill: #24292f"


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure; bars of the same `group` have the same colour in every panel."""

    label: str
    group: int
    value: float
    shown: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars on one scale; `aim` is drawn as a line."""

    title: str
    bars: Sequence[Bar]
    aim: float | None = None


def draw(title: str, panels: Sequence[Panel]) -> str:
    """The picture's text."""
    parts: list[str] = []
    top = PANEL_GAP
    for panel in panels:
        parts += _panel(panel, top)
        top += TITLE + len(panel.bars) * (BAR + GAP) + PANEL_GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" '
        f'viewBox="0 0 {WIDTH} {top}" role="img">\n<title>{escape(title)}</title>\n'
        f'<rect width="{WIDTH}" height="{top}" fill="#ffffff"/>\n'
    )
    return head + "\n".join(parts) + "\n</svg>\n"


def _panel(panel: Panel, top: int) -> list[str]:
    room = WIDTH - LABEL - FIGURE
    most = max([bar.value for bar in panel.bars] + [panel.aim or 0.0]) or 1.0
    parts = [_text(8, top, panel.title, weight="bold")]
    first = top + TITLE - BAR // 2
    for at, bar in enumerate(panel.bars):
        y = first + at * (BAR + GAP)
        wide = max(1.0, room * bar.value / most)
        colour = COLOURS[bar.group % len(COLOURS)]
        parts += [
            _text(8, y + 15, bar.label),
            f'<rect x="{LABEL}" y="{y}" width="{wide:.1f}" height="{BAR}" '
            f'fill="{colour}"/>',
            _text(LABEL + wide + 6, y + 15, bar.shown),
        ]
    if panel.aim is not None:
        x = LABEL + room * panel.aim / most
        end = first + len(panel.bars) * (BAR + GAP) - GAP
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{first - 3}" y2="{end + 3}" '
            'stroke="#b00020" stroke-width="2" stroke-dasharray="4 3"/>'
        )
    return parts


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    style = f"{_STYLE}; font-weight: {weight}"
    return f'<text x="{x:.1f}" y="{y:.1f}" style="{style}">{escape(text)}</text>'
