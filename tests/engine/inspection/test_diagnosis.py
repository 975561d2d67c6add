"""Why nothing was found (R-P6)."""

import pytest

from engine.inspection.records import NOT_FOUND, Gathered, Line
from engine.inspection.settling import diagnose
from tests.engine.inspection.small import block, found, inquiry

LONG = block().model_copy(update={"lines": (Line(number=1, text="x", cut=True),)})
NOWHERE = Gathered(preflight="a", kind="search", files=0)


@pytest.mark.parametrize(
    ("gathered", "offered", "cause"),
    [
        ([NOWHERE, found("b")], 0, "preflight: no file is in the scope of a"),
        ([found("a"), found("b")], 0, "preflight: nothing matched in a (3 files), b"),
        ([found("a", missed=2), found("b")], 0, "unread: 2 files"),
        ([found("a", block(), block("b.py"))], 1, "top_k: 1 of 2 blocks were shown"),
        ([found("a", block(), beyond=4)], 1, "top_k: 4 hits lie beyond"),
        ([found("a", block(), missed=1)], 1, "unread: 1 places"),
        ([found("a", LONG)], 1, "chunking: lines of the evidence are cut"),
        ([found("a", block())], 1, "evidence_and_prompt: "),
    ],
)
def test_a_not_found_has_its_cause_R_P6(
    gathered: list[Gathered], offered: int, cause: str
) -> None:
    assert diagnose(NOT_FOUND, inquiry(), gathered, offered).startswith(cause)


def test_what_was_found_needs_no_diagnosis() -> None:
    assert diagnose("YES", inquiry(), [found("a", block())], 1) == ""
