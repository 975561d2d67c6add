"""Metadata of a file: YAML or JSON front matter, or the fields of a JSONL line.

Unknown fields are ignored, because other tools use them. A known field that cannot be
read is an error, because a wrong date or source would be believed.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from json import JSONDecoder
from typing import Any

import re2

from adapters.loaders.access import (
    FIELD,
    line_seems_to_limit,
    read_access,
    refuse_unread,
    seems_to_limit,
)
from adapters.loaders.canonical import UNSHOWN, make_storable
from adapters.loaders.described import make_thing
from adapters.loaders.fields import FieldsError, read_yaml
from adapters.loaders.limits import Limits
from engine.model.document import Block, Described
from engine.model.errors import DocumentError, DocumentTooLarge
from engine.questions.records import LONGEST

FENCE = "---"
MOST_QUESTIONS = 100
MOST_NAMES, LONGEST_NAME = 100, 200
ANY_THING = "document"  # the kind of a thing with names and without a kind
OPENING = re2.compile(r"\A\s*---[ \t]*\n")
CLOSING = re2.compile(r"\n(?:---|\.\.\.)[ \t]*(?:\n|\z)")
FRONT_MATTER_CHARACTERS = 64_000
KNOWN = frozenset(
    ("id", "source", "title", "url", "publisher", "published", "retrieved", "date")
)  # fields that tell front matter from any other mapping
TEXT_FIELDS = ("id", "source", "title", "url", "publisher", "thing")
# YAML's words for "none", "yes" and "no", beside an empty value.
NOTHING = ("", "~", "null", "Null", "NULL")
TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off", *NOTHING)
# YAML's timestamp: a day, alone or with a time.
DAY = re2.compile(
    r"^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?"
    r"(?:[ \t]*(?:Z|[-+]\d{1,2}(?::?\d{2})?))?)?$"
)
DATE_FIELDS = ("published", "retrieved", "in_force_from", "in_force_to")
FIELDS = frozenset(
    (*TEXT_FIELDS, *DATE_FIELDS, "date", "demo", "names", "questions", "tags", FIELD)
)  # all that are read, or told of
# A fence, and known fields below it before the first blank line.
UNREAD = re2.compile(
    r"\A\s*(?:---|\+\+\+|;;;)[^\n]*\n(?:[^\n]+\n)*?[\"']?"
    rf"(?:{'|'.join((*TEXT_FIELDS, *DATE_FIELDS, 'date', 'demo'))})[\"']?[ \t]*[:=]"
)

TOML = re2.compile(r"(?s)\A\s*\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\z)")
# A fence and the lines below it, up to the first blank one.
FENCED = re2.compile(r"\A\s*(?:---|\+\+\+|;;;)[^\n]*\n((?:[^\n]+\n?)*)")


class Details(Described):
    """The known fields; `tags` are access tags, from the field `access_tags`.

    `topics` says whether there is a field `tags` and no access tag. `names` are the
    names of the thing that the text describes, and `thing` is its kind, with which its
    lines "Label: value" are attributes of it.
    """

    id: str | None = None
    source: str | None = None
    title: str | None = None
    topics: bool = False
    questions: tuple[str, ...] = ()
    thing: str | None = None
    names: tuple[str, ...] = ()

    def of(self, text: str, blocks: Sequence[Block]) -> dict[str, Any]:
        """Return the fields of a parsed document with this text."""
        fields = self.model_dump(exclude={"thing", "names"})
        if self.names:
            kind, lines = self.thing or ANY_THING, blocks if self.thing else ()
            fields["things"] = (make_thing(kind, self.names, text, lines),)
        return fields


@dataclass(frozen=True, slots=True)
class Opened:
    """The body of a file, and the details of its front matter."""

    details: Details
    body: str


def open_matter(text: str, path: str, limits: Limits) -> Opened:
    """Split `text` into front matter and body.

    A file that opens with a rule (`---`) and no mapping has no front matter.

    Raises:
        DocumentError: the front matter does not read, a known field is wrong, or what
            looks like front matter is none.
    """
    opened = _open(text, path, limits)
    refuse_unread(opened.body, path)
    return opened


def _open(text: str, path: str, limits: Limits) -> Opened:
    opening = OPENING.match(text)
    closing = opening and CLOSING.search(text, opening.end() - 1)
    if not opening or not closing:
        return _open_without(text, path)
    block = text[opening.end() : closing.start()]
    if len(block) > FRONT_MATTER_CHARACTERS:
        raise DocumentTooLarge(
            f"{path}: front matter of more than {FRONT_MATTER_CHARACTERS:,} characters;"
            " move the text below the closing ---"
        )
    _check_depth(block, path, limits.depth)
    try:
        fields = read_yaml(block)
    except FieldsError as error:
        raise DocumentError(
            f"{path}: front matter does not read as YAML or JSON ({error});"
            " correct the lines between the two ---"
        ) from error
    if not isinstance(fields, dict):
        return _open_without(text, path)
    return Opened(read_details(fields, path), text[closing.end() :])


def _open_without(text: str, path: str) -> Opened:
    """Make the result for a file without front matter.

    Raises:
        DocumentError: it begins like front matter that is not closed, or in TOML.
    """
    refuse_unread(text, path)
    if UNREAD.match(text) or _is_unread(text):
        raise DocumentError(
            f"{path}: its front matter was not read; write it as YAML between two lines"
            f" that hold {FENCE} alone"
        )
    return Opened(Details(), text)


def _is_unread(text: str) -> bool:
    """Tell whether a text begins like front matter in another form.

    That is TOML between its fences, a JSON object without fences, or a fence and below
    it a name that seems to limit access.
    """
    toml, fenced = TOML.match(text), FENCED.match(text)
    if toml and _reads_as_fields(tomllib.loads, str(toml.group(1)), always=True):
        return True
    if text.lstrip().startswith("{"):
        read = JSONDecoder().raw_decode
        return _reads_as_fields(
            lambda opening: read(opening)[0], text.lstrip(), always=False
        )
    lines = str(fenced.group(1)).split("\n") if fenced else ()
    return any(map(line_seems_to_limit, lines))


def _reads_as_fields(read: Callable[[str], object], text: str, *, always: bool) -> bool:
    """Tell whether a text reads as fields; without `always`, as known ones."""
    try:
        fields = read(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(fields, dict) or not fields:
        return False
    return always or any(name in KNOWN or seems_to_limit(str(name)) for name in fields)


def _check_depth(block: str, path: str, depth: int) -> None:
    """Refuse brackets deeper than `depth`, before a recursive parser reads them."""
    open_brackets = 0
    for character in block:
        open_brackets += (character in "[{") - (character in "]}")
        if open_brackets > depth:
            raise DocumentError(
                f"{path}: front matter nests deeper than {depth} levels; flatten it"
            )


def read_details(fields: Mapping[object, object], path: str) -> Details:
    """Read the known fields of front matter or of a JSONL line.

    `date` is used for `published` where that is absent.

    Raises:
        DocumentError: a known field has a wrong type or is not a date.
    """
    values: dict[str, object] = {}
    for name in TEXT_FIELDS:
        said = fields.get(name)
        values[name] = None if _is_none(said, name) else read_line(said, name, path)
    for name in DATE_FIELDS:
        values[name] = _read_date(fields.get(name), name, path)
    if values["published"] is None:
        values["published"] = _read_date(fields.get("date"), "date", path)
    access = read_access(fields, path)
    values |= {"tags": access.tags, "topics": access.topics}
    values["demo"] = _read_demo(fields.get("demo"), path)
    values["questions"] = _read_questions(
        _default_to_empty(fields.get("questions")), path
    )
    values["names"] = _read_names(_default_to_empty(fields.get("names")), path)
    if values["thing"] is not None and not values["names"]:
        raise DocumentError(f"{path}: thing needs `names`, what people call it by")
    return Details.model_validate(values)


def _is_none(value: object, name: str) -> bool:
    """Tell whether a field is empty; a title may be the word "null"."""
    return value is None or (name != "title" and value in NOTHING)


def _default_to_empty(value: object) -> object:
    return () if value is None or value in NOTHING else value


def _read_demo(value: object, path: str) -> bool:
    said = str(value).lower()
    if value is None or said in FALSE:
        return False
    if said not in TRUE:
        raise DocumentError(f"{path}: demo must be true or false")
    return True


def _read_questions(value: object, path: str) -> tuple[str, ...]:
    """Read the questions that the document answers."""
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
    return tuple(make_storable(question).strip() for question in value)


def _read_names(value: object, path: str) -> tuple[str, ...]:
    """Read the names of the thing that the document describes."""
    if not isinstance(value, list | tuple) or len(value) > MOST_NAMES:
        raise DocumentError(f"{path}: names must be a list of at most {MOST_NAMES}")
    names = tuple(read_line(name, "each of names", path) or "" for name in value)
    for number, name in enumerate(names, 1):
        if not any(map(str.isalnum, name)) or len(name) > LONGEST_NAME:
            raise DocumentError(
                f"{path}: names: number {number} must be a text of at most "
                f"{LONGEST_NAME} characters"
            )
    return names


def read_line(value: object, name: str, path: str) -> str | None:
    """Read the text of a field as it is written: 3.10 is not 3.1.

    Raises:
        DocumentError: it is no text, or holds a character that nothing shows.
    """
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise DocumentError(f"{path}: {name} must be one line of text")
    text = make_storable(str(value)).strip()
    if UNSHOWN in text:
        raise DocumentError(f"{path}: {name} holds a character that nothing shows")
    return text or None


def _read_date(value: object, name: str, path: str) -> date | None:
    """Read a day, or the day of a moment, as ISO 8601 or YAML write it."""
    if value is None or value in NOTHING:
        return None
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    written = DAY.match(str(value))
    try:
        if written:
            return date(*map(int, written.groups()))
        return datetime.fromisoformat(str(value)).date()
    except ValueError as error:
        raise DocumentError(
            f"{path}: {name} is {str(value)[:40]!r}, which is no date;"
            " write it as YYYY-MM-DD"
        ) from error
