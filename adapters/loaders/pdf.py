"""PDF to canonical text: the text layer by pages, with the line ends of print.

A form feed separates pages. Headings are recognised by their typeface where it differs.
Lines that repeat at the top or foot of pages are separate blocks and never quoted.
"""

import io
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import re2
from pypdf import PageObject, PdfReader
from pypdf.errors import LimitReachedError, PyPdfError

from adapters.loaders.canonical import UNSHOWN, CanonicalText, Piece, make_storable
from adapters.loaders.limits import Limits
from adapters.loaders.pdf_geometry import read_drawing
from adapters.loaders.pdf_layout import read_layout
from adapters.loaders.pdf_seen import Seen
from adapters.loaders.readers import make_loader_name
from adapters.loaders.tables import Headed
from adapters.loaders.text import ITEM
from adapters.loaders.typeface import Line, Print, Type
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError, DocumentTooLarge

NAME = make_loader_name("pdf")
DIGITS = re2.compile(r"\d+")
NUMBERED = re2.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\p{Lu}")
PICTURED = re2.compile(r"^(\s*)[\x{e000}-\x{f8ff}](\s)")
BEGINS = re2.compile(r"^[\p{Lu}\d]")
FILE_NAME = re2.compile(r"(?i)\.(docx?|pdf|odt|tex|indd|pptx?)$|^Microsoft ")
REPEATED = 3  # pages that share a line at top or foot make it a running title
SHORT_LINE = 0.7  # of the page's longest line; a shorter one ends a paragraph
HEADING_CHARACTERS = 80
LARGE_CHARACTERS = 120  # of a heading in larger type, over all of its lines
BOLD_WORDS = 6  # of a bold heading at text size
# A heading states no fact: no figure except its number, no "Dose: 4 g".
LETTERS = re2.compile(r"\p{L}.*\p{L}")
STATES = re2.compile(r"\pN|[:\x{ff1a}]\s+\S")
SENTENCE_END = (".", "!", "?", ":", ".\u201d", '."', ".)")
# Exceptions that pypdf raises for damaged files, beyond its own.
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
    """Parse the text layer of a PDF.

    Raises:
        DocumentError: damaged, encrypted, or only pictures of text.
        DocumentTooLarge: more pages than the limit.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        _check(reader, path, limits)
        seen = Seen(reader.root_object)
        printed = Print(lay=partial(_lay_out, path))
        for page in reader.pages:
            printed.read(page, seen)
        title = _read_title(reader)
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
    Layout(out, printed.type()).place(printed.pages)
    if not out.blocks:
        raise DocumentError(
            f"{path}: {len(printed.pages)} pages without a text layer; run text"
            " recognition (OCR) on it first"
        )
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=title,
        remarks=tuple(seen.remarks),
    )


def _lay_out(path: str, page: PageObject, text: str) -> list[Line] | None:
    """Read a page by the positions of its text; return None where that fails."""
    try:
        drawing = read_drawing(page)
        return None if drawing is None else read_layout(drawing, text, path)
    except DAMAGE:
        return None


def _check(reader: PdfReader, path: str, limits: Limits) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentError(f"{path}: encrypted PDF; save a copy without a password")
    if len(reader.pages) > limits.pages:
        raise DocumentTooLarge(
            f"{path}: more than {limits.pages:,} pages; split the file"
        )


def _read_title(reader: PdfReader) -> str | None:
    """Read the title in the file's properties, unless it is a file name."""
    title = reader.metadata.title if reader.metadata else None
    shown = " ".join(make_storable(title).split()) if isinstance(title, str) else ""
    wrong = UNSHOWN in shown or FILE_NAME.search(shown)
    return shown if shown and not wrong else None


def _find_running(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """Find top and foot lines that most pages share, with numbers masked."""
    counts: Counter[str] = Counter()
    for page in pages:
        edges = [line.text for line in page if line.text.strip()]
        counts.update({_mask_digits(line) for line in (*edges[:1], *edges[-1:])})
    most = max(REPEATED, len(pages) // 2)
    return frozenset(shape for shape, count in counts.items() if count >= most)


def _mask_digits(line: str) -> str:
    return str(DIGITS.sub("#", line.strip()))


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of lines by their typeface: text, or a heading of a level."""

    level: int = 0
    bold: bool = False

    def heads(self, text: str) -> bool:
        """Tell whether lines of this kind are a heading.

        A heading is never quoted, so a notice, a dose or an item does not count as
        one, whatever its typeface.
        """
        if not self.level or not LETTERS.search(text) or ITEM.match(text):
            return False
        number = NUMBERED.match(text)
        said = text[number.end(1) :] if number else text
        if text.endswith((*SENTENCE_END, ",", ";", "-")) or STATES.search(said):
            return False
        short = len(text.split()) <= BOLD_WORDS if self.bold else True
        return short and len(text) <= LARGE_CHARACTERS


TEXT = Kind()


@dataclass(slots=True)
class Layout:
    """Joins lines to paragraphs; one ends with a short line that ends a sentence.

    Headings are lines in larger type and short bold ones; a longer bold line is a
    separate paragraph. Where typefaces do not differ, short lines that read like
    headings are headings.
    """

    out: CanonicalText
    type: Type
    paragraph: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    short: float = 0.0
    kind: Kind = TEXT
    headed: Headed | None = None

    def place(self, pages: Sequence[Sequence[Line]]) -> None:
        """Place all pages; a paragraph may continue over a page break."""
        pages = [[_mark_item(line) for line in page] for page in pages]
        running = _find_running(pages)
        for number, page in enumerate(pages):
            longest = max(len(line.text) for line in page)
            self.short = SHORT_LINE * longest
            if number:
                self.turn()
            for index, line in enumerate(page):
                self.short = SHORT_LINE * (line.room or longest)
                if index in {0, len(page) - 1} and _mask_digits(line.text) in running:
                    self.asides.append(line.text)
                else:
                    following = page[index + 1].text if index + 1 < len(page) else ""
                    self.line(line, following)
        self.flush()

    def turn(self) -> None:
        """Begin a page."""
        ended = not self.paragraph or self.paragraph[-1].rstrip().endswith(SENTENCE_END)
        if ended or self.kind != TEXT:
            self.flush()
            self.out.break_page()
        else:
            self.paragraph.append("\f")

    def line(self, line: Line, following: str) -> None:
        """Add one line to the paragraph, or end the paragraph before it."""
        if line.table is not None or not line.quotable:
            self.beside(line)
            return
        text, kind = line.text, self.kind_of(line)
        last = self.paragraph[-1].rstrip() if self.paragraph else ""
        ended = last.endswith(SENTENCE_END) and len(last) < self.short
        if kind == TEXT and last and not ended and not BEGINS.match(text):
            self.kind = TEXT  # the sentence goes on, so the bold words belong to it
        if ended or not text.strip() or ITEM.match(text) or kind != self.kind:
            self.flush()
        self.kind = kind
        plain = kind == TEXT and not self.paragraph
        if plain and self.is_heading(text.strip(), following.strip()):
            self.out.add(Piece(BlockKind.HEADING, text, _find_level(text, 1)))
        elif text.strip():
            self.paragraph.append(text)

    def beside(self, line: Line) -> None:
        """Place a table, or text that could not be read as one."""
        self.flush()
        if line.table is None:
            self.out.add(Piece(BlockKind.PARAGRAPH, line.text, quotable=False))
        else:
            blocks = self.out.blocks
            last = self.headed
            if last and any(block.quotable for block in blocks[last.end :]):
                last = None  # there is text between the tables
            self.headed = line.table.place(self.out, last)

    def kind_of(self, line: Line) -> Kind:
        """Find the kind of a line by its typeface; a continued sentence is text."""
        level = self.type.level(line)
        text = line.text.strip()
        if ITEM.match(text) or self.goes_on(text, larger=level > 0):
            return TEXT
        if level:
            return Kind(level)
        if self.type.is_bold(line):
            return Kind(self.type.bold_level(), bold=True)
        return TEXT

    def goes_on(self, text: str, *, larger: bool) -> bool:
        """Tell whether a line continues the text before it.

        It does where that ends no sentence, and its last line is full or this line is
        neither larger nor begins like a sentence.
        """
        last = self.paragraph[-1].rstrip() if self.paragraph else ""
        if self.kind != TEXT or not last or last.endswith(SENTENCE_END):
            return False
        return len(last) >= self.short or not (larger or BEGINS.match(text))

    def is_heading(self, line: str, following: str) -> bool:
        """Tell whether a line is a heading by its length, ends and the next line."""
        if self.type.tells and not NUMBERED.match(line):
            return False
        short = len(line) <= min(HEADING_CHARACTERS, max(self.short, 1))
        begins = BEGINS.match(line) and (not following or BEGINS.match(following))
        ends = line.endswith((*SENTENCE_END, ",", ";", "-"))
        return bool(line and short and begins and not ends)

    def flush(self) -> None:
        """End the paragraph; running titles inside it follow it."""
        joined = "\n".join(self.paragraph).replace("\f\n", "\f")
        text = joined.rstrip("\f\n")
        self.paragraph.clear()
        if self.kind.heads(text):
            level = _find_level(text, self.kind.level)
            self.out.add(Piece(BlockKind.HEADING, text, level))
        elif ITEM.match(text):
            lead_in = self.out.flat_introduction()
            self.out.add(Piece(BlockKind.LIST_ITEM, text, 1, lead_in))
        else:
            self.out.add(Piece(BlockKind.PARAGRAPH, text))
        for aside in self.asides:
            self.out.add(Piece(BlockKind.PARAGRAPH, aside, quotable=False))
        self.asides.clear()
        for _ in range(joined.count("\f", len(text))):
            self.out.break_page()
        self.kind = TEXT


def _mark_item(line: Line) -> Line:
    """Replace a first character of a symbol font by a bullet."""
    first = PICTURED.match(line.text)
    if first is None:
        return line
    at = first.start(2)
    return replace(line, text=f"{line.text[: at - 1]}\u2022{line.text[at:]}")


def _find_level(text: str, otherwise: int) -> int:
    """Find the level of a heading, by its number where it has one."""
    number = NUMBERED.match(text.strip())
    return str(number.group(1)).count(".") + 1 if number else otherwise
