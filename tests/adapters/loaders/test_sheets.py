"""Sheets and tables as text: every value stands under its own head (R-U12, R-A15)."""

import io
import zipfile
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from adapters.loaders.number_format import format_value
from engine.model.errors import DocumentError, DocumentTooLarge
from tests.adapters.loaders.office import (
    BOLD,
    book,
    headed,
    read,
    replaced,
    rows,
    saved,
)


def test_cells_stand_under_their_heads_and_the_range_is_named_R_U12(
    tmp_path: Path,
) -> None:
    """A title above the table is what it is called; empty cells keep their place."""

    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = "Boat fees 2026"
        for line in (("Boat", "Day", "Year"), ("Kayak", 5, None), ("Yacht", None, 900)):
            sheet.append(line) if sheet.max_row > 2 else _at(sheet, 3, line)
        for cell in sheet[3]:
            cell.font = BOLD

    parsed = read("fees.xlsx", book(fill), tmp_path)
    assert parsed.text.split("\n\n")[:3] == ["Fees", "A1:C5", "Boat fees 2026"]
    assert headed(parsed) == [
        "Boat/Kayak | Day/5 | Year/–",
        "Boat/Yacht | Day/– | Year/900",
    ]
    assert parsed.title == "fees"


def _at(sheet: Worksheet, row: int, line: tuple[object, ...]) -> None:
    for column, value in enumerate(line, 1):
        sheet.cell(row, column, value)  # type: ignore[arg-type]


def test_two_head_rows_with_merged_cells_head_their_own_columns_R_A15(
    tmp_path: Path,
) -> None:
    """A group above two columns heads both, and no third."""

    def fill(sheet: Worksheet) -> None:
        rows(
            ("Court", "Members", None, "Guests", None),
            (None, "Week", "Weekend", "Week", "Weekend"),
            ("Clay", 4, 6, 9, 12),
            ("Hall", 8, None, 15, 20),
        )(sheet)
        for area in ("B1:C1", "D1:E1", "A1:A2"):
            sheet.merge_cells(area)

    parsed = read("a.xlsx", book(fill), tmp_path)
    assert headed(parsed) == [
        "Court/Court/Clay | Members/Week/4 | Members/Weekend/6 | Guests/Week/9"
        " | Guests/Weekend/12",
        "Court/Court/Hall | Members/Week/8 | Members/Weekend/– | Guests/Week/15"
        " | Guests/Weekend/20",
    ]


def test_a_cell_merged_over_rows_stands_in_each_of_them_R_A15(tmp_path: Path) -> None:
    """And hidden rows inside it do not move what is below."""

    def fill(sheet: Worksheet) -> None:
        rows(
            ("Day", "Time", "Course"),
            ("Monday", time(9, 0), "Yoga"),
            (None, time(10, 0), "Old course"),
            (None, time(11, 30), "Pilates"),
            ("Tuesday", time(9, 0), "Judo"),
            strong=1,
        )(sheet)
        sheet.merge_cells("A2:A4")
        sheet.row_dimensions[3].hidden = True

    parsed = read("a.xlsx", book(fill), tmp_path)
    assert headed(parsed) == [
        "Day/Monday | Time/9:00:00 | Course/Yoga",
        "Day/Monday | Time/11:30:00 | Course/Pilates",
        "Day/Tuesday | Time/9:00:00 | Course/Judo",
    ]
    assert "Old course" not in parsed.text
    assert any("hidden" in remark for remark in parsed.remarks)


def test_what_a_sheet_does_not_show_is_no_text_R_U12(tmp_path: Path) -> None:
    """Hidden sheets and columns, white letters, comments, formats that hide."""
    made = Workbook()
    sheet = made.active
    assert isinstance(sheet, Worksheet)
    rows(("Item", "Secret", "Price"), ("Rope", "margin 40", 5), strong=1)(sheet)
    sheet.column_dimensions["B"].hidden = True
    sheet["A2"].comment = Comment("a comment", "somebody")
    sheet["A4"] = "white words"
    sheet["A4"].font = Font(color="FFFFFFFF")
    sheet["A5"] = 4711
    sheet["A5"].number_format = ";;;"
    sheet["A6"] = "on black"
    sheet["A6"].font = Font(color="FFFFFFFF")
    sheet["A6"].fill = PatternFill("solid", fgColor="FF000000")
    hidden = made.create_sheet("Salaries")
    hidden["A1"] = "unseen sheet"
    hidden.sheet_state = "hidden"
    parsed = read("a.xlsx", saved(made), tmp_path)
    assert headed(parsed) == ["Item/Rope | Price/5"]
    for unseen in ("margin", "comment", "white words", "4711", "unseen", "Salaries"):
        assert unseen not in parsed.text
    assert "on black" in parsed.text


def test_a_first_row_that_is_no_head_heads_nothing_R_A15(tmp_path: Path) -> None:
    """Names and roles below each other are all of one kind."""
    fill = rows(("Ann", "Chair", 5), ("Bob", "Cook", 7), ("Cem", "Guard", 9))
    parsed = read("a.xlsx", book(fill), tmp_path)
    assert headed(parsed)[0] == "Ann | Chair | 5"


@pytest.mark.parametrize("told", ["table", "filter", "pane", "fill"])
def test_a_head_that_the_file_states_is_one_R_A15(tmp_path: Path, told: str) -> None:
    """By a table of its own, a filter, a pane that stays, or a colour."""

    def fill(sheet: Worksheet) -> None:
        rows(("Who", "What"), ("Ann", "chairs"), ("Bob", "cooks"), ("Cem", "guards"))(
            sheet
        )
        if told == "table":
            sheet.add_table(Table(displayName="T", ref="A1:B4"))
        elif told == "filter":
            sheet.auto_filter.ref = "A1:B4"
        elif told == "pane":
            sheet.freeze_panes = "A2"
        else:
            for cell in sheet[1]:
                cell.fill = PatternFill("solid", fgColor="FFDDDDDD")

    parsed = read("a.xlsx", book(fill), tmp_path)
    assert headed(parsed)[1] == "Who/Bob | What/cooks"


def test_tables_beside_each_other_keep_apart_R_A15(tmp_path: Path) -> None:
    """Each is named by its own range, and blank rows part tables below each other."""

    def fill(sheet: Worksheet) -> None:
        rows(
            ("Boat", "Fee", None, "Room", "Rent", "Deposit"),
            ("Kayak", 5, None, "Hall", 100, 50),
            ("Yacht", 9, None, "Bar", 60, 30),
            (),
            ("Key", "Loss"),
            ("Gate", 25),
            strong=1,
        )(sheet)
        for cell in sheet[5]:
            cell.font = BOLD

    parsed = read("a.xlsx", book(fill), tmp_path)
    ranges = [b.of(parsed.text) for b in parsed.blocks if b.level == 2]
    assert ranges == ["A1:B3", "D1:F3", "A5:B6"]
    assert headed(parsed) == [
        "Boat/Kayak | Fee/5",
        "Boat/Yacht | Fee/9",
        "Room/Hall | Rent/100 | Deposit/50",
        "Room/Bar | Rent/60 | Deposit/30",
        "Key/Gate | Loss/25",
    ]


def test_a_bold_total_below_does_not_hide_the_heads_R_A15(tmp_path: Path) -> None:
    """It looks like a head, and is none."""

    def fill(sheet: Worksheet) -> None:
        rows(("Post", "Euro"), ("Rent", "abc"), ("Food", "def"), ("Total", "all"))(
            sheet
        )
        for row in (1, 4):
            for cell in sheet[row]:
                cell.font = BOLD

    parsed = read("a.xlsx", book(fill), tmp_path)
    assert headed(parsed)[-1] == "Post/Total | Euro/all"


def test_formulas_stand_as_their_results_and_never_as_nothing_R_A15(
    tmp_path: Path,
) -> None:
    """A formula that nobody worked out is named, and its row is not quoted."""
    data = book(rows(("Item", "Sum"), ("A", 3), ("B", "=B2*2"), strong=1))
    parsed = read("a.xlsx", data, tmp_path)
    assert headed(parsed) == ["Item/A | Sum/3", "Item/B | Sum/\ufffd"]
    assert any("formulas without a result" in remark for remark in parsed.remarks)
    counted = replaced(
        data, "xl/worksheets/sheet1.xml", ("<v></v>", "<v>6</v>"), ("<v />", "<v>6</v>")
    )
    parsed = read("b.xlsx", counted, tmp_path)
    assert headed(parsed) == ["Item/A | Sum/3", "Item/B | Sum/6"]
    assert not parsed.remarks


def test_raised_and_struck_words_of_a_cell_stay_so_R_A15(tmp_path: Path) -> None:
    """10² is not 102, and what is struck out no longer holds."""

    def fill(sheet: Worksheet) -> None:
        up = TextBlock(InlineFont(vertAlign="superscript"), "2")
        sheet["A1"] = CellRichText("Field of 10", up, " m")
        sheet["A3"] = "Closed on Mondays"
        sheet["A3"].font = Font(strike=True)

    text = read("a.xlsx", book(fill), tmp_path).text
    assert "Field of 10² m" in text and "~~Closed on Mondays~~" in text


@pytest.mark.parametrize(
    ("value", "form", "said"),
    [
        (0.25, "0%", "25%"),
        (1234.5, "#,##0.00", "1,234.50"),
        (5, '"€" #,##0.00', "€ 5.00"),
        (1234.5, "[$€-407] #,##0.00;[Red]-[$€-407] #,##0.00", "€ 1,234.50"),
        (-3, "#,##0;(#,##0)", "(3)"),
        (0, '0;-0;"–"', "–"),
        (7, ";;;", ""),
        (0.1 + 0.2, "General", "0.3"),
        (491512345678, "General", "491512345678"),
        (42, "000", "042"),
        (5e6, '0.0,,"M"', "5.0M"),
        (1.5, "# ?/?", "1.5"),
        (12345, "0.00E+00", "1.23E+04"),
        (True, "General", "TRUE"),
        (3, '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\)', "$3.00"),
        (5551234567, "000-000-0000", "5551234567"),
        (datetime(2026, 3, 1, tzinfo=UTC), "mm-dd-yy", "2026-03-01"),
        (datetime(2026, 3, 1, tzinfo=UTC), "dd/mm/yyyy", "01/03/2026"),
        (datetime(2026, 3, 1, tzinfo=UTC), "ddd dd.mm.yy", "Sun 01.03.26"),
        (date(2026, 3, 1), "d mmmm yyyy", "1 March 2026"),
        (
            datetime(2026, 3, 1, 14, 5, tzinfo=UTC),
            "d mmm yyyy h:mm AM/PM",
            "1 Mar 2026 2:05 PM",
        ),
        (
            datetime(2026, 3, 1, tzinfo=UTC),
            "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy",
            "2026-03-01",
        ),
        (time(8, 30), "h:mm", "8:30"),
        (timedelta(hours=26, minutes=30), "[h]:mm", "26:30"),
        ("007", "@", "007"),
    ],
)
def test_a_figure_stands_as_its_format_shows_it_R_A15(
    value: object, form: str, said: str
) -> None:
    """Days that go by the reader's country stand as ISO writes them."""
    assert format_value(value, form) == said


def test_a_damaged_bombed_or_locked_workbook_is_refused_by_name_R_U12(
    tmp_path: Path,
) -> None:
    """Each with what to do."""
    good = book(rows(("Item", "Sum"), ("A", 3)))
    typed = replaced(
        good,
        "xl/workbook.xml",
        ("<workbook", '<!DOCTYPE w [<!ENTITY a "b">]><workbook'),
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/workbook.xml", b" " * 30_000_000)
    for data, said in (
        (b"PK\x03\x04 not an archive", "damaged"),
        (good[: len(good) // 2], "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password"),
        (typed, "document type"),
    ):
        with pytest.raises(DocumentError, match=rf"a\.xlsx.*{said}"):
            read("a.xlsx", data, tmp_path)
    with pytest.raises(DocumentTooLarge, match="unpacks"):
        read("a.xlsx", stream.getvalue(), tmp_path)


# --- tables as text -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Boat,Fee\nKayak,5\nYacht,\n", ["Boat/Kayak | Fee/5", "Boat/Yacht | Fee/–"]),
        ("Boat;Fee\nKayak;5,50\nYacht;9,00\n", ["Boat/Kayak | Fee/5,50"]),
        ("Boat\tFee\nKayak\t5\nYacht\t9\n", ["Boat/Kayak | Fee/5"]),
        ("sep=;\nBoat;Fee\nKayak;5\nYacht;9\n", ["Boat/Kayak | Fee/5"]),
        (
            'Name,Note,Fee\n"Smith, Ann","said ""no""\nand left",5\nBo,,7\n',
            ['Name/Smith, Ann | Note/said "no" and left | Fee/5'],
        ),
        ("Club fees\n\nBoat,Fee\nKayak,5\nYacht,9\n", ["Boat/Kayak | Fee/5"]),
        ("Item,2025,2026\nRent,500,520\nFood,80,85\n", ["Item/Rent | 2025/500"]),
        ("Ann,Chair\nBob,Cook\nCem,Guard\n", ["Ann | Chair"]),
        ("Who,Team\nAnn,red\nBo,blue\nCem,red\nDi,blue\n", ["Who/Ann | Team/red"]),
        ("Boat,Fee,\nKayak,5,\nYacht,9,\n", ["Boat/Kayak | Fee/5"]),
    ],
)
def test_rows_of_a_table_as_text_stand_under_their_heads_R_U12_R_A15(
    tmp_path: Path, text: str, said: list[str]
) -> None:
    """Whatever parts its cells; a first row that names nothing heads nothing."""
    found = headed(read("a.csv", text.encode(), tmp_path))
    assert all(one.startswith(row) for one, row in zip(found, said, strict=False))
    assert len(found) >= len(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("Ort;Gebühr\nMünchen;5\n".encode("cp1252"), "UTF-8"),
        (b"Name,Fee\nSmith, Ann,5\nBo,7\nCy,8\n", "line 2 has 3 cells"),
        (b"Name,Fee,Note\nBo,7\nCy,8,x\nDi,9,y\n", "line 2 has 2 cells"),
        (b'Name,Fee\n"Bo,7\nCy,8\n', "quotation mark"),
    ],
)
def test_a_table_that_cannot_be_read_for_certain_is_refused_by_its_line_R_A15(
    tmp_path: Path, data: bytes, said: str
) -> None:
    """Else a value would stand under another head, or letters be others."""
    with pytest.raises(DocumentError, match=said):
        read("a.csv", data, tmp_path)
