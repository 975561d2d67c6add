"""Every page that we make: it fetches nothing, in one style for all of them.

Texts of others are put into a tree of elements and escaped when that is written. The
policy (CSP) of the page allows its own style and its own script by their hashes and
nothing else, so that a text that got through would still do nothing.
"""

import base64
import hashlib
from pathlib import Path
from xml.etree.ElementTree import Element

from bot.pages.elements import element, written

NOWHERE = "'none'"
STYLE = Path(__file__).with_name("page.css")


def document(title: str, body: Element, script: str = "", forms: str = NOWHERE) -> str:
    """A page as HTML.

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
    head = _head(title, style, allowed)
    head.append(_referrer("no-referrer" if forms == NOWHERE else "same-origin"))
    html = element("html", "", head, inside, lang="en")
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


def policy(script: str = "", forms: str = NOWHERE) -> str:
    """What a page may load, run and send (CSP), by hashes."""
    runs = _digest(script) if script else NOWHERE
    style = _digest(STYLE.read_text(encoding="utf-8"))
    return (
        f"default-src 'none'; style-src {style}; "
        f"script-src {runs}; base-uri 'none'; form-action {forms}"
    )


def _head(title: str, style: str, allowed: str) -> Element:
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


def _referrer(sent: str) -> Element:
    """What is told of a page to where one goes from it; forms have to say their own."""
    return element("meta", name="referrer", content=sent)


def _digest(text: str) -> str:
    made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{made}'"
