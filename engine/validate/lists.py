"""Lists of a source, as rows of a lead-in and the items that a claim names (R-V4).

What holds for all items together is not said of some of them, and no item loses what it
may depend on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import re2

from engine.context import text_of
from engine.records import Chunk
from engine.validate.clauses import is_clause, is_verb, tie
from engine.validate.figures import MARKS, Kind, Row, Token, tokens
from engine.validate.ground import Ground, Tokens, doubts

LONGEST_NOUN = 3  # tokens that announce a list: "these kinds of information"
INCLUDE = tokens("include")
_COPULA = re2.compile(r"(?i)\b(?:is|are|includes?)(?: the following| these)?\s*:?\s*$")
_AND = Token(Kind.LINK, "and")
_AMONG = frozenset({"among", "example", "list", "name", "further", "also", "1"})
_RESTRICTING = frozenset({*MARKS, Kind.ORDER})
_HARMLESS = frozenset({"often", "sometimes", "usually", "or", "with", "several"})
_OFTEN = frozenset({"often", "sometimes", "usually"})
_TOGETHER = frozenset({"both", "together", "combination"})
_CHOOSING = frozenset({"any", "all", "every", "each", "either", "both", "or", "most"})
# Of whom a list may speak alone, and what its items may be an example to shun of.
_WHO = """
    people child children woman women man men adult infant baby girl boy teenager mother
    father smoker pregnant pregnancy breastfeeding menopause age elderly senior
"""
_PEOPLE = frozenset(token.key for token in tokens(_WHO))
_AGAINST = frozenset({"avoid", "stop"})
# Of which a part says nothing of each, and what is done to several at once.
_FEW = frozenset({"few", "fewer", "half", "most", "either", "or"})
_COLLECTIVE = frozenset(
    token.key for token in tokens("combine mix compare alternate exchange merge join")
)
_ARTICLES = (("a",), ("an",), ("the",))
_MORE = (("which",), ("such",))


@dataclass(frozen=True, slots=True)
class List:
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
        bare = _unannounced(row, len(self.items))
        heads = [row, *_shortened(full, asked)]
        heads += [bare, *_shortened(bare, asked)] if bare else []
        for head in heads:
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

    def standing(self) -> Iterator[int]:
        """The items that are true without the lead-in: sentences with a subject.

        Not where it denies or doubts them, or says for whom or when they hold: "these
        statements are wrong", "in pregnancy".
        """
        row = self.lead.row
        bound = any(token.key in _PEOPLE or token.key in _AGAINST for token in row)
        if row and not bound and not doubts(row) and not tie(row):
            yield from (at for at, item in self.items if _has_subject(item))

    def of(self, claim: Row, asked: Tokens) -> Iterator[Ground]:
        """The list cut down to the items, and parts of items, that a claim names."""
        said = [(at, part) for at, row in self.items for part in _said(row, claim)]
        wanted = set(claim)
        short = [(at, min((row, *_heads(row)), key=len)) for at, row in self.items]
        near = [(at, row) for at, row in short if _names(row, wanted)]
        for chosen in (said, near if near != said else []):
            if len(chosen) == len(self.items) or (chosen and not self._is_one()):
                yield from self._with(chosen, claim, asked)

    def _with(
        self, chosen: Sequence[tuple[int, Row]], claim: Row, asked: Tokens
    ) -> Iterator[Ground]:
        """The lead-in with some of the items, in every order that says the same."""
        rows = [row for _, row in chosen]
        lead, last = replace(self.lead, whole=False), chosen[-1][0]
        listed = [_enumerated(rows)]
        if len(rows) > 1:
            listed.append((*_enumerated(rows[:-1]), _AND, *rows[-1]))
        for head in self._heads(asked):
            for items in listed:
                yield replace(lead, last=last, row=head + items)
        if self.named:
            for kind in self._heads(asked):
                yield from self._turned(claim, listed[-1], last, kind)
        elif verb := _done_to(lead.row):
            yield replace(lead, last=last, row=listed[-1] + lead.row[verb:])

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


def lists(chunk: Chunk, found: Sequence[Ground]) -> Iterator[List]:
    starts = {sentence.start: at for at, sentence in enumerate(chunk.sentences)}
    below: dict[int, list[tuple[int, Row]]] = {}
    for at, sentence in enumerate(chunk.sentences):
        lead = sentence.lead_in
        if lead is not None and lead.start in starts:
            row = found[at].row
            opened = tuple(replace(token, edge=",") for token in row[:1])
            below.setdefault(starts[lead.start], []).append((at, opened + row[1:]))
    for lead_at, items in below.items():
        named = _COPULA.search(text_of(chunk, chunk.sentences[lead_at])) is not None
        yield List(found[lead_at], named, tuple(items))


def _unannounced(lead: Row, many: int) -> Row:
    """The lead-in without what only announces its items: "contains these topics".

    Empty where it announces nothing, or says how many of them are meant.
    """
    for at in range(2, len(lead)):
        token, before = lead[at], lead[at - 1]
        announced = "these" in token.lead or token.key in ("follow", str(many))
        if not announced or len(lead) - at > LONGEST_NOUN:
            continue
        few = before.kind in (Kind.NUMBER, Kind.NEGATION) or before.key in _CHOOSING
        rest = lead[at + (token.kind is Kind.NUMBER) :]
        plain = all(t.kind is Kind.WORD for t in rest)
        return lead[:at] if plain and not few and "of" not in token.lead else ()
    return ()


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
            if (
                end == len(lead)
                or lead[end].lead
                or lead[end].kind is not Kind.WORD
                or is_verb(lead, end)
            ):
                yield lead[:start] + lead[end:]


def _has_subject(item: Row) -> bool:
    """Whether an item is surely no command: a clause, or opened by an article."""
    return bool(item) and (item[0].lead[:1] in _ARTICLES or is_clause(item))


def _done_to(lead: Row) -> int:
    """Where a lead-in says what is done to its subject ("should be reported").

    0 where that is done to few of its items, or to several at once ("be combined").
    """
    for at in range(1, min(4, len(lead) - 1)):
        if lead[at - 1].kind is Kind.NUMBER or lead[at - 1].key in _FEW:
            return 0
        if lead[at].kind is Kind.MODAL:
            if not _COLLECTIVE.isdisjoint(token.key for token in lead):
                return 0
            done = lead[at + 1 + (lead[at + 1].kind is Kind.NEGATION) :][:1]
            return at if done and "be" in done[0].lead else 0
    return 0


def _names(item: Row, wanted: set[Token]) -> bool:
    return 2 * sum(token in wanted for token in item) >= len(item) > 0


def _said(item: Row, claim: Row) -> Iterator[Row]:
    """The item where the claim holds it, or its head without what tells more of it.

    ", which ...", ", such as ..." and ", often because ..." tell more; anything else
    may be what the item depends on.
    """
    for part in (item, *_heads(item)):
        if _within(part, claim):
            yield part
            return


def _heads(item: Row) -> Iterator[Row]:
    for at in range(len(item) - 1, 0, -1):
        if _tells_more(item[at:]):
            yield item[:at]


def _tells_more(tail: Row) -> bool:
    why = any(t.key == "because" for t in tail[: 1 + (tail[0].key in _OFTEN)])
    more = tail[0].edge and (why or tail[0].lead[:1] in _MORE)
    return bool(more) and not any(_restricts(token) for token in tail)


def _within(part: Row, claim: Row) -> bool:
    many = len(part)
    if not many:
        return False
    starts = range(len(claim) - many + 1)
    return any(claim[at : at + many] == part for at in starts if claim[at] == part[0])


def _restricts(token: Token) -> bool:
    return token.kind in _RESTRICTING and token.key not in _HARMLESS


def _enumerated(rows: Sequence[Row]) -> Row:
    return tuple(token for row in rows for token in row)
