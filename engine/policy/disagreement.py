"""Whether two passages say the same, or disagree on a figure, unit or "not".

One reading of a sentence serves two checks. A passage may be dropped as a repetition
only where another says everything it does: this check is strict, so that nothing is
hidden. Sources disagree only where two sentences about the same subject differ: this
check is narrow, so that the notice stays rare. A question asserts nothing; a "not"
opposes a sentence with the word after it; and where one of two sentences has more
figures, their pairs are unknown.

Two figures differ where they measure the same: the same kind of unit, or none and the
same word before them. Numbers of lists, steps, sections, tables, references, versions
and long identifiers measure nothing. A date differs from another only where all other
words are the same, and neither is the date of a page. Where each sentence has words
that the other lacks, or one alone has a condition, they are about two subjects.
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
from engine.text.notes import strip_marks
from engine.text.tokens import UNITS, Kind, Row, Token, tokenize

ALIKE = 0.7  # common words, as a share of the shorter sentence, that make a repetition
SAME = 0.75  # common words, as a share of the longer one, that make one subject
LEAST = 2  # words that two sentences about the same subject share
WITHIN = 0.9  # or a share of the shorter one, where the longer one says more besides
MOST = 4  # words that they share then

_DEGREES = frozenset({"°", "degree"})
_SIGNS = frozenset("$€£")
_MEASURES = frozenset(
    {*UNITS.casefold().split("|"), "percent", "second", "minute", "hour", "day"}
    | {"week", "month", "year"}
)

# The number of a sentence, which is none of its figures: "(5)", "2.", "3.2", "- 4)".
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
_STAMPED = re2.compile(  # a date of the page, and of no event on it
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
    tokenize(unit)[0].key if unit.isalpha() else unit: kind
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

# Common figures from which two sentences report the same finding: "18.7 months with it
# and 6.7 without", "18.7 months when treated and 6.7 when not treated".
RESULTS = 2
LOWEST = 9  # tier of a source that no register holds
KEPT = 4_096  # sentences whose reading is cached

Precedence = tuple[int, int]
Figure = tuple[str, str]  # a number and its unit, which may be none
Quantity = tuple[Figure, str]  # and what it measures


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """The reading of a sentence.

    `labels` name something ("stage 2", "non-Hodgkin"): another label, another subject.
    `negated` are the words behind a negation; `asks` is True where the sentence leaves
    something open ("asks whether"). Of the figures `quantities` are those that measure
    something, with what they measure; `dates` are none of these. `conditions` counts
    "if" and the like; `stamped` is True where a date may be that of the page.
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


def covers_figures(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether `one` holds every figure and every "not" of `other`."""
    verbatim = frozenset(one)
    left = [read_sentence(sentence) for sentence in other if sentence not in verbatim]
    return not left or all(
        _is_covered(each, list(map(read_sentence, one))) for each in left
    )


def disagree(one: Iterable[str], other: Iterable[str]) -> bool:
    """Return whether two of the sentences differ in nothing but a figure, unit or
    "not".
    """
    held = [read_sentence(sentence) for sentence in other]
    return any(
        _are_opposed(read_sentence(sentence), against)
        for sentence in one
        for against in held
    )


def are_apart(one: Chunk, other: Chunk, rules: Iterable[ThingRule]) -> bool:
    """Return whether two passages are about different entities of a mutually exclusive
    kind.

    A figure of one trial is no other figure for another one.
    """
    about = [{name for t in chunk.things for name in t.names} for chunk in (one, other)]
    stand = any(rule.apart for rule in rules)
    return stand and all(about) and about[0].isdisjoint(about[1])


def rank_precedence(
    cited: Chunk | Citation, register: Mapping[str, Source]
) -> Precedence:
    """Return a sort key for sources that disagree: higher tier first, then newer."""
    source = register.get(cited.source)
    day = cited.published or cited.retrieved or date.min
    return (LOWEST if source is None else source.tier), -day.toordinal()


@lru_cache(maxsize=KEPT)
def read_sentence(sentence: str) -> SentenceReading:
    """Read a sentence; the result is cached.

    The label that a provision opens with, "(5)", is none of its figures, nor is the
    number of a note.
    """
    read = legible(strip_marks(sentence))
    text = str(_LABEL.sub(r"\g<first>", fold_presentation(read).text.strip()))
    text = str(_NUMBERED.sub(r"\g<before> ", text))
    row = tokenize(str(_DATE.sub(" ; ", text)))
    figures, labels, units = _read_numbers(row)
    dated = _read_numbers(tokenize(text))
    return SentenceReading(
        frozenset(t.key for t in row if t.kind is Kind.WORD)
        - _collect_keys(row, units),
        frozenset(figures | ((dated.figures | dated.labels) - labels)),
        frozenset(labels),
        sum(_negates(token) for token in row),
        frozenset(_find_negated(row)),
        _ASKS.search(_EITHER_WAY.sub("", text)) is not None,
        frozenset(_find_quantities(row)),
        frozenset(found.group().casefold() for found in _DATE.finditer(text)),
        len(_CONDITION.findall(text)),
        _STAMPED.search(text) is not None,
    )


class _Numbers(NamedTuple):
    """The figures of a row, its numbers in labels, the places of units."""

    figures: set[Figure]
    labels: set[Figure]
    units: set[int]


def _read_numbers(row: Row) -> _Numbers:
    found = _Numbers(set(), set(), set())
    for at, token in enumerate(row):
        if token.key == "non":
            found.labels.update(("non", after.key) for after in row[at + 1 : at + 2])
        if token.kind is not Kind.NUMBER:
            continue
        if _is_label(row, at):
            found.labels.add((token.key, row[at - 1].key))
            continue
        measured = _find_unit(row, at)
        found.units.update(measured)
        figure = token.key, " ".join(row[place].key for place in measured)
        found.figures.add(figure)
    return found


def _find_quantities(row: Row) -> Iterator[Quantity]:
    """Yield the figures of a row that measure something, with what they measure."""
    for at, token in enumerate(row):
        if token.kind is not Kind.NUMBER or _is_label(row, at):
            continue
        unit = " ".join(row[place].key for place in _find_unit(row, at))
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


def _find_negated(row: Row) -> Iterator[str]:
    """Yield the first non-adverb behind each negation ("not routinely given")."""
    for at, token in enumerate(row):
        if _negates(token):
            following = (t for t in row[at + 1 :] if not t.word.endswith("ly"))
            yield from (t.key for t in islice(following, 1))


def _collect_keys(row: Row, places: Iterable[int]) -> frozenset[str]:
    return frozenset(row[place].key for place in places)


def _is_label(row: Row, at: int) -> bool:
    """Return whether a number is a label of the word before it: "stage 2".

    "Take 2 pills" has none.
    """
    token, before = row[at], row[at - 1] if at else None
    if before is None or before.kind is not Kind.WORD or token.apart:
        return False
    if before.word.removesuffix("s") in _NUMBERING:
        return True
    return not _find_unit(row, at)


def _find_unit(row: Row, at: int) -> tuple[int, ...]:
    """Return the places of a number's unit; of a range that of its end.

    The sign of a currency precedes it.
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


def _is_covered(one: SentenceReading, held: Iterable[SentenceReading]) -> bool:
    alike = [other for other in held if _share(one, other, longer=False) >= ALIKE]
    figures = one.figures | one.labels
    if not alike:
        return not figures and not one.negations
    return any(
        figures <= other.figures | other.labels and one.negations == other.negations
        for other in alike
    )


def _are_opposed(one: SentenceReading, other: SentenceReading) -> bool:
    if len(one.words & other.words) < LEAST or one.labels != other.labels:
        return False
    if one.asks or other.asks or not _have_one_subject(one, other):
        return False
    if _have_own_words(one, other):
        return False
    differ = _figures_differ(one, other) or _dates_differ(one, other)
    return differ or _denies(one, other) or _denies(other, one)


def _have_own_words(one: SentenceReading, other: SentenceReading) -> bool:
    """Return whether each has a word that the other lacks, or one alone a condition."""
    ours, theirs = one.words - other.words, other.words - one.words
    return bool(ours and theirs) or (
        one.conditions != other.conditions and bool(ours or theirs)
    )


def _dates_differ(one: SentenceReading, other: SentenceReading) -> bool:
    """Return whether two otherwise equal sentences have different dates."""
    stamped = one.stamped or other.stamped
    same = one.words == other.words and bool(one.dates and other.dates)
    return same and not stamped and one.dates.isdisjoint(other.dates)


def _denies(one: SentenceReading, other: SentenceReading) -> bool:
    """Return whether one negates the other, and not with the same results."""
    results = len(one.figures & other.figures) >= RESULTS
    return not (other.negations or results or one.negated.isdisjoint(other.words))


def _have_one_subject(one: SentenceReading, other: SentenceReading) -> bool:
    if _share(one, other, longer=True) >= SAME:
        return True
    within = _share(one, other, longer=False) >= WITHIN
    as_many = len(one.quantities) == len(other.quantities)
    return within and as_many and len(one.words & other.words) >= MOST


def _figures_differ(one: SentenceReading, other: SentenceReading) -> bool:
    """Return whether each has a figure that the other lacks, of the same measure.

    Conversions do not count: "38 °C (100.4 °F)" and "100.5 °F (38 °C)" are one
    temperature.
    """
    ours, theirs = one.quantities - other.quantities, other.quantities - one.quantities
    common = {
        unit for (_, unit), _ in one.quantities & other.quantities if _is_measure(unit)
    }
    differing = {unit for (_, unit), _ in ours | theirs}
    converted = common and not common & differing and all(map(_is_measure, differing))
    same = {what for _, what in ours} & {what for _, what in theirs}
    return bool(same) and not converted


def _is_measure(unit: str) -> bool:
    return unit in _MEASURES or unit.split(" ")[0] in _DEGREES


def _share(one: SentenceReading, other: SentenceReading, *, longer: bool) -> float:
    """Return the common words as a share of the longer or the shorter sentence."""
    sizes = len(one.words), len(other.words)
    whole = max(sizes) if longer else min(sizes)
    return len(one.words & other.words) / whole if whole else 0.0
