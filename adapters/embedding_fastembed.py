"""An embedder on `fastembed`, an optional package that fetches its own models.

As with a remote endpoint, the pooled vector is the only token row (see
adapters/embedding_openai.py).
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Protocol

import numpy as np

from adapters.embedding_openai import make_pooled
from engine.model.errors import EmbedderFailed
from engine.model.ports import Encoded, Floats
from engine.text.legible import legible


class TextModel(Protocol):
    """The part of `fastembed.TextEmbedding` that is used."""

    def embed(self, documents: list[str]) -> Iterable[Floats]: ...

    def query_embed(self, query: str) -> Iterable[Floats]: ...


class FastEmbedder:
    """`engine.model.ports.Embedder` on a model of fastembed."""

    def __init__(self, model: TextModel, name: str, dimension: int) -> None:
        self._model = model
        self.name = f"fastembed/{name}/{dimension}"
        self.dimension = dimension
        self.reduced = dimension

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode passages, in order."""
        return self._check_vectors(
            self._model.embed([legible(text) for text in texts]), texts
        )

    def encode_question(self, text: str) -> Encoded:
        """Encode a question with the model's prefix for questions."""
        return self._check_vectors(self._model.query_embed(legible(text)), [text])[0]

    def _check_vectors(
        self, vectors: Iterable[Floats], texts: Sequence[str]
    ) -> list[Encoded]:
        try:
            rows = [np.asarray(vector, dtype=np.float32) for vector in vectors]
        except (RuntimeError, ValueError, OSError) as error:
            raise EmbedderFailed(f"{self.name} failed on a text: {error}") from error
        if [row.shape for row in rows] != [(self.dimension,)] * len(texts):
            raise EmbedderFailed(
                f"{self.name} did not return one vector of {self.dimension} numbers "
                "for each text: check the dimension in the settings"
            )
        return [make_pooled(row, text) for row, text in zip(rows, texts, strict=True)]


def load_fastembed(name: str, dimension: int, threads: int = 2) -> FastEmbedder:
    """Load a model of fastembed; its first use needs the network.

    Raises:
        EmbedderFailed: the package is not installed, or the model cannot be loaded.
    """
    try:
        package = import_module("fastembed")
    except ImportError as error:
        raise EmbedderFailed(
            "the package fastembed is not installed: run `pip install fastembed`, or "
            "choose another embedder in the settings"
        ) from error
    try:
        model: TextModel = package.TextEmbedding(model_name=name, threads=threads)
    except (RuntimeError, ValueError, OSError) as error:
        raise EmbedderFailed(f"fastembed cannot load {name}: {error}") from error
    return FastEmbedder(model, name, dimension)
