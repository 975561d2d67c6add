"""The default embedder: real model, real tokenizer."""

import hashlib
import io
import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding import (
    GROWN,
    REDUCER,
    TOKENIZER,
    TOKENIZER_SHA256,
    MiniLM,
    cut_windows,
)
from engine.model.errors import EmbedderFailed


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    """One loaded model for all tests of this module."""
    return MiniLM(threads=2)


def test_the_vendored_tokenizer_is_the_pinned_one():
    """The file in the checkout is the upstream's, byte for byte."""
    assert hashlib.sha256(TOKENIZER.read_bytes()).hexdigest() == TOKENIZER_SHA256


def test_shapes_and_lengths(embedder):
    """Vectors have the promised dimensions and unit length."""
    (encoded,) = embedder.encode(["Fatigue may last for months after treatment."])
    assert encoded.vector.shape == (384,)
    assert encoded.tokens.shape == (len(encoded.spans), 128)
    assert np.linalg.norm(encoded.vector) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(encoded.tokens, axis=1) == pytest.approx(1, abs=1e-5)
    assert (embedder.dimension, embedder.reduced) == (384, 128)


def test_pooled_vector_is_that_of_the_published_model(embedder):
    """The first values on the model card of all-MiniLM-L6-v2, within quantisation."""
    (encoded,) = embedder.encode(["This is an example sentence"])
    assert encoded.vector[:3] == pytest.approx([0.0677, 0.0635, 0.0487], abs=0.006)


def test_spans_are_code_points_of_the_text(embedder):
    """Characters outside the basic plane, accents and brackets shift nothing."""
    text = "\N{MATHEMATICAL SCRIPT CAPITAL X} naïve 😀 Straße [SEP] 5-FU"
    (encoded,) = embedder.encode([text])
    pieces = [text[start:end] for start, end in encoded.spans]
    assert pieces[-3:] == ["5", "-", "FU"]
    assert "naïve" in pieces
    assert pieces[-6:-3] == ["[", "SEP", "]"]


def test_a_text_is_encoded_alike_in_any_company(embedder):
    """Neither batch, nor order, nor threads change a vector by one bit."""
    texts = [f"Passage {n} on treatment. " * (n % 5 + 1) for n in range(12)]
    alone = [embedder.encode_question(text) for text in texts]
    for mine, theirs in zip(embedder.encode(texts[::-1]), alone[::-1], strict=True):
        assert np.array_equal(mine.vector, theirs.vector)
        assert np.array_equal(mine.tokens, theirs.tokens)


def test_no_token_of_a_long_text_is_lost(embedder):
    """A text of several windows keeps every word once, in order."""
    text = " ".join(f"word{n}" for n in range(600))
    (encoded,) = embedder.encode([text])
    starts = encoded.spans[:, 0]
    assert np.all(np.diff(starts) > 0)
    assert {text[a:b][0] for a, b in encoded.spans} >= {"w"}
    assert encoded.spans[-1, 1] == len(text)
    assert sum(b - a for a, b in encoded.spans) == len(text.replace(" ", ""))


@pytest.mark.parametrize("text", ["", " ", "\x00", "a\ud800b", "\N{ZERO WIDTH SPACE}"])
def test_odd_texts_are_encoded(embedder, text):
    """Nothing that a document can hold makes the embedder fail."""
    (encoded,) = embedder.encode([text])
    assert np.isfinite(encoded.vector).all()
    assert encoded.spans.shape == (len(encoded.tokens), 2)


def test_likeness_follows_meaning(embedder):
    """A paraphrase is nearer than another subject, pooled and by token."""
    question = embedder.encode_question("Why am I so tired after chemotherapy?")
    near, far = embedder.encode(
        ["Fatigue can go on long after cancer treatment ends.", "Launch the node."]
    )
    assert question.vector @ near.vector > question.vector @ far.vector + 0.3
    best = [
        (question.tokens @ passage.tokens.T).max(axis=1).mean()
        for passage in (near, far)
    ]
    assert best[0] > best[1] + 0.1


@given(st.integers(0, 3_000), st.integers(2, 300), st.data())
def test_windows_keep_every_piece_once(pieces, size, data):
    """Kept ranges join without gap or overlap, inside windows that fit."""
    overlap = data.draw(st.integers(0, size - 1))
    cut = cut_windows(pieces, size, overlap)
    assert cut[0].keep_from == 0
    assert cut[-1].keep_to == pieces
    for window in cut:
        assert window.end - window.start <= size
        assert window.start <= window.keep_from <= window.keep_to <= window.end
    for one, other in pairwise(cut):
        assert one.keep_to == other.keep_from


def test_another_tokenizer_is_refused(tmp_path: Path):
    """A changed tokenizer file is named, with the fix."""
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(TOKENIZER.read_bytes() + b" ")
    with pytest.raises(EmbedderFailed, match=r"tokenizer\.json is not the file"):
        MiniLM(tokenizer=changed).encode(["text"])


def test_a_reducer_that_is_no_matrix_is_refused(tmp_path: Path):
    """Absent, short, wrongly shaped or pickled: each is refused at construction."""
    pickled = io.BytesIO()
    np.save(pickled, np.array([object()]), allow_pickle=True)
    wrong = io.BytesIO()
    np.save(wrong, np.zeros((10, 128), np.float32))
    for content in (
        b"",
        REDUCER.read_bytes()[:1000],
        pickled.getvalue(),
        wrong.getvalue(),
        pickle.dumps([1]),
    ):
        path = tmp_path / "reducer.npy"
        path.write_bytes(content)
        with pytest.raises(EmbedderFailed, match="fit_reducer"):
            MiniLM(reducer=path)
    with pytest.raises(EmbedderFailed, match="fit_reducer"):
        MiniLM(reducer=tmp_path / "absent.npy")


def test_the_name_is_bound_to_the_reducer(tmp_path: Path):
    """Another reduction is another embedder, so indexes and calibrations never mix."""
    other = tmp_path / "reducer.npy"
    np.save(other, np.load(REDUCER)[:, ::-1].copy())
    assert MiniLM(reducer=other).name != MiniLM().name
    assert MiniLM().name.startswith("all-MiniLM-L6-v2-int8+pca128-")


@pytest.mark.parametrize("sign", ["\ufdfa", "\u337f", "\ufb03", "\u32cf"])
def test_a_sign_of_many_letters_is_read_within_bounds_R_S2(embedder, sign):
    """One message of them would be read for half a minute."""
    plain = embedder.encode_question("word " * 400)
    many = embedder.encode_question(sign * 2_000)
    assert len(many.tokens) <= GROWN
    assert len(many.tokens) < 10 * len(plain.tokens)
