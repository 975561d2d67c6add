"""Plain text: the canonical text is the file; blank lines separate its paragraphs.

Its title is its first line where that reads like one, or else the file's name; a name
that is the number of a register is always the title.
"""

import calendar
from collections.abc import Iterator
from pathlib import PurePath

import re2

from adapters.loaders.canonical import UNSHOWN, CanonicalText, Piece
from adapters.loaders.front_matter import open_matter
from adapters.loaders.limits import Limits
from adapters.loaders.readers import make_loader_name
from engine.model.document import BlockKind, Parsed

NAME = make_loader_name("text")
BLANK = re2.compile(r"\n[ \t]*\n")
ITEM = re2.compile(r"^[ \t]*(?:[-*+\x{2022}]|\(?[0-9]{1,3}[.)])[ \t]+\S")

# A file name that is the number of a register, which stays the title.
NUMBER = re2.compile(r"^\pL{1,8}-?\pN{6,}$")
# Limits and patterns of a first line that is not a title.
TITLE_WORDS = 8
TITLE_CHARACTERS = 80
PARTED = re2.compile(r"[|\t@]|://|[:\x{ff1a}]\s|\b(?i:page) \pN|!$|^\p{Lu}+$")
RUNS_ON = (".", ",", ";", ":", ".\u201d", '."', ".)")
WORD = re2.compile(r"[\p{L}]+")
DATED = frozenset(
    name.lower()
    for names in (
        calendar.month_name,
        calendar.month_abbr,
        calendar.day_name,
        calendar.day_abbr,
        ("st", "nd", "rd", "th", "of"),
    )
    for name in names
)


def append_text(out: CanonicalText, text: str) -> None:
    """Append the paragraphs of `text`, with their lines and marks unchanged."""
    for paragraph in BLANK.split(text):
        for part in _split_items(paragraph):
            if ITEM.match(part):
                lead_in = out.flat_introduction()
                out.add(Piece(BlockKind.LIST_ITEM, part, 1, lead_in))
            else:
                out.add(Piece(BlockKind.PARAGRAPH, part))


def _split_items(paragraph: str) -> Iterator[str]:
    """Split a paragraph before each line that begins a list item."""
    part: list[str] = []
    for line in paragraph.split("\n"):
        if part and ITEM.match(line):
            yield "\n".join(part)
            part = []
        part.append(line)
    yield "\n".join(part)


def find_title(text: str) -> str | None:
    """Return the first line with text where it reads like a title, or None."""
    lines = [line.strip() for line in text.strip().split("\n")]
    first, following = lines[0].strip("=-*_# "), "".join(lines[1:2])
    said = [str(word).lower() for word in WORD.findall(first)]
    wrong = (
        len(first.split()) > TITLE_WORDS
        or len(first) > TITLE_CHARACTERS
        or PARTED.search(first)
        or UNSHOWN in first
        or first.endswith(RUNS_ON)
        or all(word in DATED for word in said)
        or ITEM.match(lines[0])
        or following[:1].islower()
    )
    return None if wrong else " ".join(first.split())


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one plain text with optional YAML or JSON front matter."""
    opened = open_matter(text, path, limits)
    out = CanonicalText(path, limits)
    append_text(out, opened.body)
    told = opened.details.of(out.text, out.blocks)
    numbered = NUMBER.match(PurePath(path).stem)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        **{
            **told,
            "title": told["title"] or (None if numbered else find_title(out.text)),
        },
    )
