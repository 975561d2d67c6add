"""The layout of a message on pages, for every platform with limits.

A platform converts a message to units, each shown completely or not at all, so that a
quotation is never cut. They fill as many messages as the platform allows. Units that do
not fit are dropped in the order of `Rank`, the last of a rank first: the statement of
what was not found, introductions, whole quotations (a note counts them), headings, and
only then sources.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

import re2

from adapters.inert import many
from engine.text.sentences import split_sentences

Shown = TypeVar("Shown")
Fits = Callable[[str], bool]

BULLET = "• "
_NUMBERED = re2.compile(r"\(?(?:\d{1,3}|[a-zA-Z])[.)] ")  # brings its own mark
_QUOTES = (("\u201c", "\u201d"), ("\u00ab", "\u00bb"))


class Rank(IntEnum):
    """The kind of a unit, in the order in which units are dropped; FIXED never is."""

    NOT_FOUND = 0
    INTRODUCTION = 1
    EVIDENCE = 2
    HEADING = 3
    SOURCE = 4
    WORDS = 5
    BANNER = 6
    FIXED = 7


_LEADING = frozenset({Rank.HEADING, Rank.INTRODUCTION})  # kept with the next unit
_LED = frozenset({Rank.NOT_FOUND, Rank.INTRODUCTION, Rank.EVIDENCE, Rank.WORDS})


@dataclass(frozen=True, slots=True)
class Unit(Generic[Shown]):
    """A part that is shown completely or not at all, in a platform's form."""

    rank: Rank
    shown: Shown


@dataclass(frozen=True, slots=True)
class Paper(Generic[Shown]):
    """The limits of the messages of one reply on a platform.

    Attributes:
        pages: most messages.
        fits: tell whether units fit one message.
        note: put a few words of ours into the platform's form.
    """

    pages: int
    fits: Callable[[Sequence[Unit[Shown]]], bool]
    note: Callable[[str], Shown]


def paged(units: Sequence[Unit[Shown]], paper: Paper[Shown]) -> list[list[Unit[Shown]]]:
    """Lay units out on messages in order, dropping those that do not fit."""
    too_large = {n for n, unit in enumerate(units) if not paper.fits([unit])}
    yielding = [n for n, unit in enumerate(units) if unit.rank is not Rank.FIXED]
    order = sorted(yielding, key=lambda n: (n not in too_large, units[n].rank, -n))

    def after(gone: int) -> list[list[Unit[Shown]]]:
        return _fill_pages(_drop_units(units, order[:gone], paper), paper)

    fewest = sum(number in too_large for number in order)
    steps = range(fewest, len(order))
    more = bisect_left(steps, True, key=lambda gone: len(after(gone)) <= paper.pages)
    return after(fewest + more)


def prose(text: str, fits: Fits) -> list[str]:
    """Cut our own words into pieces that fit, at ends of sentences outside quotes.

    A sentence that is too long is cut between words, a word between characters.
    """
    if fits(text):
        return [text]
    pieces: list[str] = []
    for sentence in _split_sentences(text):
        joined = f"{pieces[-1]} {sentence}" if pieces else sentence
        if pieces and fits(joined):
            pieces[-1] = joined
        elif fits(sentence):
            pieces.append(sentence)
        else:
            pieces += _cut_words(sentence, fits)
    return pieces


def clipped(text: str, longest: int) -> str:
    """Clip our own words to a number of characters, with an ellipsis."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    return (kept.rsplit(None, 1)[0] if " " in kept else kept).rstrip() + "…"


def marks(numbers: Sequence[int]) -> str:
    """Write the numbers of sources as in answers: "[1, 2]"; "" for none."""
    return f"[{', '.join(map(str, numbers))}]" if numbers else ""


def each(numbers: Sequence[int]) -> str:
    """Write the numbers of sources as in a list of sources: "[1] [2]"."""
    return " ".join(f"[{number}]" for number in numbers)


def item(text: str) -> str:
    """Write a list item with a bullet, unless its document numbered it."""
    return text if _NUMBERED.match(text) else BULLET + text


# --- dropped units ----------------------------------------------------------------


def _drop_units(
    units: Sequence[Unit[Shown]], gone: Sequence[int], paper: Paper[Shown]
) -> list[Unit[Shown]]:
    """Drop units and those that only led to them, and add notes that count them."""
    missing = Counter(units[n].rank for n in gone)
    left = set(range(len(units))).difference(gone)
    kept: list[Unit[Shown]] = []
    for number in sorted(left, reverse=True):
        if not (missing and _is_without_target(units[number].rank, kept)):
            kept.append(units[number])
    kept.reverse()
    if number := missing[Rank.SOURCE]:
        note = paper.note(f"… and {many(number, 'more source')}.")
        kept.insert(_find_place_before(kept, Rank.FIXED), Unit(Rank.FIXED, note))
    if number := missing[Rank.EVIDENCE]:
        note = paper.note(f"Left out for length: {many(number, 'more passage')}.")
        kept.insert(_find_place_before(kept, Rank.SOURCE), Unit(Rank.FIXED, note))
    return kept


def _is_without_target(rank: Rank, following: Sequence[Unit[Shown]]) -> bool:
    """Tell whether a unit leads to a dropped one; `following` is in reverse order."""
    below = following[-1].rank if following else None
    if rank is Rank.INTRODUCTION:
        return below is not Rank.EVIDENCE
    return rank is Rank.HEADING and below not in _LED


def _find_place_before(units: Sequence[Unit[Shown]], *ranks: Rank) -> int:
    """Find the place before the first unit of these ranks or FIXED, or else the end."""
    stops = (n for n, unit in enumerate(units) if unit.rank in {*ranks, Rank.FIXED})
    return next(stops, len(units))


def _fill_pages(
    units: Sequence[Unit[Shown]], paper: Paper[Shown]
) -> list[list[Unit[Shown]]]:
    pages: list[list[Unit[Shown]]] = []
    for group in _group_units(units):
        together = paper.fits(group)
        for piece in [group] if together else [[unit] for unit in group]:
            if pages and paper.fits([*pages[-1], *piece]):
                pages[-1] += piece
            else:
                pages.append(piece)
    return pages


def _group_units(units: Sequence[Unit[Shown]]) -> Iterator[list[Unit[Shown]]]:
    """Group units that lead with the unit that they lead to."""
    group: list[Unit[Shown]] = []
    for unit in units:
        group.append(unit)
        if unit.rank not in _LEADING:
            yield group
            group = []
    if group:
        yield group


# --- cuts in our own words --------------------------------------------------------


def _split_sentences(text: str) -> Iterator[str]:
    """Split a text into sentences, but not inside quotation marks."""
    start = None
    for span in split_sentences(text):
        start = span.start if start is None else start
        if _has_closed_quotes(text[start : span.end]):
            yield text[start : span.end]
            start = None
    if start is not None:
        yield text[start:].rstrip()


def _has_closed_quotes(text: str) -> bool:
    if text.count('"') % 2:
        return False
    return all(text.count(first) <= text.count(last) for first, last in _QUOTES)


def _cut_words(text: str, fits: Fits) -> Iterator[str]:
    while text:
        room = _find_longest(text, fits)
        cut = text.rfind(" ", 1, room) if room < len(text) else room
        cut = cut if cut > 0 else room
        yield text[:cut]
        text = text[cut:].lstrip()


def _find_longest(text: str, fits: Fits) -> int:
    """Find how many characters fit; at least 1, so that cutting ends."""
    low = 1
    while low * 2 < len(text) and fits(text[: low * 2]):
        low *= 2
    high = min(low * 2, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(text[:middle]) else (low, middle - 1)
    return low
