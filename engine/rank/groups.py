"""The quotations of each document, with the features of all together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.model.ports import Candidate, Floats
from engine.policy.disagreement import covers_figures
from engine.rank.calibration import Linear
from engine.rank.features import NAMES, Measured
from engine.rank.view import QuestionView
from engine.text.quotable import Quotation, text_of
from engine.text.words import repeats, words

MOST_PASSAGES = 6  # of one document
MOST_OF_CHUNK = 5  # of these: the rows of one table leave room for text about it
MOST_CHARACTERS = 1_700  # of one document's passages together
CONSIDERED = 80  # sentences, in order of score
OF_FURTHER = 12  # of a document that has none among these, so that it is judged, too
BESIDE = 3  # chunks of its document that a quotation is compared with
WIDEST = 4.0  # the margin beyond which a larger one says no more
USUAL = 3.0  # the margin of a lone quotation: the average of the fitted data
FEW = 6  # other sentences, below which a smaller margin is expected
KEPT = 2_048  # passages whose words are cached, about 4 kB each

# The best value among a document's quotations, and the least lack.
BEST: tuple[str, ...] = ("near_weakest", "passage_all", "kind_covered")
LEAST: tuple[str, ...] = ("strange", "strange_chunk", "unnamed")
# Features of all quotations of a document, beyond those of the best.
ABOUT: tuple[str, ...] = (
    "margin",
    "question_words",
    *(f"best_{name}" for name in BEST),
    *(f"least_{name}" for name in LEAST),
)
_BEST = [NAMES.index(name) for name in BEST]
_LEAST = [NAMES.index(name) for name in LEAST]


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotation of a candidate around the sentence that was picked."""

    candidate: int
    quotation: Quotation
    score: float
    words: frozenset[str]
    length: int
    features: Floats

    @property
    def sentence(self) -> int:
        return self.quotation.at


@dataclass(frozen=True, slots=True)
class Group:
    """The passages of one document, best first, with their common features."""

    document: str
    passages: tuple[Passage, ...]
    features: Floats


def group_passages(
    view: QuestionView,
    candidates: Sequence[Candidate],
    measured: Measured,
    order: Linear,
) -> list[Group]:
    """Group the candidates' best passages by document, best first.

    Every document is judged: which of them are shown together is decided by relevance
    afterwards, so that many pages of one society leave places to the others.
    """
    if not len(measured):
        return []
    scores = order.of(measured.features[:, order.among(NAMES)])
    by_document: dict[str, list[Passage]] = {}
    for at in _consider(candidates, measured, scores):
        passage = _make_passage(candidates, measured, at, float(scores[at]))
        document = candidates[passage.candidate].chunk.document
        _add(candidates, by_document.setdefault(document, []), passage)
    beside = _Beside(candidates, measured, scores)
    return [
        Group(document, tuple(passages), _join_features(view, passages, beside))
        for document, passages in by_document.items()
    ]


def _consider(
    candidates: Sequence[Candidate], measured: Measured, scores: Floats
) -> Iterator[int]:
    """Yield the sentences that may be passages, best first; some of every document."""
    near: set[str] = set()
    further: Counter[str] = Counter()
    for place, at in enumerate(np.argsort(-scores, kind="stable")):
        document = candidates[int(measured.candidate[at])].chunk.document
        if place < CONSIDERED:
            near.add(document)
        elif document in near or further[document] == OF_FURTHER:
            continue
        else:
            further[document] += 1
        yield int(at)


@dataclass(frozen=True, slots=True)
class _Beside:
    """All measured sentences, to compare a quotation with."""

    candidates: Sequence[Candidate]
    measured: Measured
    scores: Floats

    def margin(self, passage: Passage) -> float:
        """Return how far a quotation is ahead of the others of its document, on
        average.

        The others are of the few chunks that are nearest to the question, so that the
        number of candidates does not matter, and of no other document. The few
        sentences of a short section have one subject, so that none of them can be far
        ahead: a lack of margin counts for less there.
        """
        document = self.candidates[passage.candidate].chunk.document
        own = [n for n, c in enumerate(self.candidates) if c.chunk.document == document]
        nearest = sorted(own, key=lambda n: -(self.candidates[n].cosine or 0.0))
        counted = {passage.candidate, *nearest[:BESIDE]}
        scores = self.scores[np.isin(self.measured.candidate, list(counted))]
        others = len(scores) - 1
        if not others:
            return USUAL
        ahead = passage.score - (scores.sum() - passage.score) / others
        margin = float(np.clip(ahead, -WIDEST, WIDEST))
        return max(margin, USUAL + (margin - USUAL) * min(1.0, others / FEW))


def _join_features(
    view: QuestionView, passages: Sequence[Passage], beside: _Beside
) -> Floats:
    of_all = np.stack([passage.features for passage in passages])
    about = [
        beside.margin(passages[0]),
        float(min(8, len(view.words))),
        *of_all.max(axis=0)[_BEST],
        *of_all.min(axis=0)[_LEAST],
    ]
    return np.concatenate([passages[0].features, about]).astype(np.float32)


def _make_passage(
    candidates: Sequence[Candidate], measured: Measured, at: int, score: float
) -> Passage:
    candidate = int(measured.candidate[at])
    unit = measured.units[at]
    text = unit.quotation.text(candidates[candidate].chunk)
    return Passage(
        candidate=candidate,
        quotation=unit.quotation,
        score=score,
        words=_find_words(text),
        length=len(text),
        features=measured.features[at],
    )


@lru_cache(maxsize=KEPT)
def _find_words(text: str) -> frozenset[str]:
    """Return the words of a passage; the result is cached."""
    return frozenset(words(text))


def _add(
    candidates: Sequence[Candidate], passages: list[Passage], passage: Passage
) -> None:
    """Add a passage unless it repeats another or there is no room."""
    room = MOST_CHARACTERS - sum(p.length for p in passages)
    if passages and (len(passages) == MOST_PASSAGES or passage.length > room):
        return
    if sum(p.candidate == passage.candidate for p in passages) == MOST_OF_CHUNK:
        return
    if not any(_is_repetition(candidates, passage, p) for p in passages):
        passages.append(passage)


def _is_repetition(
    candidates: Sequence[Candidate], passage: Passage, other: Passage
) -> bool:
    """Return whether a passage says nothing that another one does not."""
    return repeats(passage.words, other.words) and covers_figures(
        tuple(_iterate_sentences(candidates, other)),
        tuple(_iterate_sentences(candidates, passage)),
    )


def _iterate_sentences(
    candidates: Sequence[Candidate], passage: Passage
) -> Iterator[str]:
    """Yield the sentences of a passage."""
    chunk = candidates[passage.candidate].chunk
    for row in passage.quotation.rows:
        yield text_of(chunk, chunk.sentences[row])
