"""One reading of presentation: in questions, words and vectors."""

# ruff: noqa: RUF001 -- letters in disguise are what is read here

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding import MiniLM
from engine.policy.access import find_tag_flaw
from engine.policy.disagreement import read_sentence
from engine.questions.fitting import find_misfit
from engine.text.folding import find_quote, fold_presentation
from engine.text.legible import find_disguise, legible, map_legible
from engine.text.words import stems, words
from tests.engine.small_pack import chunk
from tests.growth import linear

# What a page has, and the same in plain letters.
PRESENTED = (
    ("The oﬃce closes and the staﬀ leaves.", "The office closes and the staff leaves."),
    ("The ﬂash point of the ﬁrst ﬁnish.", "The flash point of the first finish."),
    ("A ﬁne ﬆore, the laﬅ.", "A fine store, the last."),
    ("A com\u00admu\u00adni\u00adca\u00adtions fee.", "A communications fee."),
    ("zero\u200bwidth, w\u200co\u200dr\u2060d\ufeffs", "zerowidth, words"),
    ("\u202dright\u202c to \u2066left\u2069\u200e", "right to left"),
    ("ＦＵＬＬ　ｗｉｄｔｈ　５ ㎎", "FULL width 5 mg"),
    ("𝐛𝐨𝐥𝐝 𝑖𝑡𝑎𝑙𝑖𝑐 Ⅳ №\u00a05", "bold italic IV No 5"),
    ("A key has to be re-\nported.", "A key has to be reported."),
    ("A key has to be re- \n \f  ported.", "A key has to be re- \n \f  ported."),
    ("A key has to be re-\t\n\f  ported.", "A key has to be reported."),
    ("A com\u00ad\nmunications fee.", "A communications fee."),
    ("An eﬃ-\ncient oﬀ-\nice.", "An efficient office."),
    ("A com-\nmuni-\ncations fee.", "A communications fee."),
    ("capecita-\nbine or fluoropyrimi-\ndine", "capecitabine or fluoropyrimidine"),
    ("die Behand-\nlung", "die Behandlung"),
    (
        "a long-\nterm, well\u2010\nknown side-\neffect",
        "a long-term, well-known side-effect",
    ),
    ("a T-\ncell, ctDNA-\nnegative", "a T-cell, ctDNA-negative"),
    ("5-\nFU for non-\nHodgkin, 10-\n20 mg", "5-FU for non-Hodgkin, 10-20 mg"),
    ("oxaliplatin-\nbased, state-of-the-\nart", "oxaliplatin-based, state-of-the-art"),
    ("long-\nand short-term", "long-\nand short-term"),
    ("it ends -\nand goes on-\n\nNext", "it ends -\nand goes on-\n\nNext"),
    ("5 mg/m² of ½, 10⁹, H₂O", "5 mg/m² of ½, 10⁹, H₂O"),
    ("“don’t” – ﷺ – 5 µg", "“don’t” – ﷺ – 5 μg"),
)

each = pytest.mark.parametrize(("page", "plain"), PRESENTED)


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM(1)


@each
def test_a_page_and_a_question_are_read_alike_R_A15(page: str, plain: str) -> None:
    """By whatever compares them: patterns, the word index, figures."""
    assert legible(page) == plain
    assert legible(plain) == plain
    assert words(page) == words(plain)
    assert stems(page) == stems(plain)
    assert read_sentence(page) == read_sentence(plain)


@each
def test_a_page_and_a_question_have_one_vector_R_A15(
    page: str, plain: str, embedder: MiniLM
) -> None:
    """Token by token; where a token stands is told in the text as it is stored."""
    passage, question = embedder.encode([page])[0], embedder.encode_question(plain)
    assert np.array_equal(passage.vector, question.vector)
    assert np.array_equal(passage.tokens, question.tokens)
    for (start, end), (first, last) in zip(passage.spans, question.spans, strict=True):
        stored, asked = legible(page[start:end]), plain[first:last]
        assert [*filter(str.isalnum, stored)] == [*filter(str.isalnum, asked)]


def test_a_question_that_a_passage_carries_fits_it_R_A15() -> None:
    """A figure in disguise is that figure; another one is another."""
    text = "The oﬃce has ４２ com\u00adputers, ver-\nsion 3.10."
    passage = chunk(1.0, text=text)
    for question in ("Are there 42 computers?", "Is it version 3.10?"):
        assert find_misfit(question, passage, ()) is None
    assert (
        find_misfit("Is it version 3.1?", passage, ()) == "'3.1' does not stand there"
    )


def test_what_is_quoted_stays_as_the_page_has_it_R_I7() -> None:
    """Reading changes nothing of what is stored or shown."""
    page = "The oﬃce has a com\u00admunications fee, to be re-\nported."
    span = find_quote("office has a communications fee", fold_presentation(page))
    assert span is not None
    assert span.of(page) == "oﬃce has a com\u00admunications fee"


@given(st.text(st.sampled_from("ab-‐\u00ad\n\f \tﬁＦ²ﷺ\u200b\ud800é5"), max_size=40))
def test_the_way_back_is_exact_R_A15(text: str) -> None:
    """Both forms of reading give one text, and each character its place."""
    read = map_legible(text)
    assert read.text == legible(text)
    assert len(read.offsets) == len(read.text) + 1
    assert (np.diff(read.offsets) >= 0).all()
    assert read.offsets[-1] == len(text)
    for at, character in enumerate(read.text):
        if character.isascii() and text[read.offsets[at]].isascii():
            assert text[read.offsets[at]] == character or character == "?"


@pytest.mark.parametrize("piece", ["re-\nported ", "a-\n", "\u00ad\n", "ﷺ", "-\n", "ﬃ"])
def test_reading_takes_linear_time_R_A15(piece: str) -> None:
    for read in (legible, map_legible, words):
        assert linear(lambda size, read=read: read(piece * size), 4_000)


@pytest.mark.parametrize(
    "name",
    [
        "port-\u0441are",  # a Cyrillic es
        "p\u03bfrt-care",  # a Greek omicron
        "port\u200b-care",
        "\ufeffport-care",
        "port\u00ad-care",
        "\uff50\uff4f\uff52\uff54",
        "\ufb01le",
        "\u0410CME",
        "port\u00a0care",
        "port\u2010care",
    ],
)
def test_a_name_in_disguise_is_told_R_V8(name: str) -> None:
    """It would stand beside another that looks the same."""
    assert find_disguise(name)
    assert find_tag_flaw(name)


@pytest.mark.parametrize(
    "name",
    [
        "port-care",
        "TNF\u03b1",  # TNF-alpha
        "na\u00efve re\u0301sume\u0301",
        "\u0440\u0443\u043a\u043e\u0432\u043e\u0434\u0441\u0442\u0432\u043e/guide",
        "\u0645\u06cc\u200c\u0631\u0648\u0645",  # Persian parts words so
        "mg/m\u00b2",
        "\u6307\u5357\uff1a\u5b89\u88c5\u3000\u4e00",  # Chinese marks between Chinese
        "https://example.org/a?b=\u4e2d",
    ],
)
def test_a_name_that_is_what_it_looks_like_is_none_R_V8(name: str) -> None:
    assert find_disguise(name) is None
