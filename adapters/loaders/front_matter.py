"""What a file says of itself: YAML or JSON front matter, fields of a JSONL line.

Unknown fields are left alone: other tools own them. A known field that does not read
is an error, because a wrong date or source would be believed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import re2
import yaml

from adapters.loaders.access import read_tags, refuse_unread
from adapters.loaders.canonical import storable
from adapters.loaders.described import thing_of
from adapters.loaders.limits import Limits
from engine.documents.records import Block, Described
from engine.errors import DocumentError, DocumentTooLarge
from engine.questions.records import LONGEST

FENCE = "---"
MOST_QUESTIONS = 100
MOST_NAMES, LONGEST_NAME = 100, 200
ANY_THING = "document"  # what a text is where it has names and does not say
OPENING = re2.compile(r"\A\s*---[ \t]*\n")
CLOSING = re2.compile(r"\n(?:---|\.\.\.)[ \t]*(?:\n|\z)")
FRONT_MATTER_CHARACTERS = 64_000
TEXT_FIELDS = ("id", "source", "title", "url", "publisher", "thing")
DATE_FIELDS = ("published", "retrieved", "in_force_from", "in_force_to")
# A fence, and known fields below it before the first blank line.
UNREAD = re2.compile(
    r"\A\s*(?:---|\+\+\+|;;;)[^\n]*\n(?:[^\n]+\n)*?[\"']?"
    rf"(?:{'|'.join((*TEXT_FIELDS, *DATE_FIELDS, 'date', 'demo'))})[\"']?[ \t]*[:=]"
)


class Details(Described):
    """The known fields; `tags` are access tags and stand under `access_tags`.

    `names` are what people call that by which the text describes, `thing` is its kind:
    then its lines "Label: what is said" are attributes of it (R-R2).
    """

    id: str | None = None
    source: str | None = None
    title: str | None = None
    questions: tuple[str, ...] = ()
    thing: str | None = None
    names: tuple[str, ...] = ()

    def of(self, text: str, blocks: Sequence[Block]) -> dict[str, Any]:
        """The fields of a parsed document with this text."""
        fields = self.model_dump(exclude={"thing", "names"})
        if self.names:
            kind, lines = self.thing or ANY_THING, blocks if self.thing else ()
            fields["things"] = (thing_of(kind, self.names, text, lines),)
        return fields


@dataclass(frozen=True, slots=True)
class Opened:
    """A file without its front matter, and what that said."""

    details: Details
    body: str


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases: nine lines of them unfold to gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)


def open_matter(text: str, path: str, limits: Limits) -> Opened:
    """Split `text` into front matter and body.

    A file that opens with a rule (`---`) and no mapping has no front matter.

    Raises:
        DocumentError: the front matter does not read, a known field is wrong, or what
            looks like front matter is none.
    """
    opened = _opened(text, path, limits)
    refuse_unread(opened.body, path)
    return opened


def _opened(text: str, path: str, limits: Limits) -> Opened:
    opening = OPENING.match(text)
    closing = opening and CLOSING.search(text, opening.end() - 1)
    if not opening or not closing:
        return _without(text, path)
    block = text[opening.end() : closing.start()]
    if len(block) > FRONT_MATTER_CHARACTERS:
        raise DocumentTooLarge(
            f"{path}: front matter of more than {FRONT_MATTER_CHARACTERS:,} characters;"
            " move the text below the closing ---"
        )
    _check_depth(block, path, limits.depth)
    try:
        fields = yaml.load(block, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DocumentError(
            f"{path}: front matter is neither YAML nor JSON ({reason});"
            " correct the lines between the two ---"
        ) from error
    if not isinstance(fields, dict):
        return _without(text, path)
    return Opened(read_details(fields, path), text[closing.end() :])


def _without(text: str, path: str) -> Opened:
    """A file without front matter.

    Raises:
        DocumentError: it begins like front matter that is not closed, or in TOML.
    """
    if UNREAD.match(text):
        raise DocumentError(
            f"{path}: its front matter was not read; write it as YAML between two lines"
            f" that hold {FENCE} alone"
        )
    return Opened(Details(), text)


def _check_depth(block: str, path: str, depth: int) -> None:
    """Brackets deeper than `depth` are refused before a recursive parser meets them."""
    open_brackets = 0
    for character in block:
        open_brackets += (character in "[{") - (character in "]}")
        if open_brackets > depth:
            raise DocumentError(
                f"{path}: front matter nests deeper than {depth} levels; flatten it"
            )


def read_details(fields: Mapping[object, object], path: str) -> Details:
    """The known fields of a mapping that a file or a JSONL line holds.

    `date` stands for `published` where that is absent.

    Raises:
        DocumentError: a known field has a wrong type or is no date; it is named.
    """
    values: dict[str, object] = {}
    for name in TEXT_FIELDS:
        values[name] = _text(fields.get(name), name, path)
    for name in DATE_FIELDS:
        values[name] = _date(fields.get(name), name, path)
    if values["published"] is None:
        values["published"] = _date(fields.get("date"), "date", path)
    tags = read_tags(fields, path)
    demo = fields.get("demo", False)
    if not isinstance(demo, bool):
        raise DocumentError(f"{path}: demo must be true or false")
    values["questions"] = _questions(fields.get("questions", ()), path)
    values["names"] = _names(fields.get("names", ()), path)
    if values["thing"] is not None and not values["names"]:
        raise DocumentError(f"{path}: thing needs `names`, what people call it by")
    return Details.model_validate({**values, "tags": tags, "demo": demo})


def _questions(value: object, path: str) -> tuple[str, ...]:
    """The questions that the document answers (R-Q1)."""
    if not isinstance(value, list | tuple) or len(value) > MOST_QUESTIONS:
        raise DocumentError(
            f"{path}: questions must be a list of at most {MOST_QUESTIONS} questions"
        )
    for number, question in enumerate(value, 1):
        if not isinstance(question, str) or not 3 <= len(question.strip()) <= LONGEST:
            raise DocumentError(
                f"{path}: questions: number {number} must be a text of 3 to {LONGEST} "
                "characters"
            )
    return tuple(storable(question).strip() for question in value)


def _names(value: object, path: str) -> tuple[str, ...]:
    """What people call that by which the document describes (R-R2)."""
    if not isinstance(value, list | tuple) or len(value) > MOST_NAMES:
        raise DocumentError(f"{path}: names must be a list of at most {MOST_NAMES}")
    names = tuple(_text(name, "each of names", path) or "" for name in value)
    for number, name in enumerate(names, 1):
        if not any(map(str.isalnum, name)) or len(name) > LONGEST_NAME:
            raise DocumentError(
                f"{path}: names: number {number} must be a text of at most "
                f"{LONGEST_NAME} characters"
            )
    return names


def _text(value: object, name: str, path: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return storable(str(value)).strip() or None
    raise DocumentError(f"{path}: {name} must be one line of text")


def _date(value: object, name: str, path: str) -> date | None:
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError as error:
        raise DocumentError(
            f"{path}: {name} is {str(value)[:40]!r}, which is no date;"
            " write it as YYYY-MM-DD"
        ) from error
