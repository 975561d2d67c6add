"""One clause in another order or voice, with everything in it kept (R-V4).

A phrase that a preposition or a conjunction ties may stand at the other end, active
become passive with both sides kept, "A is the B" become "The B is A", and the members
of an enumeration change places. What is left over is compared by the caller's `Same`.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from engine.validate.clauses import (
    BE,
    FINITE,
    OPENERS,
    RELATIVES,
    is_clause,
    is_verb,
    tie,
)
from engine.validate.figures import Kind, Row, Token, marks, tokens

MOST_BY = 3  # times that a passive names who does it
_SHORTEST = 3  # tokens of a clause in which something may move
# What stands before a phrase and is about it: neither moves without the other.
_TIED_WORDS = """
    even only except instead rather especially particularly mainly mostly just including
    such example either both whether
"""
_TIED = frozenset(_TIED_WORDS.split())
PEOPLE = tokens("people")[0]
_LISTS = frozenset({"and", "or"})
_TAKES_LIST = frozenset({"avoid", "includ", "need"})

Same = Callable[[Row, Row], bool]


# --- one phrase elsewhere ----------------------------------------------------------


def moved(claim: Row, row: Row, same: Same) -> bool:
    """Whether the claim is the row with one phrase at the other end of it.

    "Adults take A after B" is "After B, adults take A"; not where the phrase may belong
    to a word before it ("medicines taken before", "people who smoke in").
    """
    return _to_front(claim, row, same) or _to_end(claim, row, same)


def _to_front(claim: Row, row: Row, same: Same) -> bool:
    if not tie(claim):
        return False
    for first in range(1, len(row)):
        if row[first] != claim[0]:
            continue
        for end in range(_common(claim, row[first:]), 0, -1):
            rest = row[:first] + row[first + end :]
            if _fronted(claim, row, first, end) and same(claim[end:], rest):
                return True
    return False


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
    return not _belongs(row, start) and is_free(row[:start])


def _to_end(claim: Row, row: Row, same: Same) -> bool:
    """Whether the phrase that opens the row stands at the end of the claim."""
    tied = tie(row)
    if not tied:
        return False
    for end in range(1, min(len(row), len(claim))):
        last = row[end - 1]
        cut = last.kind is not Kind.WORD and bool(tie((last,)))
        apart = not cut and (row[end].edge or is_clause(row[end:]))
        if apart and claim[-end:] == row[:end] and tie(claim[-end:]) == tied:
            main = claim[:-end]
            if is_free(main) and not _belongs(claim, len(main)):
                return same(main, row[end:])
    return False


def _belongs(row: Row, start: int) -> bool:
    """Whether the phrase at `start` may be about the word before it alone."""
    before = row[start - 1]
    bound = before.kind in (Kind.NEGATION, Kind.ORDER, Kind.LINK)
    if (bound and before.key != "fail") or before.key in _TIED:
        return before.key in _TIED or not row[start].edge
    participle = before.word.endswith(("ed", "en")) and before.kind is Kind.WORD
    near = {*before.lead, *(row[start - 2].lead if start > 1 else ())}
    return participle and near.isdisjoint(FINITE | BE)


def is_free(row: Row) -> bool:
    """Whether a row holds no clause to which a phrase beside it might belong.

    A relative clause in the subject is closed by the verb of the sentence.
    """
    inner = [at for at, t in enumerate(row) if not RELATIVES.isdisjoint(t.lead)]
    if inner and sum(is_verb(row, at) for at in range(inner[-1] + 1, len(row))) < 1:
        return False
    if len(inner) > 1 or (inner and is_verb(row, inner[0] - 1)):
        return False
    return not any(
        token.key in OPENERS
        or (token.kind is Kind.LINK and token.key not in ("and", "but"))
        for token in row
    )


# --- voice and identity -----------------------------------------------------------


def passive(claim: Row, row: Row, same: Same) -> bool:
    """Whether one says "B is done by A" and the other "A does B"."""
    for done, does in ((claim, row), (row, claim)):
        for turned in actives(done):
            verb, whole = turned[0][-1], turned[0] + turned[1]
            if any(t == verb and not _is_passive(t) for t in does) and (
                same(whole, does) if done is claim else same(does, whole)
            ):
                return True
    return False


def actives(row: Row) -> Iterator[tuple[Row, Row]]:
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


def agentless(claim: Row, row: Row, same: Same) -> bool:
    """Whether "B is done" stands for "do B" or "people do B", or the other way."""
    for done, does in ((claim, row), (row, claim)):
        begun = int(does[:1] == (PEOPLE,) and len(does) > 1)
        if does[begun].kind is not Kind.MODAL and not begun:
            continue
        verb = begun
        while verb < len(does) - 1 and does[verb].kind in (Kind.MODAL, Kind.NEGATION):
            verb += 1
        acts = does[begun : verb + 1]
        for start in range(1, len(done) - len(acts) + 1):
            end = start + len(acts)
            if done[start:end] != acts or BE.isdisjoint(done[end - 1].lead):
                continue
            whole = acts + done[:start] + done[end:]
            if (
                same(whole, does[begun:])
                if done is claim
                else same(does[begun:], whole)
            ):
                return True
    return False


def extraposed(claim: Row, row: Row, same: Same) -> bool:
    """Whether "it is advised to have B" stands for "B is advised"."""
    lead = claim[0].lead
    if len(lead) < 2 or lead[0] != "it" or lead[1] not in BE or len(claim) < 2:
        return False
    if "to" not in claim[1].lead and "that" not in claim[1].lead:
        return False
    for at in range(1, len(row)):
        if row[at] == claim[0] and not BE.isdisjoint(row[at].lead):
            return same(claim[1:], row[:at] + row[at + 1 :])
    return False


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


def equated(claim: Row, row: Row, same: Same) -> bool:
    """Whether the claim is "The B is A" and the row "A is the B"."""
    for at in range(1, len(row)):
        joint = len(row) - at
        if row[at] != claim[0] or len(claim) != len(row):
            continue
        before, after = row[at].lead, claim[joint].lead
        one = _is_identity(before) and after[:1] == before[:1]
        two = _is_identity((*after[:1], *row[0].lead)) and before[:1] == after[:1]
        plain = not marks(row) and is_free(row[:at])
        if (one or two) and plain and same(claim, row[at:] + row[:at]):
            return True
    return False


def _is_identity(lead: tuple[str, ...]) -> bool:
    return len(lead) > 1 and lead[0] in FINITE & BE and lead[1] == "the"


# --- enumerations -----------------------------------------------------------------


def enumerated(claim: Row, row: Row) -> bool:
    """Whether only the members of one enumeration have changed places.

    Things that are named, not things that are done: their order may be a sequence.
    """
    start = min(_common(claim, row), len(row) - 1, len(claim) - 1)
    end = _common(claim[start:][::-1], row[start:][::-1])
    while start and not _opens_list(row, start):
        start -= 1
    for stop in range(len(row) - end, len(row) + 1):
        shift = len(claim) - len(row)
        if row[stop:] != claim[stop + shift :] or stop + shift <= start:
            continue
        if not _ends_list(row, start, stop):
            continue
        said, given = claim[start : stop + shift], row[start:stop]
        one, two = _members(said), _members(given)
        if Counter(t.key for t in said) != Counter(t.key for t in given):
            continue
        ties = [bool(tie(member)) for member in two]
        alike = all(ties) or not any(ties)
        if alike and len(one) > 1 and Counter(one) == Counter(two):
            return all(tie(a) == tie(b) for a, b in _pairs(one, two))
    return False


def _pairs(one: list[Row], two: list[Row]) -> Iterator[tuple[Row, Row]]:
    for member in one:
        yield member, two[two.index(member)]


def _opens_list(row: Row, at: int) -> bool:
    """Whether an enumeration may begin at `at`: after a verb or with a tie."""
    verb = row[at - 1].key in _TAKES_LIST or is_verb(row, at - 1)
    named = not BE.isdisjoint(row[at].lead[:1])
    return named or bool(tie(row[at:])) or (verb and row[at - 1].kind is not Kind.MODAL)


def _ends_list(row: Row, start: int, stop: int) -> bool:
    if start == 0 and (stop == len(row) or not is_verb(row, stop)):
        return False
    after = row[stop : stop + 1]
    if after and not (after[0].edge or after[0].lead or after[0].kind is not Kind.WORD):
        return False
    inside = row[start:stop]
    if start == 0 and any(token.word.endswith("ed") for token in inside):
        return False  # "A ruptured or B" lists no things
    plain = not any(is_verb(row, at) for at in range(start + 1, stop))
    return plain and all(t.kind not in (Kind.MODAL, Kind.NEGATION) for t in inside)


def _members(row: Row) -> list[Row]:
    """What commas and "and" part."""
    found: list[Row] = []
    begun = 0
    for at, token in enumerate(row):
        joint = token.key in _LISTS and token.kind in (Kind.LINK, Kind.ORDER)
        if (joint or token.edge) and at > begun:
            found.append(row[begun:at])
            begun = at
        if joint:
            begun = at + 1
    return [*found, row[begun:]] if begun < len(row) else found
