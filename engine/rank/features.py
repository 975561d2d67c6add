"""What is measured of every sentence of the candidates: tokens, words, kind of answer.

Nothing is encoded here: the stored token vectors are compared with the question's. All
sentences of all candidates are measured together, as arrays. Nothing measured depends
on what else is in the corpus; the weights that turn it into relevance are fitted
(config/calibration/), not set here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import re2

from engine.model.ports import Candidate, Floats, TokenVectors
from engine.rank.matching import ALIKE, LEXICAL, Found, Indices, Rows, match
from engine.rank.outline import Unit, outline
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
UNASKED = 0.75  # what "held" is where a question requires nothing in particular

_NAME = re2.compile(r"[\p{Lu}\pN_/-]")


@dataclass(frozen=True, slots=True)
class Measured:
    """The sentences of all candidates that may be chosen, a row each.

    `candidate` is the number of its candidate, `units` what is known of it whatever is
    asked, `features` in order of NAMES.
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
    """Features of every sentence of every candidate that may be chosen.

    Args:
        view: the question.
        candidates: the union of the arms.
        tokens: stored token vectors by chunk id; all candidates must be there.
    """
    outlines = [outline(candidate.chunk) for candidate in candidates]
    rows = Rows.of(outlines)
    if not rows.units or not len(view.encoded.tokens):
        return Measured(rows.candidate[:0], (), np.zeros((0, len(NAMES)), np.float32))
    stored = [tokens[candidate.chunk.id] for candidate in candidates]
    found = match(view, candidates, stored, rows)
    values = _words(view, found, rows) | _tokens(view, found, rows)
    values |= _kind(view, found, rows) | _form(rows)
    values["cosine"] = _each(rows, (c.cosine or 0.0 for c in candidates))
    values["asked"] = _each(rows, map(_asked, candidates))
    nothing = np.zeros(len(rows.units), dtype=np.float32)
    columns = [values.get(name, nothing) for name in NAMES]
    return Measured(
        rows.candidate, rows.units, np.stack(columns, axis=1).astype(np.float32)
    )


def _tokens(view: QuestionView, found: Found, rows: Rows) -> dict[str, Floats]:
    """Return how near the tokens are, and the sums of them, whatever they are."""
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


def _words(view: QuestionView, found: Found, rows: Rows) -> dict[str, Floats]:
    """Return how well the question's content words are matched, near and nearer."""
    if not view.words:
        return {}
    words, weights = found.words, found.weights
    above, own = PREFIX * words[rows.above], words[rows.own]
    inside = np.maximum.reduceat(words[rows.inside], rows.starts)
    passage = np.maximum(np.maximum(inside, LEXICAL * found.there), above)
    context = np.maximum(_around(words, rows, 1, NEIGHBOUR), own)
    context = np.maximum(context, words[rows.above])
    either = np.maximum(context, passage)
    near = np.maximum(_around(words, rows, NEAR, PREFIX), either)
    chunks = np.maximum.reduceat(words, rows.base)[rows.candidate]
    stand = np.maximum.reduceat(found.lexical, rows.base)[rows.candidate]
    numbers = _are(view, lambda word: any(c.isdigit() for c in word.text))
    names = _are(view, lambda word: _NAME.search(word.text) is not None)
    strange = _are(view, lambda word: word.rarity >= STRANGE)
    lacking = 1 - found.there
    return {
        "own_weighted": _mean(own, weights),
        "passage_weighted": _mean(passage, weights),
        "context_weighted": _mean(context, weights),
        "near_weighted": _mean(near, weights),
        "chunk_weighted": _mean(chunks, weights),
        "weakest": _weakest(either, weights),
        "second_weakest": _weakest(either, weights, rank=1),
        "near_weakest": _weakest(near, weights),
        "chunk_weakest": _weakest(chunks, weights),
        "covered": _mean(found.there, weights),
        "words_context": _mean(
            np.maximum(found.lexical[rows.own], found.lexical[rows.above]), weights
        ),
        "named_title": words[rows.above][:, int(weights.argmax())],
        "strange": _mean(lacking * strange, weights),
        "strange_chunk": _mean((1 - stand) * strange, weights),
        "unnamed": _mean(lacking * names, weights),
        "numbers_missing": (lacking * numbers).max(axis=1),
    }


def _are(view: QuestionView, fits: Callable[[Word], bool]) -> Floats:
    """1 for each word of the question that fits and is no subject of the pack."""
    fitting = [fits(word) and not word.subject for word in view.words]
    return np.array(fitting, dtype=np.float32)


def _around(words: Floats, rows: Rows, reach: int, share: float) -> Floats:
    """Return the best match of each word at most `reach` sentences away, at a share of
    it.
    """
    first, last = rows.within(reach)
    best = words[rows.own]
    for step in range(1, reach + 1):
        before = words[np.maximum(rows.own - step, first)]
        after = words[np.minimum(rows.own + step, last)]
        best = np.maximum(best, np.maximum(before, after))
    return np.asarray(share * best)


def _kind(view: QuestionView, found: Found, rows: Rows) -> dict[str, Floats]:
    """Return whether the kind of answer that is asked for stands there, beside the
    subject.

    `kind_covered` is how well a sentence that holds it matches the question, `held` how
    much of the question stands in one that holds what no answer can do without.
    """
    kind, needed = detect_kind(view.text), find_requirement(view.text)
    covered = _mean(np.maximum(found.words, _spread(found.words, rows)), found.weights)
    values: dict[str, Floats] = {}
    if kind is not None:
        present = [shows(kind, unit.introduced) for unit in rows.units]
        values["kind_present"] = np.array(present, dtype=np.float32)
        values["kind_absent"] = 1 - values["kind_present"]
        covered = covered * _shown(rows, lambda text: shows(kind, text))
    values["kind_covered"] = np.maximum.reduceat(covered[rows.inside], rows.starts)
    values["held"] = np.full(len(rows.units), UNASKED, dtype=np.float32)
    if needed is not None:
        share = _held(needed, view, found, rows)
        held = np.maximum.reduceat(share[rows.inside], rows.starts)
        values["held"] = np.maximum(held, 0.0)
        values["lacking"] = (held < 0).astype(np.float32)
    return values


def _shown(rows: Rows, holding: Callable[[str], bool]) -> Floats:
    """1 for every row whose text holds something."""
    texts = (text for one in rows.outlines for text in ("", *one.stated))
    return np.array([holding(text) for text in texts], dtype=np.float32)


def _held(needed: Needed, view: QuestionView, found: Found, rows: Rows) -> Floats:
    """Return how much of the question stands in each row that holds what is required.

    The share of its heavy words, by weight, in it and above it; -1 where the row does
    not hold what is required.
    """
    words = np.array([not word.text.isdigit() for word in view.words], dtype=bool)
    heavy = words & (found.weights >= bound(found.weights[words]))
    weights = found.weights * heavy
    own = found.lexical
    headed = np.maximum(own, _spread(own, rows))
    share = (_mean(own, weights) + _mean(headed, weights)) / 2
    named = own[:, heavy].sum(axis=1)
    texts = (text for one in rows.outlines for text in ("", *one.stated))
    fits = [
        holds(needed, text, int(count))
        for text, count in zip(texts, named, strict=True)
    ]
    return np.where(fits, share if heavy.any() else 1.0, -1.0).astype(np.float32)


def _spread(values: Floats, rows: Rows) -> Floats:
    """For every row the value of what stands above its chunk."""
    sizes = np.diff(np.append(rows.base, rows.size))
    return np.asarray(np.repeat(values[rows.base], sizes, axis=0))


def _form(rows: Rows) -> dict[str, Floats]:
    """Return what a sentence looks like, whatever was asked."""
    units = rows.units
    return {
        "code": np.array([unit.code for unit in units], dtype=np.float32),
        "pointer": np.array([unit.pointer for unit in units], dtype=np.float32),
        "length": np.array(
            [min(1.0, unit.length / 400) for unit in units], dtype=np.float32
        ),
    }


def _each(rows: Rows, values: Iterable[float]) -> Floats:
    """For every unit the value of its candidate."""
    return np.array(list(values), dtype=np.float32)[rows.candidate]


def _asked(candidate: Candidate) -> float:
    """Return how far a question that the passage carries asks the same."""
    near = candidate.question or 0.0
    return max(0.0, (near - ALIKE) / (1 - ALIKE))


def _mean(values: Floats, weights: Floats) -> Floats:
    total = float(weights.sum())
    if total <= 0:
        return np.zeros(len(values), dtype=np.float32)
    return np.asarray(values @ weights / total)


def bound(weights: Floats) -> float:
    """Return the weight from which words count as heavy.

    Where no word is heavy, those count that are nearly as heavy as the heaviest.
    """
    return min(HEAVY, HEAVIEST * float(weights.max(initial=0.0)))


def _weakest(values: Floats, weights: Floats, rank: int = 0) -> Floats:
    """Return the worst matched (or the next, by `rank`) of the words that carry
    weight.
    """
    heavy = np.sort(values[:, weights >= bound(weights)], axis=1)
    return np.asarray(heavy[:, min(rank, heavy.shape[1] - 1)])


def _cosine(left: Floats, right: Floats) -> Floats:
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right)
    return np.asarray((left @ right) / np.maximum(norms, 1e-6))
