"""Features: finite numbers for every quotable sentence, on any question."""

import numpy as np
from hypothesis import given, strategies

from engine.ports import Candidate, CorpusStatistics, Encoded, TokenVectors
from engine.records import Chunk
from engine.retrieve.features import NAMES, measure
from engine.retrieve.view import view
from tests.engine.retrieve.chunks import chunks

STATISTICS = CorpusStatistics(documents=1, chunks=9, chunk_frequency={"rins": 2})
SIZE = 4


def encoded(text: str) -> Encoded:
    """A token a word; none for a text without words."""
    spans, start = [], 0
    for word in text.split(" "):
        if word:
            spans.append((start, start + len(word)))
        start += len(word) + 1
    tokens = np.eye(SIZE, dtype=np.float32)[np.arange(len(spans)) % SIZE]
    return Encoded(
        vector=np.full(SIZE, 0.5, dtype=np.float32),
        tokens=tokens.reshape(-1, SIZE),
        spans=np.array(spans, dtype=np.int32).reshape(-1, 2),
    )


def stored(text: str) -> TokenVectors:
    made = encoded(text)
    return TokenVectors(values=(made.tokens * 127).astype(np.int8), spans=made.spans)


@given(chunks, strategies.text(max_size=40) | strategies.just("How to rinse it?"))
def test_every_quotable_sentence_is_measured_R_G6(chunk: Chunk, text: str) -> None:
    """A row each, finite, in the order of NAMES; the passage holds the sentence."""
    candidates = [Candidate(chunk, 3.0, None), Candidate(chunk, None, 0.4)]
    seen = view(text, encoded(text), STATISTICS, {})
    scored = measure(seen, candidates, {chunk.id: stored(chunk.text)})
    quotable = [at for at, s in enumerate(chunk.sentences) if s.quotable]
    assert [(s.candidate, s.sentence) for s in scored] == [
        (number, at) for number in (0, 1) for at in quotable
    ]
    for one in scored:
        assert one.features.shape == (len(NAMES),)
        assert np.isfinite(one.features).all()
        assert any(p.first <= one.sentence <= p.last for p in one.passage)


@given(chunks)
def test_the_scale_of_bm25_does_not_matter_R_G6(chunk: Chunk) -> None:
    """An index that scores ten times higher gives the same features."""
    other = chunk.model_copy(update={"id": "other"})
    tokens = {c.id: stored(c.text) for c in (chunk, other)}
    seen = view("How to rinse it?", encoded("How to rinse it?"), STATISTICS, {})
    rows = [
        measure(seen, [Candidate(chunk, 2 * n, 0.5), Candidate(other, n, 0.4)], tokens)
        for n in (1.0, 10.0)
    ]
    for here, there in zip(*rows, strict=True):
        assert np.allclose(here.features, there.features)
