"""Footnotes of HTML: links to a note further below.

A link refers to a note where its page marks it so (`role="doc-noteref"`, a class of
footnotes) or where it is raised and short, and leads to a paragraph, an item or a cell
below. References to a bibliography stay as they are, because they limit no statement.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import re2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from adapters.loaders.canonical import to_superscript

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
    """The notes of a page: `refers` maps links to the names of their notes.

    `holders` are the elements of notes, `raised` the elements that raise a link to one,
    `back` the links from notes to the text. All are given by their `mem_id`.
    """

    refers: dict[int, str] = field(default_factory=dict)
    raised: set[int] = field(default_factory=set)
    holders: dict[int, str] = field(default_factory=dict)
    nodes: dict[str, LexborNode] = field(default_factory=dict)
    signs: dict[str, str] = field(default_factory=dict)
    back: set[int] = field(default_factory=set)

    def hide(self, node: LexborNode) -> bool:
        """Tell whether an element is a note or a link back from one."""
        return node.mem_id in self.holders or node.mem_id in self.back

    def unsigned(self, name: str, text: str) -> str:
        """Remove the sign that a note's text begins with."""
        sign = self.signs[name]
        for form in (f"[{sign}]", f"({sign})", to_superscript(sign), sign):
            if sign and text.startswith(form):
                return text[len(form) :].lstrip(" .):]\t")
        return text


def read_notes(tree: LexborHTMLParser, seen: Callable[[LexborNode], bool]) -> HtmlNotes:
    """Find the visible notes of a page and the links to them."""
    notes = HtmlNotes()
    links = [link for link in tree.css('a[href^="#"]') if _is_note_link(link)]
    if not links:
        return notes
    places, named = _number_elements(tree)
    held: dict[int, set[str]] = {}
    found: list[tuple[LexborNode, str, LexborNode]] = []
    for link in links:
        name = (link.attributes.get("href") or "")[1:]
        target = named.get(name)
        holder = _find_holder(target) if target is not None else None
        if holder is None or places[holder.mem_id] < places[link.mem_id]:
            continue
        if not seen(holder):
            continue
        held.setdefault(holder.mem_id, set()).add(name)
        found.append((link, name, holder))
    for link, name, holder in found:
        if len(held[holder.mem_id]) == 1:
            _add_note(notes, link, name, holder)
    for holder in notes.nodes.values():
        for link in holder.css('a[href^="#"]'):
            target = named.get((link.attributes.get("href") or "")[1:])
            if target is not None and places[target.mem_id] < places[holder.mem_id]:
                notes.back.add(link.mem_id)
    return notes


def _add_note(
    notes: HtmlNotes, link: LexborNode, name: str, holder: LexborNode
) -> None:
    notes.refers[link.mem_id] = name
    notes.holders[holder.mem_id] = name
    notes.nodes[name] = holder
    sign = _SIGN.match(" ".join(link.text().split()))
    notes.signs.setdefault(name, str(sign.group(1)) if sign else "")
    for around in _list_around(link):
        if around.tag == "sup":
            notes.raised.add(around.mem_id)


def _is_note_link(link: LexborNode) -> bool:
    """Tell whether a link looks like one to a note."""
    target = (link.attributes.get("href") or "")[1:]
    said = " ".join(
        link.attributes.get(key) or "" for key in ("role", "class", "epub:type")
    )
    above = " ".join(node.attributes.get("class") or "" for node in _list_around(link))
    if not target or _BACK.search(said) or _LITERATURE.search(target):
        return False
    if _LITERATURE.search(f"{said} {above}".replace("footnote-reference", "")):
        return False
    short = 0 < len(link.text().strip()) <= LONGEST_SIGN
    raised = any(node.tag == "sup" for node in _list_around(link)) or link.css_first(
        "sup"
    )
    return short and bool(_CALLED.search(f"{said} {above}") or raised)


def _list_around(link: LexborNode) -> Iterator[LexborNode]:
    """List the inline elements around a link, innermost first."""
    node = link.parent
    while node is not None and node.tag in {"sup", "span", "small", "b", "em", "i"}:
        yield node
        node = node.parent


def _number_elements(
    tree: LexborHTMLParser,
) -> tuple[dict[int, int], dict[str, LexborNode]]:
    """Number the elements in the order of the page, and map names to elements."""
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


def _find_holder(target: LexborNode) -> LexborNode | None:
    """Find the element of a note; return None where the target is not a note."""
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
