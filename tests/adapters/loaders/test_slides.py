"""Slides: each below its number and title, with its lists and tables (R-U12, R-A15)."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.util import Inches, Pt

from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError
from tests.adapters.loaders.office import headed, read, replaced

TITLED, CONTENT, ALONE = 0, 1, 5  # layouts of the usual template


def made(*fills: Callable[[Any], None], layout: int = CONTENT) -> bytes:
    """A file of slides, each filled in."""
    deck = Presentation()
    for fill in fills:
        fill(deck.slides.add_slide(deck.slide_layouts[layout]))
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def titled(
    title: str, *lines: str, levels: tuple[int, ...] = ()
) -> Callable[..., None]:
    """Fill a slide's title and its list."""

    def fill(slide: Any) -> None:
        slide.shapes.title.text = title
        frame = slide.placeholders[1].text_frame
        frame.text = lines[0] if lines else ""
        for at, line in enumerate(lines[1:], 1):
            added = frame.add_paragraph()
            added.text, added.level = line, levels[at] if levels else 0

    return fill


def box(slide: Any, text: str, left: float = 1) -> Any:
    shape = slide.shapes.add_textbox(Inches(left), Inches(1), Inches(2), Inches(1))
    shape.text_frame.text = text
    return shape


def kinds(parsed: Parsed) -> list[tuple[BlockKind, int, str]]:
    return [(b.kind, b.level, b.of(parsed.text)) for b in parsed.blocks]


def test_a_slide_stands_below_its_number_and_title_R_U12(tmp_path: Path) -> None:
    """Its lists keep their levels, a single line is no list."""
    data = made(
        titled("Pool rules", "No running", "No glass", "no cups", levels=(0, 0, 1)),
        titled("Hours", "The pool opens at nine."),
        titled("", "A line without a title."),
    )
    parsed = read("a.pptx", data, tmp_path)
    assert parsed.title == "Pool rules"
    heading, listed = BlockKind.HEADING, BlockKind.LIST_ITEM
    assert kinds(parsed) == [
        (heading, 1, "Slide 1: Pool rules"),
        (listed, 1, "No running"),
        (listed, 1, "No glass"),
        (listed, 2, "no cups"),
        (heading, 1, "Slide 2: Hours"),
        (BlockKind.PARAGRAPH, 0, "The pool opens at nine."),
        (heading, 1, "Slide 3"),
        (BlockKind.PARAGRAPH, 0, "A line without a title."),
    ]


def test_what_a_slide_does_not_show_is_no_text_R_U12(tmp_path: Path) -> None:
    """Hidden slides and shapes, shapes beside it, what the speaker says."""

    def fill(slide: Any) -> None:
        titled("Seen", "Shown.")(slide)
        box(slide, "beside the slide", left=30)
        hidden = box(slide, "a hidden shape")
        hidden._element.nvSpPr.cNvPr.set("hidden", "1")
        slide.notes_slide.notes_text_frame.text = "what the speaker says"

    def away(slide: Any) -> None:
        titled("Unseen", "An old rule.")(slide)
        slide._element.set("show", "0")

    parsed = read("a.pptx", made(away, fill), tmp_path)
    assert parsed.text == "Slide 2: Seen\n\nShown."
    assert len(parsed.remarks) == 2


def test_tables_of_slides_keep_their_grid_R_U12_R_A15(tmp_path: Path) -> None:
    """The file says whether the first row and column head the others."""

    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Fees"
        size = (Inches(1), Inches(1), Inches(6), Inches(3))
        table = slide.shapes.add_table(4, 3, *size).table
        said = (
            ("Boat", "Fee", ""),
            ("Kayak", "5", "9"),
            ("", "6", ""),
            ("All", "", ""),
        )
        for row, texts in enumerate(said):
            for column, text in enumerate(texts):
                table.cell(row, column).text = text
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(1, 0).merge(table.cell(2, 0))
        table.first_row, table.horz_banding = True, False

    assert headed(read("a.pptx", made(fill, layout=ALONE), tmp_path)) == [
        "Boat/Kayak | Fee/5 | Fee/9",
        "Boat/Kayak | Fee/6 | Fee/–",
        "Boat/All | Fee/– | Fee/–",
    ]

    def plain(slide: Any) -> None:
        fill(slide)
        slide.shapes[-1].table.first_row = False

    found = headed(read("b.pptx", made(plain, layout=ALONE), tmp_path))
    assert found[1] == "Kayak | 5 | 9"


def test_numbers_groups_raised_and_struck_words_stand_as_shown_R_A15(
    tmp_path: Path,
) -> None:
    """Numbers go on where they begin; shapes of a group are shapes."""

    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Steps"
        group = slide.shapes.add_group_shape()
        shape = group.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1))
        frame = shape.text_frame
        for at, text in enumerate(("First", "Second")):
            line = frame.paragraphs[0] if not at else frame.add_paragraph()
            line.text = text
            told = line._p.get_or_add_pPr()
            told.insert(0, told.makeelement(NUMBER, {"type": "alphaLcParenR"}))
        run = box(slide, "10").text_frame.paragraphs[0].add_run()
        run.text = "2"
        run.font._element.set("baseline", "30000")
        run.font.size = Pt(12)
        struck = box(slide, "Closed").text_frame.paragraphs[0].runs[0]
        struck.font._element.set("strike", "sngStrike")

    parsed = read("a.pptx", made(fill, layout=ALONE), tmp_path)
    assert parsed.text.split("\n\n")[1:] == ["a) First\nb) Second", "10²", "~~Closed~~"]


NUMBER = "{http://schemas.openxmlformats.org/drawingml/2006/main}buAutoNum"


def test_damaged_and_foreign_files_are_refused_by_name_R_U12(tmp_path: Path) -> None:
    """A workbook under the name of slides is none."""
    good = made(titled("A", "B"))
    typed = replaced(
        good,
        "ppt/slides/slide1.xml",
        ("<p:sld ", '<!DOCTYPE a [<!ENTITY b "c">]><p:sld '),
    )
    foreign = replaced(good, "ppt/presentation.xml", ("p:presentation", "p:other"))
    for data, said in (
        (good[:900], "damaged"),
        (typed, "document type"),
        (foreign, "no file of slides"),
    ):
        with pytest.raises(DocumentError, match=rf"a\.pptx.*{said}"):
            read("a.pptx", data, tmp_path)
