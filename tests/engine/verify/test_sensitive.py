"""What is sensitive, and which sentences of a pack are not."""

import json
from pathlib import Path

import pytest

from adapters.packs import load
from engine.policy.rules import Rules
from tests.engine.verify.drafts import GUIDANCE, medical_pack, pack_of

RULES = Rules.of(medical_pack())


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin is a drug.",
        "Nothing here is on any list.",
        "I recommend speaking with your oncologist.",
        f"{GUIDANCE} Now.",
        "I recommend speaking with your oncologist about these symptoms, and more.",
        "I recommend speaking with your oncologist ⓐbout these symptoms.",
        "I do not recommend speaking with your oncologist about these symptoms.",
        "",
    ],
)
def test_all_but_a_fixed_text_is_sensitive_R_M1_R_M7(text: str) -> None:
    """Doubt counts as sensitive: a part of a fixed text is none, nor is more of it."""
    assert RULES.sensitive(text, intended=False)


def test_a_fixed_text_is_not_sensitive_R_M2() -> None:
    """The requirement's own example, whatever the intent and however it is spaced."""
    for text in (GUIDANCE, GUIDANCE.replace(" ", "\u00a0"), GUIDANCE.lower()):
        assert not RULES.sensitive(text, intended=True)
        assert not RULES.sensitive(text, intended=False)


def test_a_pack_without_sensitive_words_follows_the_intent() -> None:
    """Where nothing is sensitive by its words, the intent decides alone (R-M1)."""
    rules = Rules.of(pack_of())
    assert not rules.sensitive("A node is a process.", intended=False)
    assert rules.sensitive("A node is a process.", intended=True)


def test_no_sensitive_sentence_is_missed_on_the_labelled_set_R_M7(root: Path) -> None:
    """Recall 1.0 on sentences written for it; what is let off was labelled so."""
    rules = Rules.of(load(root / "config" / "packs" / "oncology"))
    suite = root / "evals" / "suites" / "sensitive_sentences.jsonl"
    lines = suite.read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    free = [c for c in cases if not rules.sensitive(c["text"], intended=False)]
    assert len(cases) >= 150
    assert {case["text"] for case in free} == set(rules.fixed.values())
    assert not any(case["sensitive"] for case in free)
