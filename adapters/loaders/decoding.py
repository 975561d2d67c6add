"""Decoding of files: by byte order mark, by a declared encoding, or else as UTF-8.

Labels mean what browsers take them for (WHATWG, Encoding): `iso-8859-1` is
windows-1252, `gb2312` is gb18030. A file that cannot be decoded for certain is refused.
"""

import codecs

import re2
import webencodings
from selectolax.lexbor import LexborHTMLParser

from engine.model.errors import DocumentError

HTML = frozenset({".html", ".htm"})
XML = frozenset({".xml"})
# The mark of UTF-32 begins with that of UTF-16, so it comes first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
HEAD_BYTES = 65_536  # of a page that are searched for its label
MATTER = re2.compile(r"(?s)\A\s*---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*\r?\n")
DECLARATION = re2.compile(
    r"(?i)\A\s*<\?xml[^>]{0,200}\sencoding\s*=\s*[\"']([\w.:-]{1,40})[\"']"
)
CONTENT_LABEL = re2.compile(r"(?i)charset\s*=\s*[\"']?([^\s;\"']{1,40})")
# A page whose label was read as ASCII is not in these.
UNREADABLE_AS_LABELLED = frozenset({"utf-16le", "utf-16be"})
# Where the standard and Python differ: gb2312 and gbk are subsets.
PYTHON_CODECS = {"gbk": "gb18030", "x-user-defined": "cp1252"}
NEVER_MEANT = re2.compile(r"[\x00\x{80}-\x{84}\x{86}-\x{9f}]")
ASCII = bytes(range(0x80))
SEVERAL_BYTES = frozenset({"gb18030", "big5hkscs", "euc_jp", "cp932", "cp949"})
BY_CHANCE = 8  # bytes of such text that may be valid UTF-8 by chance


def decode(data: bytes, path: str, extension: str, told: str | None = None) -> str:
    """Decode a file.

    Args:
        data: the whole file.
        path: its name, for messages.
        extension: decides where a label may be in it.
        told: the label that its server sent.

    Raises:
        DocumentError: it is not text in that encoding, or has zero bytes or control
            characters.
    """
    encoding = _find_mark(data) or _find_label(data, path, extension, told)
    try:
        text = data.decode(encoding or "utf-8")
    except (UnicodeDecodeError, LookupError) as error:
        raise DocumentError(
            f"{path}: is not {(encoding or 'utf-8').removesuffix('-sig')} text "
            f"({error}); save it as UTF-8"
        ) from error
    _refuse_mislabelled(data, path, encoding)
    _refuse_unreadable(text, path)
    return text


def _find_mark(data: bytes) -> str | None:
    """Find the encoding of a byte order mark."""
    return next((name for mark, name in MARKS if data.startswith(mark)), None)


def _find_label(data: bytes, path: str, extension: str, told: str | None) -> str | None:
    """Find the codec that is declared for a file; return None where none is.

    Raises:
        DocumentError: the label is unknown.
    """
    known = told and webencodings.lookup(told)
    if known:
        return _find_codec(known, told, path)  # as browsers do, before the page's own
    label = _find_own_label(data, extension)
    if label is None:
        return None
    own = webencodings.lookup(label)
    if own is None:
        raise DocumentError(
            f"{path}: says that it is {label[:40]!r} text, which nobody reads; save it "
            "as UTF-8"
        )
    if own.name in UNREADABLE_AS_LABELLED:
        return None  # HTML, Determining the character encoding: it means UTF-8
    return _find_codec(own, label, path)


def _find_codec(encoding: webencodings.Encoding, label: str | None, path: str) -> str:
    if encoding.name == "replacement":
        raise DocumentError(
            f"{path}: says that it is {label} text, which browsers refuse; save it as "
            "UTF-8"
        )
    named = PYTHON_CODECS.get(encoding.name)
    return named or str(encoding.codec_info.name)


def _find_own_label(data: bytes, extension: str) -> str | None:
    """Find the label in a page or an XML file, below any front matter."""
    if extension not in HTML | XML:
        return None
    head = data[:HEAD_BYTES].decode("latin-1")
    head = head[_find_matter_end(head) :]
    declared = DECLARATION.search(head)
    said = str(declared.group(1)) if declared else None
    return (_find_meta_label(head) if extension in HTML else None) or said


def _find_matter_end(head: str) -> int:
    matter = MATTER.match(head)
    return int(matter.end()) if matter else 0


def _find_meta_label(head: str) -> str | None:
    """Find the first label in a `meta`, which is not in comments or scripts."""
    for node in LexborHTMLParser(head).css("meta"):
        if label := (node.attributes.get("charset") or "").strip():
            return label
        if (node.attributes.get("http-equiv") or "").lower() == "content-type":
            content = CONTENT_LABEL.search(node.attributes.get("content") or "")
            if content:
                return str(content.group(1))
    return None


def _refuse_mislabelled(data: bytes, path: str, encoding: str | None) -> None:
    """Refuse UTF-8 that is labelled as another encoding.

    Text in another encoding is hardly ever valid UTF-8, so the label is wrong; a
    browser would show "â€“" for every dash.
    """
    if encoding is None or encoding.startswith("utf"):
        return
    beyond = len(data.translate(None, ASCII))
    if beyond <= (BY_CHANCE if encoding in SEVERAL_BYTES else 0):
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return
    raise DocumentError(
        f"{path}: says that it is {encoding} text and is UTF-8; correct its charset"
    )


def _refuse_unreadable(text: str, path: str) -> None:
    """Refuse zero bytes and control characters, which no text has.

    Zero bytes come from UTF-16 without its mark or from binary files, control
    characters from Windows-1252 that was converted as ISO-8859-1.
    """
    found = NEVER_MEANT.search(text)
    if found is None:
        return
    line = text.count("\n", 0, found.start()) + 1
    if found.group() == "\0":
        raise DocumentError(
            f"{path}: holds a zero byte in line {line}: it is UTF-16 without a mark, "
            "or no text; save it as UTF-8"
        )
    raise DocumentError(
        f"{path}: holds the control character U+{ord(found.group()):04X} in line "
        f"{line}, which nothing shows: it was converted wrongly, most likely from "
        "Windows-1252; save the original as UTF-8"
    )
