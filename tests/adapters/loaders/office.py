"""Office files made for tests, and what is read of them."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from adapters.loaders.limits import Limits
from adapters.loaders.registry import load
from engine.documents.records import Parsed

FEES = (("Boat", "Day", "Year"), ("Kayak", 5, None), ("Yacht", None, 900))
BOLD = Font(bold=True)


def read(name: str, data: bytes, folder: Path) -> Parsed:
    """What the loader of a name makes of a file."""
    file = folder / name
    file.write_bytes(data)
    (parsed,) = load(file, name, Limits()).documents
    return parsed


def headed(parsed: Parsed) -> list[str]:
    """Every row that heads nothing, each cell below its heads: "Fee=5"."""
    said: list[str] = []
    for block in parsed.blocks:
        if block.row is None or block.row.head:
            continue
        cells = block.of(parsed.text).split(" | ")
        above = [
            parsed.blocks[at].of(parsed.text).split(" | ") for at in block.row.heads
        ]
        for at, cell in enumerate(cells):
            heads = [row[at] for row in above if at < len(row)]
            cells[at] = "/".join([*heads, ""]) + cell if heads else cell
        said.append(" | ".join(cells))
    return said


def book(fill: Callable[[Worksheet], Any], title: str = "Fees") -> bytes:
    """A workbook with one sheet."""
    made = Workbook()
    sheet = made.active
    assert isinstance(sheet, Worksheet)
    sheet.title = title
    fill(sheet)
    return saved(made)


def saved(made: Workbook) -> bytes:
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def rows(*lines: tuple[object, ...], strong: int = 0) -> Callable[[Worksheet], None]:
    """Fill a sheet from its first cell, the first rows in bold."""

    def fill(sheet: Worksheet) -> None:
        for line in lines:
            sheet.append(list(line))
        for row in sheet.iter_rows(max_row=strong) if strong else ():
            for cell in row:
                cell.font = BOLD

    return fill


def replaced(data: bytes, part: str, *changes: tuple[str, str]) -> bytes:
    """An archive with a part of it written otherwise."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            for before, after in changes if name == part else ():
                text = text.replace(before.encode(), after.encode())
            new.writestr(name, text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
