"""BM25 over inverted lists: the formula, and parts that grow and merge."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.index.lexical import (
    K1,
    MOST_TERMS,
    TITLE_WEIGHT,
    B,
    count_visible_chunks,
    extend,
    list_query_stems,
    pack_terms,
    score_bm25,
    weigh,
)
from adapters.index.segments import RECORD, Block
from tests.contracts.index_entries import chunk

VOCABULARY = {name: number for number, name in enumerate("abcdefgh")}
CHUNKS = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 5).map(float)),
    max_size=40,
)


def block(weights: list[dict[str, float]]) -> Block:
    """Only what the lexical arm reads."""
    records = np.zeros(len(weights), RECORD)
    counts = [len(one) for one in weights]
    records["term_count"] = counts
    records["terms"] = np.cumsum([0, *counts])[:-1]
    records["length"] = [sum(one.values()) for one in weights]
    none = np.empty(0)
    return Block(records, none, none, pack_terms(weights, VOCABULARY), none)


def plain_bm25(weights, visible, terms):
    """The formula as in the textbook, one chunk after the other."""
    seen = [one for one, shown in zip(weights, visible, strict=True) if shown]
    average = (sum(sum(one.values()) for one in seen) / len(seen) if seen else 0) or 1
    scores = []
    for one, shown in zip(weights, visible, strict=True):
        score = 0.0
        for term in terms:
            frequency = sum(term in other for other in seen)
            if shown and term in one:
                rarity = log(1 + (len(seen) - frequency + 0.5) / (frequency + 0.5))
                damping = K1 * (1 - B + B * sum(one.values()) / average)
                score += rarity * one[term] * (K1 + 1) / (one[term] + damping)
        scores.append(score)
    return scores


@given(CHUNKS, st.data())
def test_parts_score_as_the_formula_does(weights, data):
    """However the rows came in, all visible rows are counted and scored alike."""
    whole = block(weights)
    visible = np.array(
        data.draw(
            st.lists(st.booleans(), min_size=len(weights), max_size=len(weights))
        ),
        dtype=bool,
    )
    parts: tuple = ()
    end = 0
    while end < len(weights):
        end = data.draw(st.integers(end + 1, len(weights)))
        parts = extend(parts, block(weights[:end]))
        assert [part.first for part in parts[1:]] == [part.end for part in parts[:-1]]
    terms = data.draw(st.lists(st.sampled_from("abcdefgh"), unique=True))
    scores = score_bm25(
        parts, whole.records["length"], visible, map(VOCABULARY.get, terms)
    )
    assert scores.tolist() == pytest.approx(plain_bm25(weights, visible, terms), 1e-4)
    counted = count_visible_chunks(parts, visible)
    for name, number in VOCABULARY.items():
        expected = sum(
            name in one for one, seen in zip(weights, visible, strict=True) if seen
        )
        assert (counted[number] if number < len(counted) else 0) == expected


def test_parts_stay_few():
    """A thousand small additions leave parts in the order of log2."""
    weights = [{"a": 1.0}] * 1_000
    parts: tuple = ()
    for end in range(1, len(weights) + 1):
        parts = extend(parts, block(weights[:end]))
        assert len(parts) <= 11
    assert (parts[0].first, parts[-1].end) == (0, 1_000)


def test_title_and_sections_weigh_more_than_text():
    """Each word counts; headings count `TITLE_WEIGHT` times."""
    weights = weigh(
        chunk("a", 0, "Sores heal. Sores!", title="Mouth sores", section=("Rinses",))
    )
    assert weights["sore"] == 2 + TITLE_WEIGHT
    assert weights["rins"] == TITLE_WEIGHT
    assert weights["heal"] == 1


def test_query_stems_are_distinct_content_words():
    """Stop words go, phrases are split, and there is an end to it."""
    assert list_query_stems(["What", "is", "mouth sores", "SORE"]) == ["mouth", "sore"]
    assert len(list_query_stems([f"word{n}" for n in range(1_000)])) == MOST_TERMS
