"""The embedder of the `precise` profile: the real model, as `make precise` built it."""

import numpy as np
import pytest

from adapters.embedding import Contextual
from adapters.embedding_precise import (
    MiniLMAndMPNet,
    MPNet,
    model_file,
    mpnet_model,
    sentence_vectors,
    tokenizer_file,
)
from config.settings import read
from engine.errors import EmbedderFailed

# Each with the cosine that the published fp32 weights gave under the library that its
# authors used (transformers on torch), without any code of this project.
RELATED = [
    (
        "Is it safe to fly while I am on chemotherapy?",
        "Ask your care team before travelling by plane during treatment.",
        0.690,
    ),
    (
        "My gullet hurts when I swallow.",
        "Inflammation of the oesophagus makes eating painful.",
        0.579,
    ),
    ("I am going bald.", "Alopecia means that hair falls out.", 0.450),
    ("He cannot sleep at night.", "Insomnia affects many patients.", 0.452),
    (
        "The skin on my palms and soles is peeling.",
        "Hand-foot syndrome causes redness and blistering.",
        0.494,
    ),
    (
        "What does the operation cost?",
        "The price of surgery differs between hospitals.",
        0.602,
    ),
    ("The tumour came back.", "The cancer has recurred.", 0.857),
    ("I throw up after each infusion.", "Vomiting may follow every dose.", 0.624),
    (
        "A low count of white cells raises the risk of infection.",
        "Neutropenia makes patients prone to fevers.",
        0.582,
    ),
    ("The lump was taken out.", "The surgeon removed the mass.", 0.768),
    (
        "How do I record everything my robot publishes?",
        "The bag tool saves the messages of all topics.",
        0.365,
    ),
    (
        "The simulated world falls apart when I start it.",
        "Check the physics settings if models explode at launch.",
        0.508,
    ),
    (
        "Two programs cannot hear each other on the network.",
        "Nodes with different domain ids do not discover one another.",
        0.228,
    ),
    (
        "Make the wheels turn slower.",
        "Lower the velocity limit of the drive plugin.",
        0.463,
    ),
    (
        "Which shell command lists what is running?",
        "Type the node list command to see active nodes.",
        0.419,
    ),
    (
        "The camera sends no pictures.",
        "No image is published by the sensor.",
        0.658,
    ),
    (
        "My build stops with a missing header.",
        "Compilation fails when an include file is not found.",
        0.589,
    ),
    (
        "Change a value without restarting.",
        "Parameters can be set at run time.",
        0.308,
    ),
    (
        "Where is the log written?",
        "Log files are kept in a folder of the home directory.",
        0.717,
    ),
    (
        "The arm should move to a given pose.",
        "Plan a motion that brings the gripper to its goal.",
        0.537,
    ),
    ("The child is hungry.", "The kid wants something to eat.", 0.897),
    ("It rained all day.", "The weather was wet from morning to evening.", 0.677),
    ("She repaired the bicycle.", "The bike was fixed by her.", 0.875),
    ("The bank raised its rates.", "Interest on loans went up.", 0.679),
    (
        "He plays the violin.",
        "The musician practises a string instrument.",
        0.581,
    ),
    (
        "The train was late again.",
        "Once more the railway ran behind schedule.",
        0.804,
    ),
    ("They planted tomatoes.", "Vegetables were grown in the garden.", 0.694),
    (
        "The court dismissed the appeal.",
        "The judges rejected the application for review.",
        0.685,
    ),
    ("The soup needs salt.", "The broth tastes bland.", 0.479),
    (
        "The volcano erupted last year.",
        "Lava and ash came out of the mountain.",
        0.624,
    ),
]


@pytest.fixture(scope="module")
def embedder() -> MiniLMAndMPNet:
    """One loaded pair of models for all tests of this module."""
    return MiniLMAndMPNet(read().cache, threads=2)


def test_a_sentence_is_the_mean_of_its_own_pieces():
    """Pieces of other sentences, and of the prefix, leave its vector alone."""
    tokens = np.array([[5, 5], [3, 0], [1, 0], [0, 2]], dtype=np.float32)
    spans = np.array([[0, 4], [5, 8], [8, 9], [10, 12]], dtype=np.int32)
    text = Contextual(tokens[0], tokens, spans)
    rows = sentence_vectors(text, [(5, 9), (10, 12), (12, 20)])
    assert rows.tolist() == [[127, 0], [0, 127], [0, 0]]


def test_a_passage_without_sentences_has_no_rows():
    """Nothing to compare is no error, and neither is an empty passage."""
    none = np.zeros((0, 768), dtype=np.float32)
    text = Contextual(np.zeros(768, np.float32), none, np.zeros((0, 2), np.int32))
    assert sentence_vectors(text, []).shape == (0, 768)
    assert not sentence_vectors(text, [(0, 4)]).any()


def test_a_missing_model_names_the_file_and_the_command(tmp_path):
    """Whoever has not built the model is told how to."""
    with pytest.raises(EmbedderFailed, match=r"mpnet-\w+\.onnx.*make precise"):
        mpnet_model(tmp_path)


def test_another_model_is_refused(tmp_path):
    """A file that is not the one the project was fitted on is not loaded."""
    model_file(tmp_path).parent.mkdir()
    model_file(tmp_path).write_bytes(b"another")
    tokenizer_file(tmp_path).write_text("{}", encoding="utf-8")
    with pytest.raises(EmbedderFailed, match="not the file that is expected"):
        mpnet_model(tmp_path)


@pytest.mark.servers
def test_shapes_and_lengths(embedder):
    """MiniLM's shapes, and one row of 768 for each sentence of each passage."""
    (encoded,) = embedder.encode(["Fatigue may last. It fades."])
    assert encoded.vector.shape == (embedder.dimension,) == (384,)
    assert encoded.tokens.shape == (len(encoded.spans), embedder.reduced)
    texts = ["Fatigue may last. It fades.", "Eat little."]
    rows = embedder.encode_sentences(texts, [[(0, 17), (18, 27)], [(0, 11)]])
    assert [r.shape for r in rows] == [(2, embedder.wide), (1, embedder.wide)]
    norms = np.linalg.norm(np.concatenate(rows) / 127.0, axis=1)
    assert norms == pytest.approx(1, abs=0.02)
    wide = embedder.encode_question_wide("How long does fatigue last?")
    assert np.linalg.norm(wide) == pytest.approx(1, abs=1e-5)


@pytest.mark.servers
def test_pooled_vector_is_that_of_the_published_model(embedder):
    """The first values of the reference implementation, within quantisation."""
    wide = embedder.encode_question_wide("This is an example sentence")
    assert wide[:3] == pytest.approx([0.0225, -0.0783, -0.0230], abs=0.004)


@pytest.mark.servers
def test_similarities_are_those_of_the_published_model(embedder):
    """Thirty cosines agree with the reference, and each pair beats every mixed one."""
    left = [embedder.encode_question_wide(a) for a, _, _ in RELATED]
    right = [embedder.encode_question_wide(b) for _, b, _ in RELATED]
    cosines = np.array(left) @ np.array(right).T
    assert cosines.diagonal() == pytest.approx([c for *_, c in RELATED], abs=0.02)
    assert np.array_equal(cosines.argmax(axis=1), np.arange(len(RELATED)))


@pytest.mark.servers
def test_a_sentence_knows_its_passage(embedder):
    """ "It" is closer to the question where the passage says what it is."""
    question = embedder.encode_question_wide("How long does fatigue last?")
    sentence = "It may go on for months."
    scores = []
    for opening in ("Fatigue is common.", "The bridge was closed."):
        start = len(opening) + 1
        spans = [(start, start + len(sentence))]
        (rows,) = embedder.encode_sentences([f"{opening} {sentence}"], [spans])
        scores.append(float(rows[0] @ question) / 127)
    assert scores[0] > scores[1] + 0.1


@pytest.mark.servers
def test_a_passage_is_encoded_alike_in_any_company(embedder):
    """Neither batch, nor order, nor threads change a sentence's vector by one bit."""
    texts = [f"Passage {n} on treatment. " * (n % 3 + 1) for n in range(6)]
    spans = [[(0, len(text))] for text in texts]
    together = embedder.encode_sentences(texts[::-1], spans[::-1])[::-1]
    for text, span, rows in zip(texts, spans, together, strict=True):
        assert np.array_equal(embedder.encode_sentences([text], [span])[0], rows)


@pytest.mark.servers
@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "a\ud800b", "</s> <mask>", "x" * 9000]
)
def test_odd_texts_are_encoded(embedder, text):
    """Nothing that a document can hold makes the embedder fail."""
    (rows,) = embedder.encode_sentences([text], [[(0, len(text))]])
    assert rows.shape == (1, 768)
    assert np.isfinite(embedder.encode_question_wide(text)).all()


@pytest.mark.servers
def test_sentences_must_fit_the_texts(embedder):
    """Spans for another number of passages are a mistake, never dropped in silence."""
    with pytest.raises(ValueError, match="argument 2"):
        embedder.encode_sentences(["One.", "Two."], [[(0, 4)]])


@pytest.mark.servers
def test_token_vectors_keep_the_similarities():
    """Reduced to 128 columns, token vectors still match like with like."""
    mpnet = MPNet(read().cache)
    question = mpnet.encode_question("hair loss")
    near, far = mpnet.encode(["Hair may fall out.", "The bridge was closed."])
    assert question.tokens.shape[1] == mpnet.reduced == 128
    scores = [(question.tokens @ t.tokens.T).max(axis=1).mean() for t in (near, far)]
    assert scores[0] > scores[1] + 0.1


@pytest.mark.servers
def test_the_name_tells_both_models_apart(embedder):
    """An index made with one of them is never mixed with one made with both."""
    assert embedder.name.startswith("all-MiniLM-L6-v2-int8")
    assert "+all-mpnet-base-v2-" in embedder.name
