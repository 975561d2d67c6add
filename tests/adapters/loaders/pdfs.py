"""Small PDFs, good and bad, built in memory."""

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    EncodedStreamObject,
    NameObject,
    NumberObject,
    StreamObject,
)


def _page_of(writer: PdfWriter, stream: StreamObject) -> None:
    """Add a page with fonts named F and B (bold) and this content stream."""
    page = writer.add_blank_page(width=612, height=792)
    fonts = DictionaryObject()
    for name, base in (("/F", "/Helvetica"), ("/B", "/Helvetica-Bold")):
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject(base),
            }
        )
        fonts[NameObject(name)] = writer._add_object(font)
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    page[NameObject("/Contents")] = writer._add_object(stream)


def _written(writer: PdfWriter) -> bytes:
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def pdf_of(*pages: str) -> bytes:
    """A PDF with these pages of lines."""
    return typed_pdf_of(*([("F", 12, line) for line in p.split("\n")] for p in pages))


def typed_pdf_of(*pages: Sequence[tuple[str, int, str]]) -> bytes:
    """A PDF with these pages of lines, each with its font (F, or B for bold) and size.

    A `|` in a line ends what is bold.
    """
    writer = PdfWriter()
    for lines in pages:
        high = 1.2 * max(size for _, size, _ in lines)
        shown = " ".join(f"{_shown(*line)} T*" for line in lines)
        stream = StreamObject()
        stream.set_data(f"BT {high:.0f} TL 72 720 Td {shown} ET".encode("latin-1"))
        _page_of(writer, stream)
    return _written(writer)


def _shown(font: str, size: int, line: str) -> str:
    escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    first, bar, rest = escaped.partition("|")
    plain = f" /F {size} Tf ({rest}) Tj" if bar else ""
    return f"/{font} {size} Tf ({first}) Tj{plain}"


def bomb_of(unpacked: bytes, filters: int = 1) -> bytes:
    """A PDF whose one content stream is `unpacked`, deflated `filters` times."""
    writer = PdfWriter()
    data = unpacked
    for _ in range(filters):
        data = zlib.compress(data, 9)
    stream = EncodedStreamObject()
    stream._data = data
    names = [NameObject("/FlateDecode")] * filters
    stream[NameObject("/Filter")] = ArrayObject(names)
    stream[NameObject("/Length")] = NumberObject(len(data))
    _page_of(writer, stream)
    return _written(writer)
