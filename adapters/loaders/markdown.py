"""Markdown (CommonMark with tables, notes, definitions and boxes) to canonical text.

Strikethrough stays as written, because a reader must see what no longer holds. A tag
that HTML does not know, such as `<package_name>`, is text that an author forgot to
escape and stays.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from adapters.loaders.canonical import CanonicalText, Piece
from adapters.loaders.dialects import ATTRIBUTES, to_markdown
from adapters.loaders.front_matter import open_matter
from adapters.loaders.html import append_html
from adapters.loaders.limits import Limits
from adapters.loaders.markdown_html import (
    Layout,
    Part,
    find_last_ends,
    has_html,
    join_parts,
)
from adapters.loaders.notes import Notes
from adapters.loaders.readers import make_loader_name
from adapters.loaders.tables import PICTURE, Cell, Table, clean_cell
from adapters.loaders.titles import Titles
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("markdown")
HEADING_CHARACTERS = 150
TICKED = {"[ ] ": "\u2610 ", "[x] ": "\u2611 "}
TEXTS = frozenset({"text", "code_inline", "text_special", "html_inline"})
CELLS = frozenset({"th_open", "td_open"})
NoteTokens = Mapping[str, Mapping[int, Token]]  # of each note, by their numbers
HYPHENS = ("-", "\u2010", "\u00ad")


@dataclass(slots=True)
class _List:
    lead_in: int | None
    first: int = 0


@dataclass(slots=True)
class _Walk:
    """The state of the walk through the tokens; `number` counts them.

    `layout` is the page as a browser shows it, where it has HTML in it.
    """

    out: CanonicalText
    titles: Titles
    layout: Layout | None = None
    number: int = 0
    lists: list[_List] = field(default_factory=list)
    table: Table | None = None
    cells: list[Cell] = field(default_factory=list)
    markup: list[str] = field(default_factory=list)
    marker: str = ""
    inside: str = ""
    heading: int = 0
    split_heading: int = 0
    quotes: int = 0
    terms: list[str] = field(default_factory=list)
    default: bool = False
    notes: Notes = field(default_factory=lambda: Notes(lambda name: name))

    @property
    def title(self) -> int | None:
        """Return the block with the title or term of the innermost box, or None."""
        return self.titles.of(len(self.lists))

    def inline(self, token: Token) -> None:
        """Place the text of a heading, paragraph or table cell."""
        if self.inside == "cell":
            children = self.referred(_replace_pictures(token.children or []))
            text = str(ATTRIBUTES.sub("", self.text(children))).replace("\n", "\v")
            self.cells.append(Cell(clean_cell(text), strong=_is_strong(token)))
            return
        if self.hidden:
            return
        children = self.referred(token.children or [])
        text = str(ATTRIBUTES.sub("", self.text(children)))
        if self.inside == "title":
            self.terms.append(text)
        elif self.inside == "heading":
            self.split_heading = self.heading if not text.strip() else 0
            self.out.add(Piece(BlockKind.HEADING, text, self.heading))
        else:
            self.paragraph(text, children)
        self.place_notes()

    @property
    def hidden(self) -> bool:
        """Tell whether the place of the token is hidden."""
        return self.layout is not None and not self.layout.shows(self.number)

    def text(self, children: Sequence[Token], number: int | None = None) -> str:
        """Return the visible text of a heading, paragraph or cell."""
        parts = [*_list_parts(children)]
        if self.layout is None:
            return join_parts(parts).strip()
        return self.layout.text_of(self.number if number is None else number, parts)

    def referred(self, children: Sequence[Token]) -> list[Token]:
        """Replace references to notes by their marks, as text."""
        return _replace_references(children, self.notes.refer)

    def place_notes(self) -> None:
        """Place the waiting notes, unless a list or a table is open."""
        if not self.lists and self.inside not in {"cell", "title"}:
            self.notes.place(self.out, self.title)

    def paragraph(self, text: str, children: Sequence[Token]) -> None:
        level, self.split_heading = self.split_heading, 0
        if self.lists:
            self.item(BlockKind.LIST_ITEM, text)
        elif level and not self.quotes and _is_heading(text):
            self.out.add(Piece(BlockKind.HEADING, text, level))
        elif text.strip():
            depth = self.titles.depth  # a short line in a box labels nothing below it
            self.out.add(Piece(BlockKind.PARAGRAPH, text, depth, self.title))
        else:
            picture = " ".join(c.content for c in children if c.type == "image")
            if " " in picture.strip():
                self.out.add(Piece(BlockKind.PARAGRAPH, picture, quotable=False))

    def item(self, kind: BlockKind, text: str) -> None:
        lead_in = self.lists[-1].lead_in if self.title is None else self.title
        marked = self.marker + _show_tick(text) if text.strip() else text
        if self.out.add(Piece(kind, marked, len(self.lists), lead_in)) is not None:
            self.marker = ""

    def code(self, token: Token) -> None:
        self.split_heading = 0
        if not self.hidden:
            self.out.add(Piece(BlockKind.CODE, token.content, lead_in=self.title))

    def html(self, token: Token) -> None:
        if not self.hidden:
            self.markup.append(token.content)

    def close_html(self) -> None:
        """Place the HTML blocks so far as one, because only blank lines split them."""
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

    def open_table(self, token: Token) -> None:
        self.table = Table(self.out.path, lead_in=self.title)

    def close_head(self, token: Token) -> None:
        if self.table is not None:
            self.table.head = self.table.body.pop()

    def close_row(self, token: Token) -> None:
        if self.table is not None:
            self.table.add(self.cells)
        self.cells.clear()

    def close_table(self, token: Token) -> None:
        if self.table is not None:
            self.table.place(self.out)
        self.inside = ""
        self.place_notes()

    def open_list(self, token: Token) -> None:
        item = self.lists[-1].first if self.lists else None
        self.lists.append(_List(self.titles.list_lead_in(len(self.lists), item)))

    def open_item(self, token: Token) -> None:
        self.lists[-1].first = len(self.out.blocks)
        self.marker = f"{token.info}{token.markup} " if token.info else ""

    def close_list(self, token: Token) -> None:
        self.lists.pop()
        self.place_notes()

    def open_quote(self, token: Token) -> None:
        self.quotes += 1

    def close_quote(self, token: Token) -> None:
        self.quotes -= 1

    def open_box(self, token: Token) -> None:
        """Open a container, whose title applies to its contents."""
        self.titles.open(len(self.lists))
        said = token.info.strip()
        self.default = '"' not in said  # MkDocs takes other words for classes
        title = self.text(_parse_title(token))
        if title:
            self.titles.entitle(title)

    def close_box(self, token: Token) -> None:
        self.titles.close()

    def open_title(self, token: Token) -> None:
        self.inside = "title"

    def close_title(self, token: Token) -> None:
        """Place the title of an admonition, unless it only repeats its kind."""
        self.inside = ""
        if not self.default:
            self.titles.entitle("".join(self.terms))
        self.terms.clear()

    def open_definitions(self, token: Token) -> None:
        self.titles.open(len(self.lists))

    def close_term(self, token: Token) -> None:
        self.inside = ""

    def open_definition(self, token: Token) -> None:
        if self.terms:
            self.titles.entitle(", ".join(self.terms))
            self.terms.clear()


STEPS: dict[str, Callable[[_Walk, Token], None]] = {
    "inline": _Walk.inline,
    "fence": _Walk.code,
    "code_block": _Walk.code,
    "html_block": _Walk.html,
    "heading_open": _Walk.open_heading,
    "paragraph_open": _Walk.open_paragraph,
    "th_open": _Walk.open_cell,
    "td_open": _Walk.open_cell,
    "table_open": _Walk.open_table,
    "thead_close": _Walk.close_head,
    "tr_close": _Walk.close_row,
    "table_close": _Walk.close_table,
    "bullet_list_open": _Walk.open_list,
    "ordered_list_open": _Walk.open_list,
    "bullet_list_close": _Walk.close_list,
    "ordered_list_close": _Walk.close_list,
    "list_item_open": _Walk.open_item,
    "blockquote_open": _Walk.open_quote,
    "blockquote_close": _Walk.close_quote,
    "container_box_open": _Walk.open_box,
    "container_box_close": _Walk.close_box,
    "admonition_open": _Walk.open_box,
    "admonition_title_open": _Walk.open_title,
    "admonition_title_close": _Walk.close_title,
    "admonition_close": _Walk.close_box,
    "dl_open": _Walk.open_definitions,
    "dt_open": _Walk.open_title,
    "dt_close": _Walk.close_term,
    "dd_open": _Walk.open_definition,
    "dl_close": _Walk.close_box,
}


def _show_tick(text: str) -> str:
    """Replace the checkbox at the beginning of a list item by its sign."""
    box = TICKED.get(text[:4].lower())
    return f"{box}{text[4:]}" if box else text


def _is_heading(text: str) -> bool:
    """Tell whether a paragraph is the text of an empty `##` before it.

    Some converters split headings like that.
    """
    short = 0 < len(text) <= HEADING_CHARACTERS and "\n" not in text
    return short and not text.endswith((".", ":", ";", ","))


def _parse_title(token: Token) -> Sequence[Token]:
    """Parse the title at the opening of a container."""
    title = token.info.strip().partition(" ")[2]
    if not title or token.type != "container_box_open":
        return ()
    return INLINE.parseInline(title)[0].children or ()


def _replace_pictures(children: Sequence[Token]) -> list[Token]:
    """Replace the pictures of a cell by their descriptions."""
    return [
        Token("text", "", 0, content=c.content.strip() or PICTURE)
        if c.type == "image"
        else c
        for c in children
    ]


def _is_strong(token: Token) -> bool:
    """Tell whether all of a cell is bold."""
    inner = [c for c in token.children or () if c.type != "text" or c.content.strip()]
    return (
        len(inner) > 2
        and inner[0].type == "strong_open"
        and inner[-1].type == "strong_close"
        and sum(c.type == "strong_open" for c in inner) == 1
    )


def _replace_references(
    children: Sequence[Token], mark: Callable[[str], str]
) -> list[Token]:
    """Replace references to notes by their marks, as text."""
    return [
        Token("text", "", 0, content=mark(_name_note(child)))
        if child.type == "footnote_ref"
        else child
        for child in children
    ]


def _list_parts(children: Sequence[Token]) -> Iterator[Part]:
    """List inline text and tags; a soft break after a hyphen stays a line end."""
    before, last = "", ""
    literal = _find_literal_marks(children)
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


def _find_literal_marks(children: Sequence[Token]) -> frozenset[int]:
    """Find emphasis marks between digits: `1.5*10^9` is a product, not italics."""
    literal: set[int] = set()
    opened: list[int] = []
    for index, token in enumerate(children):
        if token.type in {"em_open", "strong_open"}:
            opened.append(index)
        elif token.type in {"em_close", "strong_close"} and opened:
            pair = (opened.pop(), index)
            if any(_is_between_digits(children, at) for at in pair):
                literal.update(pair)
    return frozenset(literal)


def _is_between_digits(children: Sequence[Token], at: int) -> bool:
    before = children[at - 1].content if at else ""
    after = children[at + 1].content if at + 1 < len(children) else ""
    return before[-1:].isdigit() and after[:1].isdigit()


def append_markdown(out: CanonicalText, text: str) -> None:
    """Append the blocks of `text`.

    Raises:
        DocumentError: lists and quotes nest deeper than the limit.
    """
    depth = out.limits.depth
    parser = _make_parser(depth)
    env: dict[str, Any] = {}
    tokens = parser.parse(to_markdown(text), env)
    # The parser drops what nests deeper than its limit: the limit itself is too deep.
    if any(token.level >= depth - 1 for token in tokens):
        raise DocumentError(
            f"{out.path}: lists or quotes nest deeper than {depth} levels; flatten it"
        )
    body, notes = _split_notes(tokens, env)
    walk = _Walk(out, Titles(out))
    titles = (Token("inline", "", 0, children=[*_parse_title(token)]) for token in body)
    noted = (token for inner in notes.values() for token in inner.values())
    if has_html(chain(tokens, titles, noted)):
        walk.layout = _lay_out(body, notes, walk)
    walk.notes.read = lambda name: _read_note(walk, notes.get(name, {}))
    for walk.number, token in enumerate(body):
        if token.type != "html_block":
            walk.close_html()
        step = STEPS.get(token.type)
        if step is not None:
            step(walk, token)
    walk.close_html()
    for name in notes:  # notes without a reference go to the end, as sites show them
        walk.notes.refer(name)
    walk.notes.place(out)


def _lay_out(body: Sequence[Token], notes: NoteTokens, walk: _Walk) -> Layout:
    """Lay the page out as a browser shows it, with its notes at the end."""
    layout = Layout(find_last_ends(body))
    cell = False
    for number, token in enumerate(body):
        if token.type == "html_block":
            layout.markup(number, token.content)
        elif token.type == "inline":
            children = token.children or []
            told = _replace_pictures(children) if cell else children
            layout.text(
                number, [*_list_parts(_replace_references(told, walk.notes.number))]
            )
        elif token.type in {"fence", "code_block"}:
            layout.text(number, ())
        else:
            if token.type == "container_box_open":
                layout.text(number, [*_list_parts(_parse_title(token))])
            layout.open(token)
        cell = token.type in CELLS
    for tokens in notes.values():
        for number, token in tokens.items():
            told = _replace_references(token.children or [], walk.notes.number)
            layout.text(number, [*_list_parts(told)])
    layout.look(walk.out)
    return layout


def _make_parser(depth: int) -> MarkdownIt:
    """Make a parser of CommonMark with tables, notes, definitions and boxes."""
    return (
        MarkdownIt("commonmark", {"maxNesting": depth})
        .enable("table")
        .use(footnote_plugin, move_to_end=False)
        .use(deflist_plugin)
        .use(admon_plugin)
        .use(container_plugin, "box", validate=_is_box)
    )


INLINE = MarkdownIt("commonmark")


def _is_box(info: str, _: str) -> bool:
    return info.split(maxsplit=1)[:1] == ["box"]


def _split_notes(
    tokens: Sequence[Token], env: dict[str, Any]
) -> tuple[list[Token], NoteTokens]:
    """Split the page from its notes: its tokens, and the tokens of each note."""
    body: list[Token] = []
    notes: dict[str, dict[int, Token]] = {}
    name, number = "", len(tokens)
    for token in tokens:
        if token.type == "footnote_reference_open":
            name = f":{token.meta['label']}"
            notes.setdefault(name, {})
        elif token.type == "footnote_reference_close":
            name = ""
        elif not name:
            body.append(token)
        elif token.type in {"inline", "fence", "code_block"}:
            number += 1
            notes[name][number] = token
    for index, told in env.get("footnotes", {}).get("list", {}).items():
        if "tokens" in told:
            number += 1
            inline = Token("inline", "", 0, children=told["tokens"])
            notes[f"^{index}"] = {number: inline}
    return body, notes


def _name_note(reference: Token) -> str:
    """Make the name of a referenced note: its label, or the number of an inline one."""
    label = reference.meta.get("label")
    return f"^{reference.meta['id']}" if label is None else f":{label}"


def _read_note(walk: _Walk, tokens: Mapping[int, Token]) -> str:
    """Read the text of a note, as one paragraph."""
    parts = (
        walk.text(walk.referred(token.children), number)
        if token.children
        else token.content
        for number, token in tokens.items()
    )
    return " ".join(" ".join(parts).split())


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one Markdown page with optional YAML or JSON front matter."""
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
