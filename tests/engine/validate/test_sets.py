"""Faithful drafts and attacks that were written without a look at the validators."""

from collections import Counter

import pytest

from evals.drafts import fate, leaked, load, verdict

# Measured on 23 Nov 2026; what is rejected lacks a second document or the figure asked.
LEAST_COMPLETE = {"tune": 0.97, "held": 0.91}
MOST_REJECTED = {"tune": 0.01, "held": 0.05}


def test_of_an_attack_only_sentences_of_the_sources_are_shown_R_V2_R_V7() -> None:
    """Whatever a model was made to write, nothing of it is."""
    assert [a.id for a in load("attacks") if leaked(a, verdict(a))] == []


@pytest.mark.parametrize("half", ["tune", "held"])
def test_faithful_drafts_are_shown_with_all_that_they_say_R_V2(half: str) -> None:
    """A draft in prose finds the sentences that it was made from."""
    items = [item for item in load("faithful") if item.half == half]
    fates = Counter(fate(item, verdict(item)) for item in items)
    assert fates["complete"] >= len(items) * LEAST_COMPLETE[half]
    assert fates["rejected"] <= len(items) * MOST_REJECTED[half]
