"""Columns and tables of PDF pages: by where the text stands, never woven."""

from itertools import zip_longest

import pytest

from adapters.loaders import pdf
from adapters.loaders.limits import Limits
from engine.model.document import Parsed
from engine.model.errors import DocumentError
from tests.adapters.loaders.blocks import blocks_of
from tests.adapters.loaders.pdfs import Shown, boxes, placed_pdf_of

LEFT = (
    "The small lathe may be used by members",
    "who have passed the safety course. The",
    "chuck key must never stay in the chuck.",
    "Long hair has to be tied back at all",
    "times.",
)
RIGHT = (
    "The band saw is closed for repairs until",
    "2 March. Its blade is changed every",
    "40 hours by the workshop lead. The band",
    "saw must not be used for metal.",
)
WIDE = "All of this is told at the front desk, which is open on every day of the week."
PLANS = (
    ("Plan", "Laser hours", "CNC hours", "Fee"),
    ("Visitor", "2", "", "15"),
    ("Hobby", "10", "4", ""),
    ("Patron", "", "30", "5"),
)
ROWS = ["Plan | Laser hours | CNC hours | Fee", "Visitor | 2 | – | 15"]
ROWS += ["Hobby | 10 | 4 | –", "Patron | – | 30 | 5"]
COLUMNS = (80, 180, 290, 400)
EDGES = (70, 170, 280, 390, 470)


def load(data: bytes) -> Parsed:
    return pdf.parse(data, "page.pdf", Limits())


def said(data: bytes) -> list[str]:
    """The blocks of a PDF, each on one line."""
    return [" ".join(text.split()) for _, _, text in blocks_of(load(data))]


def columns(*texts: tuple[str, ...], lower: float = 0.0) -> list[Shown]:
    """Columns of text, written line by line over all of them."""
    pieces: list[Shown] = []
    wide = 480 / len(texts)
    for line, row in enumerate(zip_longest(*texts)):
        pieces += [
            (72 + at * wide, 700 - 14 * line - at * lower, text)
            for at, text in enumerate(row)
            if text
        ]
    return pieces


def cells(rows: tuple[tuple[str, ...], ...], apart: float = 20) -> list[Shown]:
    return [
        (COLUMNS[column], 690 - apart * row, text)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    ]


@pytest.mark.parametrize("lower", [0.0, 5.0])
def test_columns_are_read_one_after_the_other_R_A15(lower: float) -> None:
    """However the lines of one stand beside those of the other."""
    page = [
        (72.0, 740.0, "Workshop rules"),
        *columns(LEFT, RIGHT, lower=lower),
        (72.0, 600.0, WIDE),
    ]
    assert said(placed_pdf_of(page)) == [
        "Workshop rules",
        " ".join(LEFT),
        " ".join(RIGHT),
        WIDE,
    ]


def test_three_columns_are_read_one_after_the_other_R_A15() -> None:
    texts = [
        (
            f"Column {name} tells of",
            "things that stand in",
            "this place alone and",
            "no other.",
        )
        for name in ("one", "two", "three")
    ]
    text = " ".join(said(placed_pdf_of(columns(*texts))))
    assert text == " ".join(" ".join(column) for column in texts)


def test_a_page_that_is_written_column_by_column_is_read_as_before_R_A15() -> None:
    pieces = columns(LEFT, RIGHT)
    page = [*(p for p in pieces if p[0] < 200), *(p for p in pieces if p[0] > 200)]
    text = " ".join(said(placed_pdf_of(page)))
    assert text == " ".join((*LEFT, *RIGHT))


def test_lines_of_one_column_stay_as_they_are_R_A15() -> None:
    """Bullets and hanging labels stand beside text, and make no columns."""
    page: list[Shown] = []
    for line, text in enumerate(("Bring gloves.", "Bring a mask.", "Bring a friend.")):
        page += [(72, 700 - 14 * line, "-"), (90, 700 - 14 * line, text)]
    assert said(placed_pdf_of(page)) == [
        "- Bring gloves.",
        "- Bring a mask.",
        "- Bring a friend.",
    ]


def test_numbers_of_lines_are_no_text_R_A15() -> None:
    page: list[Shown] = []
    for line, text in enumerate(LEFT):
        page += [(72, 700 - 14 * line, str(line + 1)), (100, 700 - 14 * line, text)]
    parsed = load(placed_pdf_of(page))
    shown = [b.of(parsed.text) for b in parsed.blocks if b.quotable]
    assert " ".join(" ".join(shown).split()) == " ".join(LEFT)


@pytest.mark.parametrize(
    "drawn",
    [
        boxes(EDGES, [705 - 20 * row for row in range(5)]),
        "".join(
            f"{x} {685 - 20 * row} {wide} 20 re S "
            for row in range(4)
            for x, wide in ((70, 100), (170, 110), (280, 110), (390, 80))
        ),
        "70 703 m 470 703 l S 70 683 m 470 683 l S 70 620 m 470 620 l S",
        "".join(f"70 {705 - 20 * row} 400 0.5 re f " for row in range(5)),
        "",
    ],
    ids=["rules", "boxes", "three rules", "rules between rows", "gaps"],
)
def test_a_table_keeps_its_grid_R_A15(drawn: str) -> None:
    page = [(72.0, 740.0, "Plans of the space"), *cells(PLANS), (72.0, 560.0, WIDE)]
    parsed = load(placed_pdf_of(page, drawn=drawn))
    assert [text for _, _, text in blocks_of(parsed)][1:-1] == ROWS
    rows = [block.row for block in parsed.blocks if block.row is not None]
    assert [row.heads for row in rows] == [(), (1,), (1,), (1,)]


def test_spans_and_wrapped_cells_of_a_table_with_rules_R_A15() -> None:
    """A cell without a rule inside it spans; its lines are one text."""
    page: list[Shown] = [
        *((80, 690, "*Medicine"), (180, 690, "*Dose in mg")),
        *((180, 670, "*Start"), (290, 670, "*Never exceed")),
        *((80, 650, "Nudrug for"), (80, 638, "adults"), (290, 650, "900 a day")),
    ]
    drawn = (
        "70 705 m 390 705 l S 170 685 m 390 685 l S 70 665 m 390 665 l S "
        "70 630 m 390 630 l S 70 630 m 70 705 l S 170 630 m 170 705 l S "
        "280 630 m 280 685 l S 390 630 m 390 705 l S"
    )
    parsed = load(placed_pdf_of(page, drawn=drawn))
    assert [text for _, _, text in blocks_of(parsed)] == [
        "Medicine | Dose in mg | Dose in mg",
        "Medicine | Start | Never exceed",
        "Nudrug for adults | – | 900 a day",
    ]


@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_goes_on_below_its_heads_on_the_next_page_R_A15(repeated: bool) -> None:
    """Whether that page repeats them or not; they stand once."""
    more = (
        ("Studio", "none", "all", "8"),
        ("Guest", "1", "", "2"),
        ("Club", "3", "3", ""),
    )
    drawn = boxes(EDGES, [705 - 20 * row for row in range(5)])
    second = cells((*PLANS[:1], *more) if repeated else more)
    parsed = load(placed_pdf_of(cells(PLANS), second, drawn=drawn))
    rows = [
        (text, block.row)
        for (_, _, text), block in zip(blocks_of(parsed), parsed.blocks, strict=True)
    ]
    assert [text for text, _ in rows] == [
        *ROWS,
        "Studio | none | all | 8",
        "Guest | 1 | – | 2",
        "Club | 3 | 3 | –",
    ]
    assert all(row is not None and row.heads == (0,) for _, row in rows[1:])


UNCLEAR = {
    "a wrapped cell": (
        (*PLANS[:2], ("Hobby and", "10", "4", "5"), ("family", "", "", "")),
        "",
    ),
    "a first cell left empty": ((*PLANS[:3], ("", "7", "8", "9")), ""),
    "text over a rule": (
        (("Plan with hours", "", "CNC hours", "Fee"), *PLANS[1:]),
        boxes((70, 120, 170, 280, 390, 470), [705 - 20 * row for row in range(5)]),
    ),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_table_whose_rows_are_not_certain_is_not_quoted_R_A15(case: str) -> None:
    """It stays evidence, so that a search finds the page."""
    rows, drawn = UNCLEAR[case]
    page = [(72.0, 740.0, WIDE), *cells(rows), (72.0, 560.0, WIDE)]
    parsed = load(placed_pdf_of(page, drawn=drawn))
    assert [block.quotable for block in parsed.blocks] == [True, False, True]
    assert "Visitor 2 15" in parsed.text and not any(b.row for b in parsed.blocks)


def test_a_box_around_text_is_no_table_R_A15() -> None:
    page = [(80.0, 700.0 - 14 * n, text) for n, text in enumerate(LEFT)]
    assert said(placed_pdf_of(page, drawn="70 600 400 120 re S")) == [" ".join(LEFT)]


def test_hostile_drawings_are_read_or_left_R_S2() -> None:
    rules = " ".join(f"{n % 600} 0 m {n % 600} 700 l S" for n in range(6_000))
    across = " ".join(f"0 {n % 700} m 600 {n % 700} l S" for n in range(6_000))
    nested = "q " * 3_000 + "Q " * 3_000
    for drawn in (rules, nested, "re f l m S h 1 re"):
        said(placed_pdf_of(cells(PLANS), drawn=drawn))
    for drawn in (f"{rules} {across}", "0 0 0 0 0 0 cm"):  # nobody sees the text
        with pytest.raises(DocumentError, match="without a text layer"):
            said(placed_pdf_of(cells(PLANS), drawn=drawn))
