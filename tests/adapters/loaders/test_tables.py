"""Tables of every format keep their grid: no value stands under another head."""

from collections.abc import Callable

import pytest

from adapters.loaders import html, justice_laws, markdown, rst
from adapters.loaders.limits import Limits
from engine.documents.corpus import build_document
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentTooLarge
from tests.adapters.loaders.blocks import blocks_of

Loader = Callable[[str, str, Limits], Parsed]


def rows_of(loader: Loader, text: str) -> list[str]:
    """The rows of all tables of a text."""
    parsed = loader(text, "page", Limits())
    return [row for kind, _, row in blocks_of(parsed) if kind == "table_row"]


def shown_with(loader: Loader, text: str, row: str) -> list[str]:
    """What a row is quoted with, itself last but for what comes after it."""
    document = build_document(loader(text, "page", Limits()), "source")
    found = [s for s in document.sentences if s.of(document.text) == row]
    assert len(found) == 1 and found[0].closed and found[0].quotable
    return [span.of(document.text) for span in found[0].leans_on]


def heads_of(loader: Loader, text: str, row: str) -> list[str]:
    """The rows that head a row."""
    document = build_document(loader(text, "page", Limits()), "source")
    (found,) = (s for s in document.sentences if s.of(document.text) == row)
    return [span.of(document.text) for span in found.heads]


PLANS = """
| Plan | Laser hours | CNC hours | Fee |
|:-----|:-----------:|----------:|-----|
| Visitor | 2 | | 15 |
| Patron | | 30 | 5 |
| Guest | – | - | |
"""


def test_an_empty_cell_of_markdown_is_shown_as_one_R_A15() -> None:
    assert rows_of(markdown.parse, PLANS) == [
        "Plan | Laser hours | CNC hours | Fee",
        "Visitor | 2 | – | 15",
        "Patron | – | 30 | 5",
        "Guest | – | - | –",
    ]
    assert heads_of(markdown.parse, PLANS, "Patron | – | 30 | 5") == [
        "Plan | Laser hours | CNC hours | Fee"
    ]


MARKDOWN = {
    "fewer cells": ("| a | b | c |\n|-|-|-|\n| 1 |", ["a | b | c", "1 | – | –"]),
    "more cells": ("| a | b |\n|-|-|\n| 1 | 2 | 3 |", ["a | b", "1 | 2"]),
    "without outer bars": ("a | b\n-|-\n1 |\n", ["a | b", "1 | –"]),
    "escaped bar": (
        "| a | b |\n|-|-|\n| x \\| y | `p \\| q` |",
        ["a | b", "x|y | p|q"],
    ),
    "line break": (
        "| a | b |\n|-|-|\n| Mon<br>Tue | 5<br>10 |",
        ["a | b", "Mon Tue | 5; 10"],
    ),
    "picture": (
        "| a | b |\n|-|-|\n| ![yes](y.png) | ![](n.png) |",
        ["a | b", "yes | [picture]"],
    ),
    "only blanks": (
        "| a | b |\n|-|-|\n| &nbsp; | \u200b |\n| x | |",
        ["a | b", "x | –"],
    ),
    "no heads": ("| | |\n|-|-|\n| Power | 5 kW |", ["Power | 5 kW"]),
    "in a list": ("- Item:\n\n  | a | b |\n  |-|-|\n  | | 1 |", ["a | b", "– | 1"]),
    "in a quote": ("> | a | b |\n> |-|-|\n> | | 1 |", ["a | b", "– | 1"]),
    "a note below": (
        "| a | b |\n|-|-|\n| x | 1 |\n| Prices of 2026. | |\n| Open? | |",
        ["a | b", "x | 1", "Prices of 2026.", "Open? | –"],
    ),
    "in html": (
        "<table><tr><th>a<th>b<tr><td><td>1</table>",
        ["a | b", "– | 1"],
    ),
}


@pytest.mark.parametrize("case", MARKDOWN)
def test_tables_of_markdown_keep_their_grid_R_A15(case: str) -> None:
    text, rows = MARKDOWN[case]
    assert rows_of(markdown.parse, text) == rows


HTML = {
    "blank cells": (
        "<tr><th>Medicine<th>Starting dose<th>Never exceed"
        "<tr><td>Nudrug<td><td>900 mg a day",
        ["Medicine | Starting dose | Never exceed", "Nudrug | – | 900 mg a day"],
    ),
    "rowspan": (
        "<tr><th>For<th>Course<th>Dose"
        "<tr><td rowspan=2>Adults<td>first<td>10 mg<tr><td>second<td>20 mg"
        "<tr><td rowspan=2>Children<td>first<td>2 mg<tr><td>second<td>",
        [
            "For | Course | Dose",
            "Adults | first | 10 mg",
            "Adults | second | 20 mg",
            "Children | first | 2 mg",
            "Children | second | –",
        ],
    ),
    "colspan": (
        "<tr><th rowspan=2>Room<th colspan=2>Price<tr><th>day<th>month"
        "<tr><td>Hall<td colspan=2>free<tr><td>Studio<td>5<td>90",
        [
            "Room | Price | Price",
            "Room | day | month",
            "Hall | free | free",
            "Studio | 5 | 90",
        ],
    ),
    "both": (
        "<tr><td rowspan=2 colspan=2>A<td>1<tr><td>2<tr><td>x<td>y<td>3",
        ["A | A | 1", "A | A | 2", "x | y | 3"],
    ),
    "rowspan 0": (
        "<tbody><tr><td rowspan=0>A<td>1<tr><td>2</tbody><tbody><tr><td>B<td>3</tbody>",
        ["A | 1", "A | 2", "B | 3"],
    ),
    "spans past the end": (
        "<tr><td rowspan=65534>A<td colspan=99>1<tr><td>2",
        ["A | 1", "A | 2"],
    ),
    "spans that are none": (
        "<tr><td rowspan=x>A<td colspan=-2>1<tr><td colspan=0>B<td rowspan=''>2",
        ["A | 1", "B | 2"],
    ),
    "unequal rows": (
        "<tr><th>a<th>b<th>c<tr><td>1<tr><td>2<td>3",
        ["a | b | c", "1 | – | –", "2 | 3 | –"],
    ),
    "foot first": (
        "<thead><tr><th>a<th>b</thead><tfoot><tr><td>sum<td>3</tfoot>"
        "<tbody><tr><td>x<td>3</tbody>",
        ["a | b", "x | 3", "sum | 3"],
    ),
    "lists": (
        "<tr><td>Tools<td><ul><li>saw<li>drill</ul>"
        "<tr><td>Steps<td><ol><li>on<li>off</ol>",
        ["Tools | • saw • drill", "Steps | 1. on 2. off"],
    ),
    "paragraphs and breaks": (
        "<tr><td>Hours<td><p>9</p><p>17</p><tr><td>Days<td>Mon<br>Tue",
        ["Hours | 9; 17", "Days | Mon Tue"],
    ),
    "bars": ("<tr><td>a | b<td>||<tr><td>|<td>c|", ["a|b | ||", "| | c|"]),
    "pictures": (
        "<tr><td>A<td><img alt=yes><tr><td>B<td><img src=x>"
        "<tr><td>C<td><i class=check></i><tr><td>D<td><input type=checkbox checked>"
        "<tr><td>E<td><svg><title>no</title></svg><tr><td>F<td><p></p><br>",
        ["A | yes", "B | [picture]", "C | [picture]", "D | ☑", "E | no", "F | –"],
    ),
    "pictures that nobody sees": (
        "<style>.away{display:none}</style><tr><td>A<td><img hidden alt=yes>"
        "<tr><td>B<td><img src=x hidden><tr><td>C<td><svg style='display: none'></svg>"
        "<tr><td>D<td><i class=away></i><tr><td>E<td><div hidden><img src=x></div>"
        "<tr><td>F<td><img src=x style='opacity:0'><tr><td>G<td>"
        "<video style='visibility:hidden'></video><tr><td>H<td><i class=seen></i>",
        [*(f"{row} | –" for row in "ABCDEFG"), "H | [picture]"],
    ),
    "table in a cell": (
        "<tr><th>Machine<th>Data<tr><td>Drill<td><table><tr><td>Power<td>5 kW"
        "<tr><td>Weight<td></table><tr><td>Saw<td><table><tr><th>Year<th>Price"
        "<tr><td>2011<td>5</table>",
        [
            "Machine | Data",
            "Drill | Power: 5 kW; Weight: –",
            "Saw | Year: 2011, Price: 5",
        ],
    ),
    "empty rows": ("<tr><td>a<td>b<tr><tr><td><td><tr><td>c<td>d", ["a | b", "c | d"]),
}


@pytest.mark.parametrize("case", HTML)
def test_tables_of_html_keep_their_grid_R_A15(case: str) -> None:
    markup, rows = HTML[case]
    assert rows_of(html.parse, f"<table>{markup}</table>") == rows


GRID = """
+-----------+-----------------+
| Medicine  | Dose            |
|           +--------+--------+
|           | Start  | Max    |
+===========+========+========+
| Nudrug    |        | 900 mg |
+-----------+--------+--------+
| Xidrug    | 20 mg           |
|           +--------+--------+
|           | 1      | - a    |
|           |        | - b    |
+-----------+--------+--------+
"""
RST = {
    "grid": (
        GRID,
        [
            "Medicine | Dose | Dose",
            "Medicine | Start | Max",
            "Nudrug | – | 900 mg",
            "Xidrug | 20 mg | 20 mg",
            "Xidrug | 1 | • a • b",
        ],
    ),
    "simple": (
        "======  =====  =====\n"
        "Plan    Hours\n"
        "------  ------------\n"
        "Name    Laser  CNC\n"
        "======  =====  =====\n"
        "Hobby          4\n"
        "Patron  5      \\\n"
        "======  =====  =====\n",
        [
            "Plan | Hours | Hours",
            "Name | Laser | CNC",
            "Hobby | – | 4",
            "Patron | 5 | –",
        ],
    ),
    "list-table": (
        ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * -\n     - 1\n"
        "   * - x\n     -\n",
        ["a | b", "– | 1", "x | –"],
    ),
    "csv-table": (
        '.. csv-table:: Prices\n   :header: "a", "b", "c"\n\n   "x", "", "1|2"\n',
        ["a | b | c", "x | – | 1|2"],
    ),
    "picture": (
        ".. list-table::\n\n   * - A\n     - .. image:: y.png\n          :alt: yes\n"
        "   * - B\n     - .. image:: n.png\n",
        ["A | yes", "B | [picture]"],
    ),
}


@pytest.mark.parametrize("case", RST)
def test_tables_of_rst_keep_their_grid_R_A15(case: str) -> None:
    text, rows = RST[case]
    assert rows_of(rst.parse, text)[: len(rows)] == rows


LAW = """<Regulation xmlns:lims="http://justice.gc.ca/lims"
 lims:current-date="2026-01-01"><Identification><InstrumentNumber>SOR/1-1
</InstrumentNumber><LongTitle>Fees</LongTitle></Identification><Body>
<Section lims:inforce-start-date="2020-01-01"><Label>1</Label><Text>The fees are as
follows:</Text><TableGroup><table><title>Fees</title><tgroup cols="3">
<colspec colname="c1"/><colspec colname="c2"/><colspec colname="c3"/>
<thead><row><entry morerows="1">Item</entry><entry namest="c2" nameend="c3">Fee</entry>
</row><row><entry>Adult</entry><entry>Child</entry></row></thead>
<tbody><row><entry>Visa</entry><entry colname="c3">50</entry></row>
<row><entry>Permit</entry><entry>100</entry><entry></entry></row></tbody>
</tgroup></table></TableGroup></Section></Body></Regulation>"""


def test_tables_of_statutes_keep_their_grid_R_A15() -> None:
    (section,) = justice_laws.parse(LAW, "fees.xml", Limits()).documents
    rows = [b for b in section.blocks if b.kind is BlockKind.TABLE_ROW]
    assert [row.of(section.text) for row in rows] == [
        "Item | Fee | Fee",
        "Item | Adult | Child",
        "Visa | – | 50",
        "Permit | 100 | –",
    ]
    assert rows[0].lead_in is not None
    assert section.blocks[rows[0].lead_in].of(section.text) == "Fees"


def test_a_row_is_quoted_with_caption_heads_and_the_line_across_R_A15() -> None:
    """All head rows, and of the lines across the table the one it stands below."""
    page = (
        "<table><caption>Doses in mg</caption><thead><tr><th rowspan=2>Medicine"
        "<th colspan=2>Dose<tr><th>Start<th>Max</thead><tr><th colspan=3>Adults"
        "<tr><th scope=row>Nudrug<td><td>900<tr><th colspan=3>Children"
        "<tr><th scope=row>Nudrug<td>1<td>90"
        "<tr><td colspan=3>These are doses of one day.</table>"
    )
    above = ["Doses in mg", "Medicine | Dose | Dose", "Medicine | Start | Max"]
    adults, children = "Adults | Adults | Adults", "Children | Children | Children"
    assert shown_with(html.parse, page, "Nudrug | – | 900") == [*above, adults]
    assert shown_with(html.parse, page, "Nudrug | 1 | 90") == [*above, children]
    assert heads_of(html.parse, page, "Nudrug | 1 | 90") == [*above[1:], children]
    note = "These are doses of one day."
    assert shown_with(html.parse, page, note) == [*above, children]


HEADED: dict[str, tuple[Loader, str, str, list[str]]] = {
    "first row of heads": (
        html.parse,
        "<table><tr><td></td><th>Mon<th>Tue<tr><th>Hall<td>open<td></table>",
        "Hall | open | –",
        ["– | Mon | Tue"],
    ),
    "heads begin anew": (
        html.parse,
        "<table><tr><th>a<th>b<tr><td>1<td>2<tr><th>c<th>d<tr><td>3<td>4</table>",
        "3 | 4",
        ["c | d"],
    ),
    "title above the heads": (
        html.parse,
        "<table><tr><th colspan=2>Fees<tr><th>a<th>b<tr><td>1<td>2</table>",
        "1 | 2",
        ["Fees | Fees", "a | b"],
    ),
    "bold heads": (
        html.parse,
        "<table><tr><td><b>a</b><td><p><strong>b</strong></p><tr><td>1<td>x</table>",
        "1 | x",
        ["a | b"],
    ),
    "words above figures": (
        html.parse,
        "<table><tr><td>Plan<td>Fee<tr><td>A<td>€ 5<tr><td>B<td>7</table>",
        "B | 7",
        ["Plan | Fee"],
    ),
    "no heads": (
        html.parse,
        "<table><tr><td>Monday<td>9-17<tr><td>Tuesday<td>10-18</table>",
        "Tuesday | 10-18",
        [],
    ),
    "names and values": (
        html.parse,
        "<table><tr><th>Power<td>5 kW<tr><th>Weight<td>8 kg</table>",
        "Weight | 8 kg",
        [],
    ),
    "a foot is of no group": (
        html.parse,
        "<table><thead><tr><th>a<th>b</thead><tbody><tr><th colspan=2>Adults"
        "<tr><td>1<td>2</tbody><tfoot><tr><td>sum<td>9</tfoot></table>",
        "sum | 9",
        ["a | b"],
    ),
    "bold line of markdown": (
        markdown.parse,
        "| a | b |\n|-|-|\n| **Adults** | |\n| x | 1 |\n| **Children** | |\n| y | 2 |",
        "y | 2",
        ["a | b", "Children | –"],
    ),
    "heads left empty in markdown": (
        markdown.parse,
        "| | |\n|-|-|\n| **a** | **b** |\n| x | 1 |",
        "x | 1",
        ["a | b"],
    ),
    "csv-table": (
        rst.parse,
        '.. csv-table::\n   :header: "a", "b"\n\n   "x", "1"\n',
        "x | 1",
        ["a | b"],
    ),
}


@pytest.mark.parametrize("case", HEADED)
def test_heads_head_what_they_head_R_A15(case: str) -> None:
    loader, text, row, heads = HEADED[case]
    assert heads_of(loader, text, row) == heads


def test_row_heads_are_marked_in_the_layout_R_A15() -> None:
    text = "<table><tr><th>Plan<th>Fee<tr><th>Patron<td>5<tr><td>Guest<td>9</table>"
    rows = [block.row for block in html.parse(text, "page", Limits()).blocks]
    assert [(row.head, row.row_heads) for row in rows if row is not None] == [
        (True, 0),
        (False, 1),
        (False, 0),
    ]


def test_an_empty_first_cell_goes_on_with_the_row_above_R_A15() -> None:
    """Where a format has no spans, people leave the cell below empty."""
    text = "| For | Course | mg |\n|-|-|-|\n| Adults | first | 10 |\n| | second | 20 |"
    assert shown_with(markdown.parse, text, "– | second | 20") == [
        "For | Course | mg",
        "Adults | first | 10",
    ]


def test_neighbouring_tables_do_not_head_each_other_R_A15() -> None:
    text = (
        "<p>Prices hold all year.</p><table><tr><th>a<th>b<tr><td>1<td>2</table>"
        "<table><tr><td>c<td>d<tr><td>e<td>f</table>"
    )
    assert shown_with(html.parse, text, "1 | 2") == ["Prices hold all year.", "a | b"]
    assert shown_with(html.parse, text, "e | f") == []
    assert html.parse(text, "page", Limits()).text.endswith("1 | 2\n\nc | d\ne | f")


def test_a_table_that_only_parts_a_page_is_read_as_a_page_R_A15() -> None:
    text = (
        "<table><tr><td><ul><li>Home</ul></td><td><h2>Fees</h2><p>A key costs 5 euros."
        "</p><table><tr><th>a<th>b<tr><td><td>1</table></td></tr></table>"
    )
    assert [t for _, _, t in blocks_of(html.parse(text, "page", Limits()))] == [
        "Home",
        "Fees",
        "A key costs 5 euros.",
        "a | b",
        "– | 1",
    ]


@pytest.mark.parametrize(
    "markup",
    [
        "<tr>" + "<td colspan=1000>x" * 1_001,
        "<tr>" + "<td rowspan=0>x" * 999 + "<tr>" * 1 + "<tr><td>y" * 1_100,
        "<tr>" + "<td>x" * 1_500 + "<tr><td colspan=1000 rowspan=0>y" * 1_000,
    ],
)
def test_a_table_of_too_many_cells_is_refused_R_A15(markup: str) -> None:
    with pytest.raises(DocumentTooLarge, match="cells"):
        html.parse(f"<table>{markup}</table>", "page", Limits())
