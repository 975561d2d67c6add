"""The builder of canonical texts: block by block, with offsets exact by construction.

Loaders pass text without markup. Raised and lowered text becomes Unicode superscripts
and subscripts, because 10² is not 102; struck text keeps its `~~`, because a reader
must see that it no longer holds.
"""

import re
from dataclasses import dataclass

import re2

from adapters.loaders.limits import Limits
from engine.model.document import Block, BlockKind, TableRow
from engine.model.errors import DocumentTooLarge
from engine.text.notes import strip_marks

SUPERSCRIPTS = dict(zip("0123456789+-\u2212=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
SUBSCRIPTS = dict(zip("0123456789+-\u2212=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))
# Written on the line although print raises them: ordinals and marks.
UNRAISED = frozenset({"st", "nd", "rd", "th", "®", "™", "©"})
TIGHT = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})
LEAD_IN_CHARACTERS = 400
SENTENCE_BREAK = re2.compile(r"[.!?][^\w\s]*\s+[^\w\s]*[\p{Lu}\d]")
SURROGATE = re.compile("[\ud800-\udfff]")  # RE2 does not accept them
UNSHOWN = "\ufffd"  # replaces a character that cannot be shown
# Controls, noncharacters, and private-use characters, which need the page's own font.
UNSTORABLE = re2.compile(
    r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x{84}\x{86}-\x{9f}\x{fdd0}-\x{fdef}\x{fffe}"
    r"\x{ffff}\x{e000}-\x{f8ff}\x{f0000}-\x{10ffff}]"
)
# Invisible tag characters, which programs read; flags of regions keep theirs.
TAGS = re2.compile(r"(\x{1f3f4}[\x{e0020}-\x{e007f}]+)|[\x{e0000}-\x{e007f}]")
DAMAGED = re2.compile(r"[\pL\pN]\x{fffd}|\x{fffd}[\pL\pN]")  # in a word or number
MOST_DAMAGED = 0.01  # of a text's characters; above, the encoding was wrong


def to_superscript(text: str) -> str:
    """Write raised text in superscript characters, or else behind a caret."""
    if text.strip().lower() in UNRAISED or not text.strip():
        return text
    if all(character in SUPERSCRIPTS for character in text):
        return "".join(SUPERSCRIPTS[character] for character in text)
    return f"^{text}"


def to_subscript(text: str) -> str:
    """Write lowered text in subscript characters, where all of it has them."""
    if all(character in SUBSCRIPTS for character in text):
        return "".join(SUBSCRIPTS[character] for character in text)
    return text


def make_storable(text: str) -> str:
    """Normalise line ends to LF and replace characters that cannot be shown.

    Control characters, lone surrogates and private-use characters become U+FFFD, and no
    sentence with one is quoted. Tag characters are removed.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", " ")
    text = SURROGATE.sub(UNSHOWN, text)
    text = str(TAGS.sub(lambda found: found.group(1) or "", text))
    # A function, because re2 spoils a replacement that is not ASCII.
    return str(UNSTORABLE.sub(lambda _: UNSHOWN, text))


def is_damaged(text: str) -> bool:
    """Tell whether too many words of a canonical text have U+FFFD in them."""
    if UNSHOWN not in text:
        return False
    return sum(1 for _ in DAMAGED.finditer(text)) > MOST_DAMAGED * len(text)


@dataclass(frozen=True, slots=True)
class Piece:
    """One block before it has offsets: its text and its properties."""

    kind: BlockKind
    text: str
    level: int = 0
    lead_in: int | None = None
    quotable: bool = True
    unfinished: bool = False
    row: TableRow | None = None
    note: int = 0


class CanonicalText:
    """The text so far and its blocks, separated by a blank line or a line end."""

    def __init__(self, path: str, limits: Limits) -> None:
        self.path = path
        self.limits = limits
        self.blocks: list[Block] = []
        self.remarks: tuple[str, ...] = ()
        self._parts: list[str] = []
        self._length = 0
        self._page_break = ""

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, piece: Piece) -> int | None:
        """Append a block; return its index, or None where the piece has no text.

        Raises:
            DocumentTooLarge: the document has too many blocks or characters.
        """
        text = make_storable(piece.text)
        code = piece.kind is BlockKind.CODE
        text = text.strip("\n").rstrip() if code else text.strip()
        if not text:
            return None
        separator = self._separator(piece)
        start = self._length + len(separator)
        end = start + len(text)
        self._check(end)
        self._parts += (separator, text)
        self._length = end
        self._page_break = ""
        self.blocks.append(
            Block(
                start=start,
                end=end,
                kind=piece.kind,
                level=piece.level,
                lead_in=piece.lead_in,
                quotable=piece.quotable,
                unfinished=piece.unfinished,
                row=piece.row,
                note=piece.note,
            )
        )
        return len(self.blocks) - 1

    def remark(self, said: str) -> None:
        """Add a remark for whoever prepares the folder, once."""
        self.remarks = tuple(dict.fromkeys((*self.remarks, said)))

    def introduction(self, item: int | None = None) -> int | None:
        """Return the index of the last block where it introduces the next list.

        It does if it ends with a colon or is a single sentence. `item` is the first
        block of the list item around a nested list.
        """
        index = len(self.blocks) - 1
        while index >= 0 and self.blocks[index].note:
            index -= 1
        if index < (item or 0):
            return None
        inner = BlockKind.PARAGRAPH if item is None else BlockKind.LIST_ITEM
        last = self.blocks[index]
        if last.kind not in {BlockKind.PARAGRAPH, inner} or not last.quotable:
            return None
        text = strip_marks(self._parts[2 * index + 1])
        if text.endswith((":", "\uff1a")):
            return index
        short = len(text) <= LEAD_IN_CHARACTERS
        return index if short and not SENTENCE_BREAK.search(text) else None

    def flat_introduction(self) -> int | None:
        """Return what introduces an item, for formats without lists.

        An item continues the list of the item right before it.
        """
        last = self.blocks[-1] if self.blocks else None
        if last and last.kind is BlockKind.LIST_ITEM:
            return last.lead_in
        return self.introduction()

    def _separator(self, piece: Piece) -> str:
        if not self.blocks:
            return self._page_break
        kind = piece.kind
        tight = kind in TIGHT and self.blocks[-1].kind is kind and not self._page_break
        tight &= piece.row is None or piece.row.at > 0
        return "\n" if tight else "\n\n" + self._page_break

    def break_page(self) -> None:
        """Begin a new page: put one more form feed before the next block."""
        self._page_break += "\f"

    def _check(self, end: int) -> None:
        if end > self.limits.characters:
            raise DocumentTooLarge(
                f"{self.path}: more than {self.limits.characters:,} characters of text;"
                " split the file"
            )
        if len(self.blocks) >= self.limits.blocks:
            raise DocumentTooLarge(
                f"{self.path}: more than {self.limits.blocks:,} paragraphs, list items"
                " and rows; split the file"
            )
