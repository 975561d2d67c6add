"""Whether one row of tokens says what another says, in other order or voice (R-V4).

A sentence is read as clauses that a relation joins: what both say, a cause and its
effect, a condition or a time and what it holds for. Relations keep their sides, however
they are written; a clause keeps all of its words, in their order or in one of the
orders of turns.py. Nothing else may change its place, so who does what to whom, and
under which condition, cannot be turned round.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.validate.clauses import (
    PRONOUNS,
    follows,
    is_clause,
    is_neutral,
    times,
)
from engine.validate.figures import MARKS, Kind, Row, Token
from engine.validate.turns import (
    PEOPLE,
    agentless,
    enumerated,
    equated,
    extraposed,
    is_free,
    moved,
    passive,
)

LONGEST_MOVED = 90  # tokens of a sentence in which something is looked for elsewhere
MOST_LINKS = 5  # of a sentence at which it is cut in two
DEEPEST = 4  # turns of one sentence, one inside the other
LONGEST_NAME = 5  # words that an "it" stands for
MOST_STEPS = 1_000  # comparisons of one claim with a passage
_BOTH, _CAUSE = "both", "cause"
_CONDITIONS = frozenset({"if", "when", "unless", "until", "whether", "although"})
_TIMES = frozenset({"before", "after"})
# Tokens that a relation is written with, and that say nothing beyond it.
_JOINTS = frozenset({"and", "because", "so", "by"})
_AFTER = Token(Kind.ORDER, "after")
_IT = frozenset({"it", "they"})


def restates(claim: Row, row: Row, search: "Search | None" = None) -> int | None:
    """Up to which token of the row the claim restates it from its start, or None.

    `search` holds what may still be spent on the claim; a new one where None.
    """
    end = follows(claim, row)
    if end is not None:
        return end
    if max(len(claim), len(row)) > LONGEST_MOVED or len(claim) < 2:
        return None
    return len(row) if (search or Search()).same(claim, row) else None


@dataclass(slots=True)
class Search:
    """Compares rows part by part; gives up, and says no, after MOST_STEPS."""

    steps: int = MOST_STEPS
    depth: int = 0

    def same(self, claim: Row, row: Row) -> bool:
        """Whether a row says all of a row, with its own qualifiers."""
        if not claim or not row or self.steps <= 0 or self.depth >= DEEPEST:
            return False
        self.steps -= 1
        if follows(claim, row) == len(row):
            return True
        self.depth += 1
        alike = not content(claim) - content(row)
        found = (alike and self._turned(claim, row)) or self._completed(claim, row)
        self.depth -= 1
        return found

    def _turned(self, claim: Row, row: Row) -> bool:
        return (
            moved(claim, row, self.same)
            or passive(claim, row, self.same)
            or extraposed(claim, row, self.same)
            or equated(claim, row, self.same)
            or enumerated(claim, row)
            or self._related(claim, row)
        )

    def _completed(self, claim: Row, row: Row) -> bool:
        """Whether both say the same where one names what the other leaves open."""
        return (
            self._named(claim, row)
            or self._unpeopled(claim, row)
            or agentless(claim, row, self.same)
        )

    def _related(self, claim: Row, row: Row) -> bool:
        """Whether both join the same clauses by the same relation."""
        given = list(_relations(row))
        for said in _relations(claim) if given else ():
            for its in given:
                if said.fits(its) and (
                    (self.same(said.one, its.one) and self.same(said.two, its.two))
                    or (
                        said.turns(its)
                        and self.same(said.one, its.two)
                        and self.same(said.two, its.one)
                    )
                ):
                    return True
        return False

    def _unpeopled(self, claim: Row, row: Row) -> bool:
        """Whether one of both only names people as those who do it or have it."""
        for one, two, turn in ((claim, row, False), (row, claim, True)):
            if len(one) != len(two) + 1:
                continue
            for at, token in enumerate(one):
                if token == PEOPLE and _people_may_go(one, at):
                    rest = _without(one, at)
                    return self.same(two, rest) if turn else self.same(rest, two)
        return False

    def _named(self, claim: Row, row: Row) -> bool:
        """Whether the claim says "it" for the subject of its first clause."""
        for at in range(2, len(claim)):
            if not (claim[at].lead[:1] and claim[at].lead[0] in _IT):
                continue
            for end in range(1, min(at, LONGEST_NAME) + 1 if _opens(claim, at) else 0):
                full = claim[:at] + claim[:end] + claim[at:]
                if content(full) == content(row):
                    return self.same(_plain(full, at, end), row)
        return False


def _plain(row: Row, at: int, length: int) -> Row:
    """A row of which the token after the name at `at` no longer says "it"."""
    after = at + length
    lead = row[after].lead[1:]
    token = row[after]
    named = Token(token.kind, token.key, token.edge, lead, token.word)
    return (*row[:after], named, *row[after + 1 :])


def _people_may_go(row: Row, at: int) -> bool:
    """Whether "people" says nothing: "in people with A", "people should", "people"."""
    after = row[at + 1 : at + 2]
    if after and after[0].key == "with" and not after[0].edge:
        return bool(row[at].lead[:1]) and row[at].lead[0] in ("in", "for")
    return at == 0 and bool(after) and after[0].kind is Kind.MODAL


def _without(row: Row, at: int) -> Row:
    after = row[at + 1]
    edge = row[at].edge or after.edge
    token = Token(after.kind, after.key, edge, after.lead, after.word)
    return (*row[:at], token, *row[at + 2 :])


def _opens(row: Row, at: int) -> bool:
    return row[at].edge or row[at - 1].kind is Kind.LINK


def content(row: Row) -> Counter[Token]:
    """What a row holds beyond the tokens that relations are written with."""
    return Counter(
        _AFTER if token.key == "once" else token
        for at, token in enumerate(row)
        if token.key not in _JOINTS and not is_neutral(token)
        if token.key != "since" or (at and not token.edge)
    )


# --- relations --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Relation:
    """Two clauses and what joins them: cause and effect, main clause and condition.

    `front` says that the second stands before the first.
    """

    kind: str
    one: Row
    two: Row
    front: bool = False

    def fits(self, other: "_Relation") -> bool:
        """Whether both may be the same relation, wherever its sides stand."""
        if self.kind != other.kind:
            return False
        if self.kind in (_BOTH, _CAUSE) or self.front == other.front:
            return True
        behind = other if self.front else self
        return is_free(behind.one)

    def turns(self, other: "_Relation") -> bool:
        """Whether the sides may change places: two clauses that are only joined."""
        leans = not PRONOUNS.isdisjoint(other.two[0].lead[:1])
        both = is_clause(other.one) and is_clause(other.two)
        return self.kind == _BOTH and both and not leans


def _relations(row: Row) -> Iterator[_Relation]:
    """Every way to read a row as two clauses, at most MOST_LINKS of them."""
    places = [at for at in range(len(row)) if _joint(row, at)][:MOST_LINKS]
    for at in places:
        kind = _joint(row, at)
        if not at:
            yield from _fronted(row, kind)
        elif kind == "so":
            yield _Relation(_CAUSE, _trimmed(row[:at]), row[at + 1 :])
        elif kind == _CAUSE:
            yield _Relation(_CAUSE, row[at + 1 :], _trimmed(row[:at]))
        elif at >= 2 and len(row) - at > 2:
            yield _Relation(kind, row[:at], row[at + 1 :])


def _fronted(row: Row, kind: str) -> Iterator[_Relation]:
    if kind in (_BOTH, "so"):
        return
    for comma in range(2, len(row)):
        if row[comma].edge:
            first, second = row[comma:], row[1:comma]
            if kind == _CAUSE:
                yield _Relation(_CAUSE, second, first)
            else:
                yield _Relation(kind, first, second, front=True)


def _joint(row: Row, at: int) -> str:
    """The relation that the token at `at` says, or ""."""
    token = row[at]
    if token.kind is Kind.LINK:
        since = token.key == "since" and (not at or token.edge)
        if token.key == "because" or since:
            return _CAUSE
        if times(token):
            return token.key
        if is_neutral(token):
            return _BOTH
        return token.key
    if token.key == "once":
        return "after"
    known = token.key in _CONDITIONS and token.kind in MARKS
    return token.key if known or token.key in _TIMES else ""


def _trimmed(row: Row) -> Row:
    return row[:-1] if row and row[-1].kind is Kind.LINK else row
