"""A page of the preview, read back by a parser that knows not how it was made."""

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "input", "hr", "br", "path"})


@dataclass
class Read(HTMLParser):
    """What stands in a page.

    Attributes:
        tags: how often each element occurs.
        attributes: every attribute, by element, name and value.
        links: where links lead.
        parts: what each posted part reads, by its nonce.
        style: the style sheet.
    """

    tags: Counter[str] = field(default_factory=Counter)
    attributes: set[tuple[str, str, str]] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    style: str = ""
    _open: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        self.attributes |= {(tag, name, value) for name, value in given.items()}
        if tag == "a":
            self.links.append(given["href"])
        nonce = given.get("data-nonce", "")
        if nonce:
            assert nonce not in self.parts, "a part stands twice"
            self.parts[nonce] = ""
        if tag not in VOID:
            self._open.append((tag, nonce))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for tag, nonce in self._open:
            if nonce:
                self.parts[nonce] += data
            if tag == "style":
                self.style += data


def read(page: str) -> Read:
    """A page, read to its end."""
    found = Read()
    found.feed(page)
    found.close()
    assert not found._open, "an element is not closed"
    return found
