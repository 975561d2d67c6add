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
from engine.retrieve.groups import ABOUT, Group, Passage

VETOED = 0.2  # relevance, at most, of passages that lack what was asked for


def judge(
    groups: Sequence[Group], candidates: Sequence[Candidate], relevance: Linear
) -> list[Chunk]:
    """The chunks of the groups with their relevance, parts and picks, best first."""
    judged: list[Chunk] = []
    for one in groups:
        odds = float(relevance.of(one.features[None, :])[0])
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
