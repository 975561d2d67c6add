"""The question against all candidates at once: the matches of each word and token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import re2
from numpy.typing import NDArray

from engine.model.ports import Candidate, Floats, TokenVectors
from engine.rank.outline import Outline, Unit
from engine.rank.view import QuestionView, Word, join_stems
from engine.text.words import stems

LEXICAL = 0.9  # the similarity of an exact word match
ALIKE = 0.5  # cosine from which two questions may ask the same

_CODE = re2.compile(r"[A-Za-z]{1,3}\d{2,}")  # not "5mg", "24h", "covid19"

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Rows:
    """The places of chunks, sentences and units in the arrays of a question.

    A chunk has a row for its headings, then one for each of its sentences; `base` is
    the first of each chunk, `size` the number of all. For each unit: `own` is the row
    of its sentence, `above` that of its chunk's headings, and from `starts` on `inside`
    lists the rows of its quotation.
    """

    outlines: Sequence[Outline]
    base: Indices
    size: int
    units: tuple[Unit, ...]
    candidate: Indices
    own: Indices
    above: Indices
    inside: Indices
    starts: Indices

    @classmethod
    def of(cls, outlines: Sequence[Outline]) -> Self:
        sizes = [len(one.texts) + 1 for one in outlines]
        base = np.cumsum([0, *sizes])
        units = [(n, unit) for n, one in enumerate(outlines) for unit in one.units]
        candidate = np.array([n for n, _ in units], dtype=np.intp)
        above = base[candidate]
        inside = [base[n] + 1 + row for n, unit in units for row in unit.quotation.rows]
        lengths = [len(unit.quotation.rows) for _, unit in units]
        return cls(
            outlines=outlines,
            base=base[:-1],
            size=int(base[-1]),
            units=tuple(unit for _, unit in units),
            candidate=candidate,
            own=above + 1 + np.array([u.quotation.at for _, u in units], dtype=np.intp),
            above=above,
            inside=np.array(inside, dtype=np.intp),
            starts=np.cumsum([0, *lengths])[:-1],
        )

    def within(self, reach: int) -> tuple[Indices, Indices]:
        """Return the first and last row at most `reach` sentences away, in the same
        chunk.
        """
        ends = np.append(self.base[1:], self.size)[self.candidate] - 1
        first = np.maximum(self.own - reach, self.above + 1)
        return first, np.minimum(self.own + reach, ends)


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of every row with the question.

    `tokens` (rows, question tokens) and `words` are similarities, `lexical` is 1 where
    the word itself occurs, `there` where it occurs in a unit's quotation or above it.
    `pooled` is the sum of a row's token vectors; `weights` are those of the words.
    `asked` is how near a row's own tokens are to the question, on average.
    """

    tokens: Floats
    words: Floats
    lexical: Floats
    there: Floats
    pooled: Floats
    weights: Floats
    asked: Floats


def match(
    view: QuestionView,
    candidates: Sequence[Candidate],
    stored: Sequence[TokenVectors],
    rows: Rows,
) -> Matches:
    values, places = [], []
    for base, candidate, one in zip(rows.base, candidates, stored, strict=True):
        sentence = _assign_sentences(candidate, one)
        held = sentence >= 0
        values.append(one.values if held.all() else one.values[held])
        places.append(base + sentence[held])
    vectors = np.concatenate(values).astype(np.float32)
    vectors /= 127.0
    row = np.concatenate(places)
    if (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        row, vectors = row[order], vectors[order]
    begins = np.flatnonzero(np.diff(row, prepend=-1))
    scores = vectors @ view.encoded.tokens.T
    near = np.zeros((rows.size, scores.shape[1]), dtype=np.float32)
    near[row[begins]] = np.maximum.reduceat(scores, begins)
    pooled = np.zeros((rows.size, vectors.shape[1]), dtype=np.float32)
    pooled[row[begins]] = np.add.reduceat(vectors, begins)
    asked = np.zeros(rows.size, dtype=np.float32)
    counted = np.diff(np.append(begins, len(row)))
    asked[row[begins]] = np.add.reduceat(scores.max(axis=1), begins) / counted
    heads = map(_find_stems_above, candidates, rows.outlines)
    texts = [
        text
        for head, one in zip(heads, rows.outlines, strict=True)
        for text in (head, *one.stems)
    ]
    lexical = _match_words(view.words, texts)
    there = np.maximum.reduceat(lexical[rows.inside], rows.starts)
    leaning = [at for at, unit in enumerate(rows.units) if unit.outside]
    if leaning:
        outside = _match_words(view.words, [rows.units[at].outside for at in leaning])
        there[leaning] = np.maximum(there[leaning], outside)
    words = np.maximum(near @ _share_tokens(view), LEXICAL * lexical)
    codes = [_is_code(word.text) for word in view.words]
    words[:, codes] = LEXICAL * lexical[:, codes]
    return Matches(
        tokens=near,
        words=words,
        lexical=lexical,
        there=np.maximum(there, lexical[rows.above]),
        pooled=pooled,
        weights=np.array([word.weight for word in view.words], dtype=np.float32),
        asked=asked,
    )


def _is_code(word: str) -> bool:
    """Return whether a word is a code: as tokens alone, "E112" is near to "E301"."""
    return _CODE.fullmatch(word) is not None


def _find_stems_above(candidate: Candidate, one: Outline) -> str:
    """Return the stems above a chunk: headings, and a stored question that is near."""
    if candidate.asked is None or (candidate.question or 0.0) < ALIKE:
        return one.above
    return f"{one.above}{join_stems(stems(candidate.asked))}"


def _assign_sentences(candidate: Candidate, stored: TokenVectors) -> Indices:
    """Return the sentence of each token, from 1; 0 for tokens of title and section.

    -1 for tokens outside every sentence: the unselected part of a selection.
    """
    chunk, tokens = candidate.chunk, stored.spans[:, 0]
    starts = np.array([s.start - chunk.start for s in chunk.sentences], dtype=np.intp)
    ends = np.array([0, *(s.end - chunk.start for s in chunk.sentences)], dtype=np.intp)
    sentence = np.searchsorted(starts, tokens, side="right")
    return np.where((tokens < 0) | (tokens < ends[sentence]), sentence, -1)


def _match_words(words: Sequence[Word], texts: Sequence[str]) -> Floats:
    """Return 1 for each word that occurs, itself or as a synonym, in each text of
    stems.
    """
    found = np.zeros((len(texts), len(words)), dtype=np.float32)
    for column, word in enumerate(words):
        for form in word.forms:
            found[:, column] += [form in text for text in texts]
    return np.minimum(found, 1.0)


def _share_tokens(view: QuestionView) -> Floats:
    """Return the share of each token in each word, which maps token to word
    similarities.
    """
    share = np.zeros((len(view.encoded.tokens), len(view.words)), dtype=np.float32)
    for column, word in enumerate(view.words):
        if word.tokens:
            share[list(word.tokens), column] = 1 / len(word.tokens)
    return share
