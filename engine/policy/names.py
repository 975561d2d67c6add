"""Names in a text, as the patterns of a pack find them, and as people write them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.document import Document, Thing
from engine.policy.things import NamePattern, ThingRule
from engine.text.paragraphs import Labels, labels_in
from engine.text.patterns import compiled
from engine.text.words import STOPWORDS

# "MERMAID-1's", "NCCN\u2019s": the name, and what makes it a possessive.
_POSSESSIVE = re2.compile(
    r"([\pL\pN][\pL\pN-]*)(?:['\x{2019}\x{02BC}\x{00B4}`][sS])(?:$|[^\pL\pN'])"
)
TITLED = "document"  # the kind of what a document is about by its title
PART = "part"  # the group of a pattern that holds the labels of a part: "(1)(c)"
CAPITALS = 2  # letters from which a word is written like a name


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question: folded, and from where to where."""

    text: str
    start: int
    end: int


def plain_names(text: str) -> str:
    """The text with names as they are called, where something of theirs is asked for.

    "MERMAID-1's primary outcome" is the primary outcome of MERMAID-1; read as it is
    written, "1's" would be a word of its own. "What's" and "mum's" are no names.
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
    """The text with no full stop inside a name: "s. 40" would end a sentence."""
    stops = {
        at
        for rule in rules
        for one in written_names(text, rule)
        for at in range(one.start, one.end - 1)
        if text[at : at + 2] == ". "
    }
    return "".join(c for at, c in enumerate(text) if at not in stops)


@dataclass(frozen=True, slots=True)
class WrittenName:
    """Where a pattern of names matches, the name that it stands for, and its part."""

    start: int
    end: int
    name: str
    labels: Labels
    partial: bool

    def inside(self, tokens: Sequence[Token]) -> frozenset[int]:
        return frozenset(
            n for n, t in enumerate(tokens) if self.start <= t.start < self.end
        )


def written_names(text: str, rule: ThingRule) -> Iterator[WrittenName]:
    """The names that patterns find; part of one alone is none inside another."""
    every = list(_matching(text, rule))
    full = [one for one in every if not one.partial]
    for one in every:
        if not (
            one.partial and any(o.start < one.end and one.start < o.end for o in full)
        ):
            yield one


def _matching(text: str, rule: ThingRule) -> Iterator[WrittenName]:
    for pattern in rule.patterns:
        for match in compiled(pattern.pattern).finditer(text):
            part = match.groupdict().get(PART) or ""
            start, end = match.span()
            name = _name(pattern, match)
            yield WrittenName(start, end, name, labels_in(part), pattern.partial)


def _name(pattern: NamePattern, match: re2._Match) -> str:
    if pattern.name is None:
        return str(match.group())
    return pattern.name.format(**{k: v or "" for k, v in match.groupdict().items()})


def named_by_title(document: Document, rules: Sequence[ThingRule]) -> Document:
    """The document as one about what its title names and nothing else ("NCT01234567").

    It is no record of that: nothing says which of its lines are fields.
    """
    title = document.title.strip()
    every = (one for rule in rules for one in written_names(title, rule))
    name = next((o.name for o in every if (o.start, o.end) == (0, len(title))), None)
    if name is None or document.things:
        return document
    whole = Thing(start=0, end=len(document.text), kind=TITLED, names=(name,))
    return document.model_copy(update={"things": (whole,)})
