"""From features to relevance: how likely the passages of a document answer the
question.

Relevance is the calibrated probability that the passages of a document answer the
question. It is computed from question, text and vectors alone, so it does not depend on
which index found a candidate. Weights come from a calibration file, fitted by
evals/relevance/calibrate.py on labelled questions, answerable and not.
"""

from collections.abc import Sequence

import numpy as np

from engine.model.passage import Chunk, Pick
from engine.model.ports import Candidate
from engine.policy.mix import CoverRule, TitleRule
from engine.policy.pack import Pack
from engine.rank.calibration import Calibration
from engine.rank.features import NAMES
from engine.rank.groups import ABOUT, Group, Passage

MATCHED = 0.85  # similarity of a word that occurs in a text, or of a synonym
ROUNDING = 1e-6  # shares are sums of 32-bit numbers
# How near a passage is to a question, and so to its subject. An asker who selects a
# passage has set the subject: "How is this taken?" is near to nothing.
NEARNESS = frozenset(
    {
        "cosine",
        "pooled",
        "pooled_passage",
        "chunk_all",
        "passage_all",
        "best_passage_all",
        "margin",
    }
)


def judge(
    groups: Sequence[Group],
    candidates: Sequence[Candidate],
    calibration: Calibration,
    *,
    pack: Pack | None = None,
    selected: bool = False,
) -> list[Chunk]:
    """Return the chunks of the groups with relevance, parts and picks, best first.

    Args:
        groups: the passages of each document.
        candidates: their candidates.
        calibration: of the embedder that the vectors are from.
        pack: its `titles` and `covered` apply here; without a pack neither does.
        selected: the asker selected the candidates, so their subject is not judged.
    """
    titles, covered = None, None
    if pack is not None and not selected:
        titles, covered = pack.retrieval.titles, pack.retrieval.covered
    judged: list[Chunk] = []
    for one in groups:
        odds = _compute_odds(one, calibration, selected=selected) + _weigh_title(
            one, titles
        )
        probability = float(1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30))))
        probability = min(probability, _limit_relevance(one, covered))
        parts = _name_features(one)
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


def _compute_odds(one: Group, calibration: Calibration, *, selected: bool) -> float:
    """Return the log-odds that the passages of a document answer."""
    relevance = calibration.relevance
    measured = _name_features(one)
    features = np.array([measured[name] for name in relevance.names])[None, :]
    if not (selected and _covers_question(one)):
        return float(relevance.of(features)[0])
    raised = relevance.raised(features, NEARNESS)
    return float(relevance.of(raised)[0]) + calibration.selected


def _weigh_title(one: Group, rule: TitleRule | None) -> float:
    """Return the change of a document's log-odds by its title."""
    if rule is None:
        return 0.0
    return rule.weight * (_name_features(one)["title_asked"] - rule.usual)


def _limit_relevance(one: Group, rule: CoverRule | None) -> float:
    """Return the highest relevance of a document, for the share of the question it
    covers.
    """
    if rule is None or _name_features(one)["covered"] >= rule.share - ROUNDING:
        return 1.0
    return rule.at_most


def _name_features(one: Group) -> dict[str, float]:
    return dict(zip((*NAMES, *ABOUT), map(float, one.features), strict=True))


def _covers_question(one: Group) -> bool:
    """Return whether a selection has every heavy word, and more than its title.

    "How does tamoxifen work?" shares only the title with a text on tamoxifen.
    """
    measured = _name_features(one)
    bare = measured["question_words"] <= 1 and measured["named_title"] >= MATCHED
    return measured["best_near_weakest"] >= MATCHED and not bare
