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
from engine.model.document import Parsed

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


def archive(parts: dict[str, str]) -> bytes:
    """A zip archive of parts of text."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as held:
        for name, text in parts.items():
            held.writestr(name, text)
    return stream.getvalue()


RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def relations(**targets: str) -> str:
    """The part that says what another refers to: kind and target, ids r0, r1, …"""
    listed = "".join(
        f'<Relationship Id="r{at}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets.items())
    )
    return f"<Relationships>{listed}</Relationships>"


def word(body: str, **parts: str) -> bytes:
    """A Word file with this body; parts such as `styles` and `footnotes` by their kind.

    Names without a prefix are Word's own.
    """
    held = {"document": f"<w:body>{body}</w:body>", **parts}
    space = (
        'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    )
    files = {
        f"word/{kind}.xml": f"<w:{kind} {space}>{text}</w:{kind}>"
        for kind, text in held.items()
    }
    files["_rels/.rels"] = relations(officeDocument="word/document.xml")
    files["word/_rels/document.xml.rels"] = relations(
        **{kind: f"{kind}.xml" for kind in parts}
    )
    return archive(files)


def paragraph(text: str, told: str = "") -> str:
    """A paragraph of Word with one run."""
    return f"<w:p><w:pPr>{told}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(text: str, told: str = "") -> str:
    """A cell of a table of Word."""
    return f"<w:tc><w:tcPr>{told}</w:tcPr>{paragraph(text)}</w:tc>"


def lists(*levels: str) -> str:
    """Numbering of Word: list 1, each level as `form text`."""
    said = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(level.split(" ", 1) for level in levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="7">{said}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    )


def item(text: str, level: int = 0, number: int = 1) -> str:
    """An item of a list of Word."""
    return paragraph(
        text,
        f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>',
    )


SLIDES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    f' xmlns:r="{RELATIONS}"'
)


def slides(*said: list[str]) -> bytes:
    """Slides, each by its title and the lines of its list."""
    held = {f"ppt/s{at}.xml": _slide(lines) for at, lines in enumerate(said)}
    listed = "".join(f'<p:sldId r:id="r{at}"/>' for at in range(len(said)))
    targets = {f"slide{at}": f"s{at}.xml" for at in range(len(said))}
    return archive(
        {
            "_rels/.rels": relations(officeDocument="ppt/presentation.xml"),
            "ppt/presentation.xml": f"<p:presentation {SLIDES}><p:sldIdLst>{listed}"
            "</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(**targets),
            **held,
        }
    )


def _slide(lines: list[str]) -> str:
    shapes = "".join(
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:txBody>'
        + "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
        + "</p:txBody></p:sp>"
        for kind, texts in (("title", lines[:1]), ("body", lines[1:]))
    )
    tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
    return f"<p:sld {SLIDES}>{tree}</p:sld>"


def epub(chapters: dict[str, str], *listed: str, **parts: str) -> bytes:
    """A book of chapters, in the order of `listed` or as they are given.

    `nav` is its table of contents, `css` its styles, other parts lie in META-INF.
    """
    nav, css = parts.pop("nav", ""), parts.pop("css", "")
    items = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>'
        for name in chapters
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in listed or chapters)
    package = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>The club</dc:title><dc:date>2024-05-06</dc:date></metadata>"
        "<manifest>"
        '<item id="toc" href="nav.xhtml" properties="nav" '
        'media-type="application/xhtml+xml"/>'
        f'<item id="css" href="a.css" media-type="text/css"/>{items}</manifest>'
        f'<spine><itemref idref="toc"/>{spine}</spine></package>'
    )
    page = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html '
        'xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
        "<body>{}</body></html>"
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container><rootfiles>"
            '<rootfile full-path="O/p.opf"/></rootfiles></container>',
            "O/p.opf": package,
            "O/nav.xhtml": page.format(f"<nav>{nav}</nav>"),
            "O/a.css": css,
            **{f"O/{name}.xhtml": page.format(said) for name, said in chapters.items()},
            **{f"META-INF/{name}.xml": said for name, said in parts.items()},
        }
    )
