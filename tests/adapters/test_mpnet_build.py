"""Building all-mpnet-base-v2: needs what `make mpnet` installs into build/mpnet."""

import zipfile

import numpy as np
import pytest
from rich.progress import Progress

from adapters.embedding import ContextualModel, unit, verified
from config.settings import read
from engine.errors import EmbedderFailed

ABSENT = "BUILD PACKAGES ABSENT: run `make test-servers`"
mpnet_graph = pytest.importorskip("adapters.mpnet_graph", reason=ABSENT)
mpnet_build = pytest.importorskip("adapters.mpnet_build", reason=ABSENT)
pytestmark = pytest.mark.servers

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
def model() -> ContextualModel:
    """The model that `make mpnet` put into the user's cache."""
    cache = read().cache
    built, words = mpnet_build.model_file(cache), mpnet_build.tokenizer_file(cache)
    verified(built, mpnet_build.MODEL_SHA256, "make mpnet")
    tokenizer = verified(words, mpnet_build.TOKENIZER_SHA256, "make mpnet")
    return ContextualModel(built, tokenizer.decode("utf-8"), threads=2)


def test_the_pooled_vector_is_that_of_the_published_model(model):
    """The first values of the reference implementation, within quantisation."""
    (text,) = model.encode(["This is an example sentence"])
    assert text.tokens.shape == (len(text.spans), mpnet_graph.WIDTH)
    assert text.pooled[:3] == pytest.approx([0.0225, -0.0783, -0.0230], abs=0.004)


def test_similarities_are_those_of_the_published_model(model):
    """Thirty cosines agree with the reference, and each pair beats every mixed one."""
    left = unit(np.stack([t.pooled for t in model.encode([a for a, _, _ in RELATED])]))
    right = unit(np.stack([t.pooled for t in model.encode([b for _, b, _ in RELATED])]))
    cosines = left @ right.T
    assert cosines.diagonal() == pytest.approx([c for *_, c in RELATED], abs=0.02)
    assert np.array_equal(cosines.argmax(axis=1), np.arange(len(RELATED)))


def test_a_text_is_encoded_alike_in_any_company(model):
    """Neither batch, nor order, nor threads change a vector by one bit."""
    texts = [f"Passage {n} on treatment. " * (n % 3 + 1) for n in range(6)]
    together = model.encode(texts[::-1])[::-1]
    for text, other in zip(texts, together, strict=True):
        (alone,) = model.encode([text])
        assert np.array_equal(alone.pooled, other.pooled)
        assert np.array_equal(alone.tokens, other.tokens)


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "a\ud800b", "</s> <mask>", "x" * 9000]
)
def test_odd_texts_are_encoded(model, text):
    """Nothing that a document can hold makes the model fail."""
    (encoded,) = model.encode([text])
    assert np.isfinite(encoded.pooled).all()


def test_the_same_weights_give_the_same_bytes(tmp_path):
    """A second build is the pinned file, and nothing else is left in the cache."""
    assert not mpnet_build.built(tmp_path)
    parts = mpnet_build.parts()
    made = mpnet_build.build(parts, tmp_path, Progress(disable=True))
    assert mpnet_build.built(tmp_path)
    assert {made, mpnet_build.tokenizer_file(tmp_path)} == set(made.parent.iterdir())


def test_a_damaged_model_is_built_again(tmp_path):
    """A file that is there but is not the pinned one does not count as built."""
    mpnet_build.model_file(tmp_path).parent.mkdir()
    mpnet_build.model_file(tmp_path).write_bytes(b"cut off")
    assert not mpnet_build.built(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive"])
def test_parts_that_are_no_archive_are_refused(tmp_path, content):
    """The error names the packages to install again, and nothing is published."""
    part = tmp_path / "part"
    part.write_bytes(content)
    with pytest.raises(EmbedderFailed, match=r"part-001.*part-005"):
        mpnet_build.build([part], tmp_path, Progress(disable=True))
    assert list(mpnet_build.model_file(tmp_path).parent.iterdir()) == []


def test_other_weights_are_refused(tmp_path):
    """An archive of the right form with other contents is not built from."""
    part = tmp_path / "part"
    with zipfile.ZipFile(part, "w") as archive:
        archive.writestr("all-mpnet-base-v2/model.safetensors", b"other")
        archive.writestr("all-mpnet-base-v2/tokenizer.json", b"{}")
    with pytest.raises(EmbedderFailed, match=r"model\.safetensors has the SHA-256"):
        mpnet_build.build([part], tmp_path, Progress(disable=True))


def test_distances_share_rows_as_in_the_published_model():
    """Rows at the edges of the buckets, as the reference implementation gives them."""
    distances = np.array([0, 1, 7, 8, 11, 12, 15, 16, 22, 23, 90, 91, 128, 511])
    rows = [0, 1, 7, 8, 8, 9, 9, 10, 10, 11, 14, 15, 15, 15]
    assert mpnet_graph.buckets(-distances).tolist() == rows
    assert mpnet_graph.buckets(distances[1:]).tolist() == [r + 16 for r in rows[1:]]
