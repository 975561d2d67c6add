"""What is measured of every candidate sentence: tokens, words, kind of answer.

Nothing is encoded here: the chunk's stored token vectors are compared with the
question's. The recipe (union of both arms, MaxSim of a sentence with its context,
inverse-frequency weights, the expected kind of answer, the named thing) was measured
before it was written down; the weights that turn features into relevance are fitted
(config/calibration/), not set here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.closure import selectable
from engine.corpus_records import BlockKind
from engine.lexicon import stems
from engine.ports import Candidate, Floats, TokenVectors
from engine.records import Chunk
from engine.retrieve.expected import expected, points, shows
from engine.retrieve.passages import Range, readable, text_of
from engine.retrieve.view import QuestionView, Word, spaced

NAMES: tuple[str, ...] = (
    "own_all",
    "own_weighted",
    "passage_all",
    "passage_weighted",
    "passage_words",
    "context_weighted",
    "weakest",
    "second_weakest",
    "unmatched",
    "unmatched_sentence",
    "pooled",
    "pooled_passage",
    "words_own",
    "words_context",
    "chunk_all",
    "cosine",
    "named",
    "named_title",
    "kind_present",
    "kind_absent",
    "kind_covered",
    "code",
    "heading",
    "pointer",
    "unknown",
    "numbers_missing",
    "length",
    "passage_length",
    "wide",
    "wide_passage",
)
LEXICAL = 0.9  # what an exact word match counts as a similarity
PREFIX = 0.95  # a match in title or section counts this much for a passage
NEIGHBOUR = 0.9  # a match in the sentence next door counts this much
RARE = 0.45  # a content word of at least this weight may be the named thing
HEAVY = 0.3  # a content word of at least this weight should be matched
HEAVIEST = 0.6  # or, where all are light, of this share of the heaviest


@dataclass(frozen=True, slots=True)
class Scored:
    """One sentence of a candidate: its passage, and its features in order of NAMES."""

    candidate: int
    sentence: int
    passage: tuple[Range, ...]
    features: Floats


@dataclass(frozen=True, slots=True)
class _Matches:
    """How a chunk matches a question; a row a sentence, a column a word or token.

    `tokens` (sentences, question tokens) and `words` are similarities, `lexical` is 1
    where the word itself stands; `above` and `lexical_above` are of title and section,
    one value a word. `pooled` is the sum of each sentence's token vectors.
    """

    tokens: Floats
    words: Floats
    lexical: Floats
    above: Floats
    lexical_above: Floats
    pooled: Floats
    texts: Sequence[str]


def measure(
    view: QuestionView,
    candidates: Sequence[Candidate],
    tokens: Mapping[str, TokenVectors],
    wide: Floats | None = None,
) -> list[Scored]:
    """Features of every quotable sentence of every candidate.

    Args:
        view: the question.
        candidates: the union of both arms.
        tokens: stored token vectors by chunk id; all candidates must be there.
        wide: the question's vector of the larger embedder, in the `precise` profile.
    """
    kind = expected(view.text)
    scored: list[Scored] = []
    for number, candidate in enumerate(candidates):
        chunk, stored = candidate.chunk, tokens[candidate.chunk.id]
        matches = _match(view, chunk, stored)
        constant = {
            "chunk_all": _average(matches.tokens.max(axis=0)),
            "cosine": candidate.cosine or 0.0,
            "unknown": _unknown(view.words),
        }
        near = _wide(stored, wide)
        covered = _covered(view, matches, kind, chunk)
        for at, sentence in enumerate(chunk.sentences):
            heading = sentence.quotable and sentence.kind is BlockKind.HEADING
            if not (heading or selectable(sentence)) or not matches.texts[at].strip():
                continue
            passage = readable(chunk, at)
            inside = [i for r in passage for i in range(r.first, r.last + 1)]
            values = constant | _sentence(view, matches, at, inside)
            values |= _form(chunk, matches, at, inside) | _kind(kind, chunk, at)
            values["kind_covered"] = float(covered[inside].max())
            if near is not None:
                values["wide"] = float(near[at])
                values["wide_passage"] = float(near[inside].max())
            row = [values.get(name, 0.0) for name in NAMES]
            scored.append(Scored(number, at, passage, np.array(row, dtype=np.float32)))
    return scored


# --- matching ---------------------------------------------------------------------


def _match(view: QuestionView, chunk: Chunk, stored: TokenVectors) -> _Matches:
    values = stored.values.astype(np.float32) / 127.0
    scores = view.encoded.tokens @ values.T
    starts = stored.spans[:, 0]
    shape = (len(chunk.sentences), len(scores))
    near = np.zeros(shape, dtype=np.float32)
    pooled = np.zeros((len(chunk.sentences), values.shape[1]), dtype=np.float32)
    for row, sentence in enumerate(chunk.sentences):
        inside = (starts >= sentence.start - chunk.start) & (
            starts < sentence.end - chunk.start
        )
        if inside.any():
            near[row] = scores[:, inside].max(axis=1)
            pooled[row] = values[inside].sum(axis=0)
    ahead = starts < 0
    prefix = (
        scores[:, ahead].max(axis=1)
        if ahead.any()
        else np.zeros(len(scores), np.float32)
    )
    texts = [text_of(chunk, sentence) for sentence in chunk.sentences]
    lexical = np.stack([_lexical(view.words, text) for text in texts])
    above = _lexical(view.words, " ".join([chunk.title, *chunk.section]))
    return _Matches(
        tokens=near,
        words=np.maximum(_by_word(view.words, near), LEXICAL * lexical),
        lexical=lexical,
        above=np.maximum(_by_word(view.words, prefix), LEXICAL * above),
        lexical_above=above,
        pooled=pooled,
        texts=texts,
    )


def _lexical(words: Sequence[Word], text: str) -> Floats:
    """1 for each word that stands, itself or as a synonym, in a text."""
    found = spaced(stems(text))
    return np.array(
        [any(form in found for form in word.forms) for word in words], dtype=np.float32
    )


def _by_word(words: Sequence[Word], similarities: Floats) -> Floats:
    """Mean similarity of each word's pieces; the last axis becomes words."""
    out = np.zeros((*similarities.shape[:-1], len(words)), dtype=np.float32)
    for column, word in enumerate(words):
        if word.tokens:
            out[..., column] = similarities[..., list(word.tokens)].mean(axis=-1)
    return out


def _wide(stored: TokenVectors, wide: Floats | None) -> Floats | None:
    """Cosine of every sentence's larger vector with the question's, where both are."""
    if wide is None or stored.sentences is None:
        return None
    return np.asarray(stored.sentences.astype(np.float32) @ wide / 127.0)


# --- features ---------------------------------------------------------------------


def _sentence(
    view: QuestionView, matches: _Matches, at: int, inside: Sequence[int]
) -> dict[str, float]:
    """How well the question's words and tokens are matched, near and nearer."""
    weights = np.array([word.weight for word in view.words], dtype=np.float32)
    words, lexical = matches.words, matches.lexical
    rows = list(inside)
    side = NEIGHBOUR * words[max(0, at - 1) : at + 2].max(axis=0)
    context = np.maximum.reduce([words[at], side, matches.above])
    passage = np.maximum(words[rows].max(axis=0), PREFIX * matches.above)
    either = np.maximum(context, passage)
    there = np.maximum(lexical[rows].max(axis=0), matches.lexical_above)
    named, title = _named(view.words, np.maximum(either, LEXICAL * there), matches)
    centre = view.encoded.tokens.sum(axis=0)
    return {
        "own_all": _average(matches.tokens[at]),
        "own_weighted": _mean(words[at], weights),
        "passage_all": _average(matches.tokens[rows].max(axis=0)),
        "passage_weighted": _mean(passage, weights),
        "passage_words": _mean(there, weights),
        "context_weighted": _mean(context, weights),
        "weakest": _weakest(either, weights),
        "second_weakest": _weakest(either, weights, rank=1),
        "unmatched": float((weights * (1 - either)).sum()),
        "unmatched_sentence": float((weights * (1 - words[at])).sum()),
        "pooled": _cosine(matches.pooled[at], centre),
        "pooled_passage": _cosine(matches.pooled[rows].sum(axis=0), centre),
        "words_own": _mean(lexical[at], weights),
        "words_context": _mean(np.maximum(lexical[at], matches.lexical_above), weights),
        "named": named,
        "named_title": title,
        "numbers_missing": _numbers_missing(view.words, there, lexical),
    }


def _form(
    chunk: Chunk, matches: _Matches, at: int, inside: Sequence[int]
) -> dict[str, float]:
    """What a sentence looks like, whatever was asked."""
    kind = chunk.sentences[at].kind
    length = sum(len(matches.texts[i]) for i in inside)
    return {
        "code": float(kind is BlockKind.CODE),
        "heading": float(kind is BlockKind.HEADING),
        "pointer": float(points(_introduced(chunk, at))),
        "length": min(1.0, len(matches.texts[at]) / 200),
        "passage_length": min(1.0, length / 400),
    }


def _kind(kind: str | None, chunk: Chunk, at: int) -> dict[str, float]:
    """Whether the sentence, with its lead-in, holds the kind of answer asked for."""
    if kind is None:
        return {"kind_present": 0.0, "kind_absent": 0.0}
    present = shows(kind, _introduced(chunk, at))
    return {"kind_present": float(present), "kind_absent": float(not present)}


def _introduced(chunk: Chunk, at: int) -> str:
    """A sentence after its lead-in."""
    sentence = chunk.sentences[at]
    text = text_of(chunk, sentence)
    lead = sentence.lead_in
    if lead is None or chunk.start > lead.start:
        return text
    led = chunk.text[lead.start - chunk.start : lead.end - chunk.start]
    return f"{led} {text}"


def _covered(
    view: QuestionView, matches: _Matches, kind: str | None, chunk: Chunk
) -> Floats:
    """How well each sentence, with what stands above it, matches the question.

    0 for a sentence without the kind of answer that is asked for: the figure has to
    stand where the subject does.
    """
    weights = np.array([word.weight for word in view.words], dtype=np.float32)
    rows = np.maximum(matches.words, matches.above)
    found = [
        _mean(row, weights) if kind is None or shows(kind, text) else 0.0
        for row, text in zip(rows, matches.texts, strict=True)
    ]
    return np.array(found, dtype=np.float32)


def _average(values: Floats) -> float:
    """The mean; 0 where the question has no token."""
    return float(values.mean()) if values.size else 0.0


def _mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float((values * weights).sum() / total) if total > 0 else 0.0


def bound(weights: Floats) -> float:
    """The weight from which words count as heavy.

    Where no word is heavy, those count that are nearly as heavy as the heaviest.
    """
    return min(HEAVY, HEAVIEST * float(weights.max(initial=0.0)))


def _weakest(values: Floats, weights: Floats, rank: int = 0) -> float:
    """The worst matched (or the next, by `rank`) of the words that carry weight."""
    heavy = np.sort(values[weights >= bound(weights)])
    return float(heavy[min(rank, len(heavy) - 1)]) if len(heavy) else 0.0


def _cosine(left: Floats, right: Floats) -> float:
    norm = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / norm if norm else 0.0


def _named(
    words: Sequence[Word], found: Floats, matches: _Matches
) -> tuple[float, float]:
    """How well the named thing, the rarest word, stands here and in the title."""
    rare = [(word.weight, at) for at, word in enumerate(words) if word.weight >= RARE]
    if not rare:
        return 0.7, 0.5
    at = max(rare)[1]
    return float(found[at]), float(matches.above[at])


def _unknown(words: Sequence[Word]) -> float:
    """Share of the question's weight in words that the corpus does not know."""
    total = sum(word.weight for word in words)
    lost = sum(w.weight for w in words if w.frequency == 0 and len(w.forms) == 1)
    return lost / total if total else 1.0


def _numbers_missing(words: Sequence[Word], found: Floats, chunk: Floats) -> float:
    """1 where the question names a number or version that the whole chunk lacks."""
    for at, word in enumerate(words):
        if any(c.isdigit() for c in word.text) and not found[at]:
            return 0.5 if chunk[:, at].any() else 1.0
    return 0.0
