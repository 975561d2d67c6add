"""Features to relevance: how likely the passages of a document answer the question.

Relevance is the calibrated probability that the passages of a document answer the
question (R-G6). It is computed from question, text and vectors alone, so it does not
depend on which index found a candidate. Weights come from a calibration file, fitted
by evals/relevance/calibrate.py on labelled questions, answerable and not.
"""

from collections.abc import Sequence

import numpy as np

from engine.ports import Candidate
from engine.records import Chunk, Pick
from engine.retrieve.calibration import Linear
from engine.retrieve.features import NAMES
from engine.retrieve.groups import ABOUT, MATCHED, Group, Passage

# How near a passage is to a question, and so to its subject, against all others. Who
# selects a passage has settled that: "How is this taken?" is near to nothing.
NEARNESS = frozenset(
    {
        "cosine",
        "pooled",
        "pooled_passage",
        "chunk_all",
        "passage_all",
        "wide",
        "wide_passage",
    }
)
# Log-odds that a passage which its reader selected answers, beyond those of one that a
# search brought: the likeliest where half of the selections answer lies between 0.75
# and 0.9. From 201 passages of four sentences, selected for questions of the tuning
# half of oncology: 64 that answer, and the best ones that do not.
SELECTED = 0.8
VETOED = 0.2  # relevance, at most, of passages that lack what was asked for


def judge(
    groups: Sequence[Group],
    candidates: Sequence[Candidate],
    relevance: Linear,
    *,
    selected: bool = False,
) -> list[Chunk]:
    """The chunks of the groups with their relevance, parts and picks, best first.

    Args:
        groups: the passages of each document.
        candidates: what they come from.
        relevance: the logistic.
        selected: the asker selected the candidates (R-A6), no search brought them.
    """
    judged: list[Chunk] = []
    for one in groups:
        odds = _odds(one, relevance, selected=selected)
        probability = float(1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30))))
        if one.vetoed:
            probability = min(probability, VETOED)
        parts = dict(zip((*NAMES, *ABOUT), map(float, one.features), strict=True))
        by_chunk: dict[int, list[Passage]] = {}
        for passage in one.passages:
            by_chunk.setdefault(passage.candidate, []).append(passage)
        judged += [
            candidates[number].chunk.model_copy(
                update={
                    "relevance": probability,
                    "parts": parts,
                    "picks": tuple(
                        Pick(sentence=p.sentence, score=p.score, relevance=probability)
                        for p in passages
                    ),
                }
            )
            for number, passages in by_chunk.items()
        ]
    return sorted(judged, key=lambda c: (-c.relevance, -c.picks[0].score))


def _odds(one: Group, relevance: Linear, *, selected: bool) -> float:
    """Log-odds that the passages of a document answer."""
    features = one.features[None, :]
    if not (selected and _speaks(one)):
        return float(relevance.of(features)[0])
    return float(relevance.of(relevance.raised(features, NEARNESS))[0]) + SELECTED


def _speaks(one: Group) -> bool:
    """Whether a selection says every word of weight, and more than its subject.

    "How does tamoxifen work?" holds no word but the title of a text on tamoxifen.
    """
    measured = dict(zip((*NAMES, *ABOUT), map(float, one.features), strict=True))
    bare = measured["question_words"] <= 1 and measured["named_title"] >= MATCHED
    return measured["best_weakest"] >= MATCHED and not bare
