"""The passage that comes nearest to some words, of a few that are known."""

from collections.abc import Sequence

from engine.ports import Embedder
from engine.records import Chunk


def nearest(embedder: Embedder, chunks: Sequence[Chunk], words: str) -> Chunk:
    """The one whose text is nearest to the words, as the embedder sees it.

    Raises:
        EmbedderFailed: they cannot be encoded.
    """
    asked = embedder.encode_question(words).vector
    texts = embedder.encode([chunk.text for chunk in chunks])
    near = [float(text.vector @ asked) for text in texts]
    return chunks[near.index(max(near))]
