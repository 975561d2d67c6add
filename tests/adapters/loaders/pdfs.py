"""Small PDFs, good and bad, built in memory."""

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    EncodedStreamObject,
    FloatObject,
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


def drawn_pdf_of(*pages: str, **found: object) -> bytes:
    """A PDF with pages of these content streams.

    A page shows the font F, the states Clear and Multiply, the layers On and Off, the
    forms Form (of `form`) and Hidden (on the layer that is off), a Picture and one with
    a mask (Masked); `struck` are boxes that a reader of the file marked as struck out.
    """
    writer = PdfWriter()
    layers = {name: writer._add_object(_entry(Type="/OCG")) for name in ("On", "Off")}
    default = _entry(OFF=ArrayObject([layers["Off"]]))
    listed = ArrayObject(layers.values())
    writer._root_object[NameObject("/OCProperties")] = _entry(OCGs=listed, D=default)
    for content in pages:
        stream = StreamObject()
        stream.set_data(content.encode("latin-1"))
        _page_of(writer, stream)
        page = writer.pages[-1]
        resources = page["/Resources"]
        assert isinstance(resources, DictionaryObject)
        resources[NameObject("/ExtGState")] = _entry(
            Clear=_entry(ca=FloatObject(0)), Multiply=_entry(BM="/Multiply")
        )
        resources[NameObject("/Properties")] = _entry(**layers)
        resources[NameObject("/XObject")] = _entry(
            Form=_form(writer, str(found.get("form", "")), resources),
            Hidden=_form(writer, str(found.get("form", "")), resources, layers["Off"]),
            Picture=_picture(writer),
            Masked=_picture(writer, SMask=_picture(writer)),
        )
        boxes = found.get("struck", ())
        assert isinstance(boxes, Sequence)
        notes = ArrayObject(_strike(*box) for box in boxes)
        page[NameObject("/Annots")] = notes
    return _written(writer)


def _entry(**fields: object) -> DictionaryObject:
    made = DictionaryObject()
    for name, value in fields.items():
        held = NameObject(value) if isinstance(value, str) else value
        made[NameObject(f"/{name}")] = held  # type: ignore[assignment]
    return made


def _form(writer: PdfWriter, content: str, resources: object, *layer: object) -> object:
    form = StreamObject()
    form.set_data(content.encode("latin-1"))
    form.update(_entry(Type="/XObject", Subtype="/Form", Resources=resources))
    form.update(_entry(OC=layer[0]) if layer else {})
    return writer._add_object(form)


def _picture(writer: PdfWriter, **more: object) -> object:
    picture = StreamObject()
    picture.set_data(b"\x80")
    size = {name: NumberObject(1) for name in ("Width", "Height")}
    bits = NumberObject(8)
    picture.update(_entry(Subtype="/Image", ColorSpace="/DeviceGray", **size, **more))
    picture.update(_entry(BitsPerComponent=bits))
    return writer._add_object(picture)


def _strike(left: float, bottom: float, right: float, top: float) -> DictionaryObject:
    corners = (left, top, right, top, left, bottom, right, bottom)
    quads = ArrayObject(map(FloatObject, corners))
    return _entry(Type="/Annot", Subtype="/StrikeOut", QuadPoints=quads)


Shown = tuple[float, float, str]  # a piece of text, and where it begins


def placed_pdf_of(*pages: Sequence[Shown], drawn: str = "", size: int = 10) -> bytes:
    """A PDF whose pages show pieces of text where they are told to, in that order.

    Text that begins with `*` is bold. `drawn` are operators before the text.
    """
    writer = PdfWriter()
    for pieces in pages:
        shown = " ".join(_placed(x, y, text, size) for x, y, text in pieces)
        stream = StreamObject()
        stream.set_data(f"{drawn} BT {shown} ET".encode("latin-1"))
        _page_of(writer, stream)
    return _written(writer)


def _placed(x: float, y: float, text: str, size: int) -> str:
    font = "B" if text.startswith("*") else "F"
    plain = (
        text.lstrip("*").replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    )
    return f"/{font} {size} Tf 1 0 0 1 {x} {y} Tm ({plain}) Tj"


def boxes(columns: Sequence[float], rows: Sequence[float]) -> str:
    """Operators that draw a grid of rules."""
    left, right, bottom, top = min(columns), max(columns), min(rows), max(rows)
    down = (f"{x} {bottom} m {x} {top} l S" for x in columns)
    across = (f"{left} {y} m {right} {y} l S" for y in rows)
    return " ".join((*down, *across))
