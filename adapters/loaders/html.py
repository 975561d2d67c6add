"""HTML to canonical text: the text that a browser shows, in reading order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import re2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from adapters.loaders.canonical import (
    UNSHOWN,
    CanonicalText,
    Piece,
    make_storable,
    to_subscript,
    to_superscript,
)
from adapters.loaders.front_matter import Details, open_matter, read_details
from adapters.loaders.html_notes import HtmlNotes, read_notes
from adapters.loaders.html_tables import OpenTable, is_layout, show_in_cell
from adapters.loaders.limits import Limits
from adapters.loaders.markup_tree import read_page
from adapters.loaders.notes import Notes
from adapters.loaders.readers import make_loader_name
from adapters.loaders.shown import PLAIN, Look, Shown
from adapters.loaders.styles import ELSEWHERE
from adapters.loaders.tables import BULLET, Table, write_inline
from adapters.loaders.titles import Titles
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("html")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
# Never shown by a browser, or not as text.
# fmt: off
UNSEEN = frozenset({
    "audio", "canvas", "datalist", "head", "iframe", "map", "math", "noscript",
    "object", "script", "select", "style", "svg", "template", "textarea",
    "title", "video", "rp", "noframes", "noembed", "progress", "meter",
})
# Elements that show words or figures in an order that their text does not have.
SET_APART = frozenset({"math", "select"})
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "button", "caption",
    "center", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hr", "html", "legend", "li", "main", "menu", "nav", "ol",
    "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "ul",
})
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code",
    "col", "colgroup", "data", "del", "dfn", "em", "font", "i", "img", "input",
    "ins", "kbd", "label", "link", "mark", "meta", "q", "rt", "ruby", "s",
    "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt",
    "u", "var", "wbr",
})
# fmt: on
KNOWN = BLOCKS | INLINE | UNSEEN
INLINE_TEXT = {"br": ("\n", ""), "rt": ("(", ")")}  # at begin and end of such a tag
TABLES = frozenset({"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"})
SHOWN_IN_CELLS = frozenset({"img", "input"})
COLUMNS = frozenset({"col", "colgroup"})
TOLD = frozenset({"dd", "details", "dl", "dt", "summary"})
# Around struck text until its block ends, where adjacent pairs become one.
STRIKE, UNSTRIKE, MARK = "\x0e", "\x0f", "~~"
ROW = re2.compile(r"(?i)<t[rdh][\s>]")
TABLE = re2.compile(r"(?i)<table[\s>]")
SPACE = re2.compile(r"[ \t\n\f]+")
NOT_STRUCK = re2.compile(r"\x0f([ \t\n\f]+)\x0e")  # blanks between two struck words
BLANK_BEFORE = re2.compile(r"\x0e([ \t\n\f\v]+)")
BLANK_AFTER = re2.compile(r"([ \t\n\f\v]+)\x0f")


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int
    lead_in: int | None
    first: int = 0


@dataclass(slots=True)
class _Walk:
    """The state of the walk through a page; text is collected until a block ends.

    `there` tells whether a picture is visible.
    """

    out: CanonicalText
    titles: Titles
    there: Callable[[LexborNode], bool]
    text: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    term: bool = False
    lists: list[_List] = field(default_factory=list)
    tables: list[OpenTable] = field(default_factory=list)
    captions: int = 0
    cells: int = 0
    heading: int = 0
    preformatted: int = 0
    navigation: int = 0
    marker: str = ""
    notes: Notes = field(default_factory=lambda: Notes(lambda name: name))

    def enter(self, tag: str, node: LexborNode) -> None:
        """Open an element; a block element first ends the text before it."""
        if tag in BLOCKS:
            self.flush()
        self.heading = HEADINGS.get(tag, self.heading)
        self.preformatted += tag == "pre"
        self.navigation += tag == "nav"
        if tag in TOLD and not self.cells:
            self.enter_told(tag)
        elif tag in TABLES or (self.cells and tag in SHOWN_IN_CELLS):
            self.enter_table(tag, node)
        elif tag in {"ul", "ol", "menu"}:
            self.open_list(tag == "ol", node.attributes.get("start"))
        elif tag == "li" and self.lists:
            self.open_item(node.attributes.get("value"))
        elif tag == "br":
            self.text.append("\n" if self.preformatted else "\v")
        elif tag == "rt":
            self.text.append("(")

    def leave(self, tag: str, node: LexborNode) -> None:
        """Close an element and, where it is a block, end its text."""
        if tag in BLOCKS:
            self.flush()
        self.heading = 0 if tag in HEADINGS else self.heading
        self.preformatted -= tag == "pre"
        self.navigation -= tag == "nav"
        if tag in TOLD and not self.cells:
            self.leave_told(tag)
        elif tag in {"ul", "ol", "menu"} and self.lists:
            self.lists.pop()
            self.place_notes()
        elif tag in TABLES and self.tables:
            self.leave_table(tag, node)
        elif tag == "rt":
            self.text.append(")")

    def enter_told(self, tag: str) -> None:
        """Open a definition list or a box with a summary, or a part of one."""
        if tag in {"dl", "details"}:
            self.titles.open(len(self.lists))
        elif tag in {"dt", "summary"}:
            self.term = self.titles.depth > 0
        elif self.terms:
            self.titles.entitle(", ".join(self.terms))
            self.terms.clear()

    def leave_told(self, tag: str) -> None:
        self.term = False
        if tag == "summary" and self.terms:
            self.enter_told("dd")
        elif tag in {"dl", "details"}:
            self.out.add(Piece(BlockKind.PARAGRAPH, ", ".join(self.terms)))
            self.terms.clear()
            self.titles.close()

    def enter_table(self, tag: str, node: LexborNode) -> None:
        """Open a table or a part of one, or a picture or input in a cell."""
        data = bool(self.tables) and not self.tables[-1].layout
        if tag == "table":
            title = self.titles.of(len(self.lists))
            table = Table(self.out.path, not self.navigation, title)
            layout = not self.cells and is_layout(node)
            self.tables.append(OpenTable(layout, table))
        elif tag in SHOWN_IN_CELLS:
            self.text.append(show_in_cell(node))
        elif data and tag in {"td", "th"}:
            self.cells += 1
            self.tables[-1].texts.append(self.text)
            self.text = []
        elif tag == "caption":
            self.captions += 1
        elif data:
            self.tables[-1].open(tag)

    def leave_table(self, tag: str, node: LexborNode) -> None:
        """Close a table or a part of one."""
        table = self.tables[-1]
        if tag == "table":
            self.tables.pop()
            if table.layout:
                return
            if self.cells:
                self.text.append(f"\v{write_inline(table.table, self.out.limits)}\v")
            else:
                table.table.place(self.out)
                self.place_notes()
        elif not table.layout and tag in {"td", "th"}:
            self.cells -= 1
            table.cell(node, write_struck("".join(self.text)), self.there)
            self.text = table.texts.pop()
        elif tag == "caption":
            self.captions -= 1
            last = len(self.out.blocks) - 1
            captioned = last >= 0 and self.out.blocks[last].unfinished
            if captioned and not self.cells:
                table.table.lead_in = last
        elif not table.layout:
            table.close(tag)

    def open_list(self, ordered: bool, start: str | None) -> None:
        number = int(start) if start and start.isdecimal() and len(start) < 10 else 1
        item = self.lists[-1].first if self.lists else None
        lead_in = self.titles.list_lead_in(len(self.lists), item)
        self.lists.append(_List(ordered, number, lead_in))

    def open_item(self, value: str | None) -> None:
        current = self.lists[-1]
        current.first = len(self.out.blocks)
        if value and value.isdecimal() and len(value) < 10:
            current.number = int(value)
        marker = f"{current.number}. " if current.ordered else ""
        current.number += 1
        if self.cells:
            self.text.append(marker or BULLET)
        else:
            self.marker = marker

    def flush(self) -> None:
        """End the block: place the collected text, unless it is in a cell."""
        if self.cells:
            self.text.append("\v")
            return
        raw = write_struck("".join(self.text))
        self.text.clear()
        text = raw.replace("\v", "\n") if self.preformatted else _collapse(raw)
        if not text.strip():
            return
        if self.term:
            self.terms.append(text)
            return
        quotable, title = not self.navigation, self.titles.of(len(self.lists))
        level, lead_in, kind = self.titles.depth, title, BlockKind.PARAGRAPH
        if self.preformatted:
            kind, level = BlockKind.CODE, 0
        elif self.heading:
            kind, level, lead_in = BlockKind.HEADING, self.heading, None
        elif self.lists:
            kind, level = BlockKind.LIST_ITEM, len(self.lists)
            lead_in = self.lists[-1].lead_in if title is None else title
            text = self.marker + text
            self.marker = ""
        caption = kind is BlockKind.PARAGRAPH and self.captions > 0
        self.out.add(Piece(kind, text, level, lead_in, quotable, unfinished=caption))
        self.place_notes()

    def place_notes(self) -> None:
        """Place the waiting notes, unless a list or a table is open."""
        if not (self.lists or self.cells or self.captions):
            self.notes.place(self.out, self.titles.of(0))


def mark_struck(text: str, look: Look) -> str:
    """Put the internal marks around struck text."""
    return f"{STRIKE}{text}{UNSTRIKE}" if look.struck and text.strip() else text


def write_struck(text: str) -> str:
    """Replace the internal marks of struck text by `~~`, with blanks outside."""
    if STRIKE not in text:
        return text
    joined = str(NOT_STRUCK.sub(r"\1", text.replace(f"{UNSTRIKE}{STRIKE}", "")))
    joined = str(BLANK_BEFORE.sub(r"\1" + STRIKE, joined))
    joined = str(BLANK_AFTER.sub(UNSTRIKE + r"\1", joined))
    return joined.replace(STRIKE, MARK).replace(UNSTRIKE, MARK)


def _collapse(text: str) -> str:
    """Collapse white space as a browser does; only `<br>` breaks a line."""
    lines = SPACE.sub(" ", text).split("\v")
    return "\n".join(line.strip(" ") for line in lines).strip("\n ")


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of the walk; `node` is None for a text."""

    node: LexborNode | None
    look: Look
    opens: bool = True
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Page:
    """A page, the looks of its elements, and its notes."""

    tree: LexborHTMLParser
    shown: Shown
    notes: HtmlNotes

    def look(self, node: LexborNode) -> Look:
        """Find the look of an element in its place."""
        above: list[LexborNode] = []
        around: LexborNode | None = node
        while around is not None:
            above.append(around)
            around = around.parent
        look = PLAIN
        for each in reversed(above):
            look = self.shown.look(each, look) if look.drawn else look
        return look

    def there(self, node: LexborNode) -> bool:
        """Tell whether a picture is visible in its place."""
        return self.look(node).there


def _make_page(tree: LexborHTMLParser, out: CanonicalText) -> _Page:
    """Make a page as a browser shows it, without notes."""
    try:
        shown = Shown.of_page(tree)
    except RecursionError as error:
        raise DocumentError(
            f"{out.path}: its styles nest too deeply to be read; flatten them"
        ) from error
    if shown.styles.elsewhere:
        out.remark(ELSEWHERE)
    return _Page(tree, shown, HtmlNotes())


def _walk_page(
    page: _Page, out: CanonicalText, part: LexborNode | None = None
) -> Iterator[_Step]:
    """Walk a page or a part of it in reading order, without hidden elements.

    The elements of notes and the texts of links to them are left out. There is no
    recursion.
    """
    root = part or page.tree.root
    stack = [_Step(root, page.look(root))] if root else []
    depth = 0
    while stack:
        step = stack.pop()
        yield step
        if step.node is None:
            continue
        depth += 1 if step.opens else -1
        if depth > out.limits.depth:
            raise DocumentError(
                f"{out.path}: elements nest deeper than {out.limits.depth} levels;"
                " flatten it"
            )
        if step.opens:
            stack.append(_Step(step.node, step.look, opens=False))
            if step.node.mem_id not in page.notes.refers:
                stack.extend(reversed(_list_children(step, page)))


def _list_children(step: _Step, page: _Page) -> list[_Step]:
    steps: list[_Step] = []
    child = step.node.child if step.node else None
    steps += _list_added(step, page, "before")
    while child is not None:
        if child.is_text_node:
            text = child.text_content or ""
            text = UNSHOWN if step.look.turned and text.strip() else text
            steps += [_Step(None, step.look, text=text)] if step.look.read else []
        elif child.tag in SET_APART and page.look(child).there:
            steps.append(_Step(None, step.look, text=f" {UNSHOWN} "))
        elif child.tag in UNSEEN or page.notes.hide(child):
            pass
        elif child.is_element_node:
            look = page.shown.look(child, step.look)
            steps += [_Step(child, look)] if look.drawn else []
        child = child.next
    return [*steps, *_list_added(step, page, "after")]


def _list_added(step: _Step, page: _Page, where: str) -> list[_Step]:
    """List the words that the page's styles put before or after an element."""
    added = page.shown.styles.added
    words = added.get((step.node.mem_id, where), "") if step.node else ""
    return [_Step(None, step.look, text=f" {words} ")] if words else []


def append_html(out: CanonicalText, markup: str, sheets: str = "") -> LexborHTMLParser:
    """Append the text that a browser shows of `markup`; return the parsed page.

    `sheets` are the style sheets of the page that it is a part of.
    """
    if ROW.search(markup) and not TABLE.search(markup):
        markup = f"<table>{markup}</table>"  # without it a browser drops the cells
    tree = read_page(sheets + markup, out.path)
    page = _make_page(tree, out)
    page = replace(page, notes=read_notes(tree, lambda node: page.look(node).read))
    walk = _Walk(out, Titles(out), page.there)
    walk.notes.read = lambda name: _read_note(name, page, walk)
    _read_part(page, walk)
    return tree


def _read_part(page: _Page, walk: _Walk, part: LexborNode | None = None) -> None:
    """Read a page, or a part of it."""
    notes = page.notes
    raised: list[int] = []
    for step in _walk_page(page, walk.out, part):
        if step.node is None:
            walk.text.append(mark_struck(step.text, step.look))
            continue
        tag = step.node.tag or ""
        if tag in {"sup", "sub"} and step.node.mem_id not in notes.raised:
            if step.opens:
                raised.append(len(walk.text))
            else:
                start = raised.pop()
                walk.text[start:] = [raise_text(tag, "".join(walk.text[start:]))]
        elif step.opens:
            if tag in COLUMNS and walk.tables:
                walk.tables[-1].column(step.node, hidden=not step.look.visible)
            if step.look.read or tag not in SHOWN_IN_CELLS:
                walk.enter(tag, step.node)
            if step.node.mem_id in notes.refers:
                walk.text.append(walk.notes.refer(notes.refers[step.node.mem_id]))
        else:
            walk.leave(tag, step.node)
    walk.flush()


def _read_note(name: str, page: _Page, of: _Walk) -> str:
    """Read the text of a note, as one paragraph."""
    inner = CanonicalText(of.out.path, of.out.limits)
    walk = _Walk(inner, Titles(inner), page.there)
    _read_part(page, walk, page.notes.nodes[name])
    return page.notes.unsigned(name, " ".join(inner.text.split()))


@dataclass(frozen=True, slots=True)
class Collected:
    """The visible text of a stretch of a page, and the look at its beginning."""

    text: str
    look: Look


def collect(
    tree: LexborHTMLParser, out: CanonicalText, marks: tuple[str, str]
) -> dict[int, Collected]:
    """Collect the text between each pair of marks, by the number of the marks.

    Text that is not drawn is left out. Blanks stay as they are written.
    """
    found: dict[int, Collected] = {}
    parts: list[str] = []
    raised: list[int] = []
    number, look = -1, PLAIN
    for step in _walk_page(_make_page(tree, out), out):
        if step.node is None:
            parts.append(mark_struck(step.text, step.look))
            continue
        tag = step.node.tag or ""
        if tag in marks and step.opens:
            if number >= 0:
                found[number] = Collected(write_struck("".join(parts)), look)
            number = int(step.node.id or -1) if tag == marks[0] else -1
            look, parts, raised = step.look, [], []
        elif tag in {"sup", "sub"} and step.opens:
            raised.append(len(parts))
        elif tag in {"sup", "sub"} and raised:
            start = raised.pop()
            parts[start:] = [raise_text(tag, "".join(parts[start:]))]
        elif tag in INLINE_TEXT:
            parts.append(INLINE_TEXT[tag][not step.opens])
    if number >= 0:
        found[number] = Collected(write_struck("".join(parts)), look)
    return found


def raise_text(tag: str, text: str) -> str:
    """Write raised or lowered text; strike it as a whole where a part is struck."""
    plain = text.replace(STRIKE, "").replace(UNSTRIKE, "")
    shown = to_superscript(plain) if tag == "sup" else to_subscript(plain)
    return shown if plain == text else f"{STRIKE}{shown}{UNSTRIKE}"


def parse(markup: str, path: str, limits: Limits) -> Parsed:
    """Parse one HTML page with optional YAML or JSON front matter above its markup.

    Title and date come from the page's head where front matter lacks them. No other
    field does, because the head is the page's own claim, and front matter comes from
    whoever prepared the folder.
    """
    opened = open_matter(markup, path, limits)
    out = CanonicalText(path, limits)
    tree = append_html(out, opened.body)
    said = opened.details.of(out.text, out.blocks)
    told = {key: value for key, value in said.items() if value is not None}
    head = _read_head(tree, path)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        remarks=out.remarks,
        **{"title": head.title, "published": head.published, **told},
    )


def _read_head(tree: LexborHTMLParser, path: str) -> Details:
    """Read title and date of the head; ignore dates in free form."""
    named: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = node.attributes.get("name") or node.attributes.get("property") or ""
        named.setdefault(key.lower(), (node.attributes.get("content") or "").strip())
    title = tree.css_first("title")
    shown = make_storable(
        _collapse(title.text()) if title else named.get("og:title", "")
    )
    fields: dict[object, object] = {"title": "" if UNSHOWN in shown else shown}
    for key in ("article:published_time", "dcterms.issued", "date"):
        if named.get(key):
            try:
                return read_details({**fields, "published": named[key]}, path)
            except DocumentError:
                continue
    return read_details(fields, path)
