"""Markdown with HTML in it, as the page that a browser makes of it.

A tag in a paragraph may hide what stands between it and its end, one in a block all
that stands below it, and a `<style>` what stands anywhere. So the whole page is laid
out as HTML, with a mark around each text, and looked at once; what is taken from it is
which texts are shown, and what of each.
"""

import html as entities
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import re2
from markdown_it.token import Token

from adapters.loaders.canonical import CanonicalText
from adapters.loaders.html import KNOWN, UNSEEN, Collected, collect, marked, said
from adapters.loaders.markup_tree import read_page

TAG = re2.compile(r"^</?([A-Za-z][A-Za-z0-9-]*)")
# What takes in all up to its end tag: without one, it was not meant so.
TAKING = UNSEEN | {"iframe", "plaintext", "xmp"}
OPENED = re2.compile(r"<([A-Za-z][A-Za-z0-9-]*)")
ENDS = re2.compile(r"</([A-Za-z][A-Za-z0-9-]*)")
BLANKS = re2.compile(r" {2,}")  # as around what is hidden
OPENS, CLOSES = "gr-opens", "gr-closes"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text in Markdown: words, or a tag."""

    text: str
    tag: bool = False


def has_html(tokens: Iterable[Token]) -> bool:
    """Whether a page has any HTML in it."""
    return any(
        token.type == "html_block"
        or any(child.type == "html_inline" for child in token.children or ())
        for token in tokens
    )


def last_ends(tokens: Iterable[Token]) -> Mapping[str, int]:
    """The number of the last block of HTML that ends each element."""
    return {
        name: number
        for number, token in enumerate(tokens)
        if token.type == "html_block"
        for name in _names(ENDS, token.content)
    }


def joined(parts: Iterable[Part]) -> str:
    """The text of parts that hold no tag."""
    return "".join(part.text for part in parts)


@dataclass(slots=True)
class Layout:
    """The page, and what a reader sees of each of its texts, by its number.

    `ends` are the `last_ends` of its tokens.
    """

    ends: Mapping[str, int]
    _page: list[str] = field(default_factory=list)
    _seen: dict[int, Collected] = field(default_factory=dict)
    sheets: str = ""

    def open(self, token: Token) -> None:
        """A block opens or closes."""
        if token.nesting and token.tag:
            self._page.append(f"<{'/' if token.nesting < 0 else ''}{token.tag}>")

    def text(self, number: int, parts: Sequence[Part]) -> None:
        """A text between two marks."""
        self._marked(number, "".join(_written(parts)))

    def markup(self, number: int, markup: str) -> None:
        """A block of HTML between two marks; not one that takes in what follows."""
        taking = _names(OPENED, markup) & TAKING
        lost = any(self.ends.get(name, -1) < number for name in taking)
        self._marked(number, "" if lost else markup)

    def _marked(self, number: int, inside: str) -> None:
        mark = f"<{OPENS} id={number}></{OPENS}>"
        self._page.append(f"{mark}{inside}<{CLOSES} id={number}></{CLOSES}>")

    def look(self, out: CanonicalText) -> None:
        """Look at the page as a browser shows it.

        Raises:
            DocumentError: its elements or its styles nest too deeply.
        """
        tree = read_page("\n".join(self._page), out.path)
        self.sheets = "".join(str(node.html) for node in tree.css("style"))
        self._seen = collect(tree, out, (OPENS, CLOSES))

    def shows(self, number: int) -> bool:
        """Whether any reader sees what stands at the place of a text."""
        return number in self._seen and self._seen[number].look.read

    def text_of(self, number: int, parts: Sequence[Part]) -> str:
        """What a reader sees of a text.

        One without tags is taken as it is written, where it is seen at all.
        """
        if number not in self._seen:
            return ""
        seen = self._seen[number]
        if any(part.tag for part in parts):
            written = "".join(part.text for part in parts if not part.tag)
            hidden = seen.text != written
            return str(BLANKS.sub(" ", seen.text) if hidden else seen.text).strip()
        text = joined(parts).strip() if seen.look.read else ""
        return marked(said(text, seen.look))


def _written(parts: Sequence[Part]) -> Iterator[str]:
    """Parts as HTML; a tag that no browser knows, or that is not closed, is text."""
    closed = _names(ENDS, "".join(part.text for part in parts if part.tag))
    for part in parts:
        name = _name(part.text) if part.tag else None
        meant = part.tag and (name is None or name in KNOWN)
        if meant and not (name in TAKING and name not in closed):
            yield part.text
        else:
            yield entities.escape(part.text, quote=False)


def _name(markup: str) -> str | None:
    match = TAG.match(markup)
    return str(match.group(1)).lower() if match else None


def _names(tag: re2._Regexp, markup: str) -> frozenset[str]:
    return frozenset(str(name).lower() for name in tag.findall(markup))
