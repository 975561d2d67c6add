"""The order in which a chosen section is read."""

import pytest

from engine.model.document import BlockKind, Sentence
from engine.model.passage import Chunk
from engine.search.section import SHORT, keeps_order
from tests.engine.small_pack import chunk

STEPS = ("Stay with the boat.", "Dial 999.", "Call the safety officer.")


def section(kind: BlockKind, filler: int = 0) -> Chunk:
    """A passage of three sentences of a kind, and as many further characters."""
    text = "\n".join(STEPS) + "x" * filler
    spans = [(text.index(step), text.index(step) + len(step)) for step in STEPS]
    sentences = tuple(Sentence(start=a, end=b, kind=kind) for a, b in spans)
    return chunk(1.0, text=text, end=len(text), sentences=sentences)


@pytest.mark.parametrize(
    ("passage", "kept"),
    [
        (section(BlockKind.LIST_ITEM), True),
        (section(BlockKind.PARAGRAPH), False),
        (section(BlockKind.LIST_ITEM, SHORT), False),
    ],
)
def test_short_steps_keep_their_order_R_A3(passage: Chunk, kept: bool) -> None:
    """What to do first comes first; of a long section what was asked does."""
    assert keeps_order([passage]) is kept
