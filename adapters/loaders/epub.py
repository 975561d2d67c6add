"""Books (.epub): their chapters in the order of the book, read as one page of HTML.

Notes may be in another file than their references. The book's table of contents is
left out of the text; it gives titles to the chapters without a heading.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from html import escape
from pathlib import PurePath
from xml.etree.ElementTree import Element

import re2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from adapters.loaders.canonical import CanonicalText
from adapters.loaders.front_matter import read_details
from adapters.loaders.html import append_html
from adapters.loaders.limits import Limits
from adapters.loaders.office_package import (
    Package,
    clean_title,
    local_name,
    open_package,
)
from adapters.loaders.readers import make_loader_name
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge

NAME = make_loader_name("epub")
CONTENTS = frozenset({"toc", "landmarks", "page-list"})
PAGES = frozenset({"application/xhtml+xml", "text/html"})
LOCKED = "META-INF/encryption.xml"
FONTS = re2.compile(r"(?i)font")  # obfuscated fonts hide no text
# A self-closing tag of XML, which HTML would leave open.
CLOSED = re2.compile(
    r"<(a|b|div|em|i|p|script|span|strong|style|sub|sup|td|th|title)(\s[^<>]*?)?/>"
)


def parse(data: bytes, path: str, limits: Limits) -> Parsed:
    """Parse one book.

    Raises:
        DocumentError: damaged, locked against copying, or without text.
        DocumentTooLarge: it unpacks to more than the limit, or has too many files.
    """
    package = open_package(data, path, limits)
    _refuse_locked(package)
    book = _Book(package, _find_root(package))
    out = CanonicalText(path, limits)
    append_html(out, book.join_chapters(), book.join_sheets())
    title = clean_title(book.read_metadata("title")) or PurePath(path).stem
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=title,
        published=_read_date(book.read_metadata("date"), path),
        remarks=out.remarks,
    )


def _refuse_locked(package: Package) -> None:
    tree = package.tree(LOCKED)
    for node in tree.iter() if tree is not None else ():
        method = node.get("Algorithm", "")
        if local_name(node) == "EncryptionMethod" and not FONTS.search(method):
            raise DocumentError(
                f"{package.path}: is locked against copying (DRM); ask its publisher "
                "for a copy that is not"
            )


def _find_root(package: Package) -> str:
    tree = package.tree("META-INF/container.xml")
    for node in tree.iter() if tree is not None else ():
        if (
            local_name(node) == "rootfile"
            and node.get("full-path", "") in package.names
        ):
            return node.get("full-path", "")
    raise DocumentError(f"{package.path}: is no book (EPUB); export it again")


def _read_date(told: str, path: str) -> date | None:
    try:
        return read_details({"published": told}, path).published
    except DocumentError:
        return None  # a date of a free form is left out, not guessed


@dataclass(slots=True)
class _Book:
    """The files of a book by their names, in its order."""

    package: Package
    root: str
    tree: Element = field(init=False)
    items: dict[str, Element] = field(default_factory=dict)
    pages: dict[str, LexborHTMLParser] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tree = self.package.plain_tree(self.root)
        self.tree = tree
        self.items = {
            n.get("id", ""): n for n in tree.iter() if local_name(n) == "item"
        }

    def read_metadata(self, name: str) -> str:
        """Read a field of the book's metadata, by a name of Dublin Core."""
        found = (n.text for n in self.tree.iter() if local_name(n) == name and n.text)
        return next(found, "")

    def resolve_place(self, item: Element) -> str:
        return self.package.resolve(self.root, item.get("href", ""))

    def join_chapters(self) -> str:
        """Join all chapters in one page, with unique names of their elements."""
        places: list[str] = []
        for node in self.tree.iter():
            item = self.items.get(node.get("idref", ""))
            if local_name(node) != "itemref" or item is None:
                continue
            contents = "nav" in item.get("properties", "").split()
            if item.get("media-type") in PAGES and not contents:
                places.append(self.resolve_place(item))
        if len(places) > self.package.limits.pages:
            raise DocumentTooLarge(
                f"{self.package.path}: more than {self.package.limits.pages:,} files; "
                "split it"
            )
        numbers = {place: number for number, place in enumerate(places)}
        names = self.map_contents()
        parts = (self.make_section(place, numbers, names) for place in places)
        return "".join(parts)

    def make_section(
        self, place: str, numbers: dict[str, int], names: dict[str, str]
    ) -> str:
        """Make one file of the book a section, with names unique in the book."""
        page = LexborHTMLParser(self.read_text(place))
        body = page.body
        if body is None:
            return ""
        for node in body.css("[id]"):
            node.attrs["id"] = f"c{numbers[place]}-{node.attributes.get('id')}"
        for link in body.css("a[href]"):
            self.point_link(link, place, numbers)
        for contents in body.css("nav"):
            if contents.attributes.get("epub:type") in CONTENTS:
                contents.decompose()
        inner = "".join(child.html or "" for child in body.iter(include_text=True))
        headed = body.css_first("h1, h2, h3, h4, h5, h6") is not None
        name = "" if headed else names.get(place, "")
        head = f"<h1>{escape(name)}</h1>" if name and body.text().strip() else ""
        return f"<section>{head}{inner}</section>"

    def point_link(self, link: LexborNode, place: str, numbers: dict[str, int]) -> None:
        """Point a link to its target on the one page."""
        href = link.attributes.get("href") or ""
        file, mark, name = href.partition("#")
        target = self.package.resolve(place, file) if file else place
        if mark and target in numbers:
            link.attrs["href"] = f"#c{numbers[target]}-{name}"
        if link.attributes.get("epub:type") == "noteref":
            link.attrs["role"] = "doc-noteref"

    def read_text(self, place: str) -> str:
        """Convert a file of the book to HTML that reads the same."""
        if place not in self.package.names:
            return ""
        text = self.package.text(place)
        return str(CLOSED.sub(r"<\1\2></\1>", text))

    def map_contents(self) -> dict[str, str]:
        """Map files to their titles in the table of contents."""
        names: dict[str, str] = {}
        for place, name in self._list_entries():
            names.setdefault(place, " ".join(name.split()))
        return names

    def _list_entries(self) -> Iterator[tuple[str, str]]:
        for item in self.items.values():
            place = self.resolve_place(item)
            if "nav" in item.get("properties", "").split():
                for link in LexborHTMLParser(self.read_text(place)).css("nav a[href]"):
                    href = link.attributes.get("href") or ""
                    yield self.package.resolve(place, href), link.text()
            elif item.get("media-type") == "application/x-dtbncx+xml":
                tree = self.package.plain_tree(place)
                words = ""
                for node in tree.iter():
                    if local_name(node) == "text":
                        words = node.text or ""
                    elif local_name(node) == "content":
                        yield self.package.resolve(place, node.get("src", "")), words

    def join_sheets(self) -> str:
        """Join the book's style sheets, which may hide text."""
        places = [
            self.resolve_place(item)
            for item in self.items.values()
            if item.get("media-type") == "text/css"
        ]
        held = [self.package.text(p) for p in places if p in self.package.names]
        return f"<style>{''.join(held).replace('</', '')}</style>" if held else ""
