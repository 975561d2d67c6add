"""Sentences longer than a quotation: what of them may be quoted, and how (R-G12)."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies

from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.document import Block, BlockKind, Document, Parsed, TableRow
from engine.text.cells import render_sentence
from engine.text.clauses import MOST, MOST_OPENING, split_clauses
from engine.text.closure import LONGEST_CLOSED, is_selectable
from engine.text.quotable import render_quotation

CLAUSES = "; ".join(f"member {n} keeps the key of room {n}" for n in range(1, 60))
STATUTE = "A licence ends when one of the following happens: " + CLAUSES + "."
SEMICOLONS = "Whoever holds a licence has the following duties and rights; " + CLAUSES
PROSE = "The keeper walks along the wall and " * 80 + "stops."


def document(text: str) -> Document:
    """A document of one paragraph between two others."""
    paragraphs = ("It opens in May.", text, "It closes in June.")
    whole, blocks = "\n\n".join(paragraphs), []
    for one in paragraphs:
        start = whole.index(one)
        blocks.append(
            Block(start=start, end=start + len(one), kind=BlockKind.PARAGRAPH)
        )
    parsed = Parsed(
        path="a.md", text=whole, blocks=tuple(blocks), loader="test/1", title="A"
    )
    return build_document(parsed, "handbook")


@pytest.mark.parametrize("text", [STATUTE, SEMICOLONS])
def test_every_clause_of_a_long_sentence_may_be_quoted_R_G12(text: str) -> None:
    """With the first words of it, as one quotation that is not too long."""
    chunks = make_chunks(document(text))
    told = [
        render_quotation(chunk, [at])
        for chunk in chunks
        for at, sentence in enumerate(chunk.sentences)
        if is_selectable(sentence) and (sentence.opening or sentence.cut)
    ]
    assert len(told) > 3
    opening = text[: text.index(";" if text is SEMICOLONS else ":")]
    for each in told:
        assert each.text.startswith(opening)
        assert len(each.text) <= LONGEST_CLOSED + 20
        assert all(quote.text in text for quote in each.quotes)
    assert all(each.text.endswith("[\u2026]") for each in told[:-1])
    assert not told[-1].text.endswith("[\u2026]")
    for n in range(1, 60):
        assert any(f"keeps the key of room {n}" in each.text for each in told)


def test_prose_without_clauses_is_quoted_from_its_beginning_alone_R_G12() -> None:
    """What begins in the middle of a clause is never shown."""
    sentences = [s for s in document(PROSE).sentences if s.opening or s.cut]
    assert [is_selectable(s) for s in sentences] == [
        True,
        *[False] * (len(sentences) - 1),
    ]
    assert len(sentences) > 2


CODE = "def open_gate(name):\n" + "".join(
    f"    turn_key({n})  # of room {n}\n" for n in range(1, 90)
)
ROWS = ("Room", "Key", "Remarks"), ("Bay 1", "red", "It is locked at night. " * 90)


def page(*blocks: tuple[BlockKind, str, TableRow | None]) -> Document:
    """A document of these blocks."""
    text = "\n\n".join(said for _, said, _ in blocks)
    placed, start = [], 0
    for kind, said, row in blocks:
        placed.append(Block(start=start, end=start + len(said), kind=kind, row=row))
        start += len(said) + 2
    parsed = Parsed(
        path="a.md", text=text, blocks=tuple(placed), loader="test/1", title="A"
    )
    return build_document(parsed, "handbook")


def shown_of(document: Document, kind: BlockKind) -> list[str]:
    """What is shown of the sentences of a kind, each alone."""
    return [
        render_quotation(chunk, [at]).text
        for chunk in make_chunks(document)
        for at, sentence in enumerate(chunk.sentences)
        if is_selectable(sentence) and sentence.kind is kind
    ]


def test_every_line_of_long_code_may_be_quoted_R_G12() -> None:
    """With the first line of it, in whole lines, and marked where it goes on."""
    before = (BlockKind.PARAGRAPH, "It is opened so.", None)
    told = shown_of(page(before, (BlockKind.CODE, CODE.strip(), None)), BlockKind.CODE)
    assert len(told) > 3
    for each in told:
        assert "def open_gate(name):" in each
        assert len(each) <= LONGEST_CLOSED
        lines = {line for line in each.splitlines() if line not in ("[\u2026]", "")}
        assert lines <= {*CODE.splitlines(), "It is opened so."}
    for n in range(1, 90):
        assert any(f"turn_key({n})" in each for each in told)


def test_of_a_long_row_the_first_cells_are_quoted_R_G12_R_A15() -> None:
    """Under their heads, cut behind a sentence; the rest is never shown alone."""
    head, row = (" | ".join(cells).strip() for cells in ROWS)
    document = page(
        (BlockKind.TABLE_ROW, head, TableRow(at=0, head=True)),
        (BlockKind.TABLE_ROW, row, TableRow(at=1, heads=(0,))),
    )
    _, told = shown_of(document, BlockKind.TABLE_ROW)
    assert told.startswith("Room | Key | Remarks\nBay 1 | red | It is locked at night.")
    assert told.endswith("at night.\n[\u2026]")
    assert len(told) <= LONGEST_CLOSED
    (chunk, *_) = [c for c in make_chunks(document) if "Bay 1" in c.text]
    (cut,) = [s for s in chunk.sentences if s.cut]
    assert render_sentence(chunk, cut).startswith("Bay 1 Room | red Key | It is locked")


def test_a_long_head_of_a_table_is_no_half_of_one_R_A15() -> None:
    """No value stands under a part of what heads it."""
    head = " | ".join(("Room", "Key", "Remarks that go on. " * 90)).strip()
    document = page(
        (BlockKind.TABLE_ROW, head, TableRow(at=0, head=True)),
        (BlockKind.TABLE_ROW, "Bay 1 | red | none", TableRow(at=1, heads=(0,))),
    )
    assert not any("Bay 1" in told for told in shown_of(document, BlockKind.TABLE_ROW))


@given(
    strategies.text(alphabet="ab ;:,|.\n", max_size=4_000),
    strategies.sampled_from([BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.TABLE_ROW]),
)
def test_parts_hold_the_whole_sentence_in_order(text: str, kind: BlockKind) -> None:
    """All but white space is in exactly one, and none that is quoted is too long."""
    said = text.strip()
    found = split_clauses(said, kind)
    kept = "".join(part.span.of(said) for part in found)
    without = str.maketrans("", "", " \n|" if kind is BlockKind.TABLE_ROW else " \n")
    assert kept.translate(without) == said.translate(without)
    long = max(MOST, MOST_OPENING)
    assert all(p.span.end - p.span.start <= long for p in found if p.whole)
    assert all(one.span.end <= two.span.start for one, two in pairwise(found))
