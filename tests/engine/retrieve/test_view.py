"""The question as relevance sees it: words with weights, on any text."""

import numpy as np
import pytest
from hypothesis import given, strategies

from engine.ports import CorpusStatistics, Encoded
from engine.retrieve.view import PROPER, view
from tests.growth import linear

STATISTICS = CorpusStatistics(
    documents=3, chunks=100, chunk_frequency={"node": 40, "tf2": 3, "fatigu": 10}
)
GLOSSARY = {"chemo": ("chemotherapy",), "5fu": ("fluorouracil",)}


def encoded(text: str) -> Encoded:
    """One token a character."""
    spans = np.array([(i, i + 1) for i in range(len(text))], dtype=np.int32)
    return Encoded(
        vector=np.ones(4, dtype=np.float32) / 2,
        tokens=np.ones((len(text), 4), dtype=np.float32) / 2,
        spans=spans.reshape(-1, 2),
    )


@given(strategies.text(max_size=200))
def test_no_text_breaks_the_view_R_E7(text: str) -> None:
    """Weights stay in range, and tokens are rows of the encoding."""
    seen = view(text, encoded(text), STATISTICS, GLOSSARY)
    for word in seen.words:
        assert 0 <= word.weight <= PROPER
        assert word.frequency >= 0
        assert word.text in text
        assert word.tokens
        assert all(0 <= row < len(text) for row in word.tokens)
        assert all(form.startswith(" ") and form.endswith(" ") for form in word.forms)
    assert len({word.forms[0] for word in seen.words}) == len(seen.words)


@given(strategies.text(alphabet="ab -.", max_size=60))
def test_a_word_has_the_tokens_that_spell_it_R_G6(text: str) -> None:
    """All of them, and no other's."""
    for word in view(text, encoded(text), STATISTICS, {}).words:
        assert "".join(text[row] for row in word.tokens) == word.text


def test_a_long_question_is_read_in_time_R_E7() -> None:
    """As long as one that is searched for may be, a thousand words."""

    def words(length: int) -> int:
        text = " ".join(f"w{number}" for number in range(length))[:length]
        return len(view(text, encoded(text), STATISTICS, {}).words)

    assert words(4_000) > 800
    assert linear(words, 4_000)


@given(strategies.text(max_size=60))
def test_an_empty_corpus_weighs_every_word_the_same_R_G6(text: str) -> None:
    empty = CorpusStatistics(documents=0, chunks=0, chunk_frequency={})
    weights = {word.weight for word in view(text, encoded(text), empty, {}).words}
    assert weights <= {1.0, PROPER}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is the difference between nodes?", ["nodes"]),
        ("How many ways are there to do this?", []),
        ("Does ros2 run work with --verbose?", ["ros2", "run", "--verbose"]),
        ("What's a node's QoS?", ["node", "QoS"]),
        ("node nodes Node", ["node"]),
    ],
)
def test_only_content_words_count(text: str, words: list[str]) -> None:
    """Words that shape a question, contractions and repetitions do not."""
    seen = view(text, encoded(text), STATISTICS, GLOSSARY)
    assert [word.text for word in seen.words] == words


def test_a_rare_word_weighs_more_and_a_name_most() -> None:
    seen = view("fatigue node Gazebo", encoded("x" * 20), STATISTICS, GLOSSARY)
    fatigue, node, gazebo = (word.weight for word in seen.words)
    assert node < fatigue < gazebo == PROPER


def test_the_glossary_gives_a_word_its_other_forms_R_U2() -> None:
    seen = view("chemo", encoded("chemo"), STATISTICS, GLOSSARY)
    assert seen.words[0].forms == (" chemo ", " chemotherapi ")
