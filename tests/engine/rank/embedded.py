"""Encodings without a model: a token a word, the same for every text."""

import numpy as np

from engine.model.ports import Encoded, TokenVectors

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
    """The same as it is stored."""
    made = encoded(text)
    return TokenVectors(values=(made.tokens * 127).astype(np.int8), spans=made.spans)
