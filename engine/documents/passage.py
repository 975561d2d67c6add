"""What of a chunk is embedded, and how its encoding is stored."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.ports import Embedder, Encoded, Entry, SentenceEmbedder, TokenVectors
from engine.records import Chunk

LONGEST = 1_000_000  # characters that are embedded at once


def prefix(chunk: Chunk) -> str:
    """Title and section, embedded first so that the tokens know their subject."""
    path = [part for part in chunk.section if part != chunk.title]
    return ": ".join([chunk.title, *path[-2:]]) + "\n"


def passage_text(chunk: Chunk) -> str:
    """The text an embedder is given for a chunk."""
    return prefix(chunk) + chunk.text


def entry(chunk: Chunk, encoded: Encoded) -> Entry:
    """Pack the encoding of `passage_text(chunk)` for storage.

    Token spans become relative to `Chunk.start`; tokens of the prefix get (-1, -1).
    """
    shift = len(prefix(chunk))
    spans = encoded.spans.astype(np.int32) - shift
    spans[spans[:, 0] < 0] = -1
    values = np.clip(np.rint(encoded.tokens * 127), -127, 127).astype(np.int8)
    return Entry(
        chunk=chunk,
        vector=encoded.vector,
        tokens=TokenVectors(values=values, spans=spans),
    )


def entries_of(embedder: Embedder, chunks: Sequence[Chunk]) -> list[Entry]:
    """Chunks with all that an index stores for them.

    Raises:
        EmbedderFailed: the embedder failed; there is never a part of a batch.
    """
    texts = [passage_text(chunk) for chunk in chunks]
    encoded = embedder.encode(texts)
    entries = [entry(*pair) for pair in zip(chunks, encoded, strict=True)]
    if not isinstance(embedder, SentenceEmbedder):
        return entries
    sentences = [_spans(chunk) for chunk in chunks]
    rows = embedder.encode_sentences(texts, sentences)
    return [
        replace(made, tokens=replace(made.tokens, sentences=of_chunk))
        for made, of_chunk in zip(entries, rows, strict=True)
    ]


def _spans(chunk: Chunk) -> list[tuple[int, int]]:
    """Where the sentences of a chunk stand in its `passage_text`."""
    shift = len(prefix(chunk)) - chunk.start
    return [(s.start + shift, s.end + shift) for s in chunk.sentences]
