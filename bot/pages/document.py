"""Every page that we make: it fetches nothing, in one style for all of them.

Texts of others are put into a tree of elements and escaped when that is written. The
policy (CSP) of the page allows its own style and its own script by their hashes and
nothing else, so that a text that got through would still do nothing.
"""

import base64
import hashlib
from pathlib import Path
from xml.etree.ElementTree import Element

from bot.pages.elements import element, to_html

NOWHERE = "'none'"
STYLE = Path(__file__).with_name("page.css")


def document(title: str, body: Element, script: str = "", forms: str = NOWHERE) -> str:
    """Render a page as HTML.

    Args:
        title: on one line.
        body: the `main` element.
        script: that may run on the page, and the only one.
        forms: where its forms may be sent.
    """
    style = STYLE.read_text(encoding="utf-8")
    parts = [body, element("script", "", script)] if script else [body]
    inside = element("body", "", *parts)
    allowed = policy(script, forms)
    head = _render_head(title, style, allowed)
    head.append(_render_referrer("no-referrer" if forms == NOWHERE else "same-origin"))
    html = element("html", "", head, inside, lang="en")
    return f"<!doctype html>\n{to_html(html)}\n"


def themes() -> Element:
    """Render the choice of colours."""
    choices = []
    for name in ("System", "Light", "Dark"):
        given = {"checked": "checked"} if name == "System" else {}
        chosen = element(
            "input", "", type="radio", name="theme", id=name.lower(), **given
        )
        choices.append(element("label", "", chosen, name))
    return element("fieldset", "theme", element("legend", "", "Colours"), *choices)


def policy(script: str = "", forms: str = NOWHERE) -> str:
    """Write what a page may load, run and send (CSP), by hashes."""
    runs = _digest(script) if script else NOWHERE
    style = _digest(STYLE.read_text(encoding="utf-8"))
    return (
        f"default-src 'none'; style-src {style}; "
        f"script-src {runs}; base-uri 'none'; form-action {forms}"
    )


def _render_head(title: str, style: str, allowed: str) -> Element:
    guarded = element("meta", content=allowed)
    guarded.set("http-equiv", "Content-Security-Policy")
    return element(
        "head",
        "",
        element("meta", charset="utf-8"),
        guarded,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", "", title),
        element("style", "", style),
    )


def _render_referrer(sent: str) -> Element:
    """Write what other sites learn of a page from its links;

    forms need their own origin.
    """
    return element("meta", name="referrer", content=sent)


def _digest(text: str) -> str:
    made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{made}'"
