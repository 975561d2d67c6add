"""The fastembed adapter with a stand-in model, and without the package."""

from importlib.util import find_spec

import numpy as np
import pytest

from adapters.embedding_fastembed import FastEmbedder, load_fastembed
from engine.model.errors import EmbedderFailed


class LengthModel:
    """Texts as (length, 1); a question as (1, length)."""

    def embed(self, documents):
        return (np.array([len(text), 1.0]) for text in documents)

    def query_embed(self, query):
        return iter([np.array([1.0, len(query)])])


class ShortModel(LengthModel):
    """Loses the last text."""

    def embed(self, documents):
        return super().embed(documents[:-1])


def test_passages_and_questions_are_encoded():
    """The pooled vector, unit length, is the only token row."""
    embedder = FastEmbedder(LengthModel(), "length", 2)
    passage, other = embedder.encode(["abc", "d"])
    assert passage.vector == pytest.approx(np.array([3, 1]) / 10**0.5)
    assert other.spans.tolist() == [[0, 1]]
    assert embedder.encode_question("abc").vector[1] > 0.9
    assert passage.tokens.shape == (1, embedder.reduced)


@pytest.mark.parametrize(("model", "dimension"), [(ShortModel, 2), (LengthModel, 3)])
def test_anything_but_a_vector_a_text_is_refused(model, dimension):
    """Never a partial batch, never another dimension."""
    with pytest.raises(EmbedderFailed, match="one vector of"):
        FastEmbedder(model(), "x", dimension).encode(["a", "b"])


@pytest.mark.skipif(find_spec("fastembed") is not None, reason="fastembed is installed")
def test_a_missing_package_is_named_with_the_fix():
    """The message says what to install."""
    with pytest.raises(EmbedderFailed, match="pip install fastembed"):
        load_fastembed("any", 384)
