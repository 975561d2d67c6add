"""Who may see a document, as its file says it: read strictly, so that it fails closed.

A file whose author believed that it is closed is refused where its words are not read:
under another name, in another place, as an empty list (R-S8).
"""

from collections.abc import Iterator, Mapping
from itertools import islice

import re2

from adapters.loaders.canonical import storable
from engine.access import flaw_of
from engine.errors import DocumentError

FIELD = "access_tags"
FIX = f"write `{FIELD}: [staff]` in its front matter, or take it out if all may see it"
SUBJECTS = frozenset({"tags", "tag"})  # as site generators use them
MISTAKEN = SUBJECTS | {"accesstags", "accesstag"}
HEAD_LINES = 50  # in which access words outside of front matter are looked for
SPOKEN = re2.compile(r"(?i)^[^\pL\pN]*access[\s_-]*tags?[\"'`*]*\s*[:=]")
DECLARED = re2.compile(r"(?i)<meta[^>]{0,200}access[_-]?tags?[\"'\s]")


def read_tags(fields: Mapping[object, object], path: str) -> tuple[str, ...]:
    """The access tags of a mapping; none where it names none.

    Raises:
        DocumentError: they are empty or no list of words, or stand under another name.
    """
    for name in _names(fields):
        letters = "".join(filter(str.isalpha, name.lower()))
        if letters in SUBJECTS and (FIELD in fields or not fields.get(name)):
            continue
        if letters in MISTAKEN and (name != FIELD or name not in fields):
            raise DocumentError(
                f"{path}: {name[:40]!r} is not read and keeps nobody out; if it says "
                f"who may see the document, {FIX}; subjects are called `keywords`"
            )
    if FIELD not in fields:
        return ()
    tags = fields[FIELD]
    if not isinstance(tags, list | tuple) or not tags:
        raise DocumentError(f"{path}: {FIELD} is empty or no list of words; {FIX}")
    return tuple(_tag(tag, path) for tag in tags)


def _tag(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise DocumentError(f"{path}: {FIELD} must be a list of words; {FIX}")
    tag = storable(value)
    flaw = flaw_of(tag)
    if flaw is not None:
        raise DocumentError(f"{path}: {FIELD}: {tag[:40]!r} {flaw}; {FIX}")
    return tag


def _names(fields: Mapping[object, object]) -> Iterator[str]:
    """The names of the fields; of those inside others, what speaks of access alone."""
    waiting: list[object] = [*fields.values()]
    yield from (str(name) for name in fields)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            yield from (str(name) for name in value if "access" in str(name).lower())
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value


def refuse_unread(body: str, path: str) -> None:
    """Refuse a text that speaks of access tags where nobody reads them.

    Raises:
        DocumentError: one of its first lines does.
    """
    for line in islice(body.splitlines(), HEAD_LINES):
        if SPOKEN.search(line) or DECLARED.search(line):
            raise DocumentError(
                f"{path}: {FIELD} stands outside of front matter and keeps nobody out "
                f"({line.strip()[:60]!r}); front matter begins in the first line, "
                f"between two --- lines: {FIX}"
            )
