"""The outline of a chunk: what is known of its sentences whatever is asked."""

import pytest
from hypothesis import given

from engine.model.document import BlockKind
from engine.model.passage import Chunk
from engine.rank.outline import make_outline
from engine.rank.view import join_stems
from engine.text.closure import is_selectable
from engine.text.quotable import preview_quotation, text_of
from engine.text.words import stems
from tests.engine.rank.chunks import chunk_of, chunks

PLAIN, ITEM = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM


def unkept(chunk: Chunk) -> Chunk:
    """The chunk under an id of its own: a chunk's id stands for its text."""
    return chunk.model_copy(update={"id": repr((chunk.text, chunk.sentences))})


@given(chunks)
def test_every_sentence_that_may_be_chosen_is_a_unit_R_G6(chunk: Chunk) -> None:
    """With the quotation that would be shown of it, and that quotation's length."""
    made = make_outline(unkept(chunk))
    own = [text_of(chunk, sentence) for sentence in chunk.sentences]
    assert list(made.texts) == own
    assert list(made.stems) == [join_stems(stems(text)) for text in own]
    choosable = [
        at
        for at, s in enumerate(chunk.sentences)
        if is_selectable(s) and own[at].strip()
    ]
    assert [unit.quotation for unit in made.units] == [
        preview_quotation(chunk, at) for at in choosable
    ]
    for unit in made.units:
        assert unit.length == sum(len(own[row]) for row in unit.quotation.rows)


def test_an_item_is_read_after_its_lead_in_R_G6() -> None:
    """A kind of answer may stand in the line that opens the list."""
    lines = [("Sores heal within two weeks if you:", PLAIN), ("Rinse.", ITEM)]
    _, item = make_outline(unkept(chunk_of(lines))).units
    assert item.introduced == "Sores heal within two weeks if you: Rinse."


def test_code_and_pointers_are_told_apart_R_G6() -> None:
    lines = [("gz sim -r", BlockKind.CODE), ("Rinse the mouth.", PLAIN)]
    code, plain = make_outline(unkept(chunk_of(lines))).units
    assert (code.code, plain.code) == (True, False)
    (pointing,) = make_outline(
        unkept(chunk_of([("See the chapter on mouths.", PLAIN)]))
    ).units
    assert (pointing.pointer, plain.pointer) == (True, False)


@pytest.mark.parametrize("changed", [{"title": "Mouths"}, {"section": ("Mouths",)}])
def test_one_text_under_two_titles_has_two_outlines_R_G6(
    changed: dict[str, object],
) -> None:
    """What is kept of a chunk goes by its id and by what stands above it."""
    chunk = unkept(chunk_of([("Rinse twice.", PLAIN)]))
    above = make_outline(chunk).above
    assert make_outline(chunk) is make_outline(chunk.model_copy())
    other = make_outline(chunk.model_copy(update=changed)).above
    assert " mouth " in other
    assert " mouth " not in above
