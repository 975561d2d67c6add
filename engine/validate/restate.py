"""Whether one row of tokens says what another says, in other order or voice (R-V4).

A claim may keep its source's order, move one phrase that a preposition or a conjunction
ties, turn active into passive with both sides kept, turn "A is the B" round, give two
joined clauses in either order, and a reason before or after what it explains. Nothing
else may change its place.
"""

from collections import Counter
from collections.abc import Iterator

from engine.validate.clauses import (
    BE,
    FINITE,
    OPENERS,
    PRONOUNS,
    RELATIVES,
    follows,
    is_clause,
    is_neutral,
    is_verb,
    tie,
)
from engine.validate.figures import MARKS, Kind, Row, Token, marks
from engine.validate.grammar import exchanged

LONGEST_MOVED = 90  # tokens of a sentence in which something is looked for elsewhere
MOST_LINKS = 4  # of a sentence at which it is cut in two
MOST_BY = 3  # times that a passive names who does it
_CAUSE, _EFFECT = frozenset({"because", "since"}), "so"
# What stands before a phrase and is about it: neither moves without the other.
_TIED_WORDS = """
    even only except instead rather especially particularly mainly mostly just including
    such example either both whether
"""
_IRREGULAR = "made sent found held kept built lost left put set cut"
_PARTICIPLES = frozenset(_IRREGULAR.split())
_TIED = frozenset(_TIED_WORDS.split())


def restates(claim: Row, row: Row) -> bool:
    """Whether the claim says the whole row, and nothing else."""
    if exchanged(claim, row):
        return False
    if follows(claim, row):
        return True
    if max(len(claim), len(row)) > LONGEST_MOVED or len(claim) < 2:
        return False
    turns = (_moved, _passive, _equated, _swapped, _reasoned, _in_parts)
    return any(turn(claim, row) for turn in turns)


# --- one phrase elsewhere ----------------------------------------------------------


def _moved(claim: Row, row: Row) -> bool:
    """Whether the claim is the whole row with one phrase at the other end of it.

    "Adults take A after B" is "After B, adults take A"; not where the phrase may belong
    to a word before it ("medicines taken before", "people who smoke in").
    """
    if len(claim) != len(row) or Counter(claim) != Counter(row):
        return False
    first = next((at for at, t in enumerate(row) if t == claim[0] and at), None)
    while first is not None:
        length = _common(claim, row[first:])
        for end in range(length, 0, -1):
            rest = row[:first] + row[first + end :]
            if claim[end:] == rest and _fronted(claim, row, first, end):
                return True
        first = next(
            (at for at in range(first + 1, len(row)) if row[at] == claim[0]), None
        )
    return _sent_back(claim, row)


def _common(one: Row, two: Row) -> int:
    count = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        count += 1
    return count


def _fronted(claim: Row, row: Row, start: int, length: int) -> bool:
    """Whether row[start:start + length] may stand at the front, as in the claim."""
    end, tied = start + length, tie(row[start:])
    if row[start].lead[:1] == ("of",):
        tied = "for"  # "the dose of A is B": "for A, the dose is B"
    if not tied or tie(claim) != tied or length == len(claim):
        return False
    if tie((row[end - 1],)) and row[end - 1].kind is not Kind.WORD:
        return False
    if end < len(row) and not (row[end].edge or tie(row[end:]) or is_verb(row, end)):
        return False
    if tied == "to" and end < len(row):
        return False
    return not _belongs(row, start) and _is_free(row[:start])


def _sent_back(claim: Row, row: Row) -> bool:
    """Whether the phrase that opens the row stands at the end of the claim."""
    tied = tie(row)
    if not tied:
        return False
    for end in range(1, len(row)):
        last = row[end - 1]
        cut = last.kind is not Kind.WORD and bool(tie((last,)))
        apart = not cut and (row[end].edge or is_clause(row[end:]))
        if apart and claim == row[end:] + row[:end]:
            same = tie(claim[len(row) - end :]) == tied
            return same and _is_free(row[end:])
    return False


def _belongs(row: Row, start: int) -> bool:
    """Whether the phrase at `start` may be about the word before it alone."""
    before = row[start - 1]
    if before.kind in (Kind.NEGATION, Kind.ORDER, Kind.LINK) or before.key in _TIED:
        return before.key in _TIED or not row[start].edge
    participle = before.kind is Kind.WORD and (
        before.word.endswith(("ed", "en")) or before.word in _PARTICIPLES
    )
    near = {*before.lead, *(row[start - 2].lead if start > 1 else ())}
    return participle and near.isdisjoint(FINITE | BE)


def _is_free(row: Row) -> bool:
    """Whether a row holds no clause to which a phrase beside it might belong."""
    return not any(
        token.key in OPENERS
        or not RELATIVES.isdisjoint(token.lead)
        or (token.kind is Kind.LINK and token.key not in ("and", "but"))
        for token in row
    )


# --- voice and identity -----------------------------------------------------------


def _passive(claim: Row, row: Row) -> bool:
    """Whether one says "B is done by A" and the other "A does B"."""
    for passive, active in ((claim, row), (row, claim)):
        if not 1 <= len(passive) - len(active) <= MOST_BY:
            continue
        for turned in _actives(passive):
            verb, whole = turned[0][-1], turned[0] + turned[1]
            same = whole == active or _moved(whole, active)
            if same and any(t == verb and not _is_passive(t) for t in active):
                return True
    return False


def _actives(row: Row) -> Iterator[tuple[Row, Row]]:
    """Every row "A does" with its "B" of which `row` is the passive."""
    for at in range(2, len(row) - 1):
        verb = _verb_of(row, at) if row[at].key == "by" else 0
        start = verb
        while start > 0 and row[start - 1].kind in (Kind.MODAL, Kind.NEGATION):
            start -= 1
        if start == 0:
            continue
        agent, done = _without_by(row[at + 1 :]), row[start : verb + 1]
        patient, tail = row[:start], row[verb + 1 : at]
        yield agent + done, patient + tail
        for comma in range(1, start) if tie(row) else ():
            if row[comma].edge:
                yield agent + done, patient[comma:] + tail + patient[:comma]
        for cut in range(1, len(agent)):
            if tie(agent[cut:]):
                yield agent[:cut] + done, patient + tail + agent[cut:]


def _verb_of(row: Row, by: int) -> int:
    """The participle that a "by" belongs to, or 0; a phrase may stand between."""
    verb = by - 1
    while verb > 0 and BE.isdisjoint(row[verb].lead) and not row[verb].edge:
        verb -= 1
    between = row[verb + 1 : by]
    apart = bool(between) and not tie(between)
    return 0 if apart or BE.isdisjoint(row[verb].lead) else verb


def _without_by(row: Row) -> Row:
    return tuple(token for token in row if token.key != "by")


def _is_passive(verb: Token) -> bool:
    return not BE.isdisjoint(verb.lead) or verb.word.endswith(("ing", "ed"))


def _equated(claim: Row, row: Row) -> bool:
    """Whether the claim is "The B is A" and the row "A is the B"."""
    for at in range(1, len(row)):
        if claim != row[at:] + row[:at]:
            continue
        joint = claim[len(row) - at]
        before, after = row[at].lead, joint.lead
        one = _is_identity(before) and after[:1] == before[:1]
        two = _is_identity((*after[:1], *row[0].lead)) and before[:1] == after[:1]
        plain = not marks(row) and _is_free(row[:at])
        return (one or two) and plain
    return False


def _swapped(claim: Row, row: Row) -> bool:
    """Whether two clauses that are only joined stand in the other order."""
    for at in range(2, len(row) - 2):
        if not is_neutral(row[at]):
            continue
        joint = len(row) - at - 1
        one, two = row[:at], row[at + 1 :]
        if (
            joint < len(claim)
            and is_neutral(claim[joint])
            and (claim[:joint] == two and claim[joint + 1 :] == one)
        ):
            leans = not PRONOUNS.isdisjoint(two[0].lead[:1])
            both = is_clause(one) and is_clause(two) and not tie(one)
            return both and not leans
    return False


def _is_identity(lead: tuple[str, ...]) -> bool:
    return len(lead) > 1 and lead[0] in FINITE & BE and lead[1] == "the"


# --- clauses and reasons ---------------------------------------------------------


def _in_parts(claim: Row, row: Row) -> bool:
    """Whether both are two clauses with the same link, each restated by itself."""
    for at in _links(claim):
        for place in _links(row):
            one, two = claim[at], row[place]
            linked = one == two or (is_neutral(one) and is_neutral(two))
            before = linked and _same(claim[:at], row[:place])
            if before and _same(claim[at + 1 :], row[place + 1 :]):
                return True
    return False


def _links(row: Row) -> list[int]:
    places = [at for at in range(2, len(row) - 2) if row[at].kind is Kind.LINK]
    return places[:MOST_LINKS]


def _reasoned(claim: Row, row: Row) -> bool:
    """Whether both give the same reason for the same thing, in any order."""
    given = list(_reasons(row))
    for cause, effect in _reasons(claim) if given else ():
        for its_cause, its_effect in given:
            if _same(cause, its_cause) and _same(effect, its_effect):
                return True
    return False


def _reasons(row: Row) -> Iterator[tuple[Row, Row]]:
    """Every way to read a row as a cause and its effect."""
    for at, token in enumerate(row):
        if token.kind is not Kind.LINK:
            continue
        if token.key == _EFFECT and at:
            yield _trimmed(row[:at]), row[at + 1 :]
        elif token.key == "because" and at and not _is_denied(row, at):
            yield row[at + 1 :], _trimmed(row[:at])
        elif token.key in _CAUSE and not at:
            for comma in range(2, len(row)):
                if row[comma].edge:
                    yield row[1:comma], row[comma:]


def _is_denied(row: Row, at: int) -> bool:
    """Whether only the reason may be denied: "not given because it helps"."""
    denied = any(token.kind is Kind.NEGATION for token in row[:at])
    return denied and not row[at].edge


def _trimmed(row: Row) -> Row:
    return row[:-1] if row and is_neutral(row[-1]) else row


def _same(claim: Row, row: Row) -> bool:
    """Whether a part says all of a part, with its own qualifiers."""
    if not claim or not row:
        return False
    said = (
        follows(claim, row)
        or _moved(claim, row)
        or _passive(claim, row)
        or _equated(claim, row)
    )
    return said and Counter(t for t in claim if t.kind in MARKS) == Counter(
        t for t in row if t.kind in MARKS
    )
