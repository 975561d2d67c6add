"""Reports as one page that fetches nothing, in one style for all of them.

Texts of others are put into a tree of elements and escaped when that is written. The
policy (CSP) of the page allows its own style and its own script by their hashes and
nothing else, so that a text that got through would still do nothing.
"""

import base64
import hashlib
from pathlib import Path
from xml.etree.ElementTree import Element

from bot.preview.elements import element, written

STYLE = Path(__file__).with_name("report_page.css")


def document(title: str, body: Element, script: str = "") -> str:
    """A page as HTML.

    Args:
        title: on one line.
        body: the `main` element.
        script: that may run on the page, and the only one.
    """
    style = STYLE.read_text(encoding="utf-8")
    parts = [body, element("script", "", script)] if script else [body]
    inside = element("body", "", *parts)
    html = element("html", "", _head(title, style, script), inside, lang="en")
    return f"<!doctype html>\n{written(html)}\n"


def themes() -> Element:
    """The choice of colours."""
    choices = []
    for name in ("System", "Light", "Dark"):
        given = {"checked": "checked"} if name == "System" else {}
        chosen = element(
            "input", "", type="radio", name="theme", id=name.lower(), **given
        )
        choices.append(element("label", "", chosen, name))
    return element("fieldset", "theme", element("legend", "", "Colours"), *choices)


def _head(title: str, style: str, script: str) -> Element:
    runs = _digest(script) if script else "'none'"
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; "
        f"script-src {runs}; base-uri 'none'; form-action 'none'"
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
        element("title", "", title),
        element("style", "", style),
    )


def _digest(text: str) -> str:
    made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{made}'"
