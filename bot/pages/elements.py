"""Pages as trees of elements: no text in them can become markup.

A text is escaped where the tree is written, so nothing that draws has to think of it.
"""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element


def element(
    tag: str, kind: str = "", *inside: Element | str, **attributes: str
) -> Element:
    """Make an element with its class and its content.

    A "_" in an attribute's name becomes "-"; one at its end is dropped.
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


def to_html(tree: Element) -> str:
    """Write the tree as HTML."""
    return ElementTree.tostring(tree, encoding="unicode", method="html")
