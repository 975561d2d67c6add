"""Footnotes of HTML: raised links to what stands further below (R-A15).

A link is one where its page says so (`role="doc-noteref"`, a class of footnotes) or
where it is raised and short, and leads on to a paragraph, an item or a cell. Numbers of
a list of literature stay as they are: they limit nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import re2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from adapters.loaders.canonical import superscript

LONGEST_SIGN = 8  # characters of the link to a note
LONGEST_NOTE = 3_000
HOLDERS = frozenset(
    {"aside", "blockquote", "dd", "div", "li", "p", "section", "td", "tr"}
)
_TOO_MUCH = "h1, h2, h3, h4, h5, h6, table"
_CALLED = re2.compile(r"(?i)\b(?:footnote|noteref|fn-?ref|endnote)")
_BACK = re2.compile(r"(?i)back")
_LITERATURE = re2.compile(r"(?i)^(?:cit|bib|ref)|biblio|reference")
_SIGN = re2.compile(r"^[\s(\[]*([^\s()\[\]]*)[\s)\]]*$")


@dataclass(slots=True)
class HtmlNotes:
    """The notes of a page: `refers` has the name of the note that a link leads to.

    `holders` are the elements that notes stand in, `raised` those that raise a link to
    one, `back` the links from notes to the text. All are known by their `mem_id`.
    """

    refers: dict[int, str] = field(default_factory=dict)
    raised: set[int] = field(default_factory=set)
    holders: dict[int, str] = field(default_factory=dict)
    nodes: dict[str, LexborNode] = field(default_factory=dict)
    signs: dict[str, str] = field(default_factory=dict)
    back: set[int] = field(default_factory=set)

    def hide(self, node: LexborNode) -> bool:
        """Whether an element is shown where it is referred to, or not at all."""
        return node.mem_id in self.holders or node.mem_id in self.back

    def unsigned(self, name: str, text: str) -> str:
        """The text of a note without the sign that it begins with."""
        sign = self.signs[name]
        for form in (f"[{sign}]", f"({sign})", superscript(sign), sign):
            if sign and text.startswith(form):
                return text[len(form) :].lstrip(" .):]\t")
        return text


def read_notes(tree: LexborHTMLParser, seen: Callable[[LexborNode], bool]) -> HtmlNotes:
    """Find the notes of a page that are `seen` on it, and what refers to them."""
    notes = HtmlNotes()
    links = [link for link in tree.css('a[href^="#"]') if _refers(link)]
    if not links:
        return notes
    places, named = _places(tree)
    held: dict[int, set[str]] = {}
    found: list[tuple[LexborNode, str, LexborNode]] = []
    for link in links:
        name = (link.attributes.get("href") or "")[1:]
        target = named.get(name)
        holder = _holder(target) if target is not None else None
        if holder is None or places[holder.mem_id] < places[link.mem_id]:
            continue
        if not seen(holder):
            continue
        held.setdefault(holder.mem_id, set()).add(name)
        found.append((link, name, holder))
    for link, name, holder in found:
        if len(held[holder.mem_id]) == 1:
            _take(notes, link, name, holder)
    for holder in notes.nodes.values():
        for link in holder.css('a[href^="#"]'):
            target = named.get((link.attributes.get("href") or "")[1:])
            if target is not None and places[target.mem_id] < places[holder.mem_id]:
                notes.back.add(link.mem_id)
    return notes


def _take(notes: HtmlNotes, link: LexborNode, name: str, holder: LexborNode) -> None:
    notes.refers[link.mem_id] = name
    notes.holders[holder.mem_id] = name
    notes.nodes[name] = holder
    sign = _SIGN.match(" ".join(link.text().split()))
    notes.signs.setdefault(name, str(sign.group(1)) if sign else "")
    for around in _around(link):
        if around.tag == "sup":
            notes.raised.add(around.mem_id)


def _refers(link: LexborNode) -> bool:
    """Whether a link looks like one to a note."""
    target = (link.attributes.get("href") or "")[1:]
    said = " ".join(
        link.attributes.get(key) or "" for key in ("role", "class", "epub:type")
    )
    above = " ".join(node.attributes.get("class") or "" for node in _around(link))
    if not target or _BACK.search(said) or _LITERATURE.search(target):
        return False
    if _LITERATURE.search(f"{said} {above}".replace("footnote-reference", "")):
        return False
    short = 0 < len(link.text().strip()) <= LONGEST_SIGN
    raised = any(node.tag == "sup" for node in _around(link)) or link.css_first("sup")
    return short and bool(_CALLED.search(f"{said} {above}") or raised)


def _around(link: LexborNode) -> Iterator[LexborNode]:
    """What a link stands in within its line, innermost first."""
    node = link.parent
    while node is not None and node.tag in {"sup", "span", "small", "b", "em", "i"}:
        yield node
        node = node.parent


def _places(
    tree: LexborHTMLParser,
) -> tuple[dict[int, int], dict[str, LexborNode]]:
    """Where every element stands in the page, and those that have a name."""
    places: dict[int, int] = {}
    named: dict[str, LexborNode] = {}
    for place, node in enumerate(tree.root.traverse() if tree.root else ()):
        places[node.mem_id] = place
        own = node.attributes.get("id") or (
            node.attributes.get("name") if node.tag == "a" else None
        )
        if own:
            named.setdefault(own, node)
    return places, named


def _holder(target: LexborNode) -> LexborNode | None:
    """The element that a note stands in; None where the target is no note."""
    node: LexborNode | None = target
    if target.tag == "dt":
        node = target.next
        while node is not None and node.tag != "dd":
            node = node.next
    while node is not None and node.tag not in HOLDERS:
        if node.tag not in {"a", "b", "em", "i", "small", "span", "strong", "sup"}:
            return None if node.tag != "dd" else node
        node = node.parent
    if node is None or node.css_first(_TOO_MUCH) is not None:
        return None
    text = node.text().strip()
    return node if 0 < len(text) <= LONGEST_NOTE else None
