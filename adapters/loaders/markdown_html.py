"""Markdown with HTML in it, laid out as a browser shows it.

A tag in a paragraph may hide the text up to its end, a tag in a block all text below
it, and a `<style>` any text. So the whole page is laid out as HTML, with marks around
each text, and read once. Only the visible part of each text is taken from it.
"""

import html as entities
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import re2
from markdown_it.token import Token

from adapters.loaders.canonical import CanonicalText
from adapters.loaders.html import (
    KNOWN,
    UNSEEN,
    Collected,
    collect,
    mark_struck,
    write_struck,
)
from adapters.loaders.markup_tree import read_page

TAG = re2.compile(r"^</?([A-Za-z][A-Za-z0-9-]*)")
# Elements that swallow all text up to their end tag; without one they are text.
TAKING = UNSEEN | {"iframe", "plaintext", "xmp"}
OPENED = re2.compile(r"<([A-Za-z][A-Za-z0-9-]*)")
ENDS = re2.compile(r"</([A-Za-z][A-Za-z0-9-]*)")
BLANKS = re2.compile(r" {2,}")  # as around hidden text
OPENS, CLOSES = "gr-opens", "gr-closes"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text in Markdown: words, or a tag."""

    text: str
    tag: bool = False


def has_html(tokens: Iterable[Token]) -> bool:
    """Tell whether a page has any HTML in it."""
    return any(
        token.type == "html_block"
        or any(child.type == "html_inline" for child in token.children or ())
        for token in tokens
    )


def find_last_ends(tokens: Iterable[Token]) -> Mapping[str, int]:
    """Map each element to the number of the last block of HTML that ends it."""
    return {
        name: number
        for number, token in enumerate(tokens)
        if token.type == "html_block"
        for name in _read_names(ENDS, token.content)
    }


def join_parts(parts: Iterable[Part]) -> str:
    """Join parts without tags to a text."""
    return "".join(part.text for part in parts)


@dataclass(slots=True)
class Layout:
    """The page, and the visible part of each of its texts, by number.

    `ends` is the result of `find_last_ends` for its tokens.
    """

    ends: Mapping[str, int]
    _page: list[str] = field(default_factory=list)
    _seen: dict[int, Collected] = field(default_factory=dict)
    sheets: str = ""

    def open(self, token: Token) -> None:
        """Add the tag of a block that opens or closes."""
        if token.nesting and token.tag:
            self._page.append(f"<{'/' if token.nesting < 0 else ''}{token.tag}>")

    def text(self, number: int, parts: Sequence[Part]) -> None:
        """Add a text between two marks."""
        self._marked(number, "".join(_write_parts(parts)))

    def markup(self, number: int, markup: str) -> None:
        """Add a block of HTML between two marks, unless it would swallow the rest."""
        taking = _read_names(OPENED, markup) & TAKING
        lost = any(self.ends.get(name, -1) < number for name in taking)
        self._marked(number, "" if lost else markup)

    def _marked(self, number: int, inside: str) -> None:
        mark = f"<{OPENS} id={number}></{OPENS}>"
        self._page.append(f"{mark}{inside}<{CLOSES} id={number}></{CLOSES}>")

    def look(self, out: CanonicalText) -> None:
        """Read the page as a browser shows it.

        Raises:
            DocumentError: its elements or its styles nest too deeply.
        """
        tree = read_page("\n".join(self._page), out.path)
        self.sheets = "".join(str(node.html) for node in tree.css("style"))
        self._seen = collect(tree, out, (OPENS, CLOSES))

    def shows(self, number: int) -> bool:
        """Tell whether the place of a text is visible."""
        return number in self._seen and self._seen[number].look.read

    def text_of(self, number: int, parts: Sequence[Part]) -> str:
        """Return the visible part of a text.

        A text without tags is returned as written, or "" where it is hidden.
        """
        if number not in self._seen:
            return ""
        seen = self._seen[number]
        if any(part.tag for part in parts):
            written = "".join(part.text for part in parts if not part.tag)
            hidden = seen.text != written
            return str(BLANKS.sub(" ", seen.text) if hidden else seen.text).strip()
        text = join_parts(parts).strip() if seen.look.read else ""
        return write_struck(mark_struck(text, seen.look))


def _write_parts(parts: Sequence[Part]) -> Iterator[str]:
    """Write parts as HTML; escape tags that are unknown or that swallow text."""
    closed = _read_names(ENDS, "".join(part.text for part in parts if part.tag))
    for part in parts:
        name = _read_name(part.text) if part.tag else None
        meant = part.tag and (name is None or name in KNOWN)
        if meant and not (name in TAKING and name not in closed):
            yield part.text
        else:
            yield entities.escape(part.text, quote=False)


def _read_name(markup: str) -> str | None:
    match = TAG.match(markup)
    return str(match.group(1)).lower() if match else None


def _read_names(tag: re2._Regexp, markup: str) -> frozenset[str]:
    return frozenset(str(name).lower() for name in tag.findall(markup))
