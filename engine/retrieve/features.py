"""What is measured of every candidate sentence: late interaction, words, kind of answer.

Nothing is encoded here: the chunk's stored token vectors are compared with the
question's. The recipe (union of both arms, sentence MaxSim with context, inverse-
frequency weights, expected kind, the named thing) follows what was measured before the
code was written; the weights that turn features into relevance are fitted, not set here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus_records import BlockKind
from engine.lexicon import stem
from engine.ports import Candidate, Floats, TokenVectors
from engine.retrieve.expected import expected, shows
from engine.retrieve.passages import readable
from engine.retrieve.view import QuestionView, Word, word_spans

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
    "bm25",
    "named",
    "named_title",
    "kind_present",
    "kind_absent",
    "code",
    "heading",
    "unknown",
    "numbers_missing",
    "length",
    "passage_length",
)
LEXICAL = 0.9  # what an exact word match counts as a similarity
PREFIX = 0.95  # a match in title or section counts this much for a passage
NEIGHBOUR = 0.9  # a match in the sentence next door counts this much
RARE = 0.45  # a content word of at least this weight may be the named thing


@dataclass(frozen=True, slots=True)
class Scored:
    """One sentence of one candidate with its features, in the order of NAMES."""

    candidate: int
    sentence: int
    features: Floats


@dataclass(frozen=True, slots=True)
class _Similarities:
    """Of one chunk: best match of every question token in each sentence and the prefix.

    `sentences` has shape (n_sentences, n_tokens); `prefix` has shape (n_tokens,);
    `pooled` is the sum of each sentence's token vectors, (n_sentences, reduced).
    """

    sentences: Floats
    prefix: Floats
    pooled: Floats


def _similarities(
    question: Floats, tokens: TokenVectors, bounds: Sequence[tuple[int, int]]
) -> _Similarities:
    values = tokens.values.astype(np.float32) / 127.0
    scores = question @ values.T
    pooled = np.zeros((len(bounds), values.shape[1]), dtype=np.float32)
    starts = tokens.spans[:, 0]
    rows = np.zeros((len(bounds), len(question)), dtype=np.float32)
    for row, (left, right) in enumerate(bounds):
        inside = (starts >= left) & (starts < right)
        if inside.any():
            rows[row] = scores[:, inside].max(axis=1)
            pooled[row] = values[inside].sum(axis=0)
    ahead = starts < 0
    prefix = scores[:, ahead].max(axis=1) if ahead.any() else np.zeros(len(question))
    return _Similarities(rows, prefix.astype(np.float32), pooled)


def stems(text: str) -> list[str]:
    """The stems of a text, in order."""
    return [stem(text[a:b].lower()) for a, b in word_spans(text)]


def _holds(word: Word, present: frozenset[str], text: str) -> bool:
    if word.forms & present:
        return True
    return any(" ".join(phrase) in text for phrase in word.phrases)


def _lexical(words: Sequence[Word], found: Sequence[str]) -> Floats:
    """1 for each word whose stem, or a synonym of the glossary, is among `found`."""
    present = frozenset(found)
    text = " ".join(found)
    return np.array([_holds(word, present, text) for word in words], dtype=np.float32)


def _by_word(words: Sequence[Word], similarities: Floats) -> Floats:
    """Mean similarity of each word's pieces; shape (..., n_words)."""
    columns = [
        similarities[..., list(word.tokens)].mean(axis=-1)
        if word.tokens
        else np.zeros(similarities.shape[:-1], dtype=np.float32)
        for word in words
    ]
    if not columns:
        return np.zeros((*similarities.shape[:-1], 0), dtype=np.float32)
    return np.stack(columns, axis=-1)


def measure(
    view: QuestionView,
    candidates: Sequence[Candidate],
    tokens: Mapping[str, TokenVectors],
) -> list[Scored]:
    """Features of every quotable sentence of every candidate."""
    scored: list[Scored] = []
    kind = expected(view.text)
    strongest = max((c.bm25 or 0.0 for c in candidates), default=0.0) or 1.0
    for number, candidate in enumerate(candidates):
        rows = _chunk(view, candidate, tokens[candidate.chunk.id], kind)
        bm25 = (candidate.bm25 or 0.0) / strongest
        for sentence, row in rows:
            row[NAMES.index("bm25")] = bm25
            scored.append(Scored(number, sentence, row))
    return scored


def _chunk(
    view: QuestionView, candidate: Candidate, tokens: TokenVectors, kind: str | None
) -> list[tuple[int, Floats]]:
    chunk = candidate.chunk
    words = view.words
    bounds = [(s.start - chunk.start, s.end - chunk.start) for s in chunk.sentences]
    texts = [chunk.text[left:right] for left, right in bounds]
    near = _similarities(view.encoded.tokens, tokens, bounds)
    own = _by_word(words, near.sentences)
    above = np.maximum(
        _by_word(words, near.prefix),
        LEXICAL * _lexical(words, stems(" ".join([chunk.title, *chunk.section]))),
    )
    lexical = np.stack([_lexical(words, stems(text)) for text in texts])
    own = np.maximum(own, LEXICAL * lexical)
    lead = _lead_in(chunk.sentences, own)
    side = NEIGHBOUR * _neighbours(own)
    context = np.maximum(np.maximum(own, lead), np.maximum(side, above))
    lexical_context = np.maximum(
        np.maximum(lexical, _lead_in(chunk.sentences, lexical)),
        (above >= LEXICAL).astype(np.float32),
    )
    whole = near.sentences.max(axis=0).mean() if len(bounds) else 0.0
    weights = np.array([word.weight for word in words], dtype=np.float32)
    pooled, centre = near.pooled, view.encoded.tokens.sum(axis=0)
    rows = []
    for at, sentence in enumerate(chunk.sentences):
        shown = texts[at]
        if not sentence.quotable or not shown.strip():
            continue
        with_lead = shown
        if sentence.lead_in is not None:
            left, right = (
                sentence.lead_in.start - chunk.start,
                sentence.lead_in.end - chunk.start,
            )
            if 0 <= left < right <= len(chunk.text):
                with_lead = chunk.text[left:right] + " " + shown
        inside = [
            i for r in readable(chunk, at) for i in range(r.first, r.last + 1)
        ]
        passage = np.maximum(own[inside].max(axis=0), PREFIX * above)
        words_passage = np.maximum(lexical[inside].max(axis=0), above >= LEXICAL)
        named, title = _named(words, context[at], lexical_context[at], above)
        present = kind is not None and shows(kind, with_lead)
        values = {
            "own_all": near.sentences[at].mean(),
            "own_weighted": _mean(own[at], weights),
            "passage_all": near.sentences[inside].max(axis=0).mean(),
            "passage_weighted": _mean(passage, weights),
            "passage_words": _mean(words_passage, weights),
            "context_weighted": _mean(context[at], weights),
            "weakest": _weakest(np.maximum(context[at], passage), weights),
            "second_weakest": _weakest(
                np.maximum(context[at], passage), weights, rank=1
            ),
            "unmatched": float((weights * (1 - np.maximum(context[at], passage))).sum()),
            "unmatched_sentence": float((weights * (1 - own[at])).sum()),
            "pooled": _cosine(pooled[at], centre),
            "pooled_passage": _cosine(pooled[inside].sum(axis=0), centre),
            "words_own": _mean(lexical[at], weights),
            "words_context": _mean(lexical_context[at], weights),
            "chunk_all": whole,
            "cosine": candidate.cosine or 0.0,
            "named": named,
            "named_title": title,
            "kind_present": float(present),
            "kind_absent": float(kind is not None and not present),
            "code": float(sentence.kind is BlockKind.CODE),
            "heading": float(sentence.kind is BlockKind.HEADING),
            "unknown": _unknown(words),
            "numbers_missing": _numbers_missing(words, lexical_context[at], lexical),
            "length": min(1.0, len(shown) / 200),
            "passage_length": min(1.0, sum(len(texts[i]) for i in inside) / 400),
        }
        row = np.array([values.get(name, 0.0) for name in NAMES], dtype=np.float32)
        rows.append((at, row))
    return rows


def _lead_in(sentences: Sequence[object], rows: Floats) -> Floats:
    """For each sentence the row of the sentence that introduces it, else zeros."""
    by_start = {s.start: at for at, s in enumerate(sentences)}  # type: ignore[attr-defined]
    out = np.zeros_like(rows)
    for at, sentence in enumerate(sentences):
        lead = sentence.lead_in  # type: ignore[attr-defined]
        if lead is not None and lead.start in by_start:
            out[at] = rows[by_start[lead.start]]
    return out


def _neighbours(rows: Floats) -> Floats:
    """For each sentence the larger of the rows before and after it."""
    out = np.zeros_like(rows)
    if len(rows) > 1:
        out[1:] = rows[:-1]
        out[:-1] = np.maximum(out[:-1], rows[1:])
    return out


def _mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float((values * weights).sum() / total) if total > 0 else 0.0


def _weakest(values: Floats, weights: Floats, rank: int = 0) -> float:
    """The worst matched (or the next, by `rank`) of the words that carry weight."""
    heavy = np.sort(values[weights >= 0.3])
    return float(heavy[min(rank, len(heavy) - 1)]) if len(heavy) else 0.0


def _cosine(left: Floats, right: Floats) -> float:
    norm = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / norm if norm else 0.0


def _named(
    words: Sequence[Word], context: Floats, lexical: Floats, above: Floats
) -> tuple[float, float]:
    """How well the named thing (the rarest content word) stands in context, and in the title."""
    rare = [(word.weight, at) for at, word in enumerate(words) if word.weight >= RARE]
    if not rare:
        return 0.7, 0.5
    at = max(rare)[1]
    return float(max(context[at], LEXICAL * lexical[at])), float(above[at])


def _unknown(words: Sequence[Word]) -> float:
    """Share of the question's weight in words that the corpus does not know."""
    total = sum(word.weight for word in words)
    lost = sum(w.weight for w in words if w.frequency == 0 and len(w.forms) == 1)
    return lost / total if total else 1.0


def _numbers_missing(words: Sequence[Word], context: Floats, chunk: Floats) -> float:
    """1 where the question names a number or version that the passage lacks."""
    for at, word in enumerate(words):
        if any(c.isdigit() for c in word.text) and not context[at]:
            return 1.0 if not chunk[:, at].any() else 0.5
    return 0.0
