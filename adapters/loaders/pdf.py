"""PDF to canonical text: the text layer by pages, with the line ends of print.

A form feed parts pages. Lines that repeat at the top or foot of pages are kept apart
from the text and never quoted.
"""

import io
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import re2
from pypdf import PdfReader
from pypdf.errors import LimitReachedError, PyPdfError

from adapters.loaders.canonical import CanonicalText, Piece, storable
from adapters.loaders.limits import Limits
from adapters.loaders.text import ITEM
from engine.documents.records import BlockKind, Parsed
from engine.errors import DocumentError, DocumentTooLarge

NAME = "pdf/1"
DIGITS = re2.compile(r"\d+")
NUMBERED = re2.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\p{Lu}")
BEGINS = re2.compile(r"^[\p{Lu}\d]")
FILE_NAME = re2.compile(r"(?i)\.(docx?|pdf|odt|tex|indd|pptx?)$|^Microsoft ")
REPEATED = 3  # pages that share a line at top or foot make it a running title
SHORT_LINE = 0.7  # of the page's longest: shorter ends a paragraph
HEADING_CHARACTERS = 80
SENTENCE_END = (".", "!", "?", ":", ".\u201d", '."', ".)")
# What pypdf raises over damaged files, beyond its own errors.
DAMAGE = (
    PyPdfError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    ZeroDivisionError,
    OverflowError,
    RecursionError,
)


def parse(data: bytes, path: str, limits: Limits) -> Parsed:
    """The text layer of a PDF.

    Raises:
        DocumentError: damaged, encrypted, or only pictures of text.
        DocumentTooLarge: more pages than the limit.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        _check(reader, path, limits)
        pages = [page.extract_text() for page in reader.pages]
        title = _title(reader)
    except LimitReachedError as error:
        raise DocumentTooLarge(
            f"{path}: unpacks to more than a PDF should ({error}); export it again"
        ) from error
    except DAMAGE as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise DocumentError(
            f"{path}: damaged PDF ({reason}); export or download it again"
        ) from error
    out = CanonicalText(path, limits)
    _Layout(out).place(pages)
    if not out.blocks:
        raise DocumentError(
            f"{path}: {len(pages)} pages without a text layer; run text recognition"
            " (OCR) on it first"
        )
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=title,
    )


def _check(reader: PdfReader, path: str, limits: Limits) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError(f"{path}: encrypted PDF; save a copy without a password")
    if len(reader.pages) > limits.pages:
        raise DocumentTooLarge(
            f"{path}: more than {limits.pages:,} pages; split the file"
        )


def _title(reader: PdfReader) -> str | None:
    """The title of the file's own description, unless it is a file name."""
    title = reader.metadata.title if reader.metadata else None
    shown = " ".join(storable(title).split()) if isinstance(title, str) else ""
    return shown if shown and not FILE_NAME.search(shown) else None


def _running(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Top and foot lines that most pages share, page numbers aside."""
    counts: Counter[str] = Counter()
    for page in pages:
        edges = [line for line in page if line.strip()]
        counts.update({_shape(line) for line in (*edges[:1], *edges[-1:])})
    most = max(REPEATED, len(pages) // 2)
    return frozenset(shape for shape, count in counts.items() if count >= most)


def _shape(line: str) -> str:
    return str(DIGITS.sub("#", line.strip()))


@dataclass(slots=True)
class _Layout:
    """Lines to paragraphs: a paragraph ends with a short line that ends a sentence."""

    out: CanonicalText
    paragraph: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    short: float = 0.0

    def place(self, pages: Sequence[str]) -> None:
        """Place all pages; a paragraph may run on over a page break."""
        split = [page.strip().split("\n") for page in pages]
        running = _running(split)
        for page in split:
            self.short = SHORT_LINE * max(len(line) for line in page)
            self.turn()
            for index, line in enumerate(page):
                if index in {0, len(page) - 1} and _shape(line) in running:
                    self.asides.append(line)
                else:
                    self.line(line, "".join(page[index + 1 : index + 2]))
        self.flush()

    def turn(self) -> None:
        """Begin a page."""
        if self.paragraph and not self.paragraph[-1].rstrip().endswith(SENTENCE_END):
            self.paragraph.append("\f")
        else:
            self.flush()
            self.out.break_page()

    def line(self, line: str, following: str) -> None:
        """Take one line into the paragraph, or end the paragraph before it."""
        last = self.paragraph[-1].rstrip() if self.paragraph else ""
        ended = last.endswith(SENTENCE_END) and len(last) < self.short
        if ended or not line.strip() or ITEM.match(line):
            self.flush()
        if not self.paragraph and self.is_heading(line.strip(), following.strip()):
            number = NUMBERED.match(line.strip())
            level = str(number.group(1)).count(".") + 1 if number else 1
            self.out.add(Piece(BlockKind.HEADING, line, level))
        elif line.strip():
            self.paragraph.append(line)

    def is_heading(self, line: str, following: str) -> bool:
        """A short line that begins like one, ends like none, and has text below it."""
        short = len(line) <= min(HEADING_CHARACTERS, max(self.short, 1))
        begins = BEGINS.match(line) and (not following or BEGINS.match(following))
        ends = line.endswith((*SENTENCE_END, ",", ";", "-"))
        return bool(line and short and begins and not ends)

    def flush(self) -> None:
        """End the paragraph; running titles that it ran over follow it."""
        text = "\n".join(self.paragraph).replace("\n\f\n", "\n\f").rstrip("\f\n")
        self.paragraph.clear()
        if ITEM.match(text):
            lead_in = self.out.flat_introduction()
            self.out.add(Piece(BlockKind.LIST_ITEM, text, 1, lead_in))
        else:
            self.out.add(Piece(BlockKind.PARAGRAPH, text))
        for aside in self.asides:
            self.out.add(Piece(BlockKind.PARAGRAPH, aside, quotable=False))
        self.asides.clear()
