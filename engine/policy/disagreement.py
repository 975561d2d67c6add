"""Whether two passages say the same, or disagree on a figure, unit or "not" (R-R11).

One reading of a sentence answers two questions. What a passage says that another does
not may not be dropped as a repetition: that is asked strictly, so that nothing is
hidden. Sources disagree only where two sentences about the same thing differ: that is
asked narrowly, so that the notice stays rare. What a sentence asks it does not say; a
"not" opposes who says the word after it; and where one of two sentences tells more
figures besides, which of them the other's stands for is not known.

Two figures differ where they measure the same: the same kind of unit, or none and the
same word before them. Numbers of lists, steps, sections, tables, references, versions
and long identifiers measure nothing. A date differs from another only where all other
words are the same, and says when a page was written in neither. Where each sentence
has words that the other lacks, or one alone a condition, they are about two things.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import re2

from engine.model.answer import Citation
from engine.model.passage import Chunk
from engine.policy.pack import Source
from engine.policy.things import ThingRule
from engine.text.folding import fold_presentation
from engine.text.legible import legible
from engine.text.notes import unmarked
from engine.text.tokens import UNITS, Kind, Row, Token, tokens

ALIKE = 0.7  # share of the words of the shorter sentence that one repeats another from
SAME = 0.75  # share of the words of the longer one that both are about one thing from
LEAST = 2  # words that two sentences about the same thing share
WITHIN = 0.9  # or that of the shorter one, where the longer one says more besides
MOST = 4  # words that they share then

_DEGREES = frozenset({"°", "degree"})
_SIGNS = frozenset("$€£")
_MEASURES = frozenset(
    {*UNITS.casefold().split("|"), "percent", "second", "minute", "hour", "day"}
    | {"week", "month", "year"}
)

# What numbers a sentence, and is none of its figures: "(5)", "2.", "3.2", "- 4)".
_LABEL = re2.compile(
    r"^(?:[-*\x{2022}\x{2013}]\s+)?(?:\(\w{1,4}(?:\.\d+)*\)\s+|\w{1,4}(?:\.\d+)*[.)]\s+"
    r"|\d+(?:\.\d+)+\.?\s+|\d{1,2}\s+(?P<first>\p{Lu}))"
)
_NUMBERED = re2.compile(  # inside a sentence: "[3]", "(2)", ": 1. Raise"
    r"\[\d+(?:\s*[-,\x{2013}]\s*\d+)*\]|\(\d{1,2}\)|(?P<before>[:;.])\s+\d{1,2}[.)]\s"
)
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DATE = re2.compile(
    rf"(?i)\b(?:\d{{4}}-\d\d(?:-\d\d)?|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTHS}(?:,?\s+\d{{4}})?"
    rf"|{_MONTHS}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b|{_MONTHS}\s+\d{{4}}"
    r"|(?:19|20)\d\d)\b"
)
_STAMPED = re2.compile(  # a date of the page, and of nothing that it tells of
    r"(?i)\b(?:published|updated?|reviewed|revised|modified|retrieved|accessed|printed|"
    r"issued|edition|version|release[ds]?|copyright)\b"
)
_CONDITION = re2.compile(
    r"(?i)\b(?:if|unless|except|when|whenever|where|while|provided|in case)\b"
)
# Words whose number says which one, also before a verb in -s: "Table 3 shows".
_NUMBERING = frozenset(
    """
    table figure fig step section chapter part page appendix annex item question
    exercise lab version release phase stage grade type level room line number no
    article clause paragraph rule form schedule unit lesson note box column row volume
    issue group cohort arm cycle day week gate floor building bus track
    """.split()  # noqa: SIM905  (read as a line of words)
)
_DIMENSIONS = {
    tokens(unit)[0].key if unit.isalpha() else unit: kind
    for kind, units in {
        "time": "second minute hour day week month year ms min h hr hrs s",
        "mass": "mg mcg µg μg kg g",
        "volume": "ml l",
        "length": "mm cm km m nm",
        "rate": "hz khz mhz ghz",
        "data": "kb mb gb",
        "dose": "gy cgy sv msv",
        "money": "$ € £ dollar euro pound",
    }.items()
    for unit in units.split()
}
_LONGEST = 4  # digits of a number without a unit; a longer one is an identifier

_ASKS = re2.compile(r"(?i)\bwhether\b")
_EITHER_WAY = re2.compile(r"(?i)\bwhether or not\b")

# Figures that two sentences share, from which they tell of the same finding: "18.7
# months with it and 6.7 without", "18.7 months when treated and 6.7 when not treated".
RESULTS = 2
LOWEST = 9  # tier of what no register holds
KEPT = 4_096  # sentences of which what they say is kept

Precedence = tuple[int, int]
Figure = tuple[str, str]  # a number and its unit, which may be none
Quantity = tuple[Figure, str]  # and what it measures; without it nothing is known


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says.

    `labels` name something ("stage 2", "non-Hodgkin"): another one, another thing.
    `negated` are the words that a negation stands before; `asks` says that the sentence
    leaves something open ("asks whether"). Of the figures `quantities` are those that
    measure something, with what that is; `dates` are none of these. `conditions` says
    how often it says "if" or the like, `stamped` that a date may be that of its page.
    """

    words: frozenset[str]
    figures: frozenset[Figure]
    labels: frozenset[Figure]
    negations: int
    negated: frozenset[str]
    asks: bool
    quantities: frozenset[Quantity] = frozenset()
    dates: frozenset[str] = frozenset()
    conditions: int = 0
    stamped: bool = False


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

    The label that a provision opens with, "(5)", is none of its figures, nor is the
    number of a note.
    """
    read = legible(unmarked(sentence))
    text = str(_LABEL.sub(r"\g<first>", fold_presentation(read).text.strip()))
    text = str(_NUMBERED.sub(r"\g<before> ", text))
    row = tokens(str(_DATE.sub(" ; ", text)))
    figures, labels, units = _numbers(row)
    dated = _numbers(tokens(text))
    return Said(
        frozenset(t.key for t in row if t.kind is Kind.WORD) - _keys(row, units),
        frozenset(figures | ((dated.figures | dated.labels) - labels)),
        frozenset(labels),
        sum(_negates(token) for token in row),
        frozenset(_negated(row)),
        _ASKS.search(_EITHER_WAY.sub("", text)) is not None,
        frozenset(_quantities(row)),
        frozenset(found.group().casefold() for found in _DATE.finditer(text)),
        len(_CONDITION.findall(text)),
        _STAMPED.search(text) is not None,
    )


class _Numbers(NamedTuple):
    """The figures of a row, what its other numbers name, and where the units stand."""

    figures: set[Figure]
    labels: set[Figure]
    units: set[int]


def _numbers(row: Row) -> _Numbers:
    found = _Numbers(set(), set(), set())
    for at, token in enumerate(row):
        if token.key == "non":
            found.labels.update(("non", after.key) for after in row[at + 1 : at + 2])
        if token.kind is not Kind.NUMBER:
            continue
        if _names(row, at):
            found.labels.add((token.key, row[at - 1].key))
            continue
        measured = _unit(row, at)
        found.units.update(measured)
        figure = token.key, " ".join(row[place].key for place in measured)
        found.figures.add(figure)
    return found


def _quantities(row: Row) -> Iterator[Quantity]:
    """The figures of a sentence that measure something, and what that is."""
    for at, token in enumerate(row):
        if token.kind is not Kind.NUMBER or _names(row, at):
            continue
        unit = " ".join(row[place].key for place in _unit(row, at))
        if unit:
            degrees = unit.split(" ")[0] in _DEGREES
            what = "temperature" if degrees else _DIMENSIONS.get(unit, unit)
            yield (token.key, unit), what
        elif token.word != "one" and len(token.key) <= _LONGEST:
            before = next(
                (t for t in reversed(row[:at]) if t.kind is not Kind.NUMBER), None
            )
            if before is not None:
                yield (token.key, ""), f"after {before.key}"


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
    if before.word.removesuffix("s") in _NUMBERING:
        return True
    return not _unit(row, at)


def _unit(row: Row, at: int) -> tuple[int, ...]:
    """Where the unit of a number stands; of a range it is that of its end.

    The sign of a currency stands before it.
    """
    if at and row[at - 1].key in _SIGNS and not row[at].apart:
        return (at - 1,)
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
    if _apart(one, other):
        return False
    differ = _figures_differ(one, other) or _dates_differ(one, other)
    return differ or _denied(one, other) or _denied(other, one)


def _apart(one: Said, other: Said) -> bool:
    """Whether each says a word that the other lacks, or one alone a condition."""
    ours, theirs = one.words - other.words, other.words - one.words
    return bool(ours and theirs) or (
        one.conditions != other.conditions and bool(ours or theirs)
    )


def _dates_differ(one: Said, other: Said) -> bool:
    """Whether two sentences that are the same otherwise say another date."""
    stamped = one.stamped or other.stamped
    same = one.words == other.words and bool(one.dates and other.dates)
    return same and not stamped and one.dates.isdisjoint(other.dates)


def _denied(one: Said, other: Said) -> bool:
    """Whether one negates what the other says, and not with the same results."""
    results = len(one.figures & other.figures) >= RESULTS
    return not (other.negations or results or one.negated.isdisjoint(other.words))


def _about_one_thing(one: Said, other: Said) -> bool:
    if _share(one, other, longer=True) >= SAME:
        return True
    within = _share(one, other, longer=False) >= WITHIN
    as_many = len(one.quantities) == len(other.quantities)
    return within and as_many and len(one.words & other.words) >= MOST


def _figures_differ(one: Said, other: Said) -> bool:
    """Whether each has a figure that the other lacks, and none is the same converted.

    "38 °C (100.4 °F)" and "100.5 °F (38 °C)" are one temperature. Both have to measure
    the same.
    """
    ours, theirs = one.quantities - other.quantities, other.quantities - one.quantities
    common = {
        unit for (_, unit), _ in one.quantities & other.quantities if _measures(unit)
    }
    differing = {unit for (_, unit), _ in ours | theirs}
    converted = common and not common & differing and all(map(_measures, differing))
    same = {what for _, what in ours} & {what for _, what in theirs}
    return bool(same) and not converted


def _measures(unit: str) -> bool:
    return unit in _MEASURES or unit.split(" ")[0] in _DEGREES


def _share(one: Said, other: Said, *, longer: bool) -> float:
    """The share of words, of the longer or the shorter sentence, that both have."""
    sizes = len(one.words), len(other.words)
    whole = max(sizes) if longer else min(sizes)
    return len(one.words & other.words) / whole if whole else 0.0
