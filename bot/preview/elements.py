"""Pages as trees of elements: no text in them can become markup.

A text is escaped where the tree is written, so nothing that draws has to think of it.
"""

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from engine.errors import GroundruleError

SHOWN = 80  # characters of what cannot be drawn, in the error


class Undrawable(GroundruleError):
    """A payload holds something that the preview does not know."""

    code = "UNDRAWABLE"


def undrawable(platform: str, what: object) -> Undrawable:
    """The error for a block, component or text that the preview does not know."""
    shown = repr(what)
    cut = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
    return Undrawable(
        f"{platform}: the preview cannot draw {cut}: teach it to, in bot/preview/"
    )


def element(
    tag: str, kind: str = "", *inside: Element | str, **attributes: str
) -> Element:
    """An element with its class and what stands in it.

    A "_" in an attribute's name stands for "-"; one at its end is dropped.
    """
    named = {"class": kind} if kind else {}
    for name, value in attributes.items():
        named[name.rstrip("_").replace("_", "-")] = value
    made = Element(tag, named)
    for part in inside:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + part
        else:
            made.text = (made.text or "") + part
    return made


def link(url: str, *inside: Element | str) -> Element:
    """A link that is followed only by whoever clicks it, and tells nobody from where.

    Raises:
        Undrawable: it leads elsewhere than to the web.
    """
    if not url.startswith(("https://", "http://")):
        raise undrawable("link", url)
    return element("a", "", *inside, href=url, rel="noreferrer noopener nofollow")


def icon(name: str, path: str) -> Element:
    """A line drawing on 24 by 24."""
    drawn = element("path", "", d=path)
    shape = {"viewBox": "0 0 24 24", "aria-hidden": "true"}
    made = element("svg", f"icon {name}", drawn)
    made.attrib.update(shape)
    return made


def written(tree: Element) -> str:
    """The tree as HTML."""
    return ElementTree.tostring(tree, encoding="unicode", method="html")


def texts(tree: Element) -> Iterator[str]:
    """Every text in a tree, in reading order."""
    return (text for text in tree.itertext() if text)
