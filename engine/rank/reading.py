"""The best passages, read: the score of a reader becomes the relevance of each.

Search and features choose the passages; reader and features together give the
probability that each answers. A passage that was not read opens nothing, and no passage
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
from engine.rank.outline import make_outline
from engine.text.legible import legible
from engine.text.masking import mask

MOST = 6  # passages that are read for a question
RANKS = 10.0  # the usual constant of reciprocal rank fusion is 60, for long lists
FOUND = "reader"  # the key of the reader's log-odds in a passage's `parts`
BEFORE = "before"  # and of the log-odds without the reader
LIKELY = "likely"  # and of those, where they speak for the passage; else 0
SURE = 0.0  # log-odds from which a passage is thought to answer
AHEAD = 1.0  # the lead of the sentence that it points at, in the order score


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader with the calibration of its scores over one embedder.

    A reader on another machine has a `fallback`, which reads what may not leave this
    one, and serves where the other cannot be reached.
    """

    reader: Reader
    calibration: Calibration
    fallback: "Reading | None" = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """The rules of reading for a question.

    `domain` is that of its questions (`Calibration.places`). `records` is the kind of
    entity that an answer lists: a record is an item of the list, if it is about the
    subject, and answers nothing in words; so features alone judge it. `leaving` allows
    questions and passages without access tags to go to a reader elsewhere. `alone` is
    the question without the title above it, if it has one: such a title lifts every
    passage of its document, so one of them counts only where the reader finds, on the
    mean of the question with and without the title, that it answers.
    """

    domain: str = GENERAL
    records: str | None = None
    leaving: bool = False
    alone: str = ""


async def read(
    reading: Reading,
    question: str,
    judged: Sequence[Chunk],
    candidates: Sequence[Candidate],
    bounds: Bounds,
) -> list[Chunk]:
    """Set the relevance of passages by reading the best, and sort them.

    Args:
        reading: the reader.
        question: in the asker's words, spelling corrected.
        judged: with the relevance of features alone, best first.
        candidates: where they come from, with the scores of the retrievers.
        bounds: the rules.

    Raises:
        ReaderFailed: the reader cannot be loaded or reached.
    """
    chosen = rank_for_reading(judged, candidates)[:MOST]
    found = await _score(reading, question, chosen, leaving=bounds.leaving)
    if bounds.alone:
        plain = await _score(reading, bounds.alone, chosen, leaving=bounds.leaving)
        found = {
            name: scored
            for name, scored in found.items()
            if scored[0].log_odds + plain[name][0].log_odds >= 2 * SURE
        }
    every = [_apply_score(chunk, found.get(chunk.id), bounds) for chunk in judged]
    return sorted(every, key=lambda c: (-c.relevance, -c.picks[0].score))


_Scored = tuple[ReaderScore, Calibration]


async def _score(
    reading: Reading, question: str, chosen: Sequence[Chunk], *, leaving: bool
) -> dict[str, _Scored]:
    """Score the passages; return each score with the calibration of its reader."""
    own = reading.fallback
    if own is None:
        return await _score_with(reading, question, chosen)
    out = [chunk for chunk in chosen if leaving and not chunk.tags]
    try:
        found = await _score_with(reading, mask(question), out)
    except ReaderFailed:
        found = {}
    kept = [chunk for chunk in chosen if chunk.id not in found]
    return {**found, **await _score_with(own, question, kept)}


async def _score_with(
    reading: Reading, question: str, chosen: Sequence[Chunk]
) -> dict[str, _Scored]:
    scores = await reading.reader.read(question, [make_readable(c) for c in chosen])
    return {
        chunk.id: (score, reading.calibration)
        for chunk, score in zip(chosen, scores, strict=True)
    }


def make_readable(chunk: Chunk) -> Readable:
    """Return a passage as it is read: "Title > Section", and the text below its
    headings.

    No heading is read twice: a page's first heading often repeats its title, and a
    passage opens with its own heading. Repetitions displace the text that is asked for:
    of 59 questions about statutes a fifth had log-odds below 0.2 with them and a fifth
    below 1.1 without, while near misses scored the same. Ligatures and soft hyphens are
    read as the letters that they represent.
    """
    path: list[str] = []
    for heading in (chunk.title, *chunk.section):
        if not any(_strip_heading(heading) in _strip_heading(above) for above in path):
            path.append(heading)
    text = legible(chunk.text[_find_text_start(chunk.text, _find_headings(chunk)) :])
    return Readable(" > ".join(map(legible, path)), text)


def _find_headings(chunk: Chunk) -> frozenset[str]:
    return frozenset(
        _strip_heading(heading) for heading in (chunk.title, *chunk.section)
    )


def _find_text_start(text: str, headings: Collection[str]) -> int:
    """Return the start of a passage's text below its own headings."""
    below = text
    while True:
        opening, _, rest = below.partition("\n")
        if not rest.strip() or _strip_heading(opening) not in headings:
            return len(text) - len(below)
        below = rest.lstrip()


def _strip_heading(heading: str) -> str:
    """Return a heading without case, spacing and the number in front of it."""
    words = heading.lower().split()
    return " ".join(words[1:] if len(words) > 1 and words[0][0].isdigit() else words)


def rank_for_reading(
    judged: Sequence[Chunk], candidates: Sequence[Candidate]
) -> list[Chunk]:
    """Sort the passages in the order in which they are read.

    No single measure finds all answers: the ranks by relevance, best sentence, meaning
    and stored question are fused (Cormack, Clarke, Buettcher 2009), behind the best of
    each.
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


def _apply_score(chunk: Chunk, scored: _Scored | None, bounds: Bounds) -> Chunk:
    listed = any(thing.kind == bounds.records for thing in chunk.things)
    if scored is None:
        return chunk if listed else _set_relevance(chunk, 0.0)
    score, calibration = scored
    before = _to_log_odds(chunk.relevance)
    # A question in everyday words shares few of them with the page that answers it: the
    # features may speak for a passage, and not against what the reader finds.
    found = {FOUND: score.log_odds, BEFORE: before, LIKELY: max(before, 0.0)}
    parts = {**chunk.parts, **found}
    relevance = calibration.read(parts, bounds.domain)
    if listed:
        relevance = max(relevance, chunk.relevance)
    elif score.log_odds < calibration.floor:
        relevance = 0.0
    return _set_relevance(_move_pointed(chunk, score), relevance).model_copy(
        update={"parts": parts}
    )


def _set_relevance(chunk: Chunk, relevance: float) -> Chunk:
    picks = tuple(p.model_copy(update={"relevance": relevance}) for p in chunk.picks)
    return chunk.model_copy(update={"relevance": relevance, "picks": picks})


def _to_log_odds(probability: float) -> float:
    inside = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(inside / (1 - inside)))


def _move_pointed(chunk: Chunk, score: ReaderScore) -> Chunk:
    """Move the sentence that the reader points at to the front.

    Where it is unsure whether the passage answers, the features' order is kept.
    """
    at = _find_sentence(chunk, score)
    if at is None or score.log_odds < SURE:
        return chunk
    best = max(pick.score for pick in chunk.picks)
    own = next((p for p in chunk.picks if p.sentence == at), None)
    first = Pick(sentence=at, score=best + AHEAD, relevance=chunk.relevance)
    if own is not None and own.last is not None:
        return chunk
    others = (p for p in chunk.picks if p.sentence != at)
    return chunk.model_copy(update={"picks": (first, *others)})


def _find_sentence(chunk: Chunk, score: ReaderScore) -> int | None:
    """Return the selectable sentence in which the answer begins.

    The head rows of a table state nothing by themselves: a pointer at one is ignored.
    """
    if score.start is None:
        return None
    above = _find_text_start(chunk.text, _find_headings(chunk))
    text = chunk.text[above:]
    read = bisect_left(
        range(len(text)), score.start, key=lambda n: len(legible(text[:n]))
    )
    place = chunk.start + above + read
    heads = {head for sentence in chunk.sentences for head in sentence.heads}
    units = {unit.quotation.at for unit in make_outline(chunk).units}
    inside = [
        at
        for at, sentence in enumerate(chunk.sentences)
        if at in units
        and sentence.start <= place < sentence.end
        and Span(start=sentence.start, end=sentence.end) not in heads
    ]
    return inside[0] if inside else None
