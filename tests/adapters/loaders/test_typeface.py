"""Headings of a PDF by their type: larger, or bold."""

from collections import Counter

import pytest

from adapters.loaders import pdf
from adapters.loaders.limits import Limits
from adapters.loaders.typeface import Line, Print
from engine.documents.corpus import build_document
from tests.adapters.loaders.blocks import blocks_of
from tests.adapters.loaders.pdfs import pdf_of, typed_pdf_of
from tests.growth import linear

LIMITS = Limits()
TEXT = [
    (
        "F",
        11,
        "The hall is open on every day of the week but Monday, from eight in the",
    ),
    ("F", 11, "morning until ten at night, and members have a key to the side door."),
]
CALL = [
    ("B", 11, "Call the emergency number before you fetch the device from the wall"),
    ("B", 11, "beside the door and open its lid."),
]


def seen(*pages: list[tuple[str, int, str]]) -> list[tuple[str, int, str]]:
    return blocks_of(pdf.parse(typed_pdf_of(*pages), "a.pdf", LIMITS))


def test_lines_in_larger_type_are_headings_R_S1() -> None:
    """The largest of the first level, over all of its lines, also in lower case."""
    title = [("F", 20, "rules of the house and"), ("F", 20, "of the courts")]
    found = seen([*title, *TEXT, ("B", 14, "Keys, and who has one"), *TEXT], TEXT)
    body = "\n".join(line for _, _, line in TEXT)
    assert found == [
        ("heading", 1, "rules of the house and\nof the courts"),
        ("paragraph", 0, body),
        ("heading", 2, "Keys, and who has one"),
        ("paragraph", 0, body),
        ("paragraph", 0, body),
    ]


def test_a_short_bold_line_at_text_size_is_a_heading_R_S1() -> None:
    """A longer one, or one that ends a sentence, is a paragraph of its own."""
    short, shut = ("B", 11, "Lost keys"), ("B", 11, "The hall is shut.")
    body = "\n".join(line for _, _, line in TEXT)
    assert seen([short, *TEXT, *CALL, *TEXT, shut, *TEXT]) == [
        ("heading", 1, "Lost keys"),
        ("paragraph", 0, body),
        ("paragraph", 0, "\n".join(line for _, _, line in CALL)),
        ("paragraph", 0, body),
        ("paragraph", 0, "The hall is shut."),
        ("paragraph", 0, body),
    ]


@pytest.mark.parametrize("size", [11, 14])
@pytest.mark.parametrize(
    "notice",
    [
        "Never take more than 8 tablets in 24 hours.",
        "Never double a dose!",
        "Maximum dose: 4 g a day",
        "In an emergency call 112",
        "- Fever above 38 is an emergency",
    ],
)
def test_a_notice_is_no_heading_whatever_its_type_R_S1_R_A14(
    notice: str, size: int
) -> None:
    """A heading is never quoted."""
    found = seen([*TEXT, ("B", size, notice), *TEXT])
    assert not any(kind == "heading" for kind, _, _ in found)
    assert any(notice in text for _, _, text in found)


@pytest.mark.parametrize("kind", [("B", 11), ("F", 14)])
def test_what_stands_out_in_a_sentence_stays_in_it_R_S1_R_A14(
    kind: tuple[str, int],
) -> None:
    lines = [
        ("F", 11, "You must never take this medicine together with drugs such as"),
        (*kind, "Warfarin or Aspirin"),
        ("F", 11, "because they may cause bleeding that does not stop by itself."),
    ]
    found = seen([*TEXT, *lines, *TEXT])
    whole = "\n".join(line for *_, line in lines)
    assert any(whole in text for _, _, text in found)


def test_a_large_first_letter_is_no_heading_R_S1_R_A14() -> None:
    lines = [("F", 28, "P"), ("F", 11, "aracetamol must not be taken with alcohol.")]
    assert all(kind != "heading" for kind, _, _ in seen([*lines, *TEXT]))


def test_a_size_for_every_line_takes_no_longer_R_S2() -> None:
    """Levels are looked up, not searched for."""

    def read(lines: int) -> None:
        page = [Line("Fees of the hall", 12 + number / 2) for number in range(lines)]
        found = Print([[*page, Line("text", 9)]], Counter({9.0: 10**6})).type()
        assert sum(found.level(line) > 0 for line in page) == lines

    assert linear(read, 4_000)


def test_bold_words_within_a_sentence_part_nothing_R_S1() -> None:
    """Neither a word that opens a line nor a line that goes on with the sentence."""
    lines = [
        (
            "B",
            11,
            "Members| have a key to the side door of the hall, and they are asked",
        ),
        ("B", 11, "to lock it"),
        (
            "F",
            11,
            "when they leave as the last ones, which is to be noted in the book.",
        ),
    ]
    assert [kind for kind, _, _ in seen([*lines, *TEXT])] == ["paragraph"]


def test_where_all_is_bold_nothing_is_a_heading_by_it_R_S1() -> None:
    lines = [("B", 11, line) for _, _, line in TEXT]
    assert [kind for kind, _, _ in seen([*lines, *CALL])] == ["paragraph"]


def test_a_plain_short_line_is_text_where_type_tells_headings_R_S1() -> None:
    """It can be quoted, then; in a file of one type it is read as a heading still."""
    fee = ("F", 11, "Adults 30 euro")
    lines = [("B", 14, "Fees"), fee, *TEXT]
    assert ("heading", 1, "Adults 30 euro") not in seen(lines)
    assert ("heading", 1, "Adults 30 euro") in seen([fee, *TEXT])


def test_the_title_is_the_first_heading_by_type_R_S1() -> None:
    lines = [("F", 9, "page 1"), ("F", 22, "house rules"), *TEXT]
    parsed = pdf.parse(typed_pdf_of(lines), "a.pdf", LIMITS)
    assert build_document(parsed, "club").title == "house rules"


def test_many_pages_take_no_more_for_each_R_S2() -> None:
    """Four times the pages take about four times as long."""
    page = "\n".join(line for _, _, line in TEXT)
    made: dict[int, bytes] = {}

    def read(pages: int) -> None:
        held = made.setdefault(pages, pdf_of(*([page] * pages)))
        pdf.parse(held, "a.pdf", LIMITS)

    for pages in (*range(50, 53), *range(200, 203)):
        read(pages)
    assert linear(read, 200)
