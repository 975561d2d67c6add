"""Passages: what a sentence leans on comes with it, and nothing outside its chunk."""

from itertools import pairwise

from engine.retrieve.passages import LONGEST, Range, join, readable
from hypothesis import given, strategies

from engine.corpus_records import BlockKind
from engine.records import Chunk
from tests.engine.retrieve.chunks import chunk_of, chunks

PLAIN, ITEM = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM
HEADING, CODE = BlockKind.HEADING, BlockKind.CODE
LONG = "A long sentence that fills the page. " * 20


@given(chunks, strategies.data())
def test_a_passage_holds_its_sentence_inside_its_chunk_R_A3(
    chunk: Chunk, data: strategies.DataObject
) -> None:
    """Contiguous ranges in order, the sentence in one of them, none too long."""
    at = data.draw(strategies.integers(0, len(chunk.sentences) - 1))
    ranges = readable(chunk, at)
    assert any(part.first <= at <= part.last for part in ranges)
    assert list(ranges) == sorted(ranges)
    for part in ranges:
        assert 0 <= part.first <= part.last < len(chunk.sentences)
        start, end = part.span(chunk)
        assert chunk.start <= start < end <= chunk.end
        alone = part.first == part.last
        assert alone or part.length(chunk) <= LONGEST


@given(chunks, strategies.data())
def test_an_item_is_never_without_its_lead_in_R_A3(
    chunk: Chunk, data: strategies.DataObject
) -> None:
    at = data.draw(strategies.integers(0, len(chunk.sentences) - 1))
    lead = chunk.sentences[at].lead_in
    if lead is not None:
        index = [s.start for s in chunk.sentences].index(lead.start)
        assert any(p.first <= index <= p.last for p in readable(chunk, at))


@given(strategies.lists(strategies.integers(0, 30)))
def test_joined_ranges_are_apart_and_lose_nothing(firsts: list[int]) -> None:
    """Whatever overlaps or touches becomes one."""
    ranges = [Range(first, first + first % 4) for first in firsts]
    merged = join(ranges)
    for before, after in pairwise(merged):
        assert before.last + 1 < after.first
    covered = {i for r in merged for i in range(r.first, r.last + 1)}
    assert covered == {i for r in ranges for i in range(r.first, r.last + 1)}


def test_a_sentence_that_leans_brings_the_one_before_R_A3() -> None:
    chunk = chunk_of([(LONG, PLAIN), ("Rinse daily.", PLAIN), ("This helps.", PLAIN)])
    (part,) = readable(chunk, 2)
    assert part.first <= 1


def test_a_heading_brings_what_stands_under_it_R_A3() -> None:
    chunk = chunk_of([("Who gets it?", HEADING), (LONG, PLAIN), (LONG, PLAIN)])
    assert readable(chunk, 0) == (Range(0, 1),)


def test_code_brings_the_sentence_that_announces_it_R_A3() -> None:
    chunk = chunk_of([(LONG, PLAIN), ("Type this:", PLAIN), ("gz sim -r", CODE)])
    (part,) = readable(chunk, 2)
    assert part.first <= 1


def test_a_far_item_brings_its_lead_in_apart_R_A3() -> None:
    """Where lead-in and item do not fit together they are two ranges."""
    items = [(f"{n} {LONG}", ITEM) for n in range(4)]
    chunk = chunk_of([("Signs include:", PLAIN), *items])
    assert readable(chunk, 4)[0] == Range(0, 0)
    assert readable(chunk, 4)[-1].last == 4


def test_a_sentence_too_long_to_quote_is_never_drawn_in_R_A3() -> None:
    chunk = chunk_of([("x" * 1_801, PLAIN), ("This helps.", PLAIN)])
    assert readable(chunk, 1) == (Range(1, 1),)
