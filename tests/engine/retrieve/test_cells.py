"""What the rows of a table state."""

from engine.retrieve.cells import each_headed, headed


def test_a_cell_is_read_with_what_heads_it_R_V4() -> None:
    assert headed("Sauna | 90 °C", ["Room | Heat"]) == "Sauna Room | 90 °C Heat"


def test_a_row_is_headed_by_one_with_as_many_cells_R_V4() -> None:
    heads = ["All rooms", "Room | Heat"]
    assert headed("Sauna | 90 °C", heads) == "Sauna Room | 90 °C Heat"
    assert headed("Sauna | 90 °C | dry", heads) == "Sauna | 90 °C | dry"


def test_a_line_without_cells_stays_as_it_is_R_V4() -> None:
    assert headed("Open all year.", ["Prices"]) == "Open all year."


def test_the_first_row_of_a_quotation_heads_the_others_R_V4() -> None:
    text = "Days abroad\nPlace | Days a year\n…\nInside the union | 30\nAsk first."
    assert each_headed(text).splitlines() == [
        "Days abroad",
        "Place | Days a year",
        "…",
        "Inside the union Place | 30 Days a year",
        "Ask first.",
    ]
