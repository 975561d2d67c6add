"""Sentences longer than a quotation: what of them may be quoted, and how (R-G12)."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies

from engine.documents.clauses import MOST, MOST_OPENING, parts
from engine.documents.closure import LONGEST_CLOSED, selectable
from engine.documents.corpus import build_document, make_chunks
from engine.documents.records import Block, BlockKind, Document, Parsed
from engine.validate.shown import shown

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
        shown(chunk, [at])
        for chunk in chunks
        for at, sentence in enumerate(chunk.sentences)
        if selectable(sentence) and (sentence.opening or sentence.cut)
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
    assert [selectable(s) for s in sentences] == [True, *[False] * (len(sentences) - 1)]
    assert len(sentences) > 2


@given(strategies.text(alphabet="ab ;:,", max_size=4_000))
def test_parts_hold_the_whole_sentence_in_order(text: str) -> None:
    """All but white space is in exactly one, and none is too long."""
    said = text.strip()
    found = parts(said)
    kept = "".join(part.span.of(said) for part in found)
    assert "".join(kept.split()) == "".join(said.split())
    assert all(p.span.end - p.span.start <= max(MOST, MOST_OPENING) for p in found)
    assert all(one.span.end <= two.span.start for one, two in pairwise(found))
