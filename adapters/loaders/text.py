"""Plain text: the canonical text is the file; blank lines part its paragraphs."""

from collections.abc import Iterator

import re2

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.front_matter import open_matter
from adapters.loaders.limits import Limits
from engine.documents.records import BlockKind, Parsed

NAME = "text/1"
BLANK = re2.compile(r"\n[ \t]*\n")
ITEM = re2.compile(r"^[ \t]*(?:[-*+\x{2022}]|\(?[0-9]{1,3}[.)])[ \t]+\S")


def append_text(out: CanonicalText, text: str) -> None:
    """Append the paragraphs of `text`; their lines and marks stay as they are."""
    for paragraph in BLANK.split(text):
        for part in _parts(paragraph):
            if ITEM.match(part):
                lead_in = out.flat_introduction()
                out.add(Piece(BlockKind.LIST_ITEM, part, 1, lead_in))
            else:
                out.add(Piece(BlockKind.PARAGRAPH, part))


def _parts(paragraph: str) -> Iterator[str]:
    """A paragraph, cut before each of its lines that begins a list item."""
    part: list[str] = []
    for line in paragraph.split("\n"):
        if part and ITEM.match(line):
            yield "\n".join(part)
            part = []
        part.append(line)
    yield "\n".join(part)


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """One plain text with optional YAML or JSON front matter."""
    opened = open_matter(text, path, limits)
    out = CanonicalText(path, limits)
    append_text(out, opened.body)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        **opened.details.of(out.text, out.blocks),
    )
