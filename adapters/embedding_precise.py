"""The embedder of the `precise` profile: MiniLM, and all-mpnet-base-v2 for sentences.

MiniLM finds and matches as in the `small` profile; the larger model adds one vector a
sentence, which finds the paraphrases that MiniLM misses. A sentence's vector is the
mean of what the model says of its word pieces inside their passage, so a passage is one
run of the model and a sentence that opens with "It" still knows its subject.
"""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from adapters.embedding import (
    REDUCER,
    Contextual,
    ContextualModel,
    MiniLM,
    read_reducer,
    reduced,
    unit,
    verified,
)
from engine.ports import Encoded, Floats, Int8s

MODEL_SHA256 = "cda8a7010f94dc263cc9e91f836104ff9310576f83d636a779ae4728fbee0633"
TOKENIZER_SHA256 = "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"
MPNET_REDUCER = REDUCER.with_name("mpnet-reducer.npy")

Spans = Sequence[tuple[int, int]]


def model_file(cache: Path) -> Path:
    """Where `adapters.mpnet_build` puts the model below the user's cache folder."""
    return cache / "models" / f"mpnet-{MODEL_SHA256[:12]}.onnx"


def tokenizer_file(cache: Path) -> Path:
    """The model's tokenizer, beside it."""
    return model_file(cache).with_suffix(".tokenizer.json")


def mpnet_model(cache: Path, threads: int = 2) -> ContextualModel:
    """all-mpnet-base-v2 as `make precise` built it, both files checked by hash.

    Raises:
        EmbedderFailed: a file is missing or is not the one this project was fitted on.
    """
    fix = "build it with `make precise`"
    verified(model_file(cache), MODEL_SHA256, fix)
    words = verified(tokenizer_file(cache), TOKENIZER_SHA256, fix)
    return ContextualModel(model_file(cache), words.decode("utf-8"), threads)


def sentence_vectors(text: Contextual, sentences: Spans) -> Int8s:
    """One row a sentence: the unit mean of its word pieces, to be multiplied by 1/127.

    Args:
        text: a passage, encoded whole.
        sentences: code-point offsets in the passage. One that holds no word piece gets
            a row of zeros, which is similar to nothing.
    """
    rows = np.zeros((len(sentences), text.tokens.shape[1]), dtype=np.float32)
    starts, ends = text.spans.T
    for row, (start, end) in zip(rows, sentences, strict=True):
        inside = (starts < end) & (ends > start)
        if inside.any():
            row[:] = text.tokens[inside].mean(axis=0)
    return np.asarray(np.rint(unit(rows) * 127.0), dtype=np.int8)


class MPNet:
    """`engine.ports.Embedder` on all-mpnet-base-v2: 768 and 128 dimensions.

    The model is loaded with the first text.

    Args:
        cache: the user's cache folder, where the built model lies.
        threads: passages encoded at the same time, each on one core.
        reducer: matrix (768, 128) of scripts/fit_reducer.py.

    Raises:
        EmbedderFailed: a file is missing, damaged or of the wrong shape.
    """

    dimension = 768

    def __init__(
        self, cache: Path, threads: int = 2, reducer: Path = MPNET_REDUCER
    ) -> None:
        self._cache = cache
        self._threads = threads
        self._reducer = read_reducer(reducer, self.dimension)
        digest = hashlib.sha256(self._reducer.tobytes()).hexdigest()[:8]
        self.reduced = self._reducer.shape[1]
        self.name = f"all-mpnet-base-v2-{MODEL_SHA256[:8]}+pca{self.reduced}-{digest}"
        self._model: ContextualModel | None = None
        self._loading = threading.Lock()  # a question and an ingestion may come at once

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode passages in order; of a long one no token is lost."""
        return [reduced(text, self._reducer) for text in self._contextual(texts)]

    def encode_question(self, text: str) -> Encoded:
        """Encode a question: this model sees no difference to a passage."""
        return self.encode([text])[0]

    def encode_sentences(
        self, texts: Sequence[str], sentences: Sequence[Spans]
    ) -> list[Int8s]:
        """The `sentence_vectors` of every passage, in order, from one run a passage."""
        return [
            sentence_vectors(text, spans)
            for text, spans in zip(self._contextual(texts), sentences, strict=True)
        ]

    def _contextual(self, texts: Sequence[str]) -> list[Contextual]:
        with self._loading:
            if self._model is None:
                self._model = mpnet_model(self._cache, self._threads)
        return self._model.encode(texts)


class MiniLMAndMPNet:
    """`engine.ports.Embedder` of the `precise` profile: MiniLM plus sentence vectors.

    Vectors and token vectors are MiniLM's. What MPNet adds is stored as
    `TokenVectors.sentences`, of `wide` columns, and compared with
    `encode_question_wide` by the cosine.

    Args:
        cache: the user's cache folder, where the built model lies.
        threads: passages encoded at the same time, each on one core.

    Raises:
        EmbedderFailed: a file is missing, damaged or of the wrong shape.
    """

    dimension = MiniLM.dimension
    wide = MPNet.dimension

    def __init__(self, cache: Path, threads: int = 2) -> None:
        self._minilm = MiniLM(threads)
        self._mpnet = MPNet(cache, threads)
        self.reduced = self._minilm.reduced
        self.name = f"{self._minilm.name}+{self._mpnet.name}"

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode passages in order with MiniLM."""
        return self._minilm.encode(texts)

    def encode_question(self, text: str) -> Encoded:
        """Encode a question with MiniLM."""
        return self._minilm.encode_question(text)

    def encode_sentences(
        self, texts: Sequence[str], sentences: Sequence[Spans]
    ) -> list[Int8s]:
        """Sentence vectors of passages, in order, (n_sentences, wide) each.

        Args:
            texts: passages, the same that `encode` is given.
            sentences: of each passage, code-point offsets of its sentences.
        """
        return self._mpnet.encode_sentences(texts, sentences)

    def encode_question_wide(self, text: str) -> Floats:
        """The question's vector to compare sentence vectors with, unit length."""
        return self._mpnet.encode_question(text).vector
