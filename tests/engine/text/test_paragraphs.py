"""A part of a section by its label: that part, with what it leans on, and no more."""

import pytest

from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.passage import Chunk
from engine.text.paragraphs import pick_parts, read_labels
from engine.text.quotable import render_quotation
from tests.adapters.loaders.test_justice_laws import sections

LONG = " and every other garden of the same street that somebody keeps bees in" * 12
SECTION = f"""
<Section><MarginalNote>Permits</MarginalNote><Label>7</Label>
<Subsection><Label>(1)</Label><Text>A keeper needs a permit</Text>
<Paragraph><Label>(a)</Label><Text>for a hive that stands</Text>
<Subparagraph><Label>(i)</Label><Text>near a path, or</Text></Subparagraph>
<Subparagraph><Label>(ii)</Label><Text>near a school; and</Text></Subparagraph>
</Paragraph>
<Paragraph><Label>(b)</Label><Text>for more than six hives.</Text></Paragraph>
</Subsection>
<Subsection><Label>(2)</Label><Text>This Act does not bind a school</Text>
<Paragraph><Label>(a)</Label><Text>for the hives of its garden{LONG}; or</Text>
</Paragraph>
<Paragraph><Label>(b)</Label><Text>for those that it visits{LONG}.</Text></Paragraph>
</Subsection></Section>"""


@pytest.fixture(scope="module")
def chunks() -> list[Chunk]:
    return list(make_chunks(build_document(sections(SECTION)["7"], "acts")))


def quoted(chunks: list[Chunk], written: str) -> list[str]:
    """What is shown of the part that somebody names."""
    document = chunks[0].document
    found = pick_parts(chunks, {document: {read_labels(written)}})
    return [
        render_quotation(
            chunk, range(pick.sentence, (pick.last or pick.sentence) + 1)
        ).text
        for chunk in found
        for pick in chunk.picks
    ]


def test_a_paragraph_comes_with_its_lead_in_alone_R_R2(chunks: list[Chunk]) -> None:
    (text,) = quoted(chunks, "(1)(b)")
    assert text.startswith("(1) A keeper needs a permit")
    assert text.endswith("(b) for more than six hives.")
    assert "(a)" not in text


def test_what_a_paragraph_introduces_comes_with_it_R_R2(chunks: list[Chunk]) -> None:
    (text,) = quoted(chunks, "(1)(a)")
    assert text.endswith("(ii) near a school; and")
    assert "six hives" not in text


def test_a_subsection_is_shown_whole_R_R2(chunks: list[Chunk]) -> None:
    (text,) = quoted(chunks, "(1)")
    assert "near a path" in text
    assert "six hives" in text
    assert "bind a school" not in text


def test_one_that_is_too_long_to_quote_is_shown_by_its_parts_R_A14(
    chunks: list[Chunk],
) -> None:
    """Its opening is never shown without what completes it."""
    parts = quoted(chunks, "(2)")
    assert [part.count("(2) This Act") for part in parts] == [1, 1]
    assert "its garden" in parts[0]
    assert "it visits" in parts[1]


@pytest.mark.parametrize("written", ["(1)(c)", "(3)", "(3)(a)", "(2)(a)(i)"])
def test_a_part_that_is_not_there_is_none_R_R2(
    chunks: list[Chunk], written: str
) -> None:
    assert quoted(chunks, written) == []
