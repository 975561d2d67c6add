"""Features to relevance: the passages of each document, and how likely they answer.

Relevance is the calibrated probability that the passages of a document answer the
question (R-G6). It is computed from question, text and vectors alone, so it does not
depend on which index found a candidate. Weights come from a calibration file, fitted
by evals/calibrate.py on labelled questions, answerable and not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import re2
from pydantic import Field

from engine.corpus_records import Frozen
from engine.lexicon import stems
from engine.ports import Candidate, Floats
from engine.records import Chunk, Pick
from engine.retrieve.expected import holds, required
from engine.retrieve.features import HEAVY, NAMES, RARE, Scored
from engine.retrieve.passages import Range, text_of
from engine.retrieve.view import QuestionView, spaced

MOST_PASSAGES = 4  # of one document
MOST_CHARACTERS = 1_700  # of one document's passages together
MOST_DOCUMENTS = 10  # whose relevance is computed
FARTHEST = 4.0  # standard deviations: nothing was fitted beyond
VETOED = 0.2  # relevance, at most, of passages that lack what was asked for
# Share of the question's weight in words that the whole corpus lacks, from which it
# asks for something else: of the tuning half 3 % of the plainly worded answerable
# questions have more, 32 % of the near misses and 79 % of those off the corpus.
MOST_STRANGE = 0.15
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
    "rare_missing",
)
_BEST = (
    "passage_weighted",
    "weakest",
    "named",
    "words_context",
    "own_weighted",
    "kind_present",
)

# What compares a document with its rivals, and where among them a winner stands.
RIVALRY = ("margin", "margin_ten", "spread")
WINNER = 2.0  # standard deviations above the mean

_WORDS = re2.compile(r"\w+")


class Linear(Frozen):
    """A weighted sum of standardised features; with `bias` a logistic's log-odds."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float = 0.0

    def of(self, features: Floats) -> Floats:
        """The sum for each row of `features`, shape (n, len(names))."""
        standard = (features - np.array(self.mean)) / np.array(self.scale)
        standard = np.clip(standard, -FARTHEST, FARTHEST)
        return np.asarray(standard @ np.array(self.weights) + self.bias)


class Calibration(Frozen):
    """What was fitted for one embedder, with where it comes from.

    `order` ranks sentences, `relevance` is the logistic of a document's passages.
    `provenance` says which labelled data it was fitted on, when and how well.
    """

    embedder: str
    order: Linear
    relevance: Linear
    provenance: Mapping[str, object] = Field(default_factory=dict)


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
        _add(by_document.setdefault(document, []), passage)
    sums = np.sort(scores)[::-1]
    groups = []
    needed = required(view.text)
    for document, passages in by_document.items():
        best = passages[0]
        # The same text in another release of a manual is no rival.
        others = [
            rival[0].score
            for name, rival in by_document.items()
            if name != document and not repeats(rival[0].words, best.words)
        ]
        about = {
            "score": best.score,
            "behind": float(sums[0]) - best.score,
            "margin": best.score - max(others, default=best.score - 1.0),
            "margin_ten": best.score - float(sums[min(9, len(sums) - 1)]),
            "spread": best.score - float(sums.mean()),
            "passages": float(len(passages)),
            "question_words": float(min(8, len(view.words))),
            "rarest": max((word.weight for word in view.words), default=0.0),
            "cosine_rank": _cosine_rank(candidates, best.candidate),
        }
        top = np.stack([p.features for p in passages]).max(axis=0)
        about |= {f"best_{name}": float(top[NAMES.index(name)]) for name in _BEST}
        about["rare_missing"] = _rare_missing(view, candidates, passages)
        row = np.concatenate([best.features, [about[name] for name in ABOUT]])
        vetoed = _strange(view, candidates, passages) > MOST_STRANGE or (
            needed is not None and not _holds(needed, view, candidates, passages)
        )
        groups.append(Group(document, tuple(passages), row.astype(np.float32), vetoed))
    return groups


def without_rivals(groups: Sequence[Group], relevance: Linear) -> list[Group]:
    """The groups with what compares them to rivals set to a clear winner's values.

    A selection has no rivals to beat: whether it answers is told by how it matches.
    """
    places = [relevance.names.index(name) for name in RIVALRY]
    values = [relevance.mean[at] + WINNER * relevance.scale[at] for at in places]
    alone = []
    for one in groups:
        row = one.features.copy()
        row[places] = values
        alone.append(replace(one, features=row))
    return alone


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
        words=frozenset(_WORDS.findall(text.lower())),
        length=len(text),
        features=scored.features,
    )


def _add(passages: list[Passage], passage: Passage) -> None:
    """Take a passage in unless it repeats another or there is no room."""
    room = MOST_CHARACTERS - sum(p.length for p in passages)
    if passages and (len(passages) == MOST_PASSAGES or passage.length > room):
        return
    if not any(repeats(passage.words, p.words) for p in passages):
        passages.append(passage)


def repeats(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two passages say mostly the same words."""
    fewer = min(len(words), len(others))
    return fewer > 0 and len(words & others) >= REPEATED * fewer


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
) -> float:
    """Share of the question's weight in words that corpus and passages both lack."""
    total = sum(word.weight for word in view.words)
    lacking = [w for w in view.words if w.frequency == 0 and len(w.forms) == 1]
    if not lacking or not total:
        return 0.0
    found = _found(candidates, passages)
    return sum(w.weight for w in lacking if w.forms[0] not in found) / total


def _holds(
    needed: str,
    view: QuestionView,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
) -> bool:
    """Whether a sentence of the passages holds what the question cannot do without."""
    rare = [word for word in view.words if word.weight >= HEAVY]
    for passage in passages:
        for sentence in _sentences(candidates, passage):
            found = spaced(stems(sentence))
            named = sum(any(f in found for f in word.forms) for word in rare)
            if holds(needed, sentence, named):
                return True
    return False


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
