"""Other rows that say what a row says, so that both sides may be written either way.

Each reading changes one thing and keeps all else: a subject that two verbs share is
named twice, what describes a noun stands before it or behind it, "one" is named. Every
reading is as true as the row itself; there are at most MOST_READINGS.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from engine.validate.clauses import BE, RELATIVES, is_neutral, is_verb
from engine.validate.figures import Kind, Row, Token

MOST_READINGS = 12  # of one row
LONGEST_SUBJECT = 6  # tokens before the verb that a second verb may share
LONGEST_DESCRIPTION = 4  # tokens of "that is A" that may stand before the noun
_ABOUT = frozenset({("of",), ("for",)})
_OF_THE = 2  # words of grammar in "of the"
_ARTICLES = frozenset({"a", "an", "the", "your", "their", "its"})
_BECAUSE = Token(Kind.LINK, "because")


def readings(row: Row) -> Iterator[Row]:
    """The row itself, then what says the same."""
    yield row
    found = chain(_shared(row), _described(row), _one_named(row), _by_once(row))
    yield from islice(found, MOST_READINGS)


def spoken(claim: Row) -> Iterator[Row]:
    """The readings of a claim: "as" in front of a clause may give its reason.

    A source's "as" is not read so: it may say when.
    """
    yield from readings(claim)
    for at, token in enumerate(claim):
        opens = token.lead[:1] == ("as",) and (token.edge or at == 0)
        if opens and len(token.lead) < 4:
            bare = replace(token, lead=token.lead[1:], edge=False)
            link = replace(_BECAUSE, edge=token.edge)
            yield from readings((*claim[:at], link, bare, *claim[at + 1 :]))


def understood(row: Row, asked: frozenset[Token]) -> Iterator[Row]:
    """A source's row without "of A" or "for A" where A is what the question asks about.

    Its answer need not repeat it: "further causes of nausea" are "further causes".
    """
    for at in range(len(row)):
        if row[at].lead[:1] not in _ABOUT or row[at].kind is not Kind.WORD:
            continue
        end = at
        while end < len(row) and row[end] in asked and row[end].kind is Kind.WORD:
            end += 1
            if end < len(row) and _begins(row[end]) and (at or row[end].edge):
                yield (*row[:at], *row[end:])
        if end == len(row) and at:
            yield row[:at]


def _shared(row: Row) -> Iterator[Row]:
    """ "A does B and does C" as "A does B and A does C"."""
    subject = _subject(row)
    if not subject:
        return
    full = row
    for at in range(len(row) - 2, len(subject) + 1, -1):
        if is_neutral(row[at]) and _is_predicate(row, at + 1):
            full = full[: at + 1] + subject + full[at + 1 :]
    if full != row:
        yield full


def _subject(row: Row) -> Row:
    for end in range(1, min(LONGEST_SUBJECT, len(row) - 1) + 1):
        if row[end].edge or row[end].kind is Kind.LINK:
            return ()
        if _is_predicate(row, end):
            return row[:end]
    return ()


def _is_predicate(row: Row, at: int) -> bool:
    """Whether a verb stands at `at`; no relative clause that it belongs to."""
    return is_verb(row, at) and RELATIVES.isdisjoint(row[at].lead)


def _described(row: Row) -> Iterator[Row]:
    """ "A battery that is dented" as "a dented battery"."""
    for at in range(1, len(row)):
        lead = row[at].lead
        if RELATIVES.isdisjoint(lead) or BE.isdisjoint(lead) or row[at].edge:
            continue
        if "whose" in lead or row[at].kind is not Kind.WORD:
            continue
        for end in range(at + 1, min(at + LONGEST_DESCRIPTION, len(row)) + 1):
            if row[end - 1].kind not in (Kind.WORD, Kind.ORDER):
                break
            noun = replace(row[at - 1], lead=(), edge=False)
            first = replace(row[at], lead=row[at - 1].lead, edge=row[at - 1].edge)
            yield (*row[: at - 1], first, *row[at + 1 : end], noun, *row[end:])


def folded(claim: Row, row: Row) -> tuple[Row, Row]:
    """Both rows with "the dose of A" and "the A dose" as one word each.

    So are "washing the hands" and "hand washing"; "the A of a dose" is another word.
    """
    pairs = {pair for one in (claim, row) for _, pair in _of_pairs(one)}
    if not pairs:
        return claim, row
    return _folded(claim, pairs), _folded(row, pairs)


def _of_pairs(row: Row) -> Iterator[tuple[int, tuple[Token, Token]]]:
    """Where "A of B" stands, as (B, A)."""
    for at in range(1, len(row)):
        lead, head = row[at].lead, row[at - 1]
        of = lead[:1] == ("of",) and len(lead) <= _OF_THE
        done = head.word.endswith("ing") and _ARTICLES.issuperset(lead) and bool(lead)
        if not (of or done) or row[at].edge or {row[at].kind, head.kind} != {Kind.WORD}:
            continue
        if at + 1 == len(row) or _begins(row[at + 1]):
            yield at, (row[at], head)


def _folded(row: Row, pairs: set[tuple[Token, Token]]) -> Row:
    said = dict(_of_pairs(row))
    found: list[Token] = []
    for at, token in enumerate(row):
        before = found[-1] if found else token
        if at in said and said[at] in pairs and before == row[at - 1]:
            found[-1] = replace(before, key=f"{token.key} {before.key}")
        elif (before, token) in pairs and not _begins(token) and found:
            found[-1] = replace(before, key=f"{before.key} {token.key}")
        else:
            found.append(token)
    return tuple(found)


def _begins(token: Token) -> bool:
    """Whether a token surely begins a phrase of its own."""
    return token.edge or bool(token.lead) or token.kind is not Kind.WORD


def _one_named(row: Row) -> Iterator[Row]:
    """ "An open goal is one that" as "an open goal is a goal that"."""
    for at in range(1, len(row) - 1):
        one = row[at].kind is Kind.NUMBER and row[at].word == "one"
        if one and not RELATIVES.isdisjoint(row[at + 1].lead):
            named = replace(row[at - 1], edge=False, lead=row[at].lead)
            yield (*row[:at], named, *row[at + 1 :])


def _active(row: Row) -> Iterator[Row]:
    """ "What was never shown by A" as "what A never showed", in a relative clause."""
    for by in range(2, len(row) - 1):
        if row[by].key != "by":
            continue
        start = by - 1
        while start > 1 and RELATIVES.isdisjoint(row[start].lead):
            start -= 1
        if BE.isdisjoint({word for t in row[start:by] for word in t.lead}):
            continue
        end = by + 2
        while end < len(row) and end - by <= LONGEST_DESCRIPTION:
            if _begins(row[end]):
                break
            end += 1
        agent = (replace(row[by + 1], lead=row[start].lead[:1]), *row[by + 2 : end])
        done = (replace(row[start], lead=()), *row[start + 1 : by])
        yield (*row[:start], *agent, *done, *row[end:])


def _by_once(row: Row) -> Iterator[Row]:
    """ "By A, by B and by C" as "by A, B and C"."""
    places = [at for at, token in enumerate(row[:-1]) if token.key == "by"]
    again = {at for at in places[1:] if row[at].edge or is_neutral(row[at - 1])}
    if again:
        yield tuple(
            replace(token, edge=token.edge or row[at - 1].edge)
            if at - 1 in again
            else token
            for at, token in enumerate(row)
            if at not in again
        )
