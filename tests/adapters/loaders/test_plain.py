"""Plain text, JSON Lines and PDF to canonical text."""

import json
from datetime import date

import pytest

from adapters.loaders import jsonl, pdf, text
from adapters.loaders.limits import Limits
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.errors import DocumentError, DocumentTooLarge
from tests.adapters.loaders.blocks import blocks_of, lead_ins
from tests.adapters.loaders.pdfs import bomb_of, pdf_of

LIMITS = Limits()


def test_plain_text_stays_as_it_is() -> None:
    """Lines and marks stay; blank lines and list marks part the blocks."""
    parsed = text.parse(
        "One\nline.\n\nSigns:\n- pain\n  more\n\n- heat\n", "a.txt", LIMITS
    )
    assert blocks_of(parsed) == [
        ("paragraph", 0, "One\nline."),
        ("paragraph", 0, "Signs:"),
        ("list_item", 1, "- pain\n  more"),
        ("list_item", 1, "- heat"),
    ]
    assert lead_ins(parsed)[2:] == ["Signs:", "Signs:"]


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("Opening hours of the hall\n\nMonday", "Opening hours of the hall"),
        ("Who may use the sauna?\nMembers may.", "Who may use the sauna?"),
        ("\n\n=== Rules 2026 ===\n\nAll of them.", "Rules 2026"),
        ("The hall is closed.\n\nMonday", None),
        ("Home | Club | Contact\n\nMonday", None),
        ("24 November 2026\n\nMonday", None),
        ("2026-11-24\n\nMonday", None),
        ("Mon, 3rd of Nov. 2026\n\nMonday", None),
        ("Signs:\n- pain", None),
        ("- pain\n- heat", None),
        ("The hall is open\nevery day.", None),
        ("The hall and the sauna of the club are open daily\n\nMonday", None),
        ("-----\n\nMonday", None),
        ("CONFIDENTIAL\n\nMonday", None),
        ("From: Anna Smith\n\nMonday", None),
        ("Page 1 of 3\n\nMonday", None),
        ("a" * 50_000, None),
    ],
)
def test_the_first_line_is_the_title_where_it_reads_like_one(
    first: str, title: str | None
) -> None:
    """Else the file's name is; front matter goes before both, the text stays."""
    parsed = text.parse(first, "rules/house.txt", LIMITS)
    assert parsed.title == title
    assert build_document(parsed, "club").title == (title or "house")
    assert parsed.text.split() == first.split()
    told = text.parse(f"---\ntitle: Told\n---\n{first}", "house.txt", LIMITS)
    assert told.title == "Told"


def test_a_number_of_a_register_stays_the_name_of_its_file_R_R2() -> None:
    parsed = text.parse("A phase III study\n\nIt ended.", "NCT04089631.txt", LIMITS)
    assert parsed.title is None


def test_each_good_line_of_jsonl_is_a_document() -> None:
    """Bad lines are named by number, and the others go in."""
    lines = [
        json.dumps({"id": "x", "title": "T", "text": "One.", "date": "2026-01-02"}),
        "{broken",
        "[1]",
        "",
        json.dumps({"text": "Two.", "url": "https://e.org/2", "source": "s"}),
        json.dumps({"text": "  "}),
        json.dumps({"text": "x", "date": "soon"}),
        json.dumps({"text": "null \x00 and \ud800"}),
    ]
    loaded = jsonl.parse("\n".join(lines), "a.jsonl", LIMITS)
    first, second, third = loaded.documents
    assert (first.id, first.published) == ("x", date(2026, 1, 2))
    assert (second.url, second.source, second.path) == (
        "https://e.org/2",
        "s",
        "a.jsonl#5",
    )
    third.text.encode()
    assert [problem.split(":")[0] for problem in loaded.problems] == [
        f"a.jsonl#{number}" for number in (2, 3, 6, 7)
    ]


def test_a_line_past_the_limit_is_refused_alone_R_S2() -> None:
    """One endless line does not cost the file."""
    lines = [json.dumps({"text": "x" * 3_000_000}), json.dumps({"text": "y"})]
    loaded = jsonl.parse("\n".join(lines), "a.jsonl", LIMITS)
    assert [parsed.text for parsed in loaded.documents] == ["y"]
    assert len(loaded.problems) == 1


def test_a_pdf_keeps_its_lines_and_page_breaks() -> None:
    """A paragraph runs on over the page; headings and running titles stand apart."""
    pages = [
        f"Journal of Rest\n{head}\n{body}\nPage {number}"
        for number, (head, body) in enumerate(
            [
                (
                    "1 Introduction",
                    "Rest helps most of the people who were asked about it and treat-"
                    "\nment ends. It goes on over the end of this long page and",
                ),
                (
                    "onto the next one.",
                    "2.1 Methods\nWe asked people at length about how they had slept.",
                ),
                ("Results", "They slept well in almost all of the cases we saw here."),
            ],
            1,
        )
    ]
    parsed = pdf.parse(pdf_of(*pages), "a.pdf", LIMITS)
    seen = blocks_of(parsed)
    assert ("heading", 1, "1 Introduction") in seen
    assert ("heading", 2, "2.1 Methods") in seen
    assert "treat-\nment ends" in parsed.text
    assert "page and\n\fonto the next one." in parsed.text
    running = [b.of(parsed.text) for b in parsed.blocks if not b.quotable]
    assert running.count("Journal of Rest") == 3
    assert "Page 2" in running


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7\n", b"no pdf at all", pdf_of("x")[:300]]
)
def test_a_damaged_pdf_is_named_R_S2(data: bytes) -> None:
    """The message names the file and what to do."""
    with pytest.raises(DocumentError, match=r"a\.pdf: .*again"):
        pdf.parse(data, "a.pdf", LIMITS)


def test_a_pdf_of_pictures_asks_for_text_recognition() -> None:
    """Without a text layer there is nothing to quote."""
    with pytest.raises(DocumentError, match="OCR"):
        pdf.parse(pdf_of(""), "a.pdf", LIMITS)


def test_pages_and_unpacked_size_are_bounded_R_S2() -> None:
    """Too many pages, or 120 MB behind 120 kB, are too large."""
    with pytest.raises(DocumentTooLarge, match="pages"):
        pdf.parse(pdf_of("a", "b"), "a.pdf", Limits(pages=1))
    for filters in (1, 2):
        bomb = bomb_of(b" " * 120_000_000, filters)
        assert len(bomb) < 200_000
        with pytest.raises(DocumentTooLarge, match="unpacks"):
            pdf.parse(bomb, "a.pdf", LIMITS)


def test_what_cannot_be_stored_is_one_sign_R_S2() -> None:
    """Beside letters of any alphabet."""
    assert text.parse("é\x00b", "a.txt", LIMITS).text == "é\ufffdb"


def test_each_page_counts_also_one_without_text_R_U12() -> None:
    """A citation names the page that a reader of the file turns to."""
    pages = ("", "The first words.", "", "A sentence that runs", "over two pages.")
    parsed = pdf.parse(pdf_of(*pages), "a.pdf", LIMITS)
    (last, *_) = [c for c in make_chunks(build_document(parsed, "club"))]
    text = parsed.text
    found = {
        word: last.page_of(text.index(word)) for word in ("first", "runs", "over two")
    }
    assert found == {"first": 2, "runs": 4, "over two": 5}
    assert last.page_of(len(text)) is None


def test_a_file_without_pages_has_no_page_R_U12() -> None:
    """Markdown and a PDF of one page are cited by their headings alone."""
    parsed = pdf.parse(pdf_of("One page only."), "a.pdf", LIMITS)
    (chunk,) = make_chunks(build_document(parsed, "club"))
    assert chunk.page is None and chunk.page_of(chunk.start) is None
