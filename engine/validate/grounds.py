"""What the sentences of a cited passage say, as rows that a claim may restate.

A sentence as a whole; the clauses of it that stand alone; two sentences of which the
second opens with its reason; a list with the items that a claim names.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import re2

from engine.corpus_records import BlockKind, Sentence
from engine.records import Chunk
from engine.validate.clauses import is_clause, is_verb, tie
from engine.validate.figures import FIGURES, MARKS, Kind, Row, Token, tokens

_LEANS = re2.compile(r"(?i)^\W*(?:it|they|its|their)\b")
_STANDS_FOR_NOTHING = re2.compile(
    r"(?i)^\W*it (?:(?:may|might|can|could|should|will|must) )?(?:also |often )?"
    r"(?:(?:is|be|was|has been) (?:not |also |often |very |always )?\pL+ "
    r"(?:to|that|whether|if|when|how|for)\b"
    r"|(?:takes?|matters?|seems?|appears?|follows|happens|(?:helps?|makes sense) to)\b)"
)
_COPULA = re2.compile(r"(?i)\b(?:is|are|includes?)(?: the following| these)?\s*:?\s*$")
_SOURCE_WORDS = """
    source text textbook page document passage guideline guide chapter section article
    website course material selected leaflet lesson lab sheet first second
    third fourth fifth other same
"""
_AND = Token(Kind.LINK, "and")
LONGEST_NAME = 4  # words of a heading that "it" may stand for
INCLUDE = tokens("include")
_AMONG = frozenset({"among", "example", "list", "name", "further", "also", "1"})

# Words that make what stands beside them hold only under a condition, or doubt it.
_SCOPE = frozenset(
    [
        "only",
        "unless",
        "except",
        "if",
        "when",
        "whether",
        "until",
        "instead",
        "rather",
        "myth",
        "myths",
        "false",
        "falsely",
        "wrong",
        "wrongly",
        "untrue",
        "suggest",
        "suggests",
        "suggested",
        "thought",
        "believed",
        "unclear",
        "unknown",
        "unproven",
        "appear",
        "appears",
        "seem",
        "seems",
    ]
)
_RESTRICTING = frozenset({*MARKS, *FIGURES, Kind.ORDER})
_HARMLESS = frozenset({"often", "sometimes", "usually", "or", "with", "several"})
# Links before a clause that may be left off, and before one that may stand alone.
_ENDING = frozenset({"and", ";", "because", "so", "whereas"})
_OPENING = _ENDING | {"but"}
_BACK = frozenset(
    {"then", "otherwise", "same", "other", "both", "this", "these", "those", "such"}
)
_PRONOUNS = frozenset({"it", "they", "its", "their"})
_OFTEN = frozenset({"often", "sometimes", "usually"})
_TOGETHER = frozenset({"both", "together", "combination"})
_MORE = (("which",), ("such",))
_TAKING_BACK = frozenset({("this",), ("that",), ("these",), ("those",)})

Fold = Callable[[str], str]
Tokens = frozenset[Token]


@dataclass(frozen=True, slots=True)
class Ground:
    """Sentences `first` to `last` of a chunk, which a claim may restate.

    `names` are the title and headings that its "it" can only mean. `whole` says that
    the row is one full sentence.
    """

    first: int
    last: int
    row: Row
    names: tuple[Row, ...] = ()
    whole: bool = False

    def clauses(self) -> Iterator["Ground"]:
        """The clauses of the sentence that are true without the rest of it."""
        row = self.row
        places = [
            at
            for at in range(2, len(row) - 1)
            if row[at - 1].kind is Kind.LINK and is_clause(row[at:])
        ]
        starts = [0, *(at for at in places if _may_open(row, at))]
        ends = [*(at - 1 for at in places if _may_close(row, at)), len(row)]
        for start in starts:
            for end in ends:
                if start + 1 < end and (start, end) != (0, len(row)):
                    yield replace(self, row=row[start:end], whole=False)


@dataclass(frozen=True, slots=True)
class _List:
    """A lead-in with the items of one chunk below it, by index of their sentence.

    `named` says that the lead-in names what the items are: "Side effects are:".
    """

    lead: Ground
    named: bool
    items: tuple[tuple[int, Row], ...]

    def _heads(self, asked: Tokens) -> Iterator[Row]:
        """The lead-in, in short where it names what was asked, and with "include"."""
        row = self.lead.row
        full = row[:-1] if self.named and row[-1:] == INCLUDE else row
        for head in (row, *(_shortened(full, asked))):
            yield head
            if self.named and head[-1:] != INCLUDE:
                yield head + INCLUDE

    def _is_one(self) -> bool:
        """Whether the lead-in holds for all items together: "if all of these occur"."""
        row, many = self.lead.row, str(len(self.items))
        return any(
            one.key in _TOGETHER
            or one.key == many
            or (one.key == "all" and (two.key == "follow" or "these" in two.lead))
            for one, two in zip(row, (*row[1:], _AND), strict=True)
        )

    def of(self, claim: Row, asked: Tokens) -> Iterator[Ground]:
        """The list cut down to the items, and parts of items, that a claim names."""
        wanted = set(claim)
        chosen = [(at, _cut(row, wanted)) for at, row in self.items]
        chosen = [item for item in chosen if _names(item[1], wanted)]
        partly = len(chosen) < len(self.items)
        if not chosen or (partly and self._is_one()):
            return
        rows = [row for _, row in chosen]
        lead, last = replace(self.lead, whole=False), chosen[-1][0]
        for head in self._heads(asked):
            yield replace(lead, last=last, row=head + _enumerated(rows))
            if len(rows) > 1:
                together = (*_enumerated(rows[:-1]), _AND, *rows[-1])
                yield replace(lead, last=last, row=head + together)
        together = _enumerated(rows)
        if len(rows) > 1:
            together = (*_enumerated(rows[:-1]), _AND, *rows[-1])
        if self.named:
            for kind in self._heads(asked):
                yield from self._turned(claim, together, last, kind)
        elif verb := _done_to(lead.row):
            yield replace(lead, last=last, row=together + lead.row[verb:])

    def _turned(
        self, claim: Row, together: Row, last: int, kind: Row
    ) -> Iterator[Ground]:
        """ "A is one of the side effects", "Among the side effects is A"."""
        if kind[-1:] == INCLUDE:
            return
        if claim[: 1 + len(kind)] == (*tokens("among"), *kind):
            yield replace(
                self.lead, last=last, row=(*tokens("among"), *kind, *together)
            )
        start = len(claim) - len(kind)
        opened = start
        while opened > 0 and claim[opened - 1].key in _AMONG:
            opened -= 1
        if kind and claim[start:] == kind:
            row = (*together, *claim[opened:])
            yield replace(self.lead, last=last, row=row)


@dataclass(frozen=True)
class Grounds:
    """Everything in one chunk that a claim may restate, and how the chunk is called."""

    sentences: tuple[Ground, ...]
    lists: tuple[_List, ...]
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
    for at, sentence in enumerate(chunk.sentences):
        row = _row(chunk, sentence, fold)
        leans = sentence.kind is BlockKind.PARAGRAPH and _leans(_text(chunk, sentence))
        names = _meant(topics, chunk, found) if leans else ()
        full = len(row) > 3 and _text(chunk, sentence).rstrip()[-1:] == "."
        found.append(Ground(at, at, row, names, whole=full))
    return Grounds(tuple(found), tuple(_lists(chunk, found)), called | publisher)


def _tokens_of(fold: Fold, texts: Sequence[str]) -> Tokens:
    found = (token for text in texts for token in tokens(fold(text)))
    return frozenset(token for token in found if token.kind not in MARKS)


def _row(chunk: Chunk, sentence: Sentence, fold: Fold) -> Row:
    """The tokens of a sentence; none of a heading that says nothing, or only asks."""
    text = _text(chunk, sentence)
    asks = text.rstrip().endswith("?")
    if sentence.kind is BlockKind.HEADING and (asks or not sentence.quotable):
        return ()
    return tokens(fold(text))


def _text(chunk: Chunk, sentence: Sentence) -> str:
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


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


# --- clauses ----------------------------------------------------------------------


def _may_open(row: Row, at: int) -> bool:
    """Whether the clause at `at` holds without what stands before it."""
    before = row[: at - 1]
    return (
        row[at - 1].key in _OPENING
        and (row[at - 1].edge or row[at - 1].key == ";")
        and not tie(row)
        and not _points_back(row[at:])
        and not any(token.key in _SCOPE or "that" in token.lead for token in before)
        and before[0].kind is not Kind.MODAL
    )


def _points_back(clause: Row) -> bool:
    """Whether a clause speaks of what stands before it: "the risk is then high"."""
    named = not _PRONOUNS.isdisjoint(clause[0].lead[:1])
    return named or any(
        token.key in _BACK or not _BACK.isdisjoint(token.lead) for token in clause
    )


def _may_close(row: Row, at: int) -> bool:
    """Whether what stands before the clause at `at` holds without it."""
    after = row[at:]
    taken_back = after[0].lead[:1] in _TAKING_BACK  # "and this is a lie"
    denied = any(token.kind is Kind.NEGATION for token in row[: at - 1])
    only_reason = (
        denied and row[at - 1].key == "because"
    )  # "not given because it helps"
    return row[at - 1].key in _ENDING and not (
        taken_back
        or only_reason
        or any(t.key in _SCOPE or t.kind is Kind.NEGATION for t in after)
    )


# --- lists ------------------------------------------------------------------------


def _lists(chunk: Chunk, found: Sequence[Ground]) -> Iterator[_List]:
    starts = {sentence.start: at for at, sentence in enumerate(chunk.sentences)}
    below: dict[int, list[tuple[int, Row]]] = {}
    for at, sentence in enumerate(chunk.sentences):
        lead = sentence.lead_in
        if lead is not None and lead.start in starts:
            row = found[at].row
            opened = tuple(replace(token, edge=True) for token in row[:1])
            below.setdefault(starts[lead.start], []).append((at, opened + row[1:]))
    for lead_at, items in below.items():
        named = _COPULA.search(_text(chunk, chunk.sentences[lead_at])) is not None
        yield _List(found[lead_at], named, tuple(items))


def _shortened(lead: Row, asked: Tokens) -> Iterator[Row]:
    """The lead-in without "other", and without a phrase that the question holds."""
    if lead[:1] and lead[0].key in ("other", "further"):
        yield lead[1:]
    for start in range(1, len(lead)):
        opened = lead[start].lead[:1]
        if lead[start].key != "with" and not (opened and opened[0] in ("of", "for")):
            continue
        end = start + (lead[start].key == "with")
        while end < len(lead) and lead[end] in asked and lead[end].kind is Kind.WORD:
            end += 1
            if end == len(lead) or lead[end].lead or lead[end].kind is not Kind.WORD:
                yield lead[:start] + lead[end:]


def _done_to(lead: Row) -> int:
    """Where a lead-in says what is done to its subject ("should be reported")."""
    for at in range(1, min(4, len(lead) - 1)):
        if lead[at].kind is Kind.MODAL:
            done = lead[at + 1 + (lead[at + 1].kind is Kind.NEGATION) :][:1]
            return at if done and "be" in done[0].lead else 0
    return 0


def _names(item: Row, wanted: set[Token]) -> bool:
    return 2 * sum(token in wanted for token in item) >= len(item) > 0


def _cut(item: Row, wanted: set[Token]) -> Row:
    """The item without ", which …", ", such as …" or ", often because …" behind it.

    These tell more of the item; anything else may be what it depends on. Where the
    claim names it, it stays.
    """
    for at in range(1, len(item)):
        tail = item[at:]
        why = any(t.key == "because" for t in tail[: 1 + (tail[0].key in _OFTEN)])
        more = tail[0].edge and (why or tail[0].lead[:1] in _MORE)
        if not more or _names(tail, wanted):
            continue
        if not any(_restricts(token) for token in tail):
            return item[:at]
    return item


def _restricts(token: Token) -> bool:
    return token.kind in _RESTRICTING and token.key not in _HARMLESS


def _enumerated(rows: Sequence[Row]) -> Row:
    return tuple(token for row in rows for token in row)
