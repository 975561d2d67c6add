"""The question as relevance sees it: words with weights, on any text."""

import numpy as np
import pytest
from hypothesis import given, strategies

from engine.model.ports import CorpusStatistics, Encoded
from engine.policy.records import RetrievalRules
from engine.rank.view import PROPER, SUBJECT, QuestionView, make_view
from tests.engine.small_pack import intent
from tests.growth import linear

STATISTICS = CorpusStatistics(
    documents=3, chunks=100, chunk_frequency={"node": 40, "tf2": 3, "fatigu": 10}
)
RULES = RetrievalRules(glossary={"chemo": ("chemotherapy",), "5fu": ("fluorouracil",)})


def encoded(text: str) -> Encoded:
    """One token a character."""
    spans = np.array([(i, i + 1) for i in range(len(text))], dtype=np.int32)
    return Encoded(
        vector=np.ones(4, dtype=np.float32) / 2,
        tokens=np.ones((len(text), 4), dtype=np.float32) / 2,
        spans=spans.reshape(-1, 2),
    )


def seen(
    text: str,
    statistics: CorpusStatistics = STATISTICS,
    rules: RetrievalRules = RULES,
    corrections: tuple[tuple[str, str], ...] = (),
) -> QuestionView:
    asked = intent(text=text, corrections=corrections)
    return make_view(asked, encoded(text), statistics, rules)


@given(strategies.text(max_size=200))
def test_no_text_breaks_the_view_R_E7(text: str) -> None:
    """Weights stay in range, and tokens are rows of the encoding."""
    found = seen(text)
    for word in found.words:
        assert 0 <= word.rarity <= 1
        assert 0 <= word.weight <= PROPER
        assert word.frequency >= 0
        assert word.text in text
        assert word.tokens
        assert all(0 <= row < len(text) for row in word.tokens)
        assert all(form.startswith(" ") and form.endswith(" ") for form in word.forms)
    assert len({word.forms[0] for word in found.words}) == len(found.words)


@given(strategies.text(alphabet="ab -.", max_size=60))
def test_a_word_has_the_tokens_that_spell_it_R_G6(text: str) -> None:
    """All of them, and no other's."""
    for word in seen(text).words:
        assert "".join(text[row] for row in word.tokens) == word.text


def test_a_long_question_is_read_in_time_R_E7() -> None:
    """As long as one that is searched for may be, a thousand words."""

    def words(length: int) -> int:
        text = " ".join(f"w{number}" for number in range(length))[:length]
        return len(seen(text).words)

    assert words(4_000) > 800
    assert linear(words, 4_000)


@given(strategies.text(max_size=60))
def test_what_is_in_the_corpus_weighs_nothing_R_G6(text: str) -> None:
    """A word says as much in an empty corpus as in one that repeats it."""
    empty = CorpusStatistics(documents=0, chunks=0, chunk_frequency={})
    weights = [[w.weight for w in seen(text, s).words] for s in (empty, STATISTICS)]
    assert weights[0] == weights[1]


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
    assert [word.text for word in seen(text).words] == words


def test_a_rare_word_weighs_more_and_a_name_most() -> None:
    """By English at large: "node" is rarer than "water"."""
    water, fatigue, name = seen("water fatigue Zanzibot").words
    assert water.weight < fatigue.weight < name.weight == PROPER


def test_the_subject_of_a_pack_weighs_little_R_G6() -> None:
    """In any of its forms, and though it is a name; other words keep their weight."""
    rules = RetrievalRules(subject=("patient", "ros2"))
    asked = "Do patients run ros2 nodes?"
    plain = {w.text: w for w in seen(asked).words}
    told = {w.text: w for w in seen(asked, rules=rules).words}
    assert {text for text, w in told.items() if w.subject} == {"patients", "ros2"}
    assert not any(word.subject for word in plain.values())
    for text in ("patients", "ros2"):
        assert told[text].weight == pytest.approx(SUBJECT * told[text].rarity)
    assert told["nodes"].weight == plain["nodes"].weight


def test_the_glossary_gives_a_word_its_other_forms_R_U2() -> None:
    (chemo,) = seen("chemo").words
    assert chemo.forms == (" chemo ", " chemotherapi ")


def test_a_gloss_in_brackets_is_another_form_of_its_word_R_U2() -> None:
    """Not a word that a passage must hold as well."""
    text = "Does the drip (intravenous infusion) hurt?"
    glossed = seen(text, corrections=(("drip", "intravenous infusion"),)).words
    assert [word.text for word in glossed] == ["drip", "hurt"]
    assert " ".join(glossed[0].forms).count("infus") == 1
    own = [word.text for word in seen(text).words]
    assert own == ["drip", "intravenous", "infusion", "hurt"]
