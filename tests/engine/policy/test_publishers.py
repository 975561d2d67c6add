"""Whose word a question asks for, and who has not spoken (R-A2)."""

from pathlib import Path

from adapters.packs import load
from engine.policy.authority import find_unheard
from tests.engine.small_pack import chunk, intent


def test_a_follow_up_misses_only_whom_it_names_itself_R_A2_R_U14(root: Path) -> None:
    """One turn after ESMO was quoted, "ESMO" was told not to be found."""
    pack = load(root / "config" / "packs" / "mrd")
    rule = next(r for r in pack.intents if "GUIDELINE" in r.name)
    text = "What does ESMO say about ctDNA? And NCCN?"
    nccn = [chunk(0.9, source="nccn")]
    asked = intent(query_type=rule.query_type, text=text)
    assert find_unheard(asked, nccn, pack)
    going_on = {"follow_up": True, "named": ("NCCN",)}
    assert find_unheard(asked.model_copy(update=going_on), nccn, pack) == ()
    other = {"follow_up": True, "named": ("ASCO",)}
    assert find_unheard(asked.model_copy(update=other), nccn, pack)
