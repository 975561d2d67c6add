"""Word files (.docx) to canonical text, by way of HTML.

Of open changes insertions are kept and deletions left out; a remark counts them, and
the title mentions them. Numbers of lists and clauses are kept as Word shows them,
footnotes are placed at their sentences, text boxes behind their paragraphs. Comments,
hidden words and tables of contents are left out; headers and footers are never quoted.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePath
from xml.etree.ElementTree import Element

import re2

from adapters.loaders.canonical import UNSHOWN, CanonicalText
from adapters.loaders.html import append_html
from adapters.loaders.limits import Limits
from adapters.loaders.office_package import (
    Package,
    clean_title,
    local_name,
    open_package,
)
from adapters.loaders.pdf import Kind
from adapters.loaders.readers import make_loader_name
from adapters.loaders.sheet_heads import count_heads_by_look
from adapters.loaders.word_styles import (
    OFF,
    Numbering,
    Styles,
    W,
    read_numbering,
    read_styles,
    read_switch,
    read_value,
)
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("docx")
OPEN_CHANGES = "with open changes"
HIDDEN = "has hidden words, which are left out"
DRAWN = "has charts or diagrams, whose words are not read"
ELSEWHERE = "has parts in other formats (altChunk), which are not read"
# Elements that only wrap others.
WRAPPERS = frozenset(
    {
        *("ins", "moveTo", "sdt", "sdtContent", "customXml", "smartTag", "hyperlink"),
        *("dir", "bdo", "fldSimple"),
    }
)
GONE = frozenset({"del", "moveFrom"})
SIGNS = {"tab": " ", "ptab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "\u2011"}
SYMBOLS = {"F0B7": "\u2022", "F0FE": "\u2611", "F0A8": "\u2610", "F0FC": "\u2713"}
CONTENTS = re2.compile(r"^\s*(?:TOC|TOF|INDEX)\b")
BOLD = re2.compile(r"(?s)<b>.*?</b>")
TAG = re2.compile(r"<[^>]*>")
SMALLEST = 4  # size in half points that is too small to read
CONTINUES = ("list paragraph", "list continue")


def parse(data: bytes, path: str, limits: Limits) -> Parsed:
    """Parse one Word file.

    Raises:
        DocumentError: damaged, with a password, or without text.
        DocumentTooLarge: it unpacks to more than the limit.
    """
    package = open_package(data, path, limits)
    main = package.main()
    tree = package.tree(main)
    body = None if tree is None else tree.find(W + "body")
    if body is None:
        raise DocumentError(f"{path}: is no Word file; save it again as .docx")
    page = _Page(package, main)
    page.append_blocks(body)
    page.close()
    out = CanonicalText(path, limits)
    append_html(out, page.markup())
    for remark in page.remarks:
        out.remark(remark)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=_make_title(page, package, out),
        remarks=out.remarks,
    )


def _make_title(page: "_Page", package: Package, out: CanonicalText) -> str:
    """Make the title, from the page or else the file; mention open changes."""
    heads = (b.of(out.text) for b in out.blocks if b.kind is BlockKind.HEADING)
    said = clean_title(page.title) or package.title() or next(heads, None)
    said = " ".join((said or PurePath(package.path).stem).split())
    return f"{said} ({OPEN_CHANGES})" if page.changes else said


@dataclass(slots=True)
class _Cell:
    """A cell of a table: its HTML, its spans, and its look."""

    markup: str
    columns: int
    rows: int
    look: tuple[bool, Hashable]


@dataclass(slots=True)
class _Row:
    cells: list[_Cell]
    before: int
    head: bool

    @property
    def look(self) -> Hashable | None:
        """Return the look of all filled cells; None where it is that of plain text."""
        looks = {cell.look for cell in self.cells if _strip_tags(cell.markup)}
        look = looks.pop() if len(looks) == 1 else None
        return look if look != (False, None) else None


@dataclass(slots=True)
class _Page:
    """The page so far as HTML, with its open lists and fields."""

    package: Package
    main: str
    parts: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    fields: list[list[bool]] = field(default_factory=list)  # in its code; not shown
    boxes: list[str] = field(default_factory=list)
    held: str = ""
    depth: int = 0
    level: int = 0
    title: str = ""
    changes: Counter[str] = field(default_factory=Counter)
    notes: dict[tuple[str, str], int] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    styles: Styles = field(init=False)
    numbering: Numbering = field(init=False)

    def __post_init__(self) -> None:
        self.styles = read_styles(self.package, self.main)
        self.numbering = read_numbering(self.package, self.main, self.styles)

    def markup(self) -> str:
        """Make the page's HTML, with notes at the end and running titles unquoted."""
        said = "".join(self.parts)
        notes: list[str] = []
        written = 0
        while written < len(self.notes):  # a note can refer to another
            (kind, name), number = list(self.notes.items())[written]
            notes.append(
                f'<aside id="note{number}">{self.make_note(kind, name)}</aside>'
            )
            written += 1
        running: dict[str, None] = {}
        for kind in ("header", "footer"):
            for part in self.package.related(self.main, kind):
                tree = self.package.tree(part)
                running[self.render_apart(tree) if tree is not None else ""] = None
        if self.changes:
            kept, gone = self.changes["ins"], self.changes["del"]
            self.remarks[
                f"has open changes: insertions kept: {kept}, deletions left out: {gone}"
            ] = None
        return f"{said}{''.join(notes)}<nav>{''.join(running)}</nav>"

    def make_note(self, kind: str, name: str) -> str:
        """Make the HTML of a footnote or an endnote."""
        part = next(self.package.related(self.main, f"{kind}s"), "")
        tree = self.package.tree(part)
        for node in tree if tree is not None else ():
            if node.get(W + "id") == name:
                return self.render_apart(node)
        return ""

    def render_apart(self, node: Element) -> str:
        """Make the HTML of a part that is outside of the text around it."""
        kept = self.parts, self.lists, self.held, self.boxes, self.fields
        self.parts, self.lists, self.held, self.boxes, self.fields = [], [], "", [], []
        self.depth += 1
        self.append_blocks(node)
        self.close()
        self.depth -= 1
        said = "".join(self.parts)
        self.parts, self.lists, self.held, self.boxes, self.fields = kept
        return said

    # --- blocks -----------------------------------------------------------------

    def append_blocks(self, node: Element) -> None:
        """Append the blocks of the body, a cell, a box or a note."""
        for child in self.list_children(node):
            name = local_name(child)
            if name == "p":
                self.append_paragraph(child)
            elif name == "tbl":
                self.append_table(child)
            elif name == "altChunk":
                self.remarks[ELSEWHERE] = None

    def list_children(self, node: Element) -> Iterator[Element]:
        """List the children of an element, with changes applied, without wrappers."""
        for child in node:
            name = local_name(child)
            if name in GONE and len(child):
                self.changes["del"] += 1
            elif name in WRAPPERS:
                if name in {"ins", "moveTo"} and len(child):
                    self.changes["ins"] += 1
                if not _is_contents(child):
                    yield from self.list_children(child)
            elif name == "AlternateContent":
                yield from self.list_children(_choose_form(child))
            else:
                yield child

    def append_paragraph(self, node: Element) -> None:
        """Append a paragraph, a heading or an item of a list."""
        told = node.find(W + "pPr")
        style = read_value(told, "pStyle")
        said = self.held + self.render_inline(node, style)
        self.held = ""
        mark = None if told is None else told.find(W + "rPr")
        if mark is not None and any(mark.find(W + gone) is not None for gone in GONE):
            self.held = said  # its end is deleted, so the next paragraph continues it
            return
        said = said.replace("</b><b>", "")
        boxes, self.boxes = "".join(self.boxes), []
        name = self.styles.name(style)
        if name.startswith(("toc ", "table of figures")):
            return
        if self.styles.switch(style, "paragraph", "vanish") or read_switch(
            mark, "vanish"
        ):
            self.parts.append(f"<p>{said}</p>{boxes}" if _strip_tags(said) else boxes)
            return
        numbered = self.styles.numbering(told)
        number = self.numbering.mark(*numbered) if numbered else None
        if _strip_tags(said) or "<img" in said:
            self.append_text(said, told, numbered, number)
        self.parts.append(boxes)

    def append_text(
        self,
        said: str,
        told: Element | None,
        numbered: tuple[str, int] | None,
        number: str | None,
    ) -> None:
        """Append a paragraph's text as a heading, an item or a paragraph."""
        level = self.styles.outline(told)
        name = self.styles.name(read_value(told, "pStyle"))
        marked = f"{escape(number)} {said}" if number else said
        if level is not None:
            self.close()
            self.level = level
            self.title = self.title or (_strip_tags(said) if name == "title" else "")
            self.parts.append(f"<h{min(level, 6)}>{marked}</h{min(level, 6)}>")
        elif numbered and not (self.depth and number):
            self.append_item(marked, numbered[1])
        elif self.lists and (_is_indented(told) or name.startswith(CONTINUES)):
            self.parts.append(f"<p>{marked}</p>")
        else:
            self.close()
            bold = not self.depth and not _strip_tags(str(BOLD.sub("", said)))
            heads = bold and Kind(1, bold=True).heads(_strip_tags(said))
            tag = f"h{min(self.level + 1, 6)}" if heads else "p"
            self.parts.append(f"<{tag}>{marked}</{tag}>")

    def append_item(self, said: str, level: int) -> None:
        """Append an item of a list, whose mark is part of its text."""
        while self.lists and self.lists[-1] > level:
            self.lists.pop()
            self.parts.append("</li></ul>")
        if self.lists and self.lists[-1] == level:
            self.parts.append("</li><li>")
        else:
            self.lists.append(level)
            self.parts.append("<ul><li>")
        self.parts.append(said)

    def close(self) -> None:
        """Close the open lists, and a paragraph whose end is deleted."""
        self.parts += ["</li></ul>"] * len(self.lists)
        self.lists.clear()
        if self.held:
            self.parts.append(f"<p>{self.held}</p>")
            self.held = ""

    # --- tables -----------------------------------------------------------------

    def append_table(self, node: Element) -> None:
        """Append a table with the spans of its cells."""
        self.close()
        told = node.find(W + "tblPr")
        style, look = read_value(told, "tblStyle"), _read_look(told)
        rows = list(self.list_rows(node))
        heads = 0
        while heads < len(rows) and rows[heads].head:
            heads += 1
        if not heads and "firstRow" in look and self.styles.table(style, "firstRow"):
            heads = 1
        heads = heads or count_heads_by_look([row.look for row in rows])
        across = "firstColumn" in look and self.styles.table(style, "firstCol")
        self.parts.append("<table>")
        for at, row in enumerate(rows):
            self.parts.append("<tr>")
            if row.before:
                self.parts.append(f'<td colspan="{row.before}"></td>')
            for column, cell in enumerate(row.cells):
                tag = "th" if at < heads else "td"
                if tag == "td" and across and column == 0 and not row.before:
                    tag = 'th scope="row"'
                self.parts.append(
                    f'<{tag} colspan="{cell.columns}" rowspan="{cell.rows}">'
                    f"{cell.markup}</{tag[:2]}>"
                )
            self.parts.append("</tr>")
        self.parts.append("</table>")

    def list_rows(self, node: Element) -> Iterator[_Row]:
        """List the shown rows, with merged cells joined to the first one."""
        above: dict[int, _Cell] = {}
        for child in self.list_children(node):
            if local_name(child) != "tr" or self.is_gone(child):
                continue
            told = child.find(W + "trPr")
            before = _read_count(read_value(told, "gridBefore"), 0)
            row = _Row([], before, head=bool(read_switch(told, "tblHeader")))
            column = before
            merged: dict[int, _Cell] = {}
            for held in self.list_children(child):
                if local_name(held) != "tc":
                    continue
                wide, goes_on = self.read_span(held)
                if goes_on == "left" and row.cells:
                    row.cells[-1].columns += wide
                elif goes_on == "above" and column in above:
                    cell = merged[column] = above[column]
                    cell.rows += 1
                else:
                    cell = self.make_cell(held, wide)
                    row.cells.append(cell)
                    merged[column] = cell
                column += wide
            above = merged
            yield row

    def is_gone(self, row: Element) -> bool:
        """Tell whether a row is deleted or hidden."""
        told = row.find(W + "trPr")
        if told is None:
            return False
        if told.find(W + "ins") is not None:
            self.changes["ins"] += 1
        if told.find(W + "del") is not None:
            self.changes["del"] += 1
            return True
        if read_switch(told, "hidden"):
            self.remarks[HIDDEN] = None
            return True
        return False

    def read_span(self, node: Element) -> tuple[int, str]:
        """Return the columns that a cell spans, and the side of the one it extends."""
        told = node.find(W + "tcPr")
        wide = _read_count(read_value(told, "gridSpan"), 1)
        for name, place in (("vMerge", "above"), ("hMerge", "left")):
            merge = None if told is None else told.find(W + name)
            if merge is not None and merge.get(W + "val", "continue") == "continue":
                return wide, place
        return wide, ""

    def make_cell(self, node: Element, wide: int) -> _Cell:
        said = self.render_apart(node)
        fill = read_value(node, "tcPr", "shd", key="fill") or "auto"
        bold = bool(_strip_tags(said)) and not _strip_tags(str(BOLD.sub("", said)))
        seen = fill.lower() not in {"auto", "ffffff"}
        return _Cell(said, wide, 1, (bold, fill.lower() if seen else None))

    # --- inside a paragraph -----------------------------------------------------

    def render_inline(self, node: Element, style: str | None) -> str:
        """Make the HTML of a paragraph."""
        parts: list[str] = []
        for child in self.list_children(node):
            name = local_name(child)
            if name == "r":
                parts.append(self.render_run(child, style))
            elif name in {"oMath", "oMathPara"}:
                parts.append(f" {UNSHOWN} ")
        return "".join(parts)

    def render_run(self, node: Element, style: str | None) -> str:
        """Make the HTML of a run of letters of one look."""
        told = node.find(W + "rPr")
        said = "".join(self.render_sign(child) for child in self.list_children(node))
        if not said:
            return ""
        if self.is_hidden(told, style):
            self.remarks[HIDDEN] = None
            return ""
        if not said.strip():
            return said
        height = read_value(told, "vertAlign") or ""
        if read_switch(told, "strike") or read_switch(told, "dstrike"):
            said = f"<s>{said}</s>"
        if height in {"superscript", "subscript"} and "role=" not in said:
            said = f"<{height[:3]}>{said}</{height[:3]}>"
        return f"<b>{said}</b>" if self.switch(told, style, "b") else said

    def switch(self, told: Element | None, style: str | None, name: str) -> bool:
        """Read a property of letters: their own, or else that of their styles."""
        for found in (
            read_switch(told, name),
            self.styles.switch(read_value(told, "rStyle") or "-", "character", name),
            self.styles.switch(style, "paragraph", name),
        ):
            if found is not None:
                return found
        return False

    def is_hidden(self, told: Element | None, style: str | None) -> bool:
        """Tell whether letters are hidden, too small, or white on white."""
        if self.switch(told, style, "vanish"):
            return True
        size = read_value(told, "sz")
        if size and size.isdecimal() and int(size) <= SMALLEST:
            return True
        white = (read_value(told, "color") or "").upper() == "FFFFFF"
        behind = read_value(told, "shd", key="fill") or read_value(told, "highlight")
        return white and not behind and not self.depth

    def render_sign(self, node: Element) -> str:
        """Make the HTML of one child of a run."""
        name = local_name(node)
        if name in {"fldChar", "instrText"}:
            self.track_field(node, name)
            return ""
        if any(any(field) for field in self.fields):
            return ""
        if name in {"t", "sym", *SIGNS}:
            return _read_letters(node, name)
        if name in {"footnoteReference", "endnoteReference"}:
            key = (name.removesuffix("Reference"), node.get(W + "id", ""))
            number = self.notes.setdefault(key, len(self.notes) + 1)
            return f'<sup><a href="#note{number}" role="doc-noteref">{number}</a></sup>'
        if name in {"drawing", "pict", "object"}:
            return self.keep_drawing(node)
        if name == "ruby":
            base, over = (node.find(W + part) for part in ("rubyBase", "rt"))
            held = [self.render_inline(p, None) for p in (base, over) if p is not None]
            return "(".join(held) + ")" * (len(held) - 1)
        return ""

    def track_field(self, node: Element, name: str) -> None:
        """Track the codes of fields and tables of contents, which are not shown."""
        kind = node.get(W + "fldCharType")
        if name == "instrText":
            if self.fields and CONTENTS.match(node.text or ""):
                self.fields[-1][1] = True
        elif kind == "begin":
            self.fields.append([True, False])
        elif kind == "separate" and self.fields:
            self.fields[-1][0] = False
        elif kind == "end" and self.fields:
            self.fields.pop()

    def keep_drawing(self, node: Element) -> str:
        """Keep the text boxes of a drawing, to place them behind the paragraph."""
        found = False
        for child in _find_outermost(node, lambda n: n.tag == W + "txbxContent"):
            self.boxes.append(f"<div>{self.render_apart(child)}</div>")
            found = True
        if any(local_name(child) in {"chart", "relIds"} for child in node.iter()):
            self.remarks[DRAWN] = None
        told = next(
            (child for child in node.iter() if local_name(child) == "docPr"), None
        )
        if found or not self.depth:
            return ""
        name = "" if told is None else told.get("descr") or ""
        return f'<img alt="{escape(name)}">'


def _read_letters(node: Element, name: str) -> str:
    if name == "t":
        return escape(node.text or "")
    if name == "sym":
        return SYMBOLS.get(node.get(W + "char", "").upper(), UNSHOWN)
    page = name == "br" and node.get(W + "type") in {"page", "column"}
    return " " if page else SIGNS[name]


def _is_contents(node: Element) -> bool:
    """Tell whether a wrapper is a generated table of contents."""
    gallery = node.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    instruction = node.get(W + "instr", "")
    named = gallery is not None and gallery.get(W + "val") == "Table of Contents"
    return named or bool(CONTENTS.match(instruction))


def _choose_form(node: Element) -> Element:
    """Choose the first form of a drawing, which current programs show."""
    forms = [child for child in node if local_name(child) in {"Choice", "Fallback"}]
    return forms[0] if forms else node


def _find_outermost(
    node: Element, wanted: Callable[[Element], bool]
) -> Iterator[Element]:
    for child in _choose_form(node) if local_name(node) == "AlternateContent" else node:
        if wanted(child):
            yield child
        else:
            yield from _find_outermost(child, wanted)


def _strip_tags(markup: str) -> str:
    return str(TAG.sub("", markup)).strip()


def _read_count(told: str | None, otherwise: int) -> int:
    return int(told) if told and told.isdecimal() else otherwise


def _is_indented(told: Element | None) -> bool:
    """Tell whether a paragraph is indented, as one that continues an item is."""
    for key in ("left", "start"):
        said = read_value(told, "ind", key=key)
        if said and said.isdecimal() and int(said) > 0:
            return True
    return False


def _read_look(told: Element | None) -> frozenset[str]:
    """Read the parts of a table that its style sets off."""
    node = None if told is None else told.find(W + "tblLook")
    if node is None:
        return frozenset()
    bits = int(node.get(W + "val", "0") or "0", 16)
    found: set[str] = set()
    for name, bit in (("firstRow", 0x20), ("firstColumn", 0x80)):
        own = node.get(W + name)
        if bits & bit if own is None else own.lower() not in OFF:
            found.add(name)
    return frozenset(found)
