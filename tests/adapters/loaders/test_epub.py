"""Books: their chapters in the book's order, notes at their sentences."""

from datetime import date
from pathlib import Path

import pytest

from engine.model.document import BlockKind
from engine.model.errors import DocumentError
from tests.adapters.loaders.office import epub, headed, read

TABLE = (
    "<table><thead><tr><th rowspan='2'>Boat</th><th colspan='2'>Fee</th></tr>"
    "<tr><th>Day</th><th>Year</th></tr></thead>"
    "<tr><td>Kayak</td><td></td><td>90</td></tr></table>"
)


def test_chapters_stand_in_the_order_of_the_book_R_U12(tmp_path: Path) -> None:
    """One without a heading is called as the table of contents calls it."""
    data = epub(
        {
            "b": "<h1>Second</h1><p>It ends.<a id='x'/></p>",
            "a": "<p>It begins.</p>",
            "c": "<p>Never listed.</p>",
        },
        "a",
        "b",
        nav='<ol><li><a href="a.xhtml">First</a></li>'
        '<li><a href="b.xhtml">S</a></li></ol>',
    )
    parsed = read("a.epub", data, tmp_path)
    assert parsed.text.split("\n\n") == ["First", "It begins.", "Second", "It ends."]
    heads = [b for b in parsed.blocks if b.kind is BlockKind.HEADING]
    assert len(heads) == 2
    assert (parsed.title, parsed.published) == ("The club", date(2024, 5, 6))


def test_a_note_in_another_file_stands_with_its_sentence_R_A15(tmp_path: Path) -> None:
    """Two files may give their notes one name."""
    data = epub(
        {
            "a": '<p>Dogs may come.<a href="n.xhtml#f1" epub:type="noteref">1</a></p>',
            "b": '<p>Cats may come.<sup><a href="#f1">1</a></sup></p>'
            '<aside id="f1" epub:type="footnote"><p>In a box.</p></aside>',
            "n": '<aside id="f1" epub:type="footnote"><p>On a lead.</p></aside>',
        }
    )
    assert read("a.epub", data, tmp_path).text.split("\n\n") == [
        "Dogs may come.[note 1]",
        "[note 1] On a lead.",
        "Cats may come.[note 2]",
        "[note 2] In a box.",
    ]


def test_tables_keep_their_grid_and_styles_hide_R_U12_R_A15(tmp_path: Path) -> None:
    """The styles of the book are its own files."""
    data = epub({"a": f"<p class='no'>Unseen.</p>{TABLE}"}, css=".no { display: none }")
    parsed = read("a.epub", data, tmp_path)
    assert headed(parsed) == ["Boat/Boat/Kayak | Fee/Day/– | Fee/Year/90"]
    assert "Unseen" not in parsed.text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04", "damaged"),
        (
            epub(
                {"a": "<p>x</p>"},
                encryption='<encryption><EncryptionMethod Algorithm="aes"/>'
                "</encryption>",
            ),
            "locked",
        ),
        (epub({"a": "<p>x</p>"}, container="<container/>"), "two parts|no book"),
        (epub({}), "no text"),
    ],
)
def test_damaged_and_locked_books_are_refused_by_name_R_U12(
    tmp_path: Path, data: bytes, said: str
) -> None:
    """Each with what to do; an obfuscated font locks nothing."""
    with pytest.raises(DocumentError, match=rf"a\.epub.*(?:{said})"):
        read("a.epub", data, tmp_path)
    font = (
        '<encryption><EncryptionMethod Algorithm="http://ns.adobe.com/pdf/enc#RC"/>'
        "</encryption>"
    ).replace("pdf/enc#RC", "font/obfuscation")
    assert (
        read("b.epub", epub({"a": "<p>x</p>"}, encryption=font), tmp_path).text == "x"
    )
