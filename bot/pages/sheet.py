"""One page as a file: it fetches nothing, and no text in it can become markup.

Its policy (CSP) allows its own style alone; there is no script.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.preview.elements import element, written
from engine.errors import EnvironmentFailed

STYLE = Path(__file__).with_name("page.css")


def sheet(title: str, about: str, *sections: Element) -> str:
    """A page with a heading, a sentence about it, and sections."""
    style = STYLE.read_text(encoding="utf-8")
    top = element(
        "header",
        "",
        element("h1", "", one_line(title)),
        element("p", "about", inert(about)),
        _themes(),
    )
    body = element("body", "", element("main", "", top, *sections))
    html = element("html", "", _head(title, style), body, lang="en")
    return f"<!doctype html>\n{written(html)}\n"


def section(title: str, *inside: Element | str) -> Element:
    """A part of a page under a heading of its own."""
    return element("section", "", element("h2", "", inert(title)), *inside)


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]
) -> Element:
    """A table; numbers stand to the right. A sentence where it has no row."""
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
    kind = "number" if isinstance(value, int | float) else ""
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return element("td", kind, inert(shown))


def put(page: str, file: Path) -> None:
    """Write a page.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error


def _head(title: str, style: str) -> Element:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    guarded = element("meta", content=policy)
    guarded.set("http-equiv", "Content-Security-Policy")
    return element(
        "head",
        "",
        element("meta", charset="utf-8"),
        guarded,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", "", one_line(title)),
        element("style", "", style),
    )


def _themes() -> Element:
    choices = []
    for name in ("System", "Light", "Dark"):
        given = {"checked": "checked"} if name == "System" else {}
        chosen = element(
            "input", "", type="radio", name="theme", id=name.lower(), **given
        )
        choices.append(element("label", "", chosen, name))
    return element("fieldset", "theme", element("legend", "", "Colours"), *choices)
