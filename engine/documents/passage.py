"""What of a chunk is embedded, and how its encoding is stored."""

from collections.abc import Sequence

import numpy as np

from engine.ports import Embedder, Encoded, Entry, TokenVectors
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
    encoded = embedder.encode([passage_text(chunk) for chunk in chunks])
    return [entry(*pair) for pair in zip(chunks, encoded, strict=True)]
