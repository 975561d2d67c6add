"""BM25 over the stems of chunks, as inverted lists in memory.

SQLite's FTS5 needs 83 ms (median) for a question over 100,000 chunks, since it ranks
every row that has any word of the question. These lists need about 2 ms, weigh a stem
by its frequency in the chunks that the asker may see, and give the corpus statistics.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

import numpy as np
from numpy.typing import NDArray

from adapters.index.segments import TERM, Block, Structured
from engine.model.passage import Chunk
from engine.model.ports import Floats, Int32s
from engine.text.words import STOPWORDS, stem, stems, words

K1 = 1.2  # usual values of BM25 (Robertson and Zaragoza, 2009)
B = 0.75
TITLE_WEIGHT = 1.5  # of a word in the title or a heading, relative to one in the text
MOST_TERMS = 256  # stems of one query; further ones are ignored

Bools = NDArray[np.bool_]


def weigh(chunk: Chunk) -> Mapping[str, float]:
    """Map stems to weighted frequencies in title, section path and text of a chunk.

    The head row of a table counts as text of its rows too.
    """
    weights: dict[str, float] = {}
    for heading in (chunk.title, *chunk.section):
        for found in stems(heading):
            weights[found] = weights.get(found, 0.0) + TITLE_WEIGHT
    heads = {span.start for sentence in chunk.sentences for span in sentence.heads}
    beside = [e.text for e in chunk.context if e.start in heads]
    for found in chain.from_iterable(map(stems, (chunk.text, *beside))):
        weights[found] = weights.get(found, 0.0) + 1.0
    return weights


def list_query_stems(terms: Sequence[str]) -> list[str]:
    """List the distinct stems of words, without stop words, in order."""
    content = (
        stem(word) for term in terms for word in words(term) if word not in STOPWORDS
    )
    return list(dict.fromkeys(content))[:MOST_TERMS]


def pack_terms(
    weights: Sequence[Mapping[str, float]], vocabulary: Mapping[str, int]
) -> Structured:
    """Pack the stems of several chunks, one after the other, into a TERM array."""
    total = sum(len(of_chunk) for of_chunk in weights)
    packed = np.empty(total, TERM)
    packed["term"] = [vocabulary[name] for of_chunk in weights for name in of_chunk]
    packed["weight"] = [value for of_chunk in weights for value in of_chunk.values()]
    return packed


@dataclass(frozen=True, slots=True)
class Postings:
    """Inverted lists over the rows `first` to `end`: for each stem the rows with it."""

    first: int
    end: int
    starts: NDArray[np.int64]
    rows: Int32s
    weights: Floats

    def of(self, term: int) -> slice:
        """Return the slice of a stem in `rows` and `weights`."""
        if term + 1 >= len(self.starts):
            return slice(0, 0)
        return slice(int(self.starts[term]), int(self.starts[term + 1]))


def invert(block: Block, first: int, end: int) -> Postings:
    """Build the postings of some rows of a block."""
    records = block.records[first:end]
    begin = int(records[0]["terms"])
    stop = int(records[-1]["terms"]) + int(records[-1]["term_count"])
    stored = block.terms[begin:stop]
    terms = np.ascontiguousarray(stored["term"])
    # Sorting (term, position) as one number is several times faster than argsort.
    keys = (terms.astype(np.int64) << 32) | np.arange(len(terms), dtype=np.int64)
    keys.sort()
    order = keys & 0xFFFFFFFF
    rows = np.repeat(np.arange(first, end, dtype=np.int32), records["term_count"])
    counts = np.bincount(terms) if len(terms) else np.zeros(0, np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Postings(first, end, starts, rows[order], stored["weight"][order])


def extend(postings: Sequence[Postings], block: Block) -> tuple[Postings, ...]:
    """Add the rows of a block that no part covers yet.

    Parts of similar size are merged, so that there are at most about log2(rows) parts,
    and each row is inverted at most that often.
    """
    parts = list(postings)
    first = parts[-1].end if parts else 0
    end = len(block.records)
    if first == end:
        return tuple(parts)
    while parts and end - first >= (parts[-1].end - parts[-1].first) // 2:
        first = parts.pop().first
    return (*parts, invert(block, first, end))


def compute_damping(lengths: Floats, average: float) -> Floats:
    """Compute BM25's length normalisation of each chunk."""
    return K1 * (1 - B + B * lengths / average)


def compute_rarity(count: int, frequency: int) -> float:
    """Compute the weight of a stem that occurs in `frequency` of `count` chunks."""
    return log(1 + (count - frequency + 0.5) / (frequency + 0.5)) * (K1 + 1)


def score_bm25(
    postings: Sequence[Postings], lengths: Floats, visible: Bools, terms: Iterable[int]
) -> Floats:
    """Score every row with BM25; 0 where it is invisible or has none of the terms.

    Document frequency and average length are taken over the visible rows alone, so that
    chunks which the asker may not see have no influence.
    """
    scores = np.zeros(len(visible), dtype=np.float32)
    count = int(np.count_nonzero(visible))
    if count == 0:
        return scores
    average = float(lengths.mean(where=visible)) or 1.0
    damped = compute_damping(lengths, average)
    for term in terms:
        found = [(part, part.of(term)) for part in postings]
        frequency = sum(
            int(np.count_nonzero(visible[part.rows[at]])) for part, at in found
        )
        if frequency == 0:
            continue
        rare = compute_rarity(count, frequency)
        for part, at in found:
            rows, weights = part.rows[at], part.weights[at]
            scores[rows] += rare * weights / (weights + damped[rows])
    scores[~visible] = 0.0
    return scores


def count_visible_chunks(
    postings: Sequence[Postings], visible: Bools
) -> NDArray[np.int64]:
    """Count the visible rows with each stem, by stem number."""
    size = max((len(part.starts) - 1 for part in postings), default=0)
    total = np.zeros(size, dtype=np.int64)
    for part in postings:
        # Differences of the running count at the ends of every list.
        running = np.concatenate([[0], np.cumsum(visible[part.rows])])
        total[: len(part.starts) - 1] += np.diff(running[part.starts])
    return total
