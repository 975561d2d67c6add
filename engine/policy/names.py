"""Names in a text, as the patterns of a pack find them, and as people write them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.document import Document, Thing
from engine.policy.things import NamePattern, ThingRule
from engine.text.english import find
from engine.text.paragraphs import Labels, read_labels
from engine.text.patterns import compile_pattern
from engine.text.words import STOPWORDS

# "MERMAID-1's", "NCCN\u2019s": the name, and what makes it a possessive.
_POSSESSIVE = re2.compile(
    r"([\pL\pN][\pL\pN-]*)(?:['\x{2019}\x{02BC}\x{00B4}`][sS])(?:$|[^\pL\pN'])"
)
TITLED = "document"  # the kind of the entity that a document's title names
PART = "part"  # the group of a pattern that holds the labels of a part: "(1)(c)"
APOSTROPHES = "'\u2019"
CAPITALS = 2  # letters from which a word is written like a name


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question: folded, with its span."""

    text: str
    start: int
    end: int


def plain_names(text: str) -> str:
    """Strip the possessive 's of names.

    "MERMAID-1's primary outcome" is the primary outcome of MERMAID-1; as written, "1's"
    would be one word. "What's" and "mum's" are no names.
    """
    kept, end = [], 0
    for match in _POSSESSIVE.finditer(text):
        word = match[1]
        capitals = sum(map(str.isupper, word))
        shouted = word.casefold() in STOPWORDS
        if (capitals >= CAPITALS or any(map(str.isdigit, word))) and not shouted:
            kept.append(text[end : match.end(1)])
            end = match.end(1) + 2
    return "".join((*kept, text[end:]))


def kept_whole(text: str, rules: Sequence[ThingRule]) -> str:
    """Remove full stops inside names: "s. 40" would end a sentence."""
    stops = {
        at
        for rule in rules
        for one in find_names(text, rule)
        for at in range(one.start, one.end - 1)
        if text[at : at + 2] == ". "
    }
    return "".join(c for at, c in enumerate(text) if at not in stops)


@dataclass(frozen=True, slots=True)
class WrittenName:
    """A match of a name pattern: its span, the name it means, and its part."""

    start: int
    end: int
    name: str
    labels: Labels
    partial: bool

    def inside(self, tokens: Sequence[Token]) -> frozenset[int]:
        return frozenset(
            n for n, t in enumerate(tokens) if self.start <= t.start < self.end
        )


def find_names(text: str, rule: ThingRule) -> Iterator[WrittenName]:
    """Yield the names that patterns find, without partial ones inside whole ones."""
    every = list(_match_patterns(text, rule))
    full = [one for one in every if not one.partial]
    for one in every:
        if not (
            one.partial and any(o.start < one.end and one.start < o.end for o in full)
        ):
            yield one


def _match_patterns(text: str, rule: ThingRule) -> Iterator[WrittenName]:
    for pattern in rule.patterns:
        for match in compile_pattern(pattern.pattern).finditer(text):
            part = match.groupdict().get(PART) or ""
            start, end = match.span()
            if _is_none(text, start, end):
                continue
            name = _format_name(pattern, match)
            yield WrittenName(start, end, name, read_labels(part), pattern.partial)


def _is_none(text: str, start: int, end: int) -> bool:
    """Tell whether a match is no name: a figure ("a 2 year ban"), or half of a word.

    In "that's 2" the s belongs to "that".
    """
    if start > 1 and text[start - 1] in APOSTROPHES and text[start - 2].isalnum():
        return True
    return text[end - 1 : end].isdigit() and find("unit_after", text[end:]) is not None


def _format_name(pattern: NamePattern, match: re2._Match) -> str:
    if pattern.name is None:
        return str(match.group())
    return pattern.name.format(**{k: v or "" for k, v in match.groupdict().items()})


def add_titled_thing(document: Document, rules: Sequence[ThingRule]) -> Document:
    """Add the entity that a document's whole title names ("NCT01234567").

    The document is no record of it: no line is known to be a field.
    """
    title = document.title.strip()
    every = (one for rule in rules for one in find_names(title, rule))
    name = next((o.name for o in every if (o.start, o.end) == (0, len(title))), None)
    if name is None or document.things:
        return document
    whole = Thing(start=0, end=len(document.text), kind=TITLED, names=(name,))
    return document.model_copy(update={"things": (whole,)})
