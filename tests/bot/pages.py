"""A page of ours, read back by a parser that knows not how it was made."""

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
    """

    tags: Counter[str] = field(default_factory=Counter)
    attributes: set[tuple[str, str, str]] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        self.attributes |= {(tag, name, value) for name, value in given.items()}
        if tag == "a":
            self.links.append(given["href"])
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag


def read(page: str) -> Read:
    """A page, read to its end."""
    found = Read()
    found.feed(page)
    found.close()
    assert not found._open, "an element is not closed"
    return found
