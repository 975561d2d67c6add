"""The best passages, read: what a reader finds in each becomes its relevance.

Search and features choose what is read; a reader and what was known before it say how
likely each passage answers. A passage that was not read opens nothing, and no passage
is shown at the relevance of another.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from engine.model.errors import ReaderFailed
from engine.model.frozen import Span
from engine.model.passage import Chunk, Pick
from engine.model.ports import Candidate, Readable, Reader, ReaderScore
from engine.rank.calibration import GENERAL, Calibration
from engine.rank.outline import outline
from engine.text.legible import legible
from engine.text.masking import mask

MOST = 6  # passages that are read for a question
RANKS = 10.0  # the usual constant of reciprocal rank fusion is 60, for long lists
FOUND = "reader"  # what a passage's `parts` call the reader's log-odds
BEFORE = "before"  # and the log-odds without the reader
SURE = 0.0  # log-odds from which the reader's pointing is followed
AHEAD = 1.0  # of the order score, what the sentence that it points at is ahead


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader, and what was fitted for its scores over one embedder.

    `fallback` is given for a reader that is not on this machine: it reads what may not
    leave, and serves where the other cannot be reached.
    """

    reader: Reader
    calibration: Calibration
    fallback: "Reading | None" = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a pack says of reading.

    `domain` is that of its questions (`Calibration.places`). `records` is the kind of
    thing that an answer lists: a record of one is an item of the list, if it is about
    what is asked, and answers nothing in words; so features alone judge it. `leaving`
    says that questions and passages without access tags may go to a reader elsewhere.
    """

    domain: str = GENERAL
    records: str | None = None
    leaving: bool = False


async def read(
    reading: Reading,
    question: str,
    judged: Sequence[Chunk],
    candidates: Sequence[Candidate],
    bounds: Bounds,
) -> list[Chunk]:
    """Return the passages with the relevance that reading gives them, best first.

    Args:
        reading: who reads.
        question: in the asker's words, spelling corrected.
        judged: with the relevance of features alone, best first.
        candidates: where they come from, with what each arm said of them.
        bounds: what the pack says of it.

    Raises:
        ReaderFailed: the reader cannot be loaded or reached.
    """
    chosen = first(judged, candidates)[:MOST]
    found = await _scores(reading, question, chosen, leaving=bounds.leaving)
    every = [_read(chunk, found.get(chunk.id), bounds) for chunk in judged]
    return sorted(every, key=lambda c: (-c.relevance, -c.picks[0].score))


_Scored = tuple[ReaderScore, Calibration]


async def _scores(
    reading: Reading, question: str, chosen: Sequence[Chunk], *, leaving: bool
) -> dict[str, _Scored]:
    """Return a score for each passage, with what was fitted for whoever read it."""
    own = reading.fallback
    if own is None:
        return await _scored(reading, question, chosen)
    out = [chunk for chunk in chosen if leaving and not chunk.tags]
    try:
        found = await _scored(reading, mask(question), out)
    except ReaderFailed:
        found = {}
    kept = [chunk for chunk in chosen if chunk.id not in found]
    return {**found, **await _scored(own, question, kept)}


async def _scored(
    reading: Reading, question: str, chosen: Sequence[Chunk]
) -> dict[str, _Scored]:
    scores = await reading.reader.read(question, [readable(c) for c in chosen])
    return {
        chunk.id: (score, reading.calibration)
        for chunk, score in zip(chosen, scores, strict=True)
    }


def readable(chunk: Chunk) -> Readable:
    """Return a passage as it is read: "Title > Section", and its text below its
    headings.

    No heading is read twice: a page's first heading often repeats its title, and a
    passage opens with its own heading. What is said twice pushes out what is asked for:
    of 59 questions about statutes a fifth had log-odds below 0.2 with it and a fifth
    below 1.1 without it, near misses being where they were. Ligatures and soft hyphens
    are read as the letters that they stand for.
    """
    path: list[str] = []
    for heading in (chunk.title, *chunk.section):
        if not any(_bare(heading) in _bare(above) for above in path):
            path.append(heading)
    text = legible(chunk.text[_above(chunk.text, _headings(chunk)) :])
    return Readable(" > ".join(map(legible, path)), text)


def _headings(chunk: Chunk) -> frozenset[str]:
    return frozenset(_bare(heading) for heading in (chunk.title, *chunk.section))


def _above(text: str, headings: Collection[str]) -> int:
    """Return where a passage begins below its own headings."""
    below = text
    while True:
        opening, _, rest = below.partition("\n")
        if not rest.strip() or _bare(opening) not in headings:
            return len(text) - len(below)
        below = rest.lstrip()


def _bare(heading: str) -> str:
    """Return a heading without case, spacing and the number in front of it."""
    words = heading.lower().split()
    return " ".join(words[1:] if len(words) > 1 and words[0][0].isdigit() else words)


def first(judged: Sequence[Chunk], candidates: Sequence[Candidate]) -> list[Chunk]:
    """Return the passages in the order in which they are read.

    No single measure brings all that answers: the ranks by relevance, best sentence,
    meaning and stored question are fused (Cormack, Clarke, Buettcher 2009), behind the
    best of each.
    """
    arms = {c.chunk.id: c for c in candidates}
    measures: tuple[Callable[[Chunk], float | None], ...] = (
        lambda c: c.relevance,
        lambda c: max(pick.score for pick in c.picks),
        lambda c: arms[c.id].cosine,
        lambda c: arms[c.id].question or arms[c.id].offered,
    )
    fused = dict.fromkeys((c.id for c in judged), 0.0)
    best: set[str] = set()
    for measure in measures:
        measured = [(value, c.id) for c in judged if (value := measure(c)) is not None]
        measured.sort(key=lambda one: -one[0])
        best |= {name for _, name in measured[:1]}
        for rank, (_, name) in enumerate(measured):
            fused[name] += 1 / (RANKS + rank)
    return sorted(judged, key=lambda c: (c.id not in best, -fused[c.id]))


def _read(chunk: Chunk, scored: _Scored | None, bounds: Bounds) -> Chunk:
    listed = any(thing.kind == bounds.records for thing in chunk.things)
    if scored is None:
        return chunk if listed else _at(chunk, 0.0)
    score, calibration = scored
    before = _odds(chunk.relevance)
    parts = {**chunk.parts, FOUND: score.log_odds, BEFORE: before}
    relevance = calibration.read(parts, bounds.domain)
    if listed:
        relevance = max(relevance, chunk.relevance)
    elif score.log_odds < calibration.floor:
        relevance = 0.0
    return _at(_pointed(chunk, score), relevance).model_copy(update={"parts": parts})


def _at(chunk: Chunk, relevance: float) -> Chunk:
    picks = tuple(p.model_copy(update={"relevance": relevance}) for p in chunk.picks)
    return chunk.model_copy(update={"relevance": relevance, "picks": picks})


def _odds(probability: float) -> float:
    inside = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(inside / (1 - inside)))


def _pointed(chunk: Chunk, score: ReaderScore) -> Chunk:
    """Return the passage whose best sentence is the one that the reader points at.

    Where it is unsure whether the passage answers, the features' order is kept.
    """
    at = _sentence(chunk, score)
    if at is None or score.log_odds < SURE:
        return chunk
    best = max(pick.score for pick in chunk.picks)
    own = next((p for p in chunk.picks if p.sentence == at), None)
    first = Pick(sentence=at, score=best + AHEAD, relevance=chunk.relevance)
    if own is not None and own.last is not None:
        return chunk
    others = (p for p in chunk.picks if p.sentence != at)
    return chunk.model_copy(update={"picks": (first, *others)})


def _sentence(chunk: Chunk, score: ReaderScore) -> int | None:
    """Return the sentence that may be chosen in which the answer begins.

    The head of a table's rows states nothing by itself: no row of it was pointed at.
    """
    if score.start is None:
        return None
    above = _above(chunk.text, _headings(chunk))
    text = chunk.text[above:]
    read = bisect_left(
        range(len(text)), score.start, key=lambda n: len(legible(text[:n]))
    )
    place = chunk.start + above + read
    heads = {head for sentence in chunk.sentences for head in sentence.heads}
    units = {unit.quotation.at for unit in outline(chunk).units}
    inside = [
        at
        for at, sentence in enumerate(chunk.sentences)
        if at in units
        and sentence.start <= place < sentence.end
        and Span(start=sentence.start, end=sentence.end) not in heads
    ]
    return inside[0] if inside else None
