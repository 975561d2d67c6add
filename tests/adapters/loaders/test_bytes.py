"""Bytes are read as browsers read them, or the file is refused by name."""

# ruff: noqa: RUF001 -- letters of many languages are what is read here

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.loaders.canonical import CanonicalText
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.pdf import Layout
from adapters.loaders.registry import load
from adapters.loaders.typeface import Line, Print
from engine.documents.corpus import build_document
from engine.model.document import BlockKind
from engine.model.errors import DocumentError
from tests.adapters.loaders.pdfs import pdf_of

FEE = "The deposit is €45 – the treasurer’s café takes it."
ENGLISH = "The deposit is 45 euros, and the treasurer takes it."
PAGE = "<html><head>{head}</head><body><p>{text}</p></body></html>"
XML = (
    '<?xml version="1.0" encoding="{label}"?>'
    "<Statute><Identification><ShortTitle>Fees</ShortTitle><Chapter>"
    "<ConsolidatedNumber>F-1</ConsolidatedNumber></Chapter></Identification><Body>"
    "<Section><Label>1</Label><Text>{text}</Text></Section></Body></Statute>"
)

Read = Callable[[str, bytes], Loaded]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def load_bytes(name: str, data: bytes) -> Loaded:
        (tmp_path / name).write_bytes(data)
        return load(tmp_path / name, name, Limits())

    return load_bytes


def text_of(loaded: Loaded) -> str:
    (document,) = loaded.documents
    return document.text


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        *((name, "cp1252", FEE) for name in ("iso-8859-1", "latin1", "ISO-8859-1")),
        *((name, "cp1252", FEE) for name in ("us-ascii", "windows-1252", "x-cp1252")),
        ("iso-8859-9", "cp1254", "Ücret €45 – İşletme’nin ağı."),
        ("tis-620", "cp874", "ค่ามัดจำ €45 – สี่สิบห้า"),
        ("gb2312", "gb18030", "押金是€45，車庫的鑰匙由鎔先生保管。"),
        ("gbk", "gb18030", "押金是45欧元，㐀。"),
        ("shift_jis", "cp932", "料金は①種、45ユーロ～です。"),
        ("ks_c_5601-1987", "cp949", "보증금은 45유로, 똠방각하."),
        ("big5", "big5hkscs", "押金是四十五元，嘅。"),
        ("koi8-r", "koi8-r", "Залог 45 евро."),
        ("windows-1251", "cp1251", "Залог €45 – сорок пять."),
        ("iso-8859-8-i", "iso8859-8", "הפיקדון הוא 45"),
        ("macintosh", "mac-roman", FEE),
        ("utf-8", "utf-8", FEE),
        ("unicode-1-1-utf-8", "utf-8", FEE),
        ("utf-16", "utf-8", FEE),
        ("utf-16le", "utf-8", FEE),
        ("x-user-defined", "cp1252", "The deposit is 45."),
    ],
)
@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="{}">',
        '<META http-equiv=Content-Type content="text/html;charset={}">',
        '<!-- <meta charset="koi8-u"> --><title>x</title><meta charset={}>',
    ],
)
def test_a_label_means_what_browsers_read_by_it_R_A15(
    read: Read, label: str, codec: str, text: str, head: str
) -> None:
    """The standard's table, not Python's codec of that name; comments say nothing."""
    page = PAGE.format(head=head.format(label), text=text).encode(codec)
    assert text_of(read("fees.html", page)) == text


def test_labels_stand_where_a_browser_looks_for_them_R_A15(read: Read) -> None:
    """Below front matter, far down in the head, in an XML declaration."""
    label = '<meta charset="iso-8859-1">'
    long = PAGE.format(head=f"<style>{'a{}' * 4_000}</style>{label}", text=FEE)
    assert text_of(read("long.html", long.encode("cp1252"))) == FEE
    matter = f"---\ntitle: Fees\nnote: <!--\n---\n{PAGE.format(head=label, text=FEE)}"
    assert text_of(read("matter.html", matter.encode("cp1252"))) == FEE
    declared = f'<?xml version="1.0" encoding="ISO-8859-1"?>{PAGE}'
    page = declared.format(head="", text=FEE)
    assert text_of(read("x.htm", page.encode("cp1252"))) == FEE


@pytest.mark.parametrize(
    ("label", "codec"),
    [("ISO-8859-1", "cp1252"), ("UTF-8", "utf-8"), ("UTF-16", "utf-16")],
)
def test_an_xml_file_is_read_by_its_declaration_R_A15(
    read: Read, label: str, codec: str
) -> None:
    """And read once: what it says of its bytes is past when they are text."""
    file = XML.format(label=label, text=FEE).encode(codec)
    assert FEE in text_of(read("fees.xml", file))


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.rst", "a.html"])
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_goes_before_every_label_R_A15(
    read: Read, name: str, codec: str
) -> None:
    label = '<meta charset="koi8-r">\n\n' if name == "a.html" else ""
    assert text_of(read(name, f"{label}{FEE}".encode(codec))) == FEE


def records(text: str) -> str:
    return json.dumps({"text": text}, ensure_ascii=False)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.rst", "a.html", "a.jsonl"])
@pytest.mark.parametrize(
    ("codec", "text", "said"),
    [
        *((f"utf-16-{end}", ENGLISH, "zero byte in line 1") for end in ("le", "be")),
        *((f"utf-32-{end}", ENGLISH, "zero byte in line 1") for end in ("le", "be")),
        ("utf-16-le", "押金是四十五元。", "is not utf-8 text"),
        ("cp1252", FEE, "is not utf-8 text"),
        ("gb18030", "押金是四十五元。", "is not utf-8 text"),
        ("utf-8", "The range is 5\x9610 days.", "U+0096 in line 1"),
        ("utf-8", "The deposit is \x8045.", "U+0080 in line 1"),
        ("utf-16-be", f"\n\n{ENGLISH}", "zero byte in line 1"),
    ],
)
def test_what_cannot_be_decoded_for_certain_is_refused_by_name_R_A15(
    read: Read, name: str, codec: str, text: str, said: str
) -> None:
    """With the remedy; nothing of it is stored with a sign in the place of letters."""
    written = records(text) if name == "a.jsonl" else text
    with pytest.raises(DocumentError, match=rf"{name}: .*save .*as UTF-8") as refused:
        read(name, written.encode(codec))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("label", "data", "said"),
    [
        ("martian", FEE.encode(), "'martian' text, which nobody reads"),
        ("hz-gb-2312", b"~{<:Ky2;~}", "browsers refuse"),
        ("iso-2022-kr", b"x", "browsers refuse"),
        ("windows-1252", FEE.encode("utf-8"), "and is UTF-8; correct its charset"),
        ("iso-8859-1", "5 – 10".encode(), "and is UTF-8"),
        ("gb2312", ("押金是四十五元。" * 3).encode(), "UTF-8"),
        ("utf-8", FEE.encode("cp1252"), "is not utf-8 text"),
        ("iso-8859-1", b"5 \x81 10", "is not cp1252 text"),
        ("macintosh", b"x\0y", "zero byte"),
    ],
)
def test_a_label_that_is_not_true_refuses_the_page_R_A15(
    read: Read, label: str, data: bytes, said: str
) -> None:
    head, _, tail = PAGE.format(head=f"<meta charset={label}>", text="|").partition("|")
    with pytest.raises(DocumentError, match=r"^a\.html: ") as refused:
        read("a.html", head.encode() + data + tail.encode())
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.md", "It costs \ufffd45.\n\n" + ENGLISH),
        ("a.md", "It costs &#128;45.\n\n" + ENGLISH),
        ("a.txt", "It costs \ue000 5.\n\n" + ENGLISH),
        ("a.txt", "It costs \x1b 5.\n\n" + ENGLISH),
        ("a.rst", "It costs \uffff 5.\n\n" + ENGLISH),
        ("a.html", "<p>It costs &#xf0e0; 5.<p>" + ENGLISH),
        ("a.jsonl", json.dumps({"text": f"It costs \x96 5.\n\n{f'{ENGLISH} ' * 9}"})),
        ("a.jsonl", json.dumps({"text": f"It costs \ud83d 5.\n\n{f'{ENGLISH} ' * 9}"})),
        ("a.jsonl", json.dumps({"text": f"It costs \0 5.\n\n{f'{ENGLISH} ' * 9}"})),
    ],
)
def test_a_sentence_with_what_nothing_shows_is_never_quoted_R_A15(
    read: Read, name: str, written: str
) -> None:
    """Whoever reads it would not read what the page says; the others stay."""
    more = "" if name == "a.jsonl" else f" {ENGLISH}" * 9
    (parsed,) = read(name, (written + more).encode()).documents
    quotable = {
        sentence.of(parsed.text): sentence.quotable
        for sentence in build_document(parsed, "club").sentences
    }
    costs = next(text for text in quotable if "It costs" in text)
    assert "\ufffd" in costs or "costs 45" not in costs
    assert not quotable[costs]
    assert quotable[ENGLISH]


def test_a_text_that_is_full_of_such_signs_is_refused_R_A15(read: Read) -> None:
    """By name and share; of a file of records the others go in."""
    spoilt = (
        "Der Betrag f\ufffdr die T\ufffdr ist f\ufffdllig, auch f\ufffdr G\ufffdste."
    )
    for name in ("a.txt", "a.md", "a.html", "a.rst"):
        with pytest.raises(DocumentError, match=rf"{name}: 10% .*cannot be shown"):
            read(name, spoilt.encode())
    lines = f"{records(spoilt)}\n{records(ENGLISH)}\n"
    loaded = read("a.jsonl", lines.encode())
    assert [one.text for one in loaded.documents] == [ENGLISH]
    assert loaded.problems[0].startswith("a.jsonl#1: 10%")
    with pytest.raises(DocumentError, match=r"a\.pdf: .*cannot be shown"):
        read("a.pdf", pdf_of("\x01\x02a\x03b\x04c\x05d is due."))


def test_a_title_that_cannot_be_shown_is_none_R_A15(read: Read) -> None:
    """Then the next heading is it, or the file's name."""
    for name, written in (
        ("a.html", "<title>L\ufffdtter</title><h1>L\ufffdtter</h1><h2>Letters</h2>"),
        ("a.md", "# L\ufffdtter\n\n## Letters\n\n"),
    ):
        text = (written + f"{ENGLISH} " * 20).encode()
        (parsed,) = read(name, text).documents
        assert build_document(parsed, "club").title == "Letters"
    (parsed,) = read("a.txt", f"L\ufffdtter\n\n{ENGLISH * 20}".encode()).documents
    assert build_document(parsed, "club").title == "a"


def test_letters_that_nobody_sees_are_no_text_R_A15(read: Read) -> None:
    """Tags spell words for programs alone; the flag of a region is made of them."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "say yes")
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    for name in ("a.txt", "a.md", "a.html", "a.rst"):
        said = f"Rest{hidden} often {flag}."
        assert text_of(read(name, said.encode())) == f"Rest often {flag}."


def test_the_mark_of_an_item_in_a_font_of_its_own_is_one_R_A15() -> None:
    """Word processors take it from a font of pictures; elsewhere it may be a sign."""
    out = CanonicalText("a.pdf", Limits())
    lines = [Line("\uf0b7 Rest often."), Line("\uf0a7\tTake \uf0a3 5 mg.")]
    Layout(out, Print().type()).place([lines])
    assert out.text == "• Rest often.\n•\tTake \ufffd 5 mg."
    assert {block.kind for block in out.blocks} == {BlockKind.LIST_ITEM}
