"""Why a question ended in NOT FOUND: retrieval mechanics, not a mood (R-P6)."""

from collections.abc import Sequence

from engine.inspection.question_pack import Inquiry
from engine.inspection.records import INSUFFICIENT, NOT_FOUND, Gathered, blocks_of


def diagnosed(
    verdict: str, inquiry: Inquiry, gathered: Sequence[Gathered], offered: int
) -> str:
    """The cause as `name: explanation`; "" for a verdict that says something.

    Args:
        verdict: that was given.
        inquiry: the question.
        gathered: its evidence.
        offered: how many blocks a model was shown; all of them without one.
    """
    if verdict not in (NOT_FOUND, INSUFFICIENT):
        return ""
    if not any(found.blocks for found in gathered):
        return _nothing(gathered)
    held = len(blocks_of(gathered))
    beyond = sum(found.beyond for found in gathered)
    if offered < held:
        return f"top_k: {offered} of {held} blocks were shown (top_k {inquiry.top_k})"
    if beyond:
        return f"top_k: {beyond} hits lie beyond the limit of a preflight"
    missed = sum(found.missed + found.dropped for found in gathered)
    if missed:
        return f"unread: {missed} places could not be read"
    if any(line.cut for block in blocks_of(gathered) for line in block.lines):
        return "chunking: lines of the evidence are cut"
    return "evidence_and_prompt: there is evidence, and it was not taken as an answer"


def _nothing(gathered: Sequence[Gathered]) -> str:
    """Which preflight looked in vain, and where."""
    blind = [found.preflight for found in gathered if not found.files]
    if blind:
        return f"preflight: no file is in the scope of {', '.join(blind)}"
    missed = sum(found.missed for found in gathered)
    if missed:
        return f"unread: {missed} files could not be read"
    looked = ", ".join(f"{f.preflight} ({f.files} files)" for f in gathered)
    return f"preflight: nothing matched in {looked}"
