"""The packaged readers: cross-encoders in ONNX on the CPU, `small` and `large`.

`small` is in the repository; `large` is built into the user's cache (`make reader`). A
run has one pair of question and passage, so no score depends on other pairs. Inputs and
training are described in config/models/readers/README.md.
"""

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from adapters.embedding import (
    RUNTIME_ERRORS,
    TOKENIZER,
    TOKENIZER_SHA256,
    cut_windows,
    read_verified,
)
from engine.model.errors import EmbedderFailed, ReaderFailed
from engine.model.ports import Floats, Readable, Reader, ReaderScore

_MODELS = Path(__file__).resolve().parent.parent / "config" / "models" / "readers"
PAIRS = _MODELS / "pairs.json"
SMALL = _MODELS / "small.onnx"
SMALL_SHA256 = "be2cd3d65d71940b14983a5091f8268a75999fced9489f0b6544496b88e05390"
LARGE_SHA256 = "7efe821345a43196d62d71d00786c42a014be445ea529fde08add1b95a52a031"
LARGE_TOKENIZER_SHA256 = (
    "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"
)

# Word pieces of a run, as in training: the end of a long question, the beginning of a
# long path, and the text in windows.
QUESTION, PATH, TEXT = 64, 32, 192
OVERLAP = 48  # word pieces that neighbouring windows share, about a sentence
LONGEST = 40_000  # characters of a passage; a longer one is refused, not cut
APART = 0.3  # difference to the stored log-odds from which a reader is a wrong one
KEPT = 4_096  # pairs whose score is cached


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a pair for an encoder: pieces that open, separate and close it.

    `segments` says whether the encoder takes segment ids, which mark the question.
    """

    opens: tuple[int, ...]
    parts: tuple[int, ...]
    closes: tuple[int, ...]
    segments: bool


MINILM = Form((101,), (102,), (102,), segments=True)
MPNET = Form((0,), (2, 2), (2,), segments=False)


def large_reader_path(cache: Path) -> Path:
    """Return the path of the large reader in the user's cache folder."""
    return cache / "models" / f"reader-{LARGE_SHA256[:12]}.onnx"


def tokenizer_path(cache: Path) -> Path:
    """Return the path of the large reader's tokenizer, beside it."""
    return large_reader_path(cache).with_suffix(".tokenizer.json")


@dataclass(frozen=True, slots=True)
class Files:
    """A packaged reader's files with their hashes, and the fix where one is bad."""

    model: Path
    model_sha256: str
    tokenizer: Path
    tokenizer_sha256: str
    fix: str


class PackagedReader:
    """The port `Reader` on a file of this project, loaded with the first passage.

    Args:
        name: `small` or `large`; the reader's name adds the hash of its weights.
        files: model and tokenizer, checked by hash when they are loaded.
        form: the form of a pair for its encoder.
        threads: pairs read at the same time, each on one core.
    """

    def __init__(self, name: str, files: Files, form: Form, threads: int) -> None:
        self.name = f"{name}-{files.model_sha256[:12]}"
        self._files = files
        self._form = form
        self._threads = max(1, threads)
        self._loaded: tuple[Tokenizer, onnxruntime.InferenceSession] | None = None
        self._loading = threading.Lock()

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        """Score each passage, in order; a long one gets the score of its best window.

        Raises:
            ReaderFailed: a file is missing or damaged, or a passage is too long.
        """
        if not passages:
            return ()
        return await asyncio.to_thread(self.read_all, question, passages)

    def read_all(
        self, question: str, passages: Sequence[Readable]
    ) -> tuple[ReaderScore, ...]:
        """Score each passage in this thread, as `read` does."""
        tokenizer, session = self._load()
        asked = _tokenize(tokenizer, question).ids[-QUESTION:]
        if len(passages) < 2 or self._threads < 2:
            return tuple(
                self._score_one(tokenizer, session, asked, p) for p in passages
            )
        with ThreadPoolExecutor(self._threads) as pool:
            return tuple(
                pool.map(partial(self._score_one, tokenizer, session, asked), passages)
            )

    def _score_one(
        self,
        tokenizer: Tokenizer,
        session: onnxruntime.InferenceSession,
        asked: list[int],
        passage: Readable,
    ) -> ReaderScore:
        if len(passage.text) > LONGEST:
            raise ReaderFailed(
                f"a passage of {len(passage.text)} characters is longer than the "
                f"reader's limit of {LONGEST}"
            )
        path = f"{passage.path}. " if passage.path else ""
        above = _tokenize(tokenizer, path).ids[:PATH]
        text = _tokenize(tokenizer, passage.text)
        best = ReaderScore(-np.inf)
        for window in cut_windows(len(text.ids), TEXT, OVERLAP):
            ids = text.ids[window.start : window.end]
            before = [*self._form.opens, *asked, *self._form.parts]
            odds, starts = self._run(session, before, [*above, *ids])
            if odds > best.log_odds:
                begin = len(before) + len(above)
                start = _find_start(
                    starts, begin, text.offsets[window.start : window.end]
                )
                best = ReaderScore(odds, start)
        return best

    def _run(
        self,
        session: onnxruntime.InferenceSession,
        before: list[int],
        after: list[int],
    ) -> tuple[float, Floats]:
        ids = np.array([[*before, *after, *self._form.closes]], dtype=np.int64)
        feed = {"input_ids": ids}
        if self._form.segments:
            feed["token_type_ids"] = (np.arange(ids.shape[1]) >= len(before))[
                None
            ].astype(np.int64)
        try:
            odds, starts = session.run(["log_odds", "starts"], feed)
        except RUNTIME_ERRORS as error:
            raise ReaderFailed(f"the reader failed on a passage: {error}") from error
        return float(odds[0, 0]), np.asarray(starts[0])

    def _load(self) -> tuple[Tokenizer, onnxruntime.InferenceSession]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._read_files()
            return self._loaded

    def _read_files(self) -> tuple[Tokenizer, onnxruntime.InferenceSession]:
        files = self._files
        try:
            words = read_verified(files.tokenizer, files.tokenizer_sha256, files.fix)
            model = read_verified(files.model, files.model_sha256, files.fix)
        except EmbedderFailed as error:
            raise ReaderFailed(str(error)) from error
        tokenizer = Tokenizer.from_str(words.decode("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[SEP]" in a passage is text
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
        except RUNTIME_ERRORS as error:
            raise ReaderFailed(f"cannot load {files.model}: {error}") from error
        return tokenizer, session


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a passage with the stored scores of both readers."""

    question: str
    path: str
    text: str
    small: float
    large: float


async def measure_difference(reader: Reader) -> float:
    """Measure the largest difference of a reader to the stored scores of ten pairs.

    Processors differ in 8-bit products, but more than `APART` means a wrong reader.

    Raises:
        ReaderFailed: the reader cannot be loaded.
    """
    farthest = 0.0
    for one in json.loads(PAIRS.read_bytes()):
        pair = Pair(**one)
        stored = pair.large if reader.name.startswith("large") else pair.small
        found = await reader.read(pair.question, [Readable(pair.path, pair.text)])
        farthest = max(farthest, abs(found[0].log_odds - stored))
    return farthest


class KeptScores:
    """The port `Reader` with a cache of the last `KEPT` scores.

    Choices of a question read its passages again, and so does a repeated question.
    """

    def __init__(self, reader: Reader, kept: int = KEPT) -> None:
        self._reader = reader
        self._kept = kept
        self._scores: OrderedDict[tuple[str, Readable], ReaderScore] = OrderedDict()

    @property
    def name(self) -> str:
        return self._reader.name

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        """Score each passage, in order; only new pairs are read."""
        scores = {p: self._scores.get((question, p)) for p in passages}
        fresh = [p for p, score in scores.items() if score is None]
        if fresh:
            read = await self._reader.read(question, fresh)
            scores.update(zip(fresh, read, strict=True))
        for passage, score in scores.items():
            if score is not None:
                self._scores[question, passage] = score
                self._scores.move_to_end((question, passage))
        while len(self._scores) > self._kept:
            self._scores.popitem(last=False)
        return [score for p in passages if (score := scores[p]) is not None]


def make_small_reader(threads: int = 2) -> PackagedReader:
    """Make the small reader: MiniLM with two heads, 24 MB, in the repository."""
    files = Files(
        SMALL,
        SMALL_SHA256,
        TOKENIZER,
        TOKENIZER_SHA256,
        "take it from the checkout again (git checkout)",
    )
    return PackagedReader("small", files, MINILM, threads)


def make_large_reader(cache: Path, threads: int = 2) -> PackagedReader:
    """Make the large reader: all-mpnet-base-v2 with trained weights merged in."""
    files = Files(
        large_reader_path(cache),
        LARGE_SHA256,
        tokenizer_path(cache),
        LARGE_TOKENIZER_SHA256,
        "build it with `make reader`",
    )
    return PackagedReader("large", files, MPNET, threads)


def _tokenize(tokenizer: Tokenizer, text: str) -> Encoding:
    # A lone surrogate has no UTF-8 form; "?" takes its place, one for one.
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return tokenizer.encode(encodable, add_special_tokens=False)


def _find_start(
    starts: Floats, begin: int, spans: Sequence[tuple[int, int]]
) -> int | None:
    """Find the offset in the text at which the answering sentence likely begins."""
    inside = starts[begin : begin + len(spans)]
    return spans[int(inside.argmax())][0] if len(inside) else None
