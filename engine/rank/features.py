"""The features of every sentence of the candidates: tokens, words, kind of answer.

Nothing is encoded here: the stored token vectors are compared with the question's. All
sentences of all candidates are measured together, as arrays. No feature depends on the
rest of the corpus; the weights that turn them into relevance are fitted
(config/calibration/), not set here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import re2

from engine.model.ports import Candidate, Floats, TokenVectors
from engine.rank.matching import ALIKE, LEXICAL, Indices, Matches, Rows, match
from engine.rank.outline import Unit, make_outline
from engine.rank.view import QuestionView, Word
from engine.text.kinds import detect_kind, shows
from engine.text.required import Needed, find_requirement, holds

NAMES: tuple[str, ...] = (
    "own_all",
    "own_weighted",
    "passage_all",
    "passage_weighted",
    "context_weighted",
    "near_weighted",
    "chunk_weighted",
    "weakest",
    "second_weakest",
    "near_weakest",
    "chunk_weakest",
    "pooled",
    "pooled_passage",
    "words_context",
    "chunk_all",
    "cosine",
    "named_title",
    "kind_present",
    "kind_absent",
    "kind_covered",
    "held",
    "lacking",
    "strange",
    "strange_chunk",
    "unnamed",
    "numbers_missing",
    "code",
    "pointer",
    "length",
    "asked",
    "title_asked",
    "covered",
)
PREFIX = 0.95  # a match in title or section counts this much for a passage
NEIGHBOUR = 0.9  # a match in the sentence next door counts this much
NEAR = 3  # sentences before and after that are near
HEAVY = 0.3  # a content word of at least this weight should be matched
HEAVIEST = 0.6  # or, where all are light, of this share of the heaviest
STRANGE = 0.95  # weight from which English at large does not know a word
UNASKED = 0.75  # the value of "held" where a question has no requirement

_NAME = re2.compile(r"[\p{Lu}\pN_/-]")


@dataclass(frozen=True, slots=True)
class Measured:
    """The selectable sentences of all candidates, a row each.

    `candidate` is the number of its candidate, `units` its outline, which does not
    depend on the question, `features` in order of NAMES.
    """

    candidate: Indices
    units: tuple[Unit, ...]
    features: Floats

    def __len__(self) -> int:
        return len(self.units)


def measure(
    view: QuestionView,
    candidates: Sequence[Candidate],
    tokens: Mapping[str, TokenVectors],
) -> Measured:
    """Measure the features of every selectable sentence of every candidate.

    Args:
        view: the question.
        candidates: the union of the arms.
        tokens: stored token vectors by chunk id; all candidates must be there.
    """
    outlines = [make_outline(candidate.chunk) for candidate in candidates]
    rows = Rows.of(outlines)
    if not rows.units or not len(view.encoded.tokens):
        return Measured(rows.candidate[:0], (), np.zeros((0, len(NAMES)), np.float32))
    stored = [tokens[candidate.chunk.id] for candidate in candidates]
    found = match(view, candidates, stored, rows)
    values = _measure_words(view, found, rows) | _measure_tokens(view, found, rows)
    values |= _measure_kind(view, found, rows) | _measure_form(rows)
    values["cosine"] = _repeat_candidates(rows, (c.cosine or 0.0 for c in candidates))
    values["asked"] = _repeat_candidates(rows, map(_measure_asked, candidates))
    nothing = np.zeros(len(rows.units), dtype=np.float32)
    columns = [values.get(name, nothing) for name in NAMES]
    return Measured(
        rows.candidate, rows.units, np.stack(columns, axis=1).astype(np.float32)
    )


def _measure_tokens(
    view: QuestionView, found: Matches, rows: Rows
) -> dict[str, Floats]:
    """Measure the nearness of tokens, and of their sums."""
    centre = view.encoded.tokens.sum(axis=0)
    inside = found.tokens[rows.inside]
    chunks = np.maximum.reduceat(found.tokens, rows.base).mean(axis=1)
    quoted = np.add.reduceat(found.pooled[rows.inside], rows.starts)
    return {
        "own_all": found.tokens[rows.own].mean(axis=1),
        "title_asked": found.asked[rows.above],
        "passage_all": np.maximum.reduceat(inside, rows.starts).mean(axis=1),
        "chunk_all": chunks[rows.candidate],
        "pooled": _cosine(found.pooled[rows.own], centre),
        "pooled_passage": _cosine(quoted, centre),
    }


def _measure_words(view: QuestionView, found: Matches, rows: Rows) -> dict[str, Floats]:
    """Measure the matches of content words, at several distances."""
    if not view.words:
        return {}
    words, weights = found.words, found.weights
    above, own = PREFIX * words[rows.above], words[rows.own]
    inside = np.maximum.reduceat(words[rows.inside], rows.starts)
    passage = np.maximum(np.maximum(inside, LEXICAL * found.there), above)
    context = np.maximum(_match_around(words, rows, 1, NEIGHBOUR), own)
    context = np.maximum(context, words[rows.above])
    either = np.maximum(context, passage)
    near = np.maximum(_match_around(words, rows, NEAR, PREFIX), either)
    chunks = np.maximum.reduceat(words, rows.base)[rows.candidate]
    stand = np.maximum.reduceat(found.lexical, rows.base)[rows.candidate]
    numbers = _mark_words(view, lambda word: any(c.isdigit() for c in word.text))
    names = _mark_words(view, lambda word: _NAME.search(word.text) is not None)
    strange = _mark_words(view, lambda word: word.rarity >= STRANGE)
    lacking = 1 - found.there
    return {
        "own_weighted": _weighted_mean(own, weights),
        "passage_weighted": _weighted_mean(passage, weights),
        "context_weighted": _weighted_mean(context, weights),
        "near_weighted": _weighted_mean(near, weights),
        "chunk_weighted": _weighted_mean(chunks, weights),
        "weakest": _find_weakest(either, weights),
        "second_weakest": _find_weakest(either, weights, rank=1),
        "near_weakest": _find_weakest(near, weights),
        "chunk_weakest": _find_weakest(chunks, weights),
        "covered": _weighted_mean(found.there, weights),
        "words_context": _weighted_mean(
            np.maximum(found.lexical[rows.own], found.lexical[rows.above]), weights
        ),
        "named_title": words[rows.above][:, int(weights.argmax())],
        "strange": _weighted_mean(lacking * strange, weights),
        "strange_chunk": _weighted_mean((1 - stand) * strange, weights),
        "unnamed": _weighted_mean(lacking * names, weights),
        "numbers_missing": (lacking * numbers).max(axis=1),
    }


def _mark_words(view: QuestionView, fits: Callable[[Word], bool]) -> Floats:
    """Return 1 for each word that fits and is no subject of the pack."""
    fitting = [fits(word) and not word.subject for word in view.words]
    return np.array(fitting, dtype=np.float32)


def _match_around(words: Floats, rows: Rows, reach: int, share: float) -> Floats:
    """Return a share of each word's best match at most `reach` sentences away."""
    first, last = rows.within(reach)
    best = words[rows.own]
    for step in range(1, reach + 1):
        before = words[np.maximum(rows.own - step, first)]
        after = words[np.minimum(rows.own + step, last)]
        best = np.maximum(best, np.maximum(before, after))
    return np.asarray(share * best)


def _measure_kind(view: QuestionView, found: Matches, rows: Rows) -> dict[str, Floats]:
    """Measure whether the kind of answer asked for is there, beside the subject.

    `kind_covered` is how well a sentence with that kind matches the question, `held`
    the share of the question in one that holds what no answer can do without.
    """
    kind, needed = detect_kind(view.text), find_requirement(view.text)
    covered = _weighted_mean(
        np.maximum(found.words, _repeat_headings(found.words, rows)), found.weights
    )
    values: dict[str, Floats] = {}
    if kind is not None:
        present = [shows(kind, unit.introduced) for unit in rows.units]
        values["kind_present"] = np.array(present, dtype=np.float32)
        values["kind_absent"] = 1 - values["kind_present"]
        covered = covered * _mark_rows(rows, lambda text: shows(kind, text))
    values["kind_covered"] = np.maximum.reduceat(covered[rows.inside], rows.starts)
    values["held"] = np.full(len(rows.units), UNASKED, dtype=np.float32)
    if needed is not None:
        share = _measure_held(needed, view, found, rows)
        held = np.maximum.reduceat(share[rows.inside], rows.starts)
        values["held"] = np.maximum(held, 0.0)
        values["lacking"] = (held < 0).astype(np.float32)
    return values


def _mark_rows(rows: Rows, holding: Callable[[str], bool]) -> Floats:
    """Return 1 for every row whose text satisfies `holding`."""
    texts = (text for one in rows.outlines for text in ("", *one.stated))
    return np.array([holding(text) for text in texts], dtype=np.float32)


def _measure_held(
    needed: Needed, view: QuestionView, found: Matches, rows: Rows
) -> Floats:
    """Return the share of the question in each row that holds what is required.

    The share of its heavy words, by weight, in it and above it; -1 where the row does
    not hold what is required.
    """
    words = np.array([not word.text.isdigit() for word in view.words], dtype=bool)
    heavy = words & (found.weights >= _find_heavy_bound(found.weights[words]))
    weights = found.weights * heavy
    own = found.lexical
    headed = np.maximum(own, _repeat_headings(own, rows))
    share = (_weighted_mean(own, weights) + _weighted_mean(headed, weights)) / 2
    named = own[:, heavy].sum(axis=1)
    texts = (text for one in rows.outlines for text in ("", *one.stated))
    fits = [
        holds(needed, text, int(count))
        for text, count in zip(texts, named, strict=True)
    ]
    return np.where(fits, share if heavy.any() else 1.0, -1.0).astype(np.float32)


def _repeat_headings(values: Floats, rows: Rows) -> Floats:
    """Repeat the value of each chunk's headings for all its rows."""
    sizes = np.diff(np.append(rows.base, rows.size))
    return np.asarray(np.repeat(values[rows.base], sizes, axis=0))


def _measure_form(rows: Rows) -> dict[str, Floats]:
    """Measure the form of each sentence, whatever the question."""
    units = rows.units
    return {
        "code": np.array([unit.code for unit in units], dtype=np.float32),
        "pointer": np.array([unit.pointer for unit in units], dtype=np.float32),
        "length": np.array(
            [min(1.0, unit.length / 400) for unit in units], dtype=np.float32
        ),
    }


def _repeat_candidates(rows: Rows, values: Iterable[float]) -> Floats:
    """Repeat the value of each candidate for its units."""
    return np.array(list(values), dtype=np.float32)[rows.candidate]


def _measure_asked(candidate: Candidate) -> float:
    """Return how nearly the stored question of a passage asks the same."""
    near = candidate.question or 0.0
    return max(0.0, (near - ALIKE) / (1 - ALIKE))


def _weighted_mean(values: Floats, weights: Floats) -> Floats:
    total = float(weights.sum())
    if total <= 0:
        return np.zeros(len(values), dtype=np.float32)
    return np.asarray(values @ weights / total)


def _find_heavy_bound(weights: Floats) -> float:
    """Return the weight from which words count as heavy.

    Where no word is heavy, those count that are nearly as heavy as the heaviest.
    """
    return min(HEAVY, HEAVIEST * float(weights.max(initial=0.0)))


def _find_weakest(values: Floats, weights: Floats, rank: int = 0) -> Floats:
    """Return the match of the worst matched heavy word (or the next, by `rank`)."""
    heavy = np.sort(values[:, weights >= _find_heavy_bound(weights)], axis=1)
    return np.asarray(heavy[:, min(rank, heavy.shape[1] - 1)])


def _cosine(left: Floats, right: Floats) -> Floats:
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right)
    return np.asarray((left @ right) / np.maximum(norms, 1e-6))
