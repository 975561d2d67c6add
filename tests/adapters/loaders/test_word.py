"""Word files: what the page shows, with its tables, lists, notes and changes."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.text import WD_BREAK

from engine.model.document import BlockKind
from engine.model.errors import DocumentError
from tests.adapters.loaders.office import (
    archive,
    cell,
    headed,
    item,
    lists,
    paragraph,
    read,
    relations,
    word,
)

HEADINGS = (
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>'
    '</w:style><w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/>'
    '</w:style><w:style w:type="paragraph" w:styleId="V"><w:name w:val="toc 1"/>'
    "</w:style>"
)


def made(fill: Callable[[Any], None]) -> bytes:
    """A file of python-docx."""
    document = docx.Document()
    fill(document)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def lines(data: bytes, folder: Path) -> list[str]:
    """The text by its lines that hold any."""
    return [line for line in read("a.docx", data, folder).text.split("\n") if line]


def test_headings_paragraphs_and_lists_stand_as_word_shows_them_R_U12(
    tmp_path: Path,
) -> None:
    """Styles are known by Word's own names, whatever the language of the program."""
    data = word(
        paragraph("Statutes", '<w:pStyle w:val="T"/>')
        + paragraph("Fees ......... 3", '<w:pStyle w:val="V"/>')
        + paragraph("Fees", '<w:pStyle w:val="berschrift1"/>')
        + paragraph("Members pay:")
        + item("once a year")
        + item("by transfer", 1)
        + item("before March"),
        styles=HEADINGS,
        numbering=lists("bullet \u2022", "bullet o"),
    )
    parsed = read("a.docx", data, tmp_path)
    assert parsed.title == "Statutes" and "......" not in parsed.text
    kinds = [(b.kind, b.level, b.of(parsed.text)) for b in parsed.blocks]
    assert kinds[:2] == [
        (BlockKind.HEADING, 1, "Statutes"),
        (BlockKind.HEADING, 1, "Fees"),
    ]
    assert kinds[3:] == [
        (BlockKind.LIST_ITEM, 1, "once a year"),
        (BlockKind.LIST_ITEM, 2, "by transfer"),
        (BlockKind.LIST_ITEM, 1, "before March"),
    ]
    assert all(block.lead_in == 2 for block in parsed.blocks[3::2])


def test_numbers_of_clauses_are_those_that_word_counts_R_A15(tmp_path: Path) -> None:
    """Over levels, past a paragraph between them, and anew where the file says so."""
    forms = lists("decimal \u00a7 %1", "lowerLetter (%2)", "upperRoman %1.%3")
    body = "".join(
        (
            item("Name"),
            item("The club is called X.", 1),
            item("It sits in Y.", 1),
            paragraph("A word between."),
            item("Fees"),
            item("They are due.", 1),
            item("In March.", 2),
            item("Other list", 0, number=2),
        )
    )
    assert lines(word(body, numbering=forms), tmp_path) == [
        "\u00a7 1 Name",
        "(a) The club is called X.",
        "(b) It sits in Y.",
        "A word between.",
        "\u00a7 2 Fees",
        "(a) They are due.",
        "2.I In March.",
        "\u00a7 1 Other list",
    ]


def test_open_changes_are_taken_in_counted_and_named_in_the_title_R_U12(
    tmp_path: Path,
) -> None:
    """Insertions are kept, deletions are dropped, moved words stand once."""
    data = word(
        "<w:p><w:r><w:t>The fee is </w:t></w:r>"
        '<w:del w:id="1"><w:r><w:delText>50</w:delText></w:r></w:del>'
        '<w:ins w:id="2"><w:r><w:t>60</w:t></w:r></w:ins>'
        "<w:r><w:t> euro.</w:t></w:r></w:p>"
        '<w:moveFrom w:id="3"><w:p><w:r><w:t>It moved.</w:t></w:r></w:p></w:moveFrom>'
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>One </w:t></w:r></w:p>"
        "<w:p><w:r><w:t>sentence.</w:t></w:r></w:p>"
        '<w:p><w:moveTo w:id="4"><w:r><w:t>It moved.</w:t></w:r></w:moveTo></w:p>'
        "<w:tbl><w:tr>" + cell("kept") + "</w:tr><w:tr><w:trPr><w:del/></w:trPr>"
        f"{cell('a deleted row')}</w:tr></w:tbl>"
    )
    parsed = read("a.docx", data, tmp_path)
    assert parsed.text.split("\n\n") == [
        "The fee is 60 euro.",
        "One sentence.",
        "It moved.",
        "kept",
    ]
    assert parsed.title == "a (with open changes)"
    assert "insertions kept: 2, deletions left out: 3" in parsed.remarks[0]


def test_a_footnote_stands_with_its_sentence_R_U12_R_A15(tmp_path: Path) -> None:
    """Endnotes do as well; the rule above notes is none."""
    notes = '<w:{0} w:id="{1}"><w:p><w:r><w:t>{2}</w:t></w:r></w:p></w:{0}>'
    data = word(
        "<w:p><w:r><w:t>Dogs are allowed.</w:t></w:r>"
        '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
        '<w:footnoteReference w:id="2"/></w:r></w:p>'
        "<w:p><w:r><w:t>So are cats.</w:t></w:r>"
        '<w:r><w:endnoteReference w:id="1"/></w:r></w:p>',
        footnotes=notes.format("footnote", 0, "rule")
        + notes.format("footnote", 2, "On a lead only."),
        endnotes=notes.format("endnote", 1, "In a box only."),
    )
    assert lines(data, tmp_path) == [
        "Dogs are allowed.[note 1]",
        "[note 1] On a lead only.",
        "So are cats.[note 2]",
        "[note 2] In a box only.",
    ]


def test_what_word_does_not_show_is_no_text_R_U12(tmp_path: Path) -> None:
    """Hidden words, white ones, comments, codes of fields, a list of pages."""
    run = "<w:r><w:rPr>{}</w:rPr><w:t>{}</w:t></w:r>".format
    code = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
    begin, separate, end = map(code, ("begin", "separate", "end"))
    data = word(
        "<w:p>"
        + run("<w:vanish/>", "hidden")
        + run('<w:color w:val="FFFFFF"/>', "white")
        + run('<w:sz w:val="2"/>', "tiny")
        + run('<w:vanish w:val="0"/>', "Seen")
        + '<w:r><w:commentReference w:id="1"/></w:r></w:p>'
        f"<w:p>{begin}<w:r><w:instrText>DATE</w:instrText></w:r>"
        f"{separate}<w:r><w:t>3 May</w:t></w:r>{end}</w:p>"
        f"<w:p>{begin}<w:r><w:instrText>TOC \\o</w:instrText></w:r>"
        f"{separate}<w:r><w:t>Fees 3</w:t></w:r></w:p>"
        f"<w:p><w:r><w:t>Rules 4</w:t></w:r>{end}</w:p>",
        comments="<w:comment><w:p><w:r><w:t>a comment</w:t></w:r></w:p></w:comment>",
    )
    parsed = read("a.docx", data, tmp_path)
    assert parsed.text == "Seen\n\n3 May"
    assert any("hidden" in remark for remark in parsed.remarks)


def test_words_in_wrappers_are_read_and_read_once_R_A15(tmp_path: Path) -> None:
    """Links, controls and text boxes, which Word stores in two forms."""
    box = f"<w:txbxContent>{paragraph('In the box.')}</w:txbxContent>"
    data = word(
        "<w:p><w:hyperlink><w:r><w:t>A link</w:t></w:r></w:hyperlink><w:sdt>"
        "<w:sdtContent><w:r><w:t> in a control</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:smartTag><w:r><w:t> and a tag.</w:t></w:r></w:smartTag>"
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>"
        f"{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
        f"<w:sdt><w:sdtContent>{paragraph('A block.')}</w:sdtContent></w:sdt>"
    )
    assert lines(data, tmp_path) == [
        "A link in a control and a tag.",
        "In the box.",
        "A block.",
    ]


def test_headers_and_footers_are_never_quoted_R_A15(tmp_path: Path) -> None:
    """They are on every page, and say nothing of any."""
    data = word(
        paragraph("The rule."), header=paragraph("Club"), footer=paragraph("Page 1")
    )
    parsed = read("a.docx", data, tmp_path)
    quoted = [b.of(parsed.text) for b in parsed.blocks if b.quotable]
    assert quoted == ["The rule."]


def test_raised_lowered_and_struck_words_stay_so_R_A15(tmp_path: Path) -> None:
    """10² is not 102."""

    def fill(document: Any) -> None:
        line = document.add_paragraph("A field of 10")
        line.add_run("2").font.superscript = True
        line.add_run(" m of H")
        line.add_run("2").font.subscript = True
        line.add_run("O costs ")
        line.add_run("5").font.strike = True
        line.add_run(" 6 euro.").add_break(WD_BREAK.PAGE)

    assert lines(made(fill), tmp_path) == [
        "A field of 10² m of H₂O costs ~~5~~ 6 euro."
    ]


def test_merged_cells_keep_the_grid_R_U12_R_A15(tmp_path: Path) -> None:
    """Two head rows, one cell over two columns, one over two rows, an empty one."""

    def fill(document: Any) -> None:
        table = document.add_table(4, 4)
        said = (
            ("Court", "Members", "", "Guests"),
            ("", "Week", "Weekend", "Week"),
            ("Clay", "4", "6", "9"),
            ("", "5", "", "10"),
        )
        for row, texts in enumerate(said):
            for column, text in enumerate(texts):
                run = table.cell(row, column).paragraphs[0].add_run(text)
                run.bold = row < 2
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(0, 0).merge(table.cell(1, 0))
        table.cell(2, 0).merge(table.cell(3, 0))

    assert headed(read("a.docx", made(fill), tmp_path)) == [
        "Court/Court/Clay | Members/Week/4 | Members/Weekend/6 | Guests/Week/9",
        "Court/Court/Clay | Members/Week/5 | Members/Weekend/– | Guests/Week/10",
    ]


@pytest.mark.parametrize("told", ["repeat", "style", "shade", "nothing"])
def test_a_first_row_is_a_head_only_where_something_says_so_R_A15(
    tmp_path: Path, told: str
) -> None:
    """A row that is repeated on each page, a style that sets it off, or a colour."""
    repeat = "<w:trPr><w:tblHeader/></w:trPr>" if told == "repeat" else ""
    style = '<w:tblStyle w:val="G"/>' if told == "style" else ""
    shade = '<w:shd w:fill="DDDDDD"/>' if told == "shade" else ""
    styles = (
        '<w:style w:type="table" w:styleId="G"><w:tblStylePr w:type="firstRow">'
        "<w:rPr><w:b/></w:rPr></w:tblStylePr></w:style>"
    )
    look = '<w:tblLook w:val="04A0" w:firstRow="1"/>'
    data = word(
        f"<w:tbl><w:tblPr>{style}{look}</w:tblPr>"
        f"<w:tr>{repeat}{cell('Who', shade)}{cell('What', shade)}</w:tr>"
        f"<w:tr>{cell('Ann')}{cell('chairs')}</w:tr>"
        f"<w:tr>{cell('Bo')}{cell('cooks')}</w:tr></w:tbl>",
        styles=styles,
    )
    found = headed(read("a.docx", data, tmp_path))
    assert found[-1] == ("Bo | cooks" if told == "nothing" else "Who/Bo | What/cooks")


def test_cells_before_merged_and_hidden_ones_keep_their_columns_R_A15(
    tmp_path: Path,
) -> None:
    """A row that begins in the second column, a hidden row, the older kind of merge."""
    data = word(
        f"<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>"
        f"{cell('Day')}{cell('From')}{cell('To')}</w:tr>"
        f"<w:tr>{cell('Monday')}{cell('9')}{cell('12')}</w:tr>"
        '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>'
        f"{cell('14')}{cell('18')}</w:tr>"
        f"<w:tr><w:trPr><w:hidden/></w:trPr>{cell('Old')}{cell('1')}{cell('2')}</w:tr>"
        "<w:tr>"
        + cell("Sunday")
        + cell("closed", '<w:hMerge w:val="restart"/>')
        + cell("", "<w:hMerge/>")
        + "</w:tr></w:tbl>"
    )
    assert headed(read("a.docx", data, tmp_path)) == [
        "Day/Monday | From/9 | To/12",
        "Day/– | From/14 | To/18",
        "Day/Sunday | From/closed | To/closed",
    ]


def test_notes_lists_and_tables_inside_cells_stay_in_them_R_A15(tmp_path: Path) -> None:
    """On one line each, the footnote below the table."""
    inner = f"<w:tbl><w:tr>{cell('Power')}{cell('5 kW')}</w:tr></w:tbl>"
    note = '<w:p><w:r><w:t>9 euro</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    data = word(
        f"<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>{cell('Boat')}{cell('Fee')}"
        f"{cell('More')}</w:tr><w:tr>{cell('Kayak')}<w:tc>{note}</w:tc>"
        f"<w:tc>{item('one')}{item('two')}{inner}<w:p/></w:tc></w:tr></w:tbl>",
        numbering=lists("decimal %1."),
        footnotes='<w:footnote w:id="2">' + paragraph("Twice.") + "</w:footnote>",
    )
    assert lines(data, tmp_path)[1:] == [
        "Kayak | 9 euro[note 1] | 1. one 2. two Power: 5 kW",
        "[note 1] Twice.",
    ]


def test_a_file_of_the_strict_standard_is_read_alike_R_U12(tmp_path: Path) -> None:
    """Its names differ, what it says does not."""
    plain = "http://schemas.openxmlformats.org/{}/2006/"
    strict = "http://purl.oclc.org/ooxml/{}/"
    document = (
        f'<w:document xmlns:w="{strict.format("wordprocessingml")}main">'
        f"<w:body>{paragraph('A rule.')}</w:body></w:document>"
    )
    targets = relations(officeDocument="word/document.xml").replace(
        plain.format("officeDocument"), strict.format("officeDocument")
    )
    data = archive({"_rels/.rels": targets, "word/document.xml": document})
    assert read("a.docx", data, tmp_path).text == "A rule."


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04", "damaged"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password"),
        (archive({"_rels/.rels": "<Relationships/>"}), "no document"),
        (word("").replace(b"PK\x01\x02", b"PK\x01\x03"), "damaged"),
        (word("<w:p/>"), "no text"),
        (
            archive(
                {
                    "_rels/.rels": relations(officeDocument="d.xml"),
                    "d.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
                }
            ),
            "document type",
        ),
        (word("<w:p>" * 200 + "</w:p>" * 200), "nest deeper"),
    ],
)
def test_damaged_locked_and_hostile_files_are_refused_by_name_R_U12(
    tmp_path: Path, data: bytes, said: str
) -> None:
    """Each with what is wrong."""
    with pytest.raises(DocumentError, match=rf"a\.docx.*{said}"):
        read("a.docx", data, tmp_path)
