"""Who may see a document, as its file says it: read strictly, so that it fails closed.

A file whose author believed that it is closed is refused where its words are not read:
misspelt, in letters that only look alike, under another name, in another place, twice,
or as an empty list (R-S8). `tags` are topics, unless tags limit access hereabouts; who
takes the folder in knows.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice

import re2

from adapters.loaders.canonical import storable
from engine.model.errors import DocumentError
from engine.parse.spelling import count_edits
from engine.policy.access import find_tag_flaw
from engine.text.legible import ALIKE

FIELD = "access_tags"
FIX = f"write `{FIELD}: [staff]` in its front matter, or take it out if all may see it"
MEANT = "accesstags"
EDITS = 2  # typing errors in `access_tags` that still mean it
SUBJECTS = frozenset({"tag", "tags"})  # as site generators and vaults use them
# Words that say who may see something (R-S8), without an "s" at their end.
SAYING = frozenset(
    {"acces", "acl", "group", "private", "restrict", "restricted", "role", "visibility"}
)
INNER = SAYING - {"group", "role"}  # of names inside other fields
LONG = 6  # letters of such a word in which one typing error still means it
# What begins like "access" in English, and says nothing of who may.
OTHERWISE = ("ed", "es", "ibil", "ibl", "ing", "ion", "or")
OPEN = frozenset(
    (
        *("", "~", "null", "none", "false", "no", "off", "0", "public", "open"),
        *("all", "any", "anyone", "anybody", "everyone", "everybody"),
    )
)
HEAD_LINES = 50  # in which access words outside of front matter are looked for
LABEL = re2.compile(r"^[^\pL\pN]*([\pL\pN][^:=|]{0,40}?)[^\pL\pN:=|]*[:=]")
FIELD_LINE = re2.compile(r"^:([^:\n]{1,40}):(?:\s|$)")  # as reStructuredText writes it
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
    """What a mapping says of who may see it.

    Raises:
        DocumentError: the tags are empty or no list of words, or a name that nobody
            reads seems to say it.
    """
    for name, value, inner in _names(fields):
        if (name != FIELD or inner) and _seems_to_close(name, value, inner=inner):
            raise DocumentError(
                f"{path}: {name[:40]!r} is not read and keeps nobody out; if it says "
                f"who may see the document, {FIX}"
            )
    if FIELD not in fields:
        topics = any(fields[name] for name in fields if _letters(name) in SUBJECTS)
        return Access(topics=topics)
    tags = fields[FIELD]
    if not isinstance(tags, list | tuple) or not tags:
        raise DocumentError(f"{path}: {FIELD} is empty or no list of words; {FIX}")
    return Access(tags=tuple(_tag(tag, path) for tag in tags))


def _tag(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise DocumentError(f"{path}: {FIELD} must be a list of words; {FIX}")
    tag = storable(value)
    flaw = find_tag_flaw(tag)
    if flaw is not None:
        raise DocumentError(f"{path}: {FIELD}: {tag[:40]!r} {flaw}; {FIX}")
    return tag


def _names(fields: Mapping[object, object]) -> Iterator[tuple[str, object, bool]]:
    """Every name with its value, and whether it stands inside another field."""
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
    """Whether a field seems to say who may see the document, and not that all may."""
    if is_field(name):
        return True
    return not _says_nothing(value) and _holds(name, INNER if inner else SAYING)


def is_field(name: str, edits: int = EDITS) -> bool:
    """Whether a name is `access_tags`, however it is spelt."""
    letters = _letters(name)
    short = abs(len(letters) - len(MEANT)) <= edits
    return short and _edits(letters, MEANT, edits) <= edits


def _holds(name: str, words: frozenset[str]) -> bool:
    """Whether one word of a name is, but for an error, one of these."""
    return any(_is_one(word, words) for word in _words(name))


def _is_one(word: str, words: frozenset[str]) -> bool:
    if word.startswith("access") and not word[6:].startswith(OTHERWISE):
        return True
    plain = word.removesuffix("s")
    long = (one for one in words if len(one) + 1 >= LONG)
    return plain in words or any(_edits(plain, one, 1) <= 1 for one in long)


def _says_nothing(value: object) -> bool:
    """Whether a value limits nobody: nothing, "no", "public", or a day."""
    if isinstance(value, list | tuple | Mapping):
        return not value
    said = str(value if value is not None else "").strip().lower()
    if said in OPEN:
        return True
    try:
        return bool(date.fromisoformat(said[:10]))
    except ValueError:
        return False


def _edits(word: str, known: str, limit: int) -> int:
    """`distance`; a letter of no known look counts as the one that is meant."""
    strange = sum(not letter.isascii() for letter in word)
    if not strange or strange * 2 > len(word) or len(word) != len(known):
        return count_edits(word, known, limit)
    pairs = zip(word, known, strict=True)
    return sum(a != b and a.isascii() for a, b in pairs)


def _plain(name: object) -> str:
    """A name without marks above its letters, letters in disguise, unseen signs."""
    decomposed = unicodedata.normalize("NFKD", storable(str(name)))
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf"))


def _letters(name: object) -> str:
    lower = _plain(name).lower().translate(ALIKE)
    return "".join(filter(str.isalpha, lower))


def _words(name: object) -> list[str]:
    """The words of a name: `allowedGroups` and `allowed_groups` have two."""
    return [str(word).lower().translate(ALIKE) for word in _WORD.findall(_plain(name))]


def looks_closed(line: str) -> bool:
    """Whether what a line sets seems by its name to be who may see the document."""
    label = LABEL.match(line)
    return label is not None and says_who(str(label.group(1)))


def says_who(name: str) -> bool:
    """Whether a name alone seems to say who may see a document."""
    return is_field(name) or _holds(name, SAYING)


def refuse_unread(body: str, path: str) -> None:
    """Refuse a text that speaks of access tags where nobody reads them.

    Raises:
        DocumentError: one of its first lines does.
    """
    for line in islice(body.splitlines(), HEAD_LINES):
        if _speaks(line):
            raise DocumentError(
                f"{path}: {FIELD} stands outside of front matter and keeps nobody out "
                f"({line.strip()[:60]!r}); front matter begins in the first line, "
                f"between two --- lines: {FIX}"
            )


def _speaks(line: str) -> bool:
    label, field = LABEL.match(line), FIELD_LINE.match(line)
    if label and is_field(str(label.group(1)), edits=1):
        return True
    if field and says_who(str(field.group(1))):
        return True
    named = (str(name or other) for name, other in DECLARED.findall(line))
    return any(is_field(n) or _letters(n).removesuffix("s") in SAYING for n in named)
