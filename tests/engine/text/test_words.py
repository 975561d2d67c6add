"""Words and stems."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.words import LONGEST_WORD, STOPWORDS, stem, stems, words
from tests.growth import linear


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fatigue, after chemo!", ["fatigue", "after", "chemo"]),
        ("5-FU (2.5 mg)", ["5", "fu", "2.5", "mg"]),
        ("Ubuntu 22.04. Next", ["ubuntu", "22.04", "next"]),
        ("e.g. v2.0 file.py", ["e", "g", "v2", "0", "file", "py"]),
        ("snake_case", ["snake", "case"]),
        (
            "Don't, the patient\N{RIGHT SINGLE QUOTATION MARK}s",
            ["dont", "the", "patients"],
        ),
        ("naïve Straße", ["naive", "strasse"]),
        ("co\N{SOFT HYPHEN}operate", ["cooperate"]),
        ("10² is not 102", ["10²", "is", "not", "102"]),
        ("... -- \x00 \t", []),
    ],
)
def test_words_are_folded(text, expected):
    """Case, accents and punctuation go; figures keep their point."""
    assert words(text) == expected


def test_inflections_share_a_stem():
    """English endings, and nothing else."""
    assert len({stem(word) for word in ("treat", "treated", "treating", "treats")}) == 1
    assert stem("22.04") == "22.04"
    assert stems("Treated patients") == ["treat", "patient"]


def test_stop_words_are_words():
    """Every stop word is in the form in which `words` returns it."""
    assert [one for name in STOPWORDS for one in words(name)] == list(STOPWORDS)


@given(st.text(max_size=300))
def test_any_text_has_plain_words(text):
    """Words are short, lower case, and stay themselves when read again."""
    found = words(text)
    assert all(0 < len(word) <= LONGEST_WORD for word in found)
    assert words(" ".join(found)) == found


def test_a_long_line_takes_linear_time():
    """A megabyte without a space is one cut word."""
    assert words("a" * 1_000_000) == ["a" * LONGEST_WORD]
    assert len(words("1." * 500_000)) == 1
    assert linear(lambda n: words("a" * n), 1_000_000)
    assert linear(lambda n: words("1." * n), 500_000)


def test_threads_do_not_mix_stems_up():
    """The stemmer works on one word at a time, whoever asks."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        stem.cache_clear()
        plural = [f"word{letter}nesses" for letter in "abcdefghijklmnopqrstuvwxyz"] * 20
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(stem, plural))
    finally:
        sys.setswitchinterval(before)
    stem.cache_clear()
    assert found == [stem(word) for word in plural]
