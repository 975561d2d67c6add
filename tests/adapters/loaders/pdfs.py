"""Small PDFs, good and bad, built in memory."""

import io
import zlib

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
    """Add a page with a font named F and this content stream."""
    page = writer.add_blank_page(width=612, height=792)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F"): writer._add_object(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    page[NameObject("/Contents")] = writer._add_object(stream)


def _written(writer: PdfWriter) -> bytes:
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def pdf_of(*pages: str) -> bytes:
    """A PDF with these pages of lines."""
    writer = PdfWriter()
    for text in pages:
        lines = (
            line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            for line in text.split("\n")
        )
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = StreamObject()
        stream.set_data(f"BT /F 12 Tf 14 TL 72 720 Td {shown} ET".encode("latin-1"))
        _page_of(writer, stream)
    return _written(writer)


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
