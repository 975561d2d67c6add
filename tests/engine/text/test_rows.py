"""A row of a table is comparable by itself: with its heads, apart where it is long."""

import numpy as np

from adapters.index.lexical import weigh
from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.documents.passage import make_entry, passage_text
from engine.model.passage import Chunk
from engine.model.ports import Encoded

NAMES = [f"machine {n}" for n in range(30)]


def table(names: list[str]) -> str:
    rows = "".join(f"| {name} | B{at} | {at} kW |\n" for at, name in enumerate(names))
    return f"| Machine | Bay | Rated power |\n|---|---|---|\n{rows}"


def chunks_of(text: str) -> tuple[Chunk, ...]:
    page = markdown.parse(text, "machines.md", Limits())
    return make_chunks(build_document(page, "handbook"))


def test_each_row_of_a_long_table_is_a_passage_with_its_heads_R_A15() -> None:
    text = f"# Register\n\nAll machines stand here.\n\n{table(NAMES)}\nAsk first.\n"
    first, *rows, last = chunks_of(text)
    assert first.text.endswith("Machine | Bay | Rated power")
    assert last.text == "Ask first."
    assert [row.text for row in rows] == [
        f"{name} | B{at} | {at} kW" for at, name in enumerate(NAMES)
    ]
    assert passage_text(rows[7]) == ("Register\nmachine 7: Bay B7, Rated power 7 kW")
    assert [e.text for e in rows[7].context] == [
        "All machines stand here.",
        "Machine | Bay | Rated power",
    ]


def test_a_short_table_stays_one_passage_R_A15() -> None:
    (only,) = chunks_of(table(NAMES[:4]))
    assert passage_text(only) == (
        "machines\nMachine | Bay | Rated power\n"
        "machine 0: Bay B0, Rated power 0 kW\nmachine 1: Bay B1, Rated power 1 kW\n"
        "machine 2: Bay B2, Rated power 2 kW\nmachine 3: Bay B3, Rated power 3 kW"
    )


def test_a_line_across_a_long_table_goes_with_the_row_below_R_A15() -> None:
    names = [*NAMES[:15], *NAMES[15:]]
    rows = table(names).replace("| machine 15 ", "| **Upstairs** | | |\n| machine 15 ")
    texts = [chunk.text for chunk in chunks_of(rows)]
    assert "Upstairs | – | –\nmachine 15 | B15 | 15 kW" in texts
    assert "machine 14 | B14 | 14 kW" in texts


def test_words_of_head_rows_find_each_row_R_A15() -> None:
    _, row, *_ = chunks_of(table(NAMES))
    assert row.text.startswith("machine 0") and weigh(row)["rate"] == 1.0


def test_tokens_of_heads_stand_for_their_row_R_A15() -> None:
    """Tokens of cells keep their place; those of heads get that of their row."""
    (only,) = chunks_of(table(NAMES[:2]))
    read = passage_text(only)
    words = ("machines\n", "Rated power", "machine 1", "Bay", "B1", "1 kW")
    spans = []
    for word in words:
        start = read.rindex(word) if word != "Rated power" else read.index(word)
        spans.append((start, start + len(word)))
    blank = np.zeros((len(words), 2), np.float32)
    encoded = Encoded(blank[0], blank, np.array(spans, np.int32))
    placed = make_entry(only, encoded).tokens.spans
    row = only.text.index("machine 1 ")
    assert placed[0].tolist() == [-1, -1]
    assert [only.text[a:b] for a, b in placed[[1, 2, 4, 5]]] == [
        "Rated power",
        "machine 1",
        "B1",
        "1 kW",
    ]
    assert placed[3].tolist() == [row, row + 1]
