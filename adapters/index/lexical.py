"""BM25 over the stems of chunks, as inverted lists in memory.

SQLite's FTS5 needs 83 ms (median) for a question over 100,000 chunks, since it ranks
every row that any word of the question touches; these lists need about 2 ms, weigh a
stem by its frequency in what the asker may see, and give the corpus statistics too.
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
TITLE_WEIGHT = 1.5  # of a word in the title or a heading, against one in the text
MOST_TERMS = 256  # stems of one query; the rest is ignored

Bools = NDArray[np.bool_]


def weigh(chunk: Chunk) -> Mapping[str, float]:
    """Stem -> weighted frequency over title, section path and text of a chunk.

    Head rows of a table that its rows lean on are of their text, too.
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


def query_stems(terms: Sequence[str]) -> list[str]:
    """Distinct stems of plain words, without stop words, in order."""
    content = (
        stem(word) for term in terms for word in words(term) if word not in STOPWORDS
    )
    return list(dict.fromkeys(content))[:MOST_TERMS]


def pack_terms(
    weights: Sequence[Mapping[str, float]], vocabulary: Mapping[str, int]
) -> Structured:
    """The stems of several chunks, one after the other, as stored."""
    total = sum(len(of_chunk) for of_chunk in weights)
    packed = np.empty(total, TERM)
    packed["term"] = [vocabulary[name] for of_chunk in weights for name in of_chunk]
    packed["weight"] = [value for of_chunk in weights for value in of_chunk.values()]
    return packed


@dataclass(frozen=True, slots=True)
class Postings:
    """For each stem the rows that hold it, over the rows `first` to `end`."""

    first: int
    end: int
    starts: NDArray[np.int64]
    rows: Int32s
    weights: Floats

    def of(self, term: int) -> slice:
        """Where the rows of a stem stand in `rows` and `weights`."""
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

    Parts of similar size are merged, so that there are never more than about
    log2(rows) of them, and a row is inverted that often at most.
    """
    parts = list(postings)
    first = parts[-1].end if parts else 0
    end = len(block.records)
    if first == end:
        return tuple(parts)
    while parts and end - first >= (parts[-1].end - parts[-1].first) // 2:
        first = parts.pop().first
    return (*parts, invert(block, first, end))


def damping(lengths: Floats, average: float) -> Floats:
    """How much a weight counts for less in each chunk, by its length."""
    return K1 * (1 - B + B * lengths / average)


def rarity(count: int, frequency: int) -> float:
    """The weight of a stem that stands in `frequency` of `count` chunks."""
    return log(1 + (count - frequency + 0.5) / (frequency + 0.5)) * (K1 + 1)


def bm25(
    postings: Sequence[Postings], lengths: Floats, visible: Bools, terms: Iterable[int]
) -> Floats:
    """The BM25 score of every row; 0 where it is invisible or holds none of the terms.

    How rare a stem is, and how long a chunk is on average, are taken over the visible
    rows alone: what an asker may not see has no influence.
    """
    scores = np.zeros(len(visible), dtype=np.float32)
    count = int(np.count_nonzero(visible))
    if count == 0:
        return scores
    average = float(lengths.mean(where=visible)) or 1.0
    damped = damping(lengths, average)
    for term in terms:
        found = [(part, part.of(term)) for part in postings]
        frequency = sum(
            int(np.count_nonzero(visible[part.rows[at]])) for part, at in found
        )
        if frequency == 0:
            continue
        rare = rarity(count, frequency)
        for part, at in found:
            rows, weights = part.rows[at], part.weights[at]
            scores[rows] += rare * weights / (weights + damped[rows])
    scores[~visible] = 0.0
    return scores


def chunk_frequency(postings: Sequence[Postings], visible: Bools) -> NDArray[np.int64]:
    """For each stem number the count of visible rows that hold it."""
    size = max((len(part.starts) - 1 for part in postings), default=0)
    total = np.zeros(size, dtype=np.int64)
    for part in postings:
        # Running counts of visible postings, read off at the ends of every list.
        running = np.concatenate([[0], np.cumsum(visible[part.rows])])
        total[: len(part.starts) - 1] += np.diff(running[part.starts])
    return total
