"""Whether two passages say the same, or disagree on a figure, unit or "not" (R-R11).

One reading of a sentence answers two questions. What a passage says that another does
not may not be dropped as a repetition: that is asked strictly, so that nothing is
hidden. Sources disagree only where two sentences about the same thing differ: that is
asked narrowly, so that the notice stays rare. What a sentence asks it does not say; a
"not" opposes who says the word after it; and where one of two sentences tells more
figures besides, which of them the other's stands for is not known.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice

import re2

from engine.policy.pack import Source
from engine.policy.things import ThingRule
from engine.records import Chunk, Citation
from engine.tokens import UNITS, Kind, Row, Token, tokens
from engine.validate.text import fold

ALIKE = 0.7  # share of the words of the shorter sentence that one repeats another from
SAME = 0.75  # share of the words of the longer one that both are about one thing from
LEAST = 2  # words that two sentences about the same thing share
WITHIN = 0.9  # or that of the shorter one, where the longer one says more besides
MOST = 4  # words that they share then

_DEGREES = frozenset({"°", "degree"})
_MEASURES = frozenset(
    {*UNITS.casefold().split("|"), "percent", "second", "minute", "hour", "day"}
    | {"week", "month", "year"}
)

_LABEL = re2.compile(r"^\(\w{1,4}(?:\.\d+)*\)\s+")
_ASKS = re2.compile(r"(?i)\bwhether\b")
_EITHER_WAY = re2.compile(r"(?i)\bwhether or not\b")

# Figures that two sentences share, from which they tell of the same finding: "18.7
# months with it and 6.7 without", "18.7 months when treated and 6.7 when not treated".
RESULTS = 2
LOWEST = 9  # tier of what no register holds
KEPT = 4_096  # sentences of which what they say is kept

Precedence = tuple[int, int]
Figure = tuple[str, str]  # a number and its unit, which may be none


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says.

    `labels` name something ("stage 2", "non-Hodgkin"): another one, another thing.
    `negated` are the words that a negation stands before; `asks` says that the sentence
    leaves something open ("asks whether").
    """

    words: frozenset[str]
    figures: frozenset[Figure]
    labels: frozenset[Figure]
    negations: int
    negated: frozenset[str]
    asks: bool


def tells_all(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the sentences of `one` say every figure and every "not" of `other`."""
    verbatim = frozenset(one)
    left = [said(sentence) for sentence in other if sentence not in verbatim]
    return not left or all(_told(each, list(map(said, one))) for each in left)


def disagree(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether a sentence of each says one thing with another figure, unit or "not"."""
    held = [said(sentence) for sentence in other]
    return any(
        _opposed(said(sentence), against) for sentence in one for against in held
    )


def apart(one: Chunk, other: Chunk, rules: Iterable[ThingRule]) -> bool:
    """Whether two passages tell of different things of a kind that stands apart.

    What is said of one trial is no other figure for another one.
    """
    about = [{name for t in chunk.things for name in t.names} for chunk in (one, other)]
    stand = any(rule.apart for rule in rules)
    return stand and all(about) and about[0].isdisjoint(about[1])


def precedence(cited: Chunk | Citation, register: Mapping[str, Source]) -> Precedence:
    """What sorts sources that disagree: the higher tier first, then the newer one."""
    source = register.get(cited.source)
    day = cited.published or cited.retrieved or date.min
    return (LOWEST if source is None else source.tier), -day.toordinal()


@lru_cache(maxsize=KEPT)
def said(sentence: str) -> Said:
    """What a sentence says; kept for the next question about it.

    The label that a provision opens with, "(5)", is none of its figures.
    """
    text = _LABEL.sub("", fold(sentence).text)
    row = tokens(text)
    figures, labels, units = set[Figure](), set[Figure](), set[int]()
    for at, token in enumerate(row):
        if token.key == "non":
            labels.update(("non", after.key) for after in row[at + 1 : at + 2])
        if token.kind is not Kind.NUMBER:
            continue
        if _names(row, at):
            labels.add((token.key, row[at - 1].key))
            continue
        measured = _unit(row, at)
        units.update(measured)
        figures.add((token.key, " ".join(row[place].key for place in measured)))
    return Said(
        frozenset(t.key for t in row if t.kind is Kind.WORD) - _keys(row, units),
        frozenset(figures),
        frozenset(labels),
        sum(_negates(token) for token in row),
        frozenset(_negated(row)),
        _ASKS.search(_EITHER_WAY.sub("", text)) is not None,
    )


def _negates(token: Token) -> bool:
    return token.kind is Kind.NEGATION and token.key != "non"


def _negated(row: Row) -> Iterator[str]:
    """The first word after each negation that is no adverb ("not routinely given")."""
    for at, token in enumerate(row):
        if _negates(token):
            following = (t for t in row[at + 1 :] if not t.word.endswith("ly"))
            yield from (t.key for t in islice(following, 1))


def _keys(row: Row, places: Iterable[int]) -> frozenset[str]:
    return frozenset(row[place].key for place in places)


def _names(row: Row, at: int) -> bool:
    """Whether a number names the word before it: "stage 2", not "take 2 pills"."""
    token, before = row[at], row[at - 1] if at else None
    if before is None or before.kind is not Kind.WORD or token.apart:
        return False
    return not _unit(row, at)


def _unit(row: Row, at: int) -> tuple[int, ...]:
    """Where the unit of a number stands; of a range it is that of its end."""
    for place in range(at + 1, len(row)):
        token = row[place]
        if token.kind is Kind.NUMBER:  # "one or two days"
            continue
        if token.apart:
            return ()
        if token.key in _DEGREES:
            return tuple(p for p in (place, place + 1) if p < len(row))
        counted = token.word.endswith("s") or row[at].key == "1"
        named = token.kind is Kind.WORD and counted
        return (place,) if named or token.key in _MEASURES else ()
    return ()


def _told(one: Said, held: Iterable[Said]) -> bool:
    alike = [other for other in held if _share(one, other, longer=False) >= ALIKE]
    figures = one.figures | one.labels
    if not alike:
        return not figures and not one.negations
    return any(
        figures <= other.figures | other.labels and one.negations == other.negations
        for other in alike
    )


def _opposed(one: Said, other: Said) -> bool:
    if len(one.words & other.words) < LEAST or one.labels != other.labels:
        return False
    if one.asks or other.asks or not _about_one_thing(one, other):
        return False
    return _figures_differ(one, other) or _denied(one, other) or _denied(other, one)


def _denied(one: Said, other: Said) -> bool:
    """Whether one negates what the other says, and not with the same results."""
    results = len(one.figures & other.figures) >= RESULTS
    return not (other.negations or results or one.negated.isdisjoint(other.words))


def _about_one_thing(one: Said, other: Said) -> bool:
    if _share(one, other, longer=True) >= SAME:
        return True
    within = _share(one, other, longer=False) >= WITHIN
    as_many = len(one.figures) == len(other.figures)
    return within and as_many and len(one.words & other.words) >= MOST


def _figures_differ(one: Said, other: Said) -> bool:
    """Whether each has a figure that the other lacks, and none is the same converted.

    "38 °C (100.4 °F)" and "100.5 °F (38 °C)" are one temperature.
    """
    ours, theirs = one.figures - other.figures, other.figures - one.figures
    common = {unit for _, unit in one.figures & other.figures if _measures(unit)}
    differing = {unit for _, unit in ours | theirs}
    converted = common and not common & differing and all(map(_measures, differing))
    return bool(ours and theirs) and not converted


def _measures(unit: str) -> bool:
    return unit in _MEASURES or unit.split(" ")[0] in _DEGREES


def _share(one: Said, other: Said, *, longer: bool) -> float:
    """The share of words, of the longer or the shorter sentence, that both have."""
    sizes = len(one.words), len(other.words)
    whole = max(sizes) if longer else min(sizes)
    return len(one.words & other.words) / whole if whole else 0.0
