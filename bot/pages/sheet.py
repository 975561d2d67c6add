"""One page as a file, of sections and tables; there is no script on it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.pages.document import document, themes
from bot.pages.elements import element
from engine.model.errors import EnvironmentFailed


def sheet(title: str, about: str, *sections: Element) -> str:
    """Render a page with a heading, a sentence about it, and sections."""
    top = element(
        "header",
        "",
        element("h1", "", one_line(title)),
        element("p", "about", inert(about)),
        themes(),
    )
    return document(one_line(title), element("main", "", top, *sections))


def section(title: str, *inside: Element | str) -> Element:
    """Render a part of a page under a heading of its own."""
    return element("section", "", element("h2", "", inert(title)), *inside)


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]
) -> Element:
    """Render a table with numbers to the right; a sentence where it has no row.

    A cell is a text, a number, or an element such as a link.
    """
    made = [
        element("tr", "", *(_cell(value) for value in row))
        for row in (tuple(row) for row in rows)
    ]
    if not made:
        return element("p", "about", f"{inert(caption)}: none.")
    top = element("tr", "", *(element("th", "", n, scope="col") for n in head))
    drawn = element("table", "", element("caption", "", inert(caption)), top, *made)
    return element(
        "div", "wide", drawn, tabindex="0", role="region", aria_label=head[0]
    )


def _cell(value: object) -> Element:
    if isinstance(value, Element):
        return element("td", "", value)
    kind = "number" if isinstance(value, int | float) else ""
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return element("td", kind, inert(shown))


def write_page(page: str, file: Path) -> None:
    """Write a page.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error
