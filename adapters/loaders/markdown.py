"""Markdown (CommonMark with tables) to canonical text.

Strikethrough is left as it is written: a reader must see what no longer holds. A tag
that HTML does not know, such as `<package_name>`, is text that an author forgot to
escape and stays.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import re2
from markdown_it import MarkdownIt
from markdown_it.token import Token

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.front_matter import open_matter
from adapters.loaders.html import append_html
from adapters.loaders.limits import Limits
from adapters.loaders.markdown_html import Layout, Part, has_html, joined, last_ends
from adapters.loaders.readers import named
from engine.documents.records import BlockKind, Parsed
from engine.errors import DocumentError

NAME = named("markdown")
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
TEXTS = frozenset({"text", "code_inline", "text_special", "html_inline"})
HYPHENS = ("-", "\u2010", "\u00ad")


@dataclass(slots=True)
class _List:
    lead_in: int | None
    first: int = 0


@dataclass(slots=True)
class _Walk:
    """Where in the token stream the walk stands: `number` counts its tokens.

    `layout` is how a browser shows the page, where it has HTML in it.
    """

    out: CanonicalText
    layout: Layout | None = None
    number: int = 0
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
        if self.hidden and self.inside != "cell":
            return
        text = str(ATTRIBUTES.sub("", self.text(token.children or [])))
        if self.inside == "cell":
            self.cells.append(text.replace("\n", " ").strip())
        elif self.inside == "heading":
            text = str(HEADING_ID.sub("", text))
            self.split_heading = self.heading if not text.strip() else 0
            self.out.add(Piece(BlockKind.HEADING, text, self.heading))
        else:
            self.paragraph(text, token.children or [])

    @property
    def hidden(self) -> bool:
        """Whether no reader sees the place of the token."""
        return self.layout is not None and not self.layout.shows(self.number)

    def text(self, children: Sequence[Token]) -> str:
        """The text of a heading, paragraph or cell, as a reader sees it."""
        parts = [*_parts(children)]
        if self.layout is None:
            return joined(parts).strip()
        return self.layout.text_of(self.number, parts)

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
        if not self.hidden:
            self.out.add(Piece(BlockKind.CODE, token.content))

    def html(self, token: Token) -> None:
        if not self.hidden:
            self.markup.append(token.content)

    def close_html(self) -> None:
        """Place the HTML blocks so far as one: blank lines part them, not the page."""
        if self.markup:
            sheets = self.layout.sheets if self.layout else ""
            append_html(self.out, "\n".join(self.markup), sheets)
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


def _parts(children: Sequence[Token]) -> Iterator[Part]:
    """Inline text and tags; a soft break after a hyphen stays a line end."""
    before, last = "", ""
    literal = _literal_marks(children)
    for index, token in enumerate(children):
        text = token.content
        if index in literal:
            text = token.markup
        elif token.type == "text" and before in {"link_close", "image"}:
            text = str(ATTRIBUTES.sub("", text))
        elif token.type == "softbreak":
            text = "\n" if last.endswith(HYPHENS) else " "
        elif token.type == "hardbreak":
            text = "\n"
        elif token.type not in TEXTS:
            text = ""
        if text:
            yield Part(text, tag=token.type == "html_inline")
            last = text
        before = token.type


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
    walk = _Walk(out, _laid_out(tokens, out) if has_html(tokens) else None)
    for walk.number, token in enumerate(tokens):
        if token.type != "html_block":
            walk.close_html()
        step = STEPS.get(token.type)
        if step is not None:
            step(walk, token)
    walk.close_html()


def _laid_out(tokens: Sequence[Token], out: CanonicalText) -> Layout:
    """The page as a browser shows it."""
    layout = Layout(last_ends(tokens))
    for number, token in enumerate(tokens):
        if token.type == "html_block":
            layout.markup(number, token.content)
        elif token.type == "inline":
            layout.text(number, [*_parts(token.children or [])])
        elif token.type in {"fence", "code_block"}:
            layout.text(number, ())
        else:
            layout.open(token)
    layout.look(out)
    return layout


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
        remarks=out.remarks,
        **opened.details.of(out.text, out.blocks),
    )
