"""Quotations: what a sentence leans on comes with it, and nothing outside its chunk."""

from itertools import pairwise

from hypothesis import given, strategies

from engine.model.document import BlockKind, Excerpt
from engine.model.passage import Chunk
from engine.text.closure import is_selectable
from engine.text.quotable import (
    SHORT,
    Range,
    expand,
    merge_ranges,
    preview_quotation,
    text_of,
)
from tests.engine.rank.chunks import chunk_of, chunks

PLAIN, ITEM, HEADING = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.HEADING
LONG = "A long sentence that fills the page. " * 20


@given(chunks, strategies.data())
def test_a_quotation_holds_its_sentence_inside_its_chunk_R_A3(
    chunk: Chunk, data: strategies.DataObject
) -> None:
    """Rows in order, each once, the sentence among them; its text holds them all."""
    at = data.draw(strategies.integers(0, len(chunk.sentences) - 1))
    quoted = preview_quotation(chunk, at)
    assert at in quoted.rows
    assert list(quoted.rows) == sorted(set(quoted.rows))
    assert all(0 <= row < len(chunk.sentences) for row in quoted.rows)
    text = quoted.text(chunk)
    assert all(text_of(chunk, chunk.sentences[n]).strip() in text for n in quoted.rows)


@given(chunks, strategies.data())
def test_an_item_is_never_without_its_lead_in_R_A3(
    chunk: Chunk, data: strategies.DataObject
) -> None:
    at = data.draw(strategies.integers(0, len(chunk.sentences) - 1))
    lead = chunk.sentences[at].lead_in
    if lead is not None:
        index = [s.start for s in chunk.sentences].index(lead.start)
        assert index in preview_quotation(chunk, at).rows


@given(strategies.lists(strategies.integers(0, 30)))
def test_joined_ranges_are_apart_and_lose_nothing(firsts: list[int]) -> None:
    """Whatever overlaps or touches becomes one."""
    ranges = [Range(first, first + first % 4) for first in firsts]
    merged = merge_ranges(ranges)
    for before, after in pairwise(merged):
        assert before.last + 1 < after.first
    covered = {i for r in merged for i in range(r.first, r.last + 1)}
    assert covered == {i for r in ranges for i in range(r.first, r.last + 1)}


def one_block(*texts: str) -> Chunk:
    """A chunk whose sentences all stand in one paragraph."""
    made = chunk_of([(text, PLAIN) for text in texts])
    whole = tuple(s.model_copy(update={"block": 0}) for s in made.sentences)
    return made.model_copy(update={"sentences": whole})


def test_a_short_block_is_quoted_whole_R_A3() -> None:
    """Whichever of its sentences is chosen; a paragraph next door stays out."""
    chunk = one_block("Rinse daily.", "This helps.", "Use water.")
    assert {expand(chunk, at) for at in range(3)} == {Range(0, 2)}
    apart = chunk_of([("Rinse daily.", PLAIN), ("This helps.", PLAIN)])
    assert expand(apart, 1) == Range(1, 1)


def test_a_long_block_is_quoted_from_the_sentence_on_R_A3() -> None:
    """As far as there is room: cut at its beginning, it is not taken from there."""
    line = "x" * (SHORT // 3)
    chunk = one_block(*[line] * 6)
    assert expand(chunk, 4) == Range(4, 5)
    assert expand(chunk, 2) == Range(2, 3)


def test_a_short_list_is_one_quotation_R_A3() -> None:
    """With the line that opens it, whichever item is chosen."""
    items = [(f"Item {n}.", ITEM) for n in range(3)]
    chunk = chunk_of([("Signs include:", PLAIN), *items])
    assert {expand(chunk, at) for at in (1, 2, 3)} == {Range(0, 3)}


def test_a_far_item_brings_its_lead_in_and_not_the_items_between_R_A3() -> None:
    """The quotation need not be contiguous."""
    items = [(f"{n} {LONG}", ITEM) for n in range(4)]
    chunk = chunk_of([("Signs include:", PLAIN), *items])
    assert preview_quotation(chunk, 4).rows == (0, 4)


def test_a_sentence_that_leans_brings_what_it_leans_on_R_A14() -> None:
    """Also from another chunk, where it is text of its own."""
    chunk = chunk_of([(LONG, PLAIN), ("This helps.", PLAIN)], start=100)
    on, bare = chunk.sentences
    led = bare.model_copy(update={"leans_on": (on,)})
    held = chunk.model_copy(update={"sentences": (on, led)})
    assert preview_quotation(held, 1).rows == (0, 1)
    before = Excerpt(start=0, end=12, text="Rinse daily.")
    beyond = bare.model_copy(update={"leans_on": (before,)})
    other = chunk.model_copy(update={"sentences": (on, beyond), "context": (before,)})
    quoted = preview_quotation(other, 1)
    assert quoted.rows == (1,)
    assert quoted.outside == "Rinse daily."
    assert quoted.text(other) == "Rinse daily. This helps."


def test_what_may_not_be_chosen_is_never_drawn_in_R_A3() -> None:
    """A heading, and a sentence too long to quote."""
    chunk = one_block("Care", "This helps.", "x" * 1_801)
    head, own, long = chunk.sentences
    head = head.model_copy(update={"kind": HEADING})
    long = long.model_copy(update={"quotable": False})
    held = chunk.model_copy(update={"sentences": (head, own, long)})
    assert [is_selectable(s) for s in held.sentences] == [False, True, False]
    assert preview_quotation(held, 1).rows == (1,)
