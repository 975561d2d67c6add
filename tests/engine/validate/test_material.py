"""What a draft is checked against, compiled from a pack."""

from pathlib import Path

import pytest

from adapters.packs import load
from engine.validate.material import Rules
from tests.engine.validate.drafts import GUIDANCE, medical_pack


def test_rules_are_compiled_from_the_pack() -> None:
    """Addresses, fixed sentences, minimums and sections come from its tables."""
    rules = Rules.of(medical_pack())
    assert rules.links.allow("https://www.cancer.gov/about")
    assert not rules.links.allow("https://example.com/")
    assert rules.minimum_sensitive == 2
    assert list(rules.fixed.values()) == [GUIDANCE]


@pytest.mark.parametrize("name", ["oncology", "textbook"])
def test_the_shipped_packs_compile(root: Path, name: str) -> None:
    """Their fixed texts are one sentence each and hold nothing that they prohibit."""
    pack = load(root / "config" / "packs" / name)
    rules = Rules.of(pack)
    assert rules.minimum_sensitive == pack.citations.minimum_sensitive
    assert tuple(rules.fixed.values()) == pack.sensitive.exempt_texts
    assert not any(rules.phrases.found(text) for text in rules.fixed)
