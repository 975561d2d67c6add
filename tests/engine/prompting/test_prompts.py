"""What every prompt says in words, whichever program it is of."""

import dspy
import pytest

from engine.prompting import signatures
from engine.prompting.asking import make_program

OTHERS = {
    "judging": signatures.Judging,
    "questioning": signatures.Questioning,
    "inspecting": signatures.make_inspecting(analyse_only=False),
    "inspecting evidence": signatures.make_inspecting(analyse_only=True),
}


def forbids(signature: type[dspy.Signature]) -> bool:
    return "no outside knowledge" in " ".join(signature.instructions.split())


@pytest.mark.parametrize("name", signatures.SIGNATURES)
@pytest.mark.parametrize("analysing", [False, True])
def test_a_draft_may_use_no_outside_knowledge_R_I5(name: str, analysing: bool) -> None:
    """Each intent's prompt says so, in words."""
    assert forbids(make_program(name, analyse_only=analysing).signature)


@pytest.mark.parametrize("signature", OTHERS.values(), ids=OTHERS)
def test_no_other_prompt_asks_for_knowledge_R_I5(
    signature: type[dspy.Signature],
) -> None:
    """What judges, writes questions or inspects says so, too."""
    assert forbids(signature)
