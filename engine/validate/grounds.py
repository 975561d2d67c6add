"""What the sentences of a cited passage say, as rows that a claim may restate.

A sentence as a whole; the clauses of it that stand alone; two sentences of which the
second opens with its reason; a list with the items that a claim names.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import re2

from engine.context import lead_of, text_of
from engine.corpus_records import BlockKind
from engine.records import Chunk
from engine.validate.clauses import is_verb
from engine.validate.figures import MARKS, Kind, Row, tokens
from engine.validate.ground import Ground, Tokens, doubts
from engine.validate.lists import List, lists

LONGEST_DENIAL = 8  # tokens of "This is not true"
LONGEST_NAME = 4  # words of a heading that "it" may stand for
_LEANS = re2.compile(r"(?i)^\W*(?:it|they|its|their)\b")
_STANDS_FOR_NOTHING = re2.compile(
    r"(?i)^\W*it (?:(?:may|might|can|could|should|will|must) )?(?:also |often )?"
    r"(?:(?:is|be|was|has been) (?:not |also |often |very |always )?\pL+ "
    r"(?:to|that|whether|if|when|how|for)\b"
    r"|(?:takes?|matters?|seems?|appears?|follows|happens|(?:helps?|makes sense) to)\b)"
)
_SOURCE_WORDS = """
    source text textbook page document passage guideline guide chapter section article
    website course material selected leaflet lesson lab sheet
"""
_MYTHS = frozenset({"myth", "myths", "misconception", "hoax"})
_QUOTED = frozenset('"\u201c\u201e\u00ab')

Fold = Callable[[str], str]


@dataclass(frozen=True)
class Grounds:
    """Everything in one chunk that a claim may restate, and how the chunk is called."""

    sentences: tuple[Ground, ...]
    lists: tuple[List, ...]
    names: Tokens

    @cached_property
    def pairs(self) -> tuple[Ground, ...]:
        """Neighbours of which the second says what follows from the first."""
        return tuple(
            replace(one, last=two.last, row=one.row + two.row, whole=False)
            for one, two in zip(self.sentences, self.sentences[1:], strict=False)
            if one.row and two.row[:1] and two.row[0].kind is Kind.LINK
        )

    def of(self, claim: Row, asked: Tokens = frozenset()) -> Iterator[Ground]:
        """The sentences, the pairs, then each list as far as the claim names it."""
        yield from self.sentences
        yield from self.pairs
        for listed in self.lists:
            yield from listed.of(claim, asked)


def grounds(chunk: Chunk, fold: Fold) -> Grounds:
    """The grounds of a chunk; `fold` is the presentation folding of R-I7."""
    headings = (chunk.title, *chunk.section)
    called = _tokens_of(fold, headings)
    topics = tuple(row for text in headings if _is_name(row := tokens(fold(text))))
    publisher = _tokens_of(fold, (chunk.publisher or "", chunk.source, _SOURCE_WORDS))
    found: list[Ground] = []
    rows = tuple(_rows(chunk, fold))
    for at, (sentence, row) in enumerate(zip(chunk.sentences, rows, strict=True)):
        leans = sentence.kind is BlockKind.PARAGRAPH and _leans(
            text_of(chunk, sentence)
        )
        names = _meant(topics, chunk, found) if leans else ()
        full = len(row) > 3 and text_of(chunk, sentence).rstrip()[-1:] == "."
        found.append(Ground(at, at, row, names, whole=full))
    listed = tuple(lists(chunk, found))
    many = range(len(chunk.sentences))
    leaning = {at for at in many if lead_of(chunk, at) != at}
    for items in listed:
        if items.lead.first not in leaning:
            leaning.difference_update(items.standing())
    told = tuple(replace(g, leans=g.first in leaning) for g in found)
    listed = tuple(replace(items, lead=told[items.lead.first]) for items in listed)
    return Grounds(told, listed, called | publisher)


def _tokens_of(fold: Fold, texts: Sequence[str]) -> Tokens:
    found = (token for text in texts for token in tokens(fold(text)))
    return frozenset(token for token in found if token.kind not in MARKS)


def _rows(chunk: Chunk, fold: Fold) -> Iterator[Row]:
    """The tokens of each sentence; none of one that its source does not stand by.

    A question, a heading that is no sentence, what stands under a heading about myths,
    what somebody is quoted with, and what the next sentence takes back.
    """
    rows = [tokens(fold(text_of(chunk, sentence))) for sentence in chunk.sentences]
    headings = tokens(fold(" ".join((chunk.title, *chunk.section))))
    myths = any(token.key in _MYTHS for token in headings)
    for at, sentence in enumerate(chunk.sentences):
        text = text_of(chunk, sentence).strip()
        heading = sentence.kind is BlockKind.HEADING and not sentence.quotable
        after = rows[at + 1] if at + 1 < len(rows) else ()
        untold = text.endswith("?") or text[:1] in _QUOTED or heading or myths
        yield () if untold or _takes_back(after) else rows[at]


def _takes_back(row: Row) -> bool:
    """Whether a sentence only says of the one before it that it is not so."""
    opens = row[:1] and row[0].lead[:1] in (("this",), ("that",))
    return bool(opens) and len(row) <= LONGEST_DENIAL and doubts(row)


def _is_name(row: Row) -> bool:
    """Whether a heading names one thing: "Breast cancer", not "Cancer and work"."""
    return 0 < len(row) <= LONGEST_NAME and all(
        token.kind is Kind.WORD and not token.lead and not token.edge for token in row
    )


def _leans(text: str) -> bool:
    """Whether a sentence opens with an "it" that stands for something.

    It stands for nothing in "It is important to rest".
    """
    return bool(_LEANS.search(text)) and not _STANDS_FOR_NOTHING.search(text)


def _meant(
    topics: Sequence[Row], chunk: Chunk, before: Sequence[Ground]
) -> tuple[Row, ...]:
    """The headings that an "it" after the sentences `before` can only mean.

    The sentence before it has to have one of them as its whole subject, or its "it".
    """
    if not before or chunk.sentences[before[-1].first].kind is not BlockKind.PARAGRAPH:
        return ()
    last = before[-1]
    told = tuple(
        name
        for name in topics
        if last.row[: len(name)] == name
        and len(name) < len(last.row)
        and is_verb(last.row, len(name))
    )
    return told or last.names
