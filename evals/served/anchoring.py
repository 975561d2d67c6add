"""Where a quotation of a served text stands, and if nowhere, what was done to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import pairwise

from evals.forms import Source
from evals.served.quotes import find, finds, fold, runs, stands
from evals.served.reading import Cited, passage

ALIKE = 0.6  # share of words, from which a quotation counts as altered, not as made up
MOST_WORDS = 600  # of a quotation that are compared; a quote has 1,800 characters
SHORTEST_PIECE = 3  # words of a piece, for a quotation to be stitched of pieces
GAP = 3  # words left out between two pieces of one place: altered, not stitched
_ENDS = frozenset(".!?:;\u2026\n")  # of a sentence; "" is none
_CLOSERS = "\"')]\u201d\u2019"
_DOTS = ("[\u2026]", "[...]", "\u2026", "...")


class Anchor(StrEnum):
    """How a quotation stands to the passages that it cites."""

    EXACT = "exact"
    FOLDED = "folded"
    WRONG_SOURCE = "wrong_source"
    STITCHED = "stitched"
    ELLIPSIS = "ellipsis"
    ALTERED = "altered"
    NOT_FOUND = "not_found"


ANCHORED = frozenset({Anchor.EXACT, Anchor.FOLDED})


@dataclass(frozen=True, slots=True)
class Anchored:
    """A class, with the place in a document version where there is one.

    `why` says in words what is wrong; empty for what is anchored.
    """

    kind: Anchor
    version: str = ""
    start: int = 0
    end: int = 0
    why: str = ""


def anchor(
    quotation: str,
    own: Sequence[Cited],
    every: Sequence[Cited],
    sources: Mapping[str, Source],
) -> Anchored:
    """Anchor a quotation, or say how it fails.

    Args:
        quotation: what stands between the marks.
        own: the citations that it carries.
        every: all citations of the answer.
        sources: document versions, by version.
    """
    for part in own:
        found = _within(quotation, part, sources) or _around(quotation, part, sources)
        if found is not None:
            return found
    return _elsewhere(quotation, every, sources) or _broken(quotation, every, sources)


def _within(
    quotation: str, part: Cited, sources: Mapping[str, Source]
) -> Anchored | None:
    text = passage(part, sources)
    found = find(quotation, text)
    if found is None:
        if not stands(quotation, text):
            return None
        return Anchored(Anchor.FOLDED, part.version, part.start, part.end)
    start, end = found
    exact = text[start:end] == quotation.strip()
    kind = Anchor.EXACT if exact else Anchor.FOLDED
    return Anchored(kind, part.version, part.start + start, part.start + end)


def _around(
    quotation: str, part: Cited, sources: Mapping[str, Source]
) -> Anchored | None:
    """Runs of whole sentences of the cited version, in its order.

    One of them reaches into the cited passage; the others are what that leans on.
    """
    parts = runs(quotation)
    text = sources[part.version].text if part.version in sources else ""
    for number, run in enumerate(parts):
        for start, end in finds(run, text):
            if start >= part.end:
                break
            places = [
                *_in_turn(parts[:number], text, 0, start),
                (start, end),
                *_in_turn(parts[number + 1 :], text, end, len(text)),
            ]
            reaches = end > part.start and len(places) == len(parts)
            if reaches and all(_is_whole(text, *place) for place in places):
                first, last = places[0][0], places[-1][1]
                return Anchored(Anchor.EXACT, part.version, first, last)
    return None


def _in_turn(
    parts: Sequence[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Where each of some runs stands between two places, behind the one before."""
    for part in parts:
        found = find(part, text[start:end])
        if found is None:
            return
        yield start + found[0], start + found[1]
        start += found[1]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether sentences or lines begin and end there, so that nothing is cut off."""
    before, after = text[:start].rstrip(" \t"), text[end:].lstrip(" \t")
    # An opening mark stands before the first sentence of a docstring.
    outside = before.rstrip(_CLOSERS).rstrip(" \t")
    begins = not outside or before[-1] == "\n" or outside[-1] in _ENDS
    said = text[start:end].rstrip(_CLOSERS)
    return begins and (not after or after[0] == "\n" or said[-1:] in _ENDS)


def _elsewhere(
    quotation: str, every: Sequence[Cited], sources: Mapping[str, Source]
) -> Anchored | None:
    """Whether it is verbatim, but not where it says."""
    versions = dict.fromkeys((*(part.version for part in every), *sources))
    for version in versions:
        source = sources.get(version)
        found = find(quotation, source.text) if source else None
        if source and found:
            why = f"stands in {source.path} at {found[0]}, outside what it cites"
            return Anchored(Anchor.WRONG_SOURCE, version, *found, why)
    return None


def _broken(
    quotation: str, every: Sequence[Cited], sources: Mapping[str, Source]
) -> Anchored:
    versions = dict.fromkeys(part.version for part in every)
    texts = [sources[version].text for version in versions if version in sources]
    for dots in _DOTS:
        parts = [part for part in quotation.split(dots) if part.strip()]
        if len(parts) > 1 and all(any(stands(p, t) for t in texts) for p in parts):
            return Anchored(Anchor.ELLIPSIS, why="leaves words out between its dots")
    words = fold(quotation).text.split()[:MOST_WORDS]
    pieces = _pieces(words, texts)
    if pieces and not _near(pieces, texts):
        said = " + ".join(f"“{piece}”" for piece in pieces)
        return Anchored(Anchor.STITCHED, why=f"is put together of {said}")
    change = _change(words, texts)
    if change:
        return Anchored(Anchor.ALTERED, why=change)
    return Anchored(Anchor.NOT_FOUND, why="stands in no cited document")


def _pieces(words: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The fewest runs of a source that make up the quotation; none where some do not.

    Words of a run may carry other punctuation at its end than the source has there.
    """
    pieces: list[str] = []
    at = 0
    while at < len(words):
        run = next(_longest(words[at:], texts), None)
        if run is None or run < min(SHORTEST_PIECE, len(words) - at):
            return []
        pieces.append(" ".join(words[at : at + run]))
        at += run
    return pieces if len(pieces) > 1 else []


def _longest(words: Sequence[str], texts: Sequence[str]) -> Iterator[int]:
    """The number of first words that stand together in a text, most first."""
    low, high = 0, len(words)
    while low < high:  # a run stands wherever a longer one does
        middle = (low + high + 1) // 2
        if any(_stands(words[:middle], text) for text in texts):
            low = middle
        else:
            high = middle - 1
    if low:
        yield low


def _stands(words: Sequence[str], text: str) -> bool:
    return stands(" ".join(words).strip(".,;: "), text)


def _near(pieces: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether all pieces come from one place, with few words left out between them."""
    for text in texts:
        spans = [find(piece.strip(".,;: "), text) for piece in pieces]
        found = [span for span in spans if span is not None]
        if len(found) < len(pieces):
            continue
        gaps = [
            text[one[1] : two[0]] for one, two in pairwise(found) if two[0] >= one[1]
        ]
        close = all(len(gap.split()) <= GAP for gap in gaps)
        if len(gaps) == len(found) - 1 and close:
            return True
    return False


def _change(words: Sequence[str], texts: Sequence[str]) -> str:
    """What was changed against the most similar stretch; empty where none is alike."""
    best, said = ALIKE, ""
    for text in texts:
        held = fold(text).text.split()
        matcher = SequenceMatcher(None, held, words, autojunk=False)
        block = matcher.find_longest_match()
        first = max(0, block.a - block.b)
        window = held[first : first + len(words) + GAP]
        matcher = SequenceMatcher(None, window, words, autojunk=False)
        alike = sum(found.size for found in matcher.get_matching_blocks()) / len(words)
        if alike >= best:
            best, said = alike, _difference(matcher, window, words)
    return said


def _difference(
    matcher: SequenceMatcher[str], window: Sequence[str], words: Sequence[str]
) -> str:
    """The first change in words: what the source has, and what the quotation says."""
    for tag, one, two, three, four in matcher.get_opcodes():
        if tag != "equal" and three < len(words):
            old, new = " ".join(window[one:two]), " ".join(words[three:four])
            return f"says “{new}” where the source says “{old}”"
    return "is cut or joined inside a word"
