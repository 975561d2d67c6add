"""Where the passage of a question stands, and whether the question fits it (R-Q1)."""

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.document import Block, BlockKind, Document, Parsed
from engine.model.frozen import Span
from engine.questions.fitting import find_misfit
from engine.questions.places import (
    NoPlace,
    find_holder,
    find_place,
    find_question_headings,
)
from engine.questions.records import Text

LINES = (
    (BlockKind.HEADING, 1, "Ports"),
    (BlockKind.PARAGRAPH, 0, "A port is flushed every 4 to 12 weeks by the Nurse."),
    (BlockKind.HEADING, 2, "1.2 May I swim?"),
    (BlockKind.PARAGRAPH, 0, "People may swim because the skin is closed."),
    (BlockKind.HEADING, 2, "Care"),
    (BlockKind.PARAGRAPH, 0, "Wash the skin. Dry it well."),
    (BlockKind.HEADING, 1, "Lines"),
    (BlockKind.HEADING, 2, "Care"),
    (BlockKind.PARAGRAPH, 0, "Keep it dry. Keep it clean."),
    (BlockKind.HEADING, 2, "Why?"),
)


@pytest.fixture(scope="module")
def document() -> Document:
    """A page with two sections of one name."""
    text, blocks = "", []
    for kind, level, line in LINES:
        start = len(text)
        text += line
        blocks.append(Block(start=start, end=len(text), kind=kind, level=level))
        text += "\n\n"
    parsed = Parsed(path="p.md", text=text, blocks=tuple(blocks), loader="test")
    return build_document(parsed, "nci")


def test_a_heading_that_asks_something_is_a_question_R_Q1(document: Document):
    """Without its number; one word alone asks nothing."""
    (found,) = find_question_headings(document)
    assert (found.text, found.section) == ("May I swim?", ("Ports",))
    assert found.span.of(document.text) == "1.2 May I swim?"


@pytest.mark.parametrize(
    ("section", "quote", "said"),
    [
        ("ports >  care", None, "Wash the skin."),
        ("Lines > Care", None, "Keep it dry."),
        ("Care", "keep it CLEAN", "Keep it clean."),
        (None, "Dry it", "Dry it well."),
        ("1.2 May I swim?", None, "People may swim because the skin is closed."),
    ],
)
def test_a_passage_is_found_by_section_and_quote_R_Q1(
    document: Document, section: str | None, quote: str | None, said: str
):
    """Neither case nor white space counts."""
    assert find_place(document, section, quote).span.of(document.text) == said


@pytest.mark.parametrize(
    ("section", "quote", "field"),
    [
        ("Nowhere", None, "section: "),
        ("Care", None, "section: several"),
        ("Ports", "Never", "quote: no sentence"),
        (None, "Keep it", "quote: 'Keep it' begins several"),
        ("Care", " ", "quote: "),
    ],
)
def test_a_place_that_is_none_is_named_by_its_field_R_Q1(
    document: Document, section: str | None, quote: str | None, field: str
):
    """What is not there, and what is there twice."""
    with pytest.raises(NoPlace, match=field):
        find_place(document, section, quote)


def test_a_question_belongs_to_the_passage_where_its_span_begins(document: Document):
    """And to none beyond the text."""
    chunks = make_chunks(document)
    place = find_place(document, "Lines > Care", None)
    at = find_holder(chunks, place.span)
    assert at is not None
    assert "Keep it dry." in chunks[at].text
    assert find_holder(chunks, Span(start=10_000, end=10_001)) is None


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How often is a port flushed?", None),
        ("Is it flushed every 4 weeks?", None),
        ("Is it flushed every 5 weeks?", "'5' does not stand there"),
        ("Does one of the weeks matter?", None),
        ("Does the Nurse flush it?", None),
        ("Does Doctor Moreau flush it?", "the name 'Doctor' does not stand there"),
        ("Which year was it approved?", "it asks for a year, and none stands there"),
    ],
)
def test_figures_names_and_kind_of_answer_stand_there_R_Q2(
    document: Document, question: str, reason: str | None
):
    """In the passage, its title and its headings; words for numbers are no figures."""
    chunk = make_chunks(document)[0]
    named = [find_place(document, None, "A port is").span.of(document.text)]
    assert find_misfit(question, chunk, named) == reason


def test_a_question_is_kept_as_it_is_read_R_V8() -> None:
    """Two that look alike are one, whatever nobody sees in them."""
    text: TypeAdapter[str] = TypeAdapter(Text)
    assert text.validate_python("Can I\u200b \uff53wim? ") == "Can I swim?"
    with pytest.raises(ValidationError):
        text.validate_python("\u200b\u200b\u200b")
