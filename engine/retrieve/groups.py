"""The passages of each document, with what is measured of them together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import re2

from engine.disagreement import tells_all
from engine.lexicon import stems, words
from engine.ports import Candidate, Floats
from engine.retrieve.calibration import Linear
from engine.retrieve.features import NAMES, RARE, Scored, bound
from engine.retrieve.passages import Range, text_of
from engine.retrieve.required import Needed, holds, required
from engine.retrieve.view import QuestionView, Word, spaced

MOST_PASSAGES = 4  # of one document
MOST_CHARACTERS = 1_700  # of one document's passages together
MOST_DOCUMENTS = 10  # whose relevance is computed
# Shares of the question's weight in names, and in any words, that the whole corpus
# lacks, from which it asks for something else: judged on the tuning half.
MOST_UNNAMED = 0.15
MOST_STRANGE = 0.34
LEAST_HELD = 0.42  # of a question's heavy words, in the sentence with its figure
UNASKED = 0.75  # what "held" is where a question requires nothing in particular
MATCHED = 0.85  # similarity of a word that stands in a text, or one that means it
COVERED = 0.99  # share of a question's words, by weight, that stand there themselves
REPEATED = 0.7  # share of words from which a passage repeats another
CONSIDERED = 80  # sentences, in order of score

# What is known of a document's passages beyond the features of the best of them.
ABOUT: tuple[str, ...] = (
    "score",
    "behind",
    "margin",
    "margin_ten",
    "spread",
    "passages",
    "question_words",
    "rarest",
    "cosine_rank",
    "best_passage_weighted",
    "best_weakest",
    "best_named",
    "best_words_context",
    "best_own_weighted",
    "best_kind_present",
    "best_kind_covered",
    "rare_missing",
    "held",
    "matched_margin",
)
_BEST = (
    "passage_weighted",
    "weakest",
    "named",
    "words_context",
    "own_weighted",
    "kind_present",
    "kind_covered",
)

# What compares a document with its rivals: nothing, where there are few or none.
RIVALRY = ("margin", "margin_ten", "spread", "behind", "cosine_rank", "matched_margin")
WIDEST = 4.0  # the margin beyond which a larger one says no more

_NAME = re2.compile(r"[\p{Lu}\pN_/-]")
_INNER = re2.compile(r"\w[_/]\w")  # what only an identifier has


@dataclass(frozen=True, slots=True)
class Passage:
    """A readable passage around the sentence that was picked."""

    candidate: int
    sentence: int
    ranges: tuple[Range, ...]
    score: float
    words: frozenset[str]
    length: int
    features: Floats


@dataclass(frozen=True, slots=True)
class Group:
    """The passages of one document, best first, with what was measured of them."""

    document: str
    passages: tuple[Passage, ...]
    features: Floats
    vetoed: bool


def group(
    view: QuestionView,
    candidates: Sequence[Candidate],
    scored: Sequence[Scored],
    order: Linear,
) -> list[Group]:
    """The documents of the candidates, best first, each with its best passages."""
    if not scored:
        return []
    scores = order.of(np.stack([s.features for s in scored]))
    ranked = sorted(range(len(scored)), key=lambda at: -scores[at])
    by_document: dict[str, list[Passage]] = {}
    for at in ranked[:CONSIDERED]:
        passage = _passage(candidates, scored[at], float(scores[at]))
        document = candidates[passage.candidate].chunk.document
        if document not in by_document and len(by_document) == MOST_DOCUMENTS:
            continue
        _add(candidates, by_document.setdefault(document, []), passage)
    around = _Around(view, candidates, scores, by_document)
    return [_group(around, document) for document in by_document]


@dataclass(frozen=True, slots=True)
class _Around:
    """What a document is measured against: the question and its rivals."""

    view: QuestionView
    candidates: Sequence[Candidate]
    scores: Floats
    documents: Mapping[str, Sequence[Passage]]


def _group(around: _Around, document: str) -> Group:
    view, candidates = around.view, around.candidates
    passages = around.documents[document]
    needed = required(view.text)
    held = _held(needed, view, candidates, passages) if needed else UNASKED
    top = np.stack([p.features for p in passages]).max(axis=0)
    about = _rivalry(around, document) | {
        "score": passages[0].score,
        "passages": float(len(passages)),
        "question_words": float(min(8, len(view.words))),
        "rarest": max((word.weight for word in view.words), default=0.0),
        "rare_missing": _rare_missing(view, candidates, passages),
        "held": held or 0.0,
        **{f"best_{name}": float(top[NAMES.index(name)]) for name in _BEST},
    }
    margin = min(max(about["margin"], 0.0), WIDEST)
    about["matched_margin"] = margin * about["best_weakest"]
    values = [about[name] for name in ABOUT]
    row = np.concatenate([passages[0].features, values]).astype(np.float32)
    lacking = (held or 0.0) < LEAST_HELD
    strange = _strange(view, candidates, passages)
    return Group(document, tuple(passages), row, lacking or strange)


def _rivalry(around: _Around, document: str) -> dict[str, float]:
    """How far a document is ahead of the others."""
    own = around.documents[document]
    best = own[0]
    # The same text in another release of a manual is no rival.
    others = [
        rival
        for name, rival in around.documents.items()
        if name != document and not repeats(rival[0].words, best.words)
    ]
    margin = _margin(best, others)
    if _many_words(around.view) and _covers(own):
        # Two that both speak of all that was asked agree: neither makes the other one
        # doubtful.
        differing = [rival for rival in others if not _covers(rival)]
        margin = max(margin, _margin(best, differing))
    sums = np.sort(around.scores)[::-1]
    return {
        "behind": float(sums[0]) - best.score,
        "margin": margin,
        "margin_ten": best.score - float(sums[min(9, len(sums) - 1)]),
        "spread": best.score - float(sums.mean()),
        "cosine_rank": _cosine_rank(around.candidates, best.candidate),
    }


def _margin(best: Passage, rivals: Sequence[Sequence[Passage]]) -> float:
    """How far a passage is ahead of the best of each rival."""
    return best.score - max((r[0].score for r in rivals), default=best.score - 1.0)


def _many_words(view: QuestionView) -> bool:
    """Whether a question says enough for two documents to agree on it.

    One everyday word does not ("What is the A* algorithm?"); an identifier does.
    """
    return len(view.words) > 1 or any(_INNER.search(word.text) for word in view.words)


def _covers(passages: Sequence[Passage]) -> bool:
    """Whether every word of a question stands in, or above, the best passage."""
    best = passages[0].features
    weakest, held = best[NAMES.index("weakest")], best[NAMES.index("passage_words")]
    return bool(weakest >= MATCHED and held >= COVERED)


def _passage(candidates: Sequence[Candidate], scored: Scored, score: float) -> Passage:
    chunk = candidates[scored.candidate].chunk
    text = " ".join(
        chunk.text[start - chunk.start : end - chunk.start]
        for start, end in (part.span(chunk) for part in scored.passage)
    )
    return Passage(
        candidate=scored.candidate,
        sentence=scored.sentence,
        ranges=scored.passage,
        score=score,
        words=frozenset(words(text)),
        length=len(text),
        features=scored.features,
    )


def _add(
    candidates: Sequence[Candidate], passages: list[Passage], passage: Passage
) -> None:
    """Take a passage in unless it repeats another or there is no room."""
    room = MOST_CHARACTERS - sum(p.length for p in passages)
    if passages and (len(passages) == MOST_PASSAGES or passage.length > room):
        return
    if not any(_says_again(candidates, passage, p) for p in passages):
        passages.append(passage)


def _says_again(
    candidates: Sequence[Candidate], passage: Passage, other: Passage
) -> bool:
    """Whether a passage says nothing that another one does not (R-R11)."""
    return repeats(passage.words, other.words) and tells_all(
        tuple(_sentences(candidates, other)), tuple(_sentences(candidates, passage))
    )


def repeats(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two passages say mostly the same words."""
    fewer = min(len(one), len(other))
    return fewer > 0 and len(one & other) >= REPEATED * fewer


def _found(candidates: Sequence[Candidate], passages: Sequence[Passage]) -> str:
    """The stems of a document's passages, titles and sections, spaced."""
    chunks = [candidates[p.candidate].chunk for p in passages]
    above = (" ".join([c.title, *c.section]) for c in chunks)
    shown = (text for p in passages for text in _sentences(candidates, p))
    return spaced(stems("\n".join((*above, *shown))))


def _rare_missing(
    view: QuestionView, candidates: Sequence[Candidate], passages: Sequence[Passage]
) -> float:
    """Weight of the rare words that stand nowhere in a document's passages."""
    found = _found(candidates, passages)
    rare = [word for word in view.words if word.weight >= RARE]
    return sum(
        word.weight for word in rare if not any(form in found for form in word.forms)
    )


def _strange(
    view: QuestionView, candidates: Sequence[Candidate], passages: Sequence[Passage]
) -> bool:
    """Whether too much of the question is in words that corpus and passages lack.

    A name that nobody wrote down is worse than an everyday word that nobody used.
    """
    total = sum(word.weight for word in view.words)
    lacking = [w for w in view.words if w.frequency == 0 and len(w.forms) == 1]
    if not lacking or not total:
        return False
    found = _found(candidates, passages)
    lost = [word for word in lacking if word.forms[0] not in found]
    names = sum(word.weight for word in lost if _NAME.search(word.text))
    return (
        names > MOST_UNNAMED * total
        or sum(word.weight for word in lost) > MOST_STRANGE * total
    )


def _held(
    needed: Needed,
    view: QuestionView,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
) -> float | None:
    """How much of the question stands in a sentence that holds what is required.

    The share of its heavy words, by weight, of the best such sentence with its title
    and section; None where no sentence of the passages holds what is required.
    """
    content = [word for word in view.words if not word.text.isdigit()]
    least = bound(np.array([word.weight for word in content]))
    heavy = [word for word in content if word.weight >= least]
    total = sum(word.weight for word in heavy)
    shares = []
    for passage in passages:
        chunk = candidates[passage.candidate].chunk
        headed = _named(heavy, "\n".join([chunk.title, *chunk.section]))
        for sentence in _sentences(candidates, passage):
            named = _named(heavy, sentence)
            if holds(needed, sentence, len(named)):
                weights = headed | named
                both = sum(weights.values()) + sum(named.values())
                shares.append(both / (2 * total) if total else 1.0)
    return max(shares, default=None)


def _named(heavy: Sequence[Word], text: str) -> dict[str, float]:
    """The words that a text holds, with their weights."""
    own = spaced(stems(text))
    return {w.text: w.weight for w in heavy if any(form in own for form in w.forms)}


def _sentences(candidates: Sequence[Candidate], passage: Passage) -> Iterator[str]:
    """The sentences of a passage."""
    chunk = candidates[passage.candidate].chunk
    for part in passage.ranges:
        for sentence in chunk.sentences[part.first : part.last + 1]:
            yield text_of(chunk, sentence)


def _cosine_rank(candidates: Sequence[Candidate], number: int) -> float:
    """How many candidates are nearer by cosine, in thirties."""
    own = candidates[number].cosine or 0.0
    return sum((c.cosine or 0.0) > own for c in candidates) / 30
