"""Markdown (CommonMark with tables) to canonical text.

Strikethrough is left as it is written: a reader must see what no longer holds. A tag
that HTML does not know, such as `<package_name>`, is text that an author forgot to
escape and stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import re2
from markdown_it import MarkdownIt
from markdown_it.token import Token

from adapters.loaders.canonical import CanonicalText, Piece, subscript, superscript
from adapters.loaders.front_matter import open_matter
from adapters.loaders.html import KNOWN, append_html
from adapters.loaders.limits import Limits
from engine.corpus_records import BlockKind, Parsed
from engine.errors import DocumentError

NAME = "markdown/1"
TAG = re2.compile(r"^</?([A-Za-z][A-Za-z0-9-]*)")
HEADING_CHARACTERS = 150
HYPHENS = ("-", "\u2010", "\u00ad")


@dataclass(slots=True)
class _List:
    lead_in: int | None
    first: int = 0


@dataclass(slots=True)
class _Walk:
    """Where in the token stream the walk stands."""

    out: CanonicalText
    lists: list[_List] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    marker: str = ""
    inside: str = ""
    heading: int = 0
    split_heading: int = 0
    quotes: int = 0

    def inline(self, token: Token) -> None:
        """Place the text of a heading, paragraph or table cell."""
        text = _text(token.children or [])
        if self.inside == "cell":
            self.cells.append(text.replace("\n", " ").strip())
        elif self.inside == "heading":
            self.split_heading = self.heading if not text.strip() else 0
            self.out.add(Piece(BlockKind.HEADING, text, self.heading))
        else:
            self.paragraph(text, token.children or [])

    def paragraph(self, text: str, children: Sequence[Token]) -> None:
        level, self.split_heading = self.split_heading, 0
        if self.lists:
            self.item(BlockKind.LIST_ITEM, text)
        elif level and not self.quotes and _is_heading(text):
            self.out.add(Piece(BlockKind.HEADING, text, level))
        elif text.strip():
            self.out.add(Piece(BlockKind.PARAGRAPH, text))
        else:
            picture = " ".join(c.content for c in children if c.type == "image")
            if " " in picture.strip():
                self.out.add(Piece(BlockKind.PARAGRAPH, picture, quotable=False))

    def item(self, kind: BlockKind, text: str) -> None:
        lead_in = self.lists[-1].lead_in
        marked = self.marker + text if text.strip() else text
        if self.out.add(Piece(kind, marked, len(self.lists), lead_in)) is not None:
            self.marker = ""

    def code(self, token: Token) -> None:
        self.split_heading = 0
        self.out.add(Piece(BlockKind.CODE, token.content))

    def html(self, token: Token) -> None:
        append_html(self.out, token.content)

    def open_heading(self, token: Token) -> None:
        self.inside, self.heading = "heading", int(token.tag[1])

    def open_paragraph(self, token: Token) -> None:
        self.inside = "paragraph"

    def open_cell(self, token: Token) -> None:
        self.inside = "cell"

    def close_row(self, token: Token) -> None:
        cells = [cell for cell in self.cells if cell]
        self.out.add(Piece(BlockKind.TABLE_ROW, " | ".join(cells)))
        self.cells.clear()

    def open_list(self, token: Token) -> None:
        item = self.lists[-1].first if self.lists else None
        self.lists.append(_List(self.out.introduction(item)))

    def open_item(self, token: Token) -> None:
        self.lists[-1].first = len(self.out.blocks)
        self.marker = f"{token.info}{token.markup} " if token.info else ""

    def close_list(self, token: Token) -> None:
        self.lists.pop()

    def open_quote(self, token: Token) -> None:
        self.quotes += 1

    def close_quote(self, token: Token) -> None:
        self.quotes -= 1


STEPS: dict[str, Callable[[_Walk, Token], None]] = {
    "inline": _Walk.inline,
    "fence": _Walk.code,
    "code_block": _Walk.code,
    "html_block": _Walk.html,
    "heading_open": _Walk.open_heading,
    "paragraph_open": _Walk.open_paragraph,
    "th_open": _Walk.open_cell,
    "td_open": _Walk.open_cell,
    "tr_close": _Walk.close_row,
    "bullet_list_open": _Walk.open_list,
    "ordered_list_open": _Walk.open_list,
    "bullet_list_close": _Walk.close_list,
    "ordered_list_close": _Walk.close_list,
    "list_item_open": _Walk.open_item,
    "blockquote_open": _Walk.open_quote,
    "blockquote_close": _Walk.close_quote,
}


def _is_heading(text: str) -> bool:
    """Whether the paragraph after an empty `##` is its text, parted by a converter."""
    short = 0 < len(text) <= HEADING_CHARACTERS and "\n" not in text
    return short and not text.endswith((".", ":", ";", ","))


def _text(children: Sequence[Token]) -> str:
    """Inline text as a reader sees it; a soft break after a hyphen stays a line end."""
    parts: list[str] = []
    raised: list[int] = []
    for token in children:
        if token.type in {"text", "code_inline", "text_special"}:
            parts.append(token.content)
        elif token.type == "softbreak":
            hyphen = bool(parts) and parts[-1].endswith(HYPHENS)
            parts.append("\n" if hyphen else " ")
        elif token.type == "hardbreak":
            parts.append("\n")
        elif token.type == "html_inline":
            _tag(token.content, parts, raised)
    return "".join(parts).strip()


def _tag(markup: str, parts: list[str], raised: list[int]) -> None:
    """Let an inline tag act: line breaks, raised and lowered text; others vanish."""
    match = TAG.match(markup)
    name = str(match.group(1)).lower() if match else ""
    if name == "br":
        parts.append("\n")
    elif name in {"sup", "sub"} and not markup.startswith("</"):
        raised.append(len(parts))
    elif name in {"sup", "sub"} and raised:
        start = raised.pop()
        shown = "".join(parts[start:])
        parts[start:] = [superscript(shown) if name == "sup" else subscript(shown)]
    elif name in {"del", "s", "strike"}:
        parts.append("~~")
    elif match and name not in KNOWN:
        parts.append(markup)


def append_markdown(out: CanonicalText, text: str) -> None:
    """Append the blocks of `text`.

    Raises:
        DocumentError: lists and quotes nest deeper than the limit.
    """
    depth = out.limits.depth
    parser = MarkdownIt("commonmark", {"maxNesting": depth}).enable("table")
    tokens = parser.parse(text)
    # The parser drops what nests deeper than its limit: the limit itself is too deep.
    if any(token.level >= depth - 1 for token in tokens):
        raise DocumentError(
            f"{out.path}: lists or quotes nest deeper than {depth} levels; flatten it"
        )
    walk = _Walk(out)
    for token in tokens:
        step = STEPS.get(token.type)
        if step is not None:
            step(walk, token)


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """One Markdown page with optional YAML or JSON front matter."""
    opened = open_matter(text, path, limits)
    out = CanonicalText(path, limits)
    append_markdown(out, opened.body)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        **opened.details.model_dump(),
    )
