"""What the rows of a table state."""

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.answer import Quote
from engine.model.passage import Chunk
from engine.text.cells import render_quotes, render_row, render_sentence

PAGE = """# Leave

Days abroad are few.

| Place | Days a year | Paid |
|---|---|---|
| Inside the union | | 30 |
| Elsewhere | 10 | |

Ask first.
"""


def chunk() -> Chunk:
    parsed = markdown.parse(PAGE, "leave.md", Limits())
    (only,) = make_chunks(build_document(parsed, "handbook"))
    return only


def quote(chunk: Chunk, first: str, last: str) -> Quote:
    start = chunk.start + chunk.text.index(first)
    end = chunk.start + chunk.text.index(last) + len(last)
    return Quote(
        text=chunk.text[start - chunk.start : end - chunk.start],
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=start,
        end=end,
    )


def test_a_cell_is_read_with_what_heads_it_R_V4() -> None:
    assert render_row("Sauna | 90 °C", ["Room | Heat"]) == "Sauna Room | 90 °C Heat"


def test_cells_are_headed_by_position_and_by_every_head_row_R_A15() -> None:
    """An empty head heads nothing; what stands in two head rows is said once."""
    heads = ["– | Dose | Dose", "Medicine | Start | Dose"]
    assert render_row("Nudrug | – | 900 mg", heads) == (
        "Nudrug Medicine | – Dose Start | 900 mg Dose"
    )


def test_a_row_of_other_positions_heads_nothing_R_A15() -> None:
    heads = ["All rooms", "Room | Heat"]
    assert render_row("Sauna | 90 °C", heads) == "Sauna Room | 90 °C Heat"
    assert render_row("Sauna | 90 °C | dry", heads) == "Sauna | 90 °C | dry"


def test_a_line_without_cells_stays_as_it_is_R_V4() -> None:
    assert render_row("Open all year.", ["Prices"]) == "Open all year."


def test_a_sentence_of_a_table_is_stated_with_its_heads_R_A15() -> None:
    whole = chunk()
    assert [render_sentence(whole, s) for s in whole.sentences][2:] == [
        "Place | Days a year | Paid",
        "Inside the union Place | – Days a year | 30 Paid",
        "Elsewhere Place | 10 Days a year | – Paid",
        "Ask first.",
    ]


def test_a_quotation_is_read_with_the_heads_of_its_rows_R_A15() -> None:
    whole = chunk()
    quotes = [
        quote(whole, "Days abroad", "Paid"),
        quote(whole, "Elsewhere", "Ask first."),
    ]
    assert render_quotes(quotes, {whole.id: whole}).splitlines() == [
        "Days abroad are few.",
        "",
        "Place | Days a year | Paid",
        "Elsewhere Place | 10 Days a year | – Paid",
        "",
        "Ask first.",
    ]


def test_a_bare_figure_has_the_unit_of_its_head_or_caption_R_A15() -> None:
    """So that a table of prices holds prices; what is shown stays as it is."""
    heads = ["– | Fee in euros | Price (€) | Weight [kg] | Events in 2024"]
    assert render_row("A | 5 | 7 | 1-2 | 3", heads) == (
        "A | 5 euros Fee in euros | €7 Price (€) | 1-2 kg Weight [kg]"
        " | 3 Events in 2024"
    )
    assert render_row("Hall | 5 | free", ["Room | Day | Week"], "Fees in euros") == (
        "Hall Room | 5 euros Day | free Week"
    )
