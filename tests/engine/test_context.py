"""What a run of sentences needs to say something by itself."""

import pytest

from engine.context import states
from engine.corpus_records import BlockKind
from tests.engine.retrieve.chunks import chunk_of

PLAIN, HEADING, ITEM = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST_ITEM
ASKED = "Is grapefruit juice allowed with ibrutinib?"


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("Ibrutinib must not be taken with grapefruit juice.", PLAIN, True),
        ("Grapefruit juice is allowed with ibrutinib.", PLAIN, True),
        ("ibrutinib --no-juice?", BlockKind.CODE, True),
        (ASKED, HEADING, False),
        ("Grapefruit juice may cause harm.", HEADING, False),
        (ASKED, PLAIN, False),
        ("Is grapefruit juice allowed with ibrutinib", PLAIN, False),
        ("IS GRAPEFRUIT JUICE ALLOWED WITH IBRUTINIB", PLAIN, False),
        ("\u201cWhat may I drink?\u201d", PLAIN, False),
        ("Living with ibrutinib", PLAIN, False),
        ("**Food and drink**", PLAIN, False),
        ("Do not drink these:", PLAIN, False),
    ],
)
def test_a_heading_a_title_and_a_question_state_nothing_R_I3(
    text: str, kind: BlockKind, says: bool
) -> None:
    """Not the question restated either, however it is written; code does."""
    places = {"title": "Living with ibrutinib", "section": ("Food and drink",)}
    chunk = chunk_of([(text, kind)], 70, **places)
    assert states(chunk, chunk.start, chunk.end, ASKED) is says


def test_one_statement_is_enough_R_I3() -> None:
    """A heading with the text under it states what the text does."""
    chunk = chunk_of([(ASKED, HEADING), ("It is not.", PLAIN), ("Why?", PLAIN)])
    heading, answer, _ = chunk.sentences
    assert states(chunk, heading.start, answer.end, ASKED)
    assert not states(chunk, heading.start, heading.end, ASKED)
    assert not states(chunk, answer.end + 1, chunk.end, ASKED)
