"""What is sensitive, what is exempt, and how well a labelled set is told apart."""

import json
from pathlib import Path

import pytest

from adapters.packs import load
from engine.policy import SensitiveRules
from engine.validate.sensitive import SensitiveDetector

DETECTOR = SensitiveDetector(
    SensitiveRules(
        terms=("tamoxifen", "hair loss"),
        patterns=(r"\bsymptom\w*",),
        exempt_patterns=(
            r"\bi recommend speaking with your oncologist(?: about these symptoms)?",
        ),
    )
)
GUIDANCE = "I recommend speaking with your oncologist about these symptoms."


@pytest.mark.parametrize(
    "text",
    [
        "Tamoxifen is a drug.",
        "TAM\u041eXIFEN is a drug.",
        "tam\u200boxifen",
        "Tamo*xif*en",
        "hair-loss happens",
        "Hair\u00a0loss happens",
        "These symptoms last.",
        "Nothing here is on any list.",
    ],
)
def test_what_is_named_or_unknown_is_sensitive_R_M1_R_M7(text: str) -> None:
    """Look-alikes and invisible characters hide nothing; doubt counts as sensitive."""
    assert DETECTOR.sensitive(text, intended=False)


def test_guidance_is_not_sensitive_R_M2() -> None:
    """The requirement's own example passes, whatever the intent."""
    assert DETECTOR.exempt(GUIDANCE)
    assert not DETECTOR.sensitive(GUIDANCE, intended=True)
    assert not DETECTOR.sensitive(GUIDANCE, intended=False)


@pytest.mark.parametrize(
    "text",
    [
        "I recommend speaking with your oncologist, tamoxifen causes clots.",
        "I recommend speaking with your oncologist, as periods end.",
        "I recommend speaking with your oncologist about these symptoms and symptoms.",
        "I recommend speaking with your oncologist 20 mg.",
    ],
)
def test_an_exempt_phrase_covers_nothing_but_itself_R_M7(text: str) -> None:
    """What stands beside it is looked at."""
    assert not DETECTOR.exempt(text)
    assert DETECTOR.sensitive(text, intended=False)


def test_a_pack_without_sensitive_words_follows_the_intent() -> None:
    """Where nothing is sensitive by its words, the intent decides alone (R-M1)."""
    detector = SensitiveDetector(SensitiveRules())
    assert not detector.sensitive("A node is a process.", intended=False)
    assert detector.sensitive("A node is a process.", intended=True)


def test_no_sensitive_sentence_is_missed_on_the_labelled_set_R_M7(root: Path) -> None:
    """Recall 1.0 on sentences written for it; precision is reported and bounded."""
    pack = load(root / "config" / "packs" / "oncology")
    detector = SensitiveDetector(pack.sensitive)
    suite = root / "evals" / "suites" / "sensitive_sentences.jsonl"
    lines = suite.read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    flagged = {
        case["id"] for case in cases if detector.sensitive(case["text"], intended=False)
    }
    sensitive = {case["id"] for case in cases if case["sensitive"]}
    assert len(cases) >= 150
    assert sensitive - flagged == set()
    assert len(sensitive) / len(flagged) >= 0.75
