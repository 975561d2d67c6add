"""Access tags of a document, read from its file strictly, so that it fails closed.

A file that seems to limit its readers is refused where its limits would not be read:
misspelt, in lookalike letters, under another name, in another place, twice, or as an
empty list. `tags` are topics, unless the folder uses tags for access; ingestion decides
that.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice

import re2

from adapters.loaders.canonical import make_storable
from engine.model.errors import DocumentError
from engine.parse.spelling import count_edits
from engine.policy.access import find_tag_flaw
from engine.text.legible import ALIKE

FIELD = "access_tags"
FIX = f"write `{FIELD}: [staff]` in its front matter, or take it out if all may see it"
MEANT = "accesstags"
EDITS = 2  # typing errors in `access_tags` that are recognised
SUBJECTS = frozenset({"tag", "tags"})  # topics, in site generators and vaults
# Words that name a limit of access, without a final "s".
SAYING = frozenset(
    {"acces", "acl", "group", "private", "restrict", "restricted", "role", "visibility"}
)
INNER = SAYING - {"group", "role"}  # in names inside other fields
LONG = 6  # letters of such a word from which one typing error is recognised
# Endings of English words that begin with "access" and do not limit access.
OTHERWISE = ("ed", "es", "ibil", "ibl", "ing", "ion", "or")
OPEN = frozenset(
    (
        *("", "~", "null", "none", "false", "no", "off", "0", "public", "open"),
        *("all", "any", "anyone", "anybody", "everyone", "everybody"),
    )
)
HEAD_LINES = 50  # searched for access words outside of front matter
LABEL = re2.compile(r"^[^\pL\pN]*([\pL\pN][^:=|]{0,40}?)[^\pL\pN:=|]*[:=]")
FIELD_LINE = re2.compile(r"^:([^:\n]{1,40}):(?:\s|$)")  # of reStructuredText
DECLARED = re2.compile(
    r"(?i)<meta\s[^>]{0,200}?(?:name|property|itemprop)\s*=\s*[\"']?([^\"'>\s]{1,60})"
    r"|<meta[^>]{0,200}?\s(access[_-]?tags?)[\"'\s=]"
)
_WORD = re2.compile(r"\p{Lu}+(?:\p{Ll}+|$)|\p{Ll}+|\p{Lu}+|\pL+")


@dataclass(frozen=True, slots=True)
class Access:
    """The access tags of a file; `topics` where it has `tags` and no access tag."""

    tags: tuple[str, ...] = ()
    topics: bool = False


def read_access(fields: Mapping[object, object], path: str) -> Access:
    """Read the access tags of a mapping of fields.

    Raises:
        DocumentError: the tags are empty or not a list of words, or another field seems
            to limit access and is not read.
    """
    for name, value, inner in _walk_names(fields):
        if (name != FIELD or inner) and _seems_to_close(name, value, inner=inner):
            raise DocumentError(
                f"{path}: {name[:40]!r} is not read and keeps nobody out; if it says "
                f"who may see the document, {FIX}"
            )
    if FIELD not in fields:
        topics = any(fields[name] for name in fields if _fold_letters(name) in SUBJECTS)
        return Access(topics=topics)
    tags = fields[FIELD]
    if not isinstance(tags, list | tuple) or not tags:
        raise DocumentError(f"{path}: {FIELD} is empty or no list of words; {FIX}")
    return Access(tags=tuple(_read_tag(tag, path) for tag in tags))


def _read_tag(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise DocumentError(f"{path}: {FIELD} must be a list of words; {FIX}")
    tag = make_storable(value)
    flaw = find_tag_flaw(tag)
    if flaw is not None:
        raise DocumentError(f"{path}: {FIELD}: {tag[:40]!r} {flaw}; {FIX}")
    return tag


def _walk_names(fields: Mapping[object, object]) -> Iterator[tuple[str, object, bool]]:
    """Walk all names with their values, and whether they are inside another field."""
    yield from ((str(name), value, False) for name, value in fields.items())
    waiting: list[object] = [*fields.values()]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            for name, inner in value.items():
                yield str(name), inner, True
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value


def _seems_to_close(name: str, value: object, *, inner: bool) -> bool:
    """Tell whether a field seems to limit access."""
    if is_field(name):
        return True
    return not _is_open(value) and _has_word(name, INNER if inner else SAYING)


def is_field(name: str, edits: int = EDITS) -> bool:
    """Tell whether a name is `access_tags`, however it is spelt."""
    letters = _fold_letters(name)
    short = abs(len(letters) - len(MEANT)) <= edits
    return short and _count_edits(letters, MEANT, edits) <= edits


def _has_word(name: str, words: frozenset[str]) -> bool:
    """Tell whether a word of a name is one of these, with at most one typing error."""
    return any(_is_like(word, words) for word in _split_words(name))


def _is_like(word: str, words: frozenset[str]) -> bool:
    if word.startswith("access") and not word[6:].startswith(OTHERWISE):
        return True
    plain = word.removesuffix("s")
    long = (one for one in words if len(one) + 1 >= LONG)
    return plain in words or any(_count_edits(plain, one, 1) <= 1 for one in long)


def _is_open(value: object) -> bool:
    """Tell whether a value limits no reader: empty, "no", "public", or a day."""
    if isinstance(value, list | tuple | Mapping):
        return not value
    said = str(value if value is not None else "").strip().lower()
    if said in OPEN:
        return True
    try:
        return bool(date.fromisoformat(said[:10]))
    except ValueError:
        return False


def _count_edits(word: str, known: str, limit: int) -> int:
    """Count edits as `distance` does, but match unknown non-ASCII letters to any."""
    strange = sum(not letter.isascii() for letter in word)
    if not strange or strange * 2 > len(word) or len(word) != len(known):
        return count_edits(word, known, limit)
    pairs = zip(word, known, strict=True)
    return sum(a != b and a.isascii() for a, b in pairs)


def _fold(name: object) -> str:
    """Remove accents and invisible characters from a name."""
    decomposed = unicodedata.normalize("NFKD", make_storable(str(name)))
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf"))


def _fold_letters(name: object) -> str:
    lower = _fold(name).lower().translate(ALIKE)
    return "".join(filter(str.isalpha, lower))


def _split_words(name: object) -> list[str]:
    """Split a name into words: `allowedGroups` and `allowed_groups` have two."""
    return [str(word).lower().translate(ALIKE) for word in _WORD.findall(_fold(name))]


def line_seems_to_limit(line: str) -> bool:
    """Tell whether a line sets a field whose name seems to limit access."""
    label = LABEL.match(line)
    return label is not None and seems_to_limit(str(label.group(1)))


def seems_to_limit(name: str) -> bool:
    """Tell whether the name of a field seems to limit access."""
    return is_field(name) or _has_word(name, SAYING)


def refuse_unread(body: str, path: str) -> None:
    """Refuse a text with access tags outside of front matter, where they are not read.

    Raises:
        DocumentError: one of its first lines has them.
    """
    for line in islice(body.splitlines(), HEAD_LINES):
        if _mentions_access(line):
            raise DocumentError(
                f"{path}: {FIELD} stands outside of front matter and keeps nobody out "
                f"({line.strip()[:60]!r}); front matter begins in the first line, "
                f"between two --- lines: {FIX}"
            )


def _mentions_access(line: str) -> bool:
    label, field = LABEL.match(line), FIELD_LINE.match(line)
    if label and is_field(str(label.group(1)), edits=1):
        return True
    if field and seems_to_limit(str(field.group(1))):
        return True
    named = (str(name or other) for name, other in DECLARED.findall(line))
    return any(
        is_field(n) or _fold_letters(n).removesuffix("s") in SAYING for n in named
    )
