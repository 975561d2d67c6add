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
from adapters.loaders.readers import named
from engine.documents.records import BlockKind, Parsed
from engine.errors import DocumentError

NAME = named("markdown")
TAG = re2.compile(r"^</?([A-Za-z][A-Za-z0-9-]*)")
# What site generators add to Markdown: `[text](url){.external}`, `## Title {#id}`, and
# fences of colons around admonitions and grids.
_ATTRIBUTE = r"(?:[.#][\w:-]+|\w+=[^\s{}]+)"
ATTRIBUTES = re2.compile(rf"^\s*\{{{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\}}")
HEADING_ID = re2.compile(r"\s*\{#[\w:-]+\}$")
CODE_FENCE = re2.compile(r"^[\s>]*(```|~~~)[^`]*$")
COLON_FENCE = re2.compile(r"^ {0,3}:{3,}[ \t]*(?:\{[\w:-]+\})?[ \t]*(.*)$")
FENCE_OPTION = re2.compile(r"^ {0,3}:[\w-]+:([ \t].*)?$")
BOLD_WITHOUT_SPACE = re2.compile(r"(\*\*[^*\s][^*\n]*[.:!?]\*\*)(\pL)")
SPLIT_BOLD = re2.compile(r"(\w)\*{4}([^\w\s*])")
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
    markup: list[str] = field(default_factory=list)
    marker: str = ""
    inside: str = ""
    heading: int = 0
    split_heading: int = 0
    quotes: int = 0

    def inline(self, token: Token) -> None:
        """Place the text of a heading, paragraph or table cell."""
        text = str(ATTRIBUTES.sub("", _text(token.children or [])))
        if self.inside == "cell":
            self.cells.append(text.replace("\n", " ").strip())
        elif self.inside == "heading":
            text = str(HEADING_ID.sub("", text))
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
        self.markup.append(token.content)

    def close_html(self) -> None:
        """Place the HTML blocks so far as one: blank lines part them, not the page."""
        if self.markup:
            append_html(self.out, "\n".join(self.markup))
            self.markup.clear()

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
    before = ""
    literal = _literal_marks(children)
    for index, token in enumerate(children):
        if index in literal:
            parts.append(token.markup)
        elif token.type == "text" and before in {"link_close", "image"}:
            parts.append(str(ATTRIBUTES.sub("", token.content)))
        elif token.type in {"text", "code_inline", "text_special"}:
            parts.append(token.content)
        elif token.type == "softbreak":
            hyphen = bool(parts) and parts[-1].endswith(HYPHENS)
            parts.append("\n" if hyphen else " ")
        elif token.type == "hardbreak":
            parts.append("\n")
        elif token.type == "html_inline":
            _tag(token.content, parts, raised)
        before = token.type
    return "".join(parts).strip()


def _literal_marks(children: Sequence[Token]) -> frozenset[int]:
    """Emphasis marks between digits: `1.5*10^9` is a product, not italics."""
    literal: set[int] = set()
    opened: list[int] = []
    for index, token in enumerate(children):
        if token.type in {"em_open", "strong_open"}:
            opened.append(index)
        elif token.type in {"em_close", "strong_close"} and opened:
            pair = (opened.pop(), index)
            if any(_between_digits(children, at) for at in pair):
                literal.update(pair)
    return frozenset(literal)


def _between_digits(children: Sequence[Token], at: int) -> bool:
    before = children[at - 1].content if at else ""
    after = children[at + 1].content if at + 1 < len(children) else ""
    return before[-1:].isdigit() and after[:1].isdigit()


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


def _mended(text: str) -> str:
    """`text` with blank lines for colon fences and with readable bold runs.

    Titles of fences stay; code is left alone. Converters close bold text without the
    space that CommonMark needs (`**Rest.**Sleep`) or in two halves (`**Rest****.**`).
    """
    lines: list[str] = []
    code = fenced = False
    for line in text.split("\n"):
        code ^= bool(CODE_FENCE.match(line))
        fence = None if code else COLON_FENCE.match(line)
        if fence or (fenced and FENCE_OPTION.match(line)):
            title = str(fence.group(1)) if fence else ""
            lines += [title, ""] if title else [""]
            fenced = True
            continue
        fenced = False
        if not code and "**" in line:
            line = SPLIT_BOLD.sub(r"\1\2", BOLD_WITHOUT_SPACE.sub(r"\1 \2", line))
        lines.append(str(line))
    return "\n".join(lines)


def append_markdown(out: CanonicalText, text: str) -> None:
    """Append the blocks of `text`.

    Raises:
        DocumentError: lists and quotes nest deeper than the limit.
    """
    depth = out.limits.depth
    parser = MarkdownIt("commonmark", {"maxNesting": depth}).enable("table")
    tokens = parser.parse(_mended(text))
    # The parser drops what nests deeper than its limit: the limit itself is too deep.
    if any(token.level >= depth - 1 for token in tokens):
        raise DocumentError(
            f"{out.path}: lists or quotes nest deeper than {depth} levels; flatten it"
        )
    walk = _Walk(out)
    for token in tokens:
        if token.type != "html_block":
            walk.close_html()
        step = STEPS.get(token.type)
        if step is not None:
            step(walk, token)
    walk.close_html()


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
        **opened.details.of(out.text, out.blocks),
    )
