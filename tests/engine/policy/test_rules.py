"""What a draft is checked against, compiled from a pack."""

from pathlib import Path

import pytest

from adapters.packs import load
from engine.policy.rules import Rules
from tests.engine.verify.drafts import GUIDANCE, medical_pack


def test_rules_are_compiled_from_the_pack() -> None:
    """Fixed sentences, minimums and sections come from its tables."""
    rules = Rules.of(medical_pack())
    assert rules.minimum_sensitive == 2
    assert list(rules.fixed.values()) == [GUIDANCE]


@pytest.mark.parametrize("name", ["oncology", "textbook"])
def test_the_shipped_packs_compile(root: Path, name: str) -> None:
    """Their fixed texts are one sentence each."""
    pack = load(root / "config" / "packs" / name)
    rules = Rules.of(pack)
    assert rules.minimum_sensitive == pack.citations.minimum_sensitive
    assert tuple(rules.fixed.values()) == pack.sensitive.exempt_texts
