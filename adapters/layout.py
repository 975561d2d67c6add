"""What of a message goes onto which page, for every platform that has limits (R-C4).

A platform makes units of a message: what is shown together or not at all, so a
quotation is never cut. They go onto as many messages as the platform gives. What does
not fit gives way in the order of `Rank`, the last of a rank first: what was not found,
introductions, whole quotations (a note counts them), headings, and only then sources
(R-C3).
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
    """What a unit is, in the order in which units give way; FIXED never does."""

    NOT_FOUND = 0
    INTRODUCTION = 1
    EVIDENCE = 2
    HEADING = 3
    SOURCE = 4
    WORDS = 5
    BANNER = 6
    FIXED = 7


_LEADING = frozenset({Rank.HEADING, Rank.INTRODUCTION})  # stay with what follows
_LED = frozenset({Rank.NOT_FOUND, Rank.INTRODUCTION, Rank.EVIDENCE, Rank.WORDS})


@dataclass(frozen=True, slots=True)
class Unit(Generic[Shown]):
    """What is shown together or not at all, in a platform's own form."""

    rank: Rank
    shown: Shown


@dataclass(frozen=True, slots=True)
class Paper(Generic[Shown]):
    """The messages that a platform gives to one reply.

    Attributes:
        pages: how many, at most.
        fits: whether these units fit one message.
        note: a few words of ours in the platform's form.
    """

    pages: int
    fits: Callable[[Sequence[Unit[Shown]]], bool]
    note: Callable[[str], Shown]


def paged(units: Sequence[Unit[Shown]], paper: Paper[Shown]) -> list[list[Unit[Shown]]]:
    """The messages that show a reply, as much of it as fits, in order."""
    too_large = {n for n, unit in enumerate(units) if not paper.fits([unit])}
    yielding = [n for n, unit in enumerate(units) if unit.rank is not Rank.FIXED]
    order = sorted(yielding, key=lambda n: (n not in too_large, units[n].rank, -n))

    def after(gone: int) -> list[list[Unit[Shown]]]:
        return _paged(_without(units, order[:gone], paper), paper)

    fewest = sum(number in too_large for number in order)
    steps = range(fewest, len(order))
    more = bisect_left(steps, True, key=lambda gone: len(after(gone)) <= paper.pages)
    return after(fewest + more)


def prose(text: str, fits: Fits) -> list[str]:
    """Our own words in pieces that fit, cut at ends of sentences outside quotes.

    A sentence that fits nowhere is cut between words, a word between characters.
    """
    if fits(text):
        return [text]
    pieces: list[str] = []
    for sentence in _sentences(text):
        joined = f"{pieces[-1]} {sentence}" if pieces else sentence
        if pieces and fits(joined):
            pieces[-1] = joined
        elif fits(sentence):
            pieces.append(sentence)
        else:
            pieces += _forced(sentence, fits)
    return pieces


def clipped(text: str, longest: int) -> str:
    """At most so many characters of our own words, with an ellipsis that says so."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    return (kept.rsplit(None, 1)[0] if " " in kept else kept).rstrip() + "…"


def marks(numbers: Sequence[int]) -> str:
    """The numbers of sources as a reader knows them: "[1, 2]"; empty for none."""
    return f"[{', '.join(map(str, numbers))}]" if numbers else ""


def each(numbers: Sequence[int]) -> str:
    """The numbers of sources one by one, as a list of sources has them: "[1] [2]"."""
    return " ".join(f"[{number}]" for number in numbers)


def item(text: str) -> str:
    """A list item with a bullet, unless its document numbered it."""
    return text if _NUMBERED.match(text) else BULLET + text


# --- what gives way ---------------------------------------------------------------


def _without(
    units: Sequence[Unit[Shown]], gone: Sequence[int], paper: Paper[Shown]
) -> list[Unit[Shown]]:
    """What stays, without what leads to nothing, and with notes of what is missing."""
    missing = Counter(units[n].rank for n in gone)
    left = set(range(len(units))).difference(gone)
    kept: list[Unit[Shown]] = []
    for number in sorted(left, reverse=True):
        if not (missing and _leads_nowhere(units[number].rank, kept)):
            kept.append(units[number])
    kept.reverse()
    if number := missing[Rank.SOURCE]:
        note = paper.note(f"… and {many(number, 'more source')}.")
        kept.insert(_before(kept, Rank.FIXED), Unit(Rank.FIXED, note))
    if number := missing[Rank.EVIDENCE]:
        note = paper.note(f"Left out for length: {many(number, 'more passage')}.")
        kept.insert(_before(kept, Rank.SOURCE), Unit(Rank.FIXED, note))
    return kept


def _leads_nowhere(rank: Rank, following: Sequence[Unit[Shown]]) -> bool:
    """Whether what it led to is gone; `following` are the units below, in reverse."""
    below = following[-1].rank if following else None
    if rank is Rank.INTRODUCTION:
        return below is not Rank.EVIDENCE
    return rank is Rank.HEADING and below not in _LED


def _before(units: Sequence[Unit[Shown]], *ranks: Rank) -> int:
    """The place before the first unit of these ranks, or of FIXED; else the end."""
    stops = (n for n, unit in enumerate(units) if unit.rank in {*ranks, Rank.FIXED})
    return next(stops, len(units))


def _paged(
    units: Sequence[Unit[Shown]], paper: Paper[Shown]
) -> list[list[Unit[Shown]]]:
    pages: list[list[Unit[Shown]]] = []
    for group in _groups(units):
        together = paper.fits(group)
        for piece in [group] if together else [[unit] for unit in group]:
            if pages and paper.fits([*pages[-1], *piece]):
                pages[-1] += piece
            else:
                pages.append(piece)
    return pages


def _groups(units: Sequence[Unit[Shown]]) -> Iterator[list[Unit[Shown]]]:
    """Units that belong together: what leads, and what it leads to."""
    group: list[Unit[Shown]] = []
    for unit in units:
        group.append(unit)
        if unit.rank not in _LEADING:
            yield group
            group = []
    if group:
        yield group


# --- where our own words are cut --------------------------------------------------


def _sentences(text: str) -> Iterator[str]:
    """Sentences; those between which a quote is open are one."""
    start = None
    for span in split_sentences(text):
        start = span.start if start is None else start
        if _closed(text[start : span.end]):
            yield text[start : span.end]
            start = None
    if start is not None:
        yield text[start:].rstrip()


def _closed(text: str) -> bool:
    if text.count('"') % 2:
        return False
    return all(text.count(first) <= text.count(last) for first, last in _QUOTES)


def _forced(text: str, fits: Fits) -> Iterator[str]:
    while text:
        room = _longest(text, fits)
        cut = text.rfind(" ", 1, room) if room < len(text) else room
        cut = cut if cut > 0 else room
        yield text[:cut]
        text = text[cut:].lstrip()


def _longest(text: str, fits: Fits) -> int:
    """How many characters fit; 1 at least, so that there is an end."""
    low = 1
    while low * 2 < len(text) and fits(text[: low * 2]):
        low *= 2
    high = min(low * 2, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(text[:middle]) else (low, middle - 1)
    return low
