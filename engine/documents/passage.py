"""The text of a chunk that is embedded, and the stored form of its encoding."""

from collections.abc import Sequence

import numpy as np

from engine.model.passage import Chunk
from engine.model.ports import Embedder, Encoded, Entry, Int32s, TokenVectors
from engine.text.cells import read_pieces

LONGEST = 1_000_000  # characters that are embedded at once


def make_prefix(chunk: Chunk) -> str:
    """Return title and section, which give the tokens their subject."""
    path = [part for part in chunk.section if part != chunk.title]
    return ": ".join([chunk.title, *path[-2:]]) + "\n"


def passage_text(chunk: Chunk) -> str:
    """Return the text to embed for a chunk: cells of tables with their heads."""
    return make_prefix(chunk) + "".join(text for text, _, _ in read_pieces(chunk))


def make_entry(chunk: Chunk, encoded: Encoded) -> Entry:
    """Pack the encoding of `passage_text(chunk)` for storage.

    Token spans become relative to `Chunk.start`; tokens of the prefix get (-1, -1).
    """
    shift = len(make_prefix(chunk))
    spans = _map_spans(chunk, encoded.spans.astype(np.int32) - shift)
    values = np.clip(np.rint(encoded.tokens * 127), -127, 127).astype(np.int8)
    return Entry(
        chunk=chunk,
        vector=encoded.vector,
        tokens=TokenVectors(values=values, spans=spans),
    )


def _map_spans(chunk: Chunk, spans: Int32s) -> Int32s:
    """Map spans of the embedded text to spans of the chunk's text."""
    told = [*read_pieces(chunk)]
    lengths = [len(text) for text, _, _ in told]
    begins = np.cumsum([0, *lengths[:-1]])
    starts = np.array([start - chunk.start for _, start, _ in told])
    heads = np.array([head for _, _, head in told], dtype=bool)
    piece = np.searchsorted(begins, spans[:, 0], side="right") - 1
    moved = spans + (starts - begins)[piece][:, None]
    row = starts[piece][:, None] + np.array([[0, 1]])
    placed = np.where(heads[piece][:, None], row, moved)
    return np.where(spans[:, :1] < 0, -1, placed).astype(np.int32)


def encode_chunks(embedder: Embedder, chunks: Sequence[Chunk]) -> list[Entry]:
    """Encode chunks into what an index stores for them.

    Raises:
        EmbedderFailed: the embedder failed; there is never a part of a batch.
    """
    encoded = embedder.encode([passage_text(chunk) for chunk in chunks])
    return [make_entry(*pair) for pair in zip(chunks, encoded, strict=True)]
