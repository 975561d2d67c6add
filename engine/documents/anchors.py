"""Quote anchors: the sentences of a chunk that are most useful to quote."""

from collections.abc import Iterable, Sequence

import re2

from engine.model.document import BlockKind, Sentence
from engine.model.frozen import Frozen, Probability
from engine.model.passage import Chunk

SHORTEST = 21  # characters: "more than 20"
MOST = 5
RECOMMENDATION = re2.compile(r"(?i)\b(recommend\w*|should|must|required?)\b")
# Weights of the anchor score; each pattern counts once a sentence.
SCORES = (
    (RECOMMENDATION, 2),
    (
        re2.compile(
            r"(?i:\bcategory)\s+\d|"
            r"(?i:\blevel(?:\s+of\s+evidence)?)\s+(?:[1-5]|I{1,3}|IV|V)[ABC]?\b"
        ),
        3,
    ),
    (re2.compile(r"(?i)\d\s*(?:%|percent\b|patients\b|months?\b|years?\b)"), 2),
    (
        re2.compile(
            r"(?i)\b(NCT\d{8}|ISRCTN\d{6,8}|EudraCT\W{0,3}\d{4}-\d{6}-\d{2}|"
            r"ACTRN\d{14}|CTIS\d{4}-\d{6}-\d{2}-\d{2}|UMIN\d{9}|jRCT(?:s\d{9}|\d{10}))\b"
        ),
        3,
    ),
    (re2.compile(r"(?i)\b(endpoints?|end points?|primary|secondary)\b"), 2),
    (re2.compile(r"(?i)\b(insufficient|not recommended|limited)\b"), 1),
)


class AnchorReport(Frozen):
    """Counts of anchors: a chunk is covered with `target` anchors, or with all that it
    can have.
    """

    items: int
    anchors: int
    covered: int
    target: int
    share: Probability


def score_anchor(text: str) -> int:
    """Return the anchor score of a sentence; 0 where no pattern matches."""
    return sum(weight for pattern, weight in SCORES if pattern.search(text))


def is_eligible(sentence: Sentence) -> bool:
    """Return whether a sentence may be an anchor: quotable, no heading, long enough."""
    long_enough = sentence.end - sentence.start >= SHORTEST
    return long_enough and sentence.quotable and sentence.kind is not BlockKind.HEADING


def mark_anchors(
    text: str, sentences: Sequence[Sentence], target: int = 3, guideline: bool = False
) -> list[Sentence]:
    """Return the sentences of one chunk, with `anchor` set on its anchors.

    The best `target` are taken, earlier ones first among equals, and up to five of
    those that score; all of a chunk with fewer. Of a guideline, the best recommendation
    takes the last place where none is among them.

    Args:
        text: the canonical text that the spans point into.
        sentences: the sentences of one chunk.
        target: anchors per item, 3 to 5 (a floor of packs).
        guideline: the chunk is of a guideline.
    """
    scores = {
        index: score_anchor(sentence.of(text))
        for index, sentence in enumerate(sentences)
        if is_eligible(sentence)
    }
    ranked = sorted(scores, key=lambda index: (-scores[index], index))
    chosen = ranked[:target] + [i for i in ranked[target:MOST] if scores[i] > 0]
    advice = [i for i in ranked if RECOMMENDATION.search(sentences[i].of(text))]
    if guideline and advice and not set(advice) & set(chosen):
        chosen[-1] = advice[0]
    return [
        sentence.model_copy(update={"anchor": scores[i] if i in chosen else None})
        for i, sentence in enumerate(sentences)
    ]


def measure_coverage(chunks: Iterable[Chunk], target: int = 3) -> AnchorReport:
    """Count anchors against the target; a chunk with fewer sentences needs all."""
    items = anchors = covered = 0
    for chunk in chunks:
        have = sum(s.anchor is not None for s in chunk.sentences)
        need = min(target, sum(is_eligible(s) for s in chunk.sentences))
        items, anchors, covered = items + 1, anchors + have, covered + (have >= need)
    share = covered / items if items else 1.0
    return AnchorReport(
        items=items, anchors=anchors, covered=covered, target=target, share=share
    )
