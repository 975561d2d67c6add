"""Tables of HTML: which are layout, and the cells of those with data."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import re2
from selectolax.lexbor import LexborNode

from adapters.loaders.tables import (
    MOST_COLUMNS,
    PICTURE,
    Cell,
    Heads,
    Table,
    clean_cell,
)

# Elements that show something in a cell without text.
PICTURES = (
    "canvas, embed, iframe, img, object, svg, video, i[class], [role=img], [aria-label]"
)
FLOWS = "table, h1, h2, h3, h4, h5, h6"
MARKS = "th, thead, caption"
BLOCKS_OF_ONE = "p, ul, ol, div, dl, pre, blockquote"
Seen = Callable[[LexborNode], bool]
SPAN = re2.compile(r"^\s*\+?(\d{1,9})")


@dataclass(slots=True)
class OpenTable:
    """An open table; the cells of a `layout` table are read like the page."""

    layout: bool
    table: Table
    group: str = ""
    row: list[Cell] | None = None
    texts: list[list[str]] = field(default_factory=list)
    columns: int = 0

    def column(self, node: LexborNode, *, hidden: bool) -> None:
        """Count a column or a group of columns, and note where it is hidden."""
        if node.tag == "colgroup" and node.css_first("col") is not None:
            return
        first, self.columns = (
            self.columns,
            self.columns + (_read_span(node, "span") or 1),
        )
        if hidden:
            self.table.hidden.update(range(first, min(self.columns, MOST_COLUMNS)))

    def open(self, tag: str) -> None:
        """Begin a group of rows or a row."""
        if tag in {"thead", "tbody", "tfoot"}:
            self.group = tag
            self.table.body += [[]] if tag == "tbody" else []
        elif tag == "tr":
            self.row = []

    def close(self, tag: str) -> None:
        """End a group of rows or a row."""
        if tag in {"thead", "tbody", "tfoot"}:
            self.group = ""
        elif tag == "tr" and self.row is not None:
            self.put(self.row)
            self.row = None

    def put(self, row: list[Cell]) -> None:
        if self.group == "thead":
            self.table.head.append(row)
        elif self.group == "tfoot":
            self.table.foot.append(row)
        else:
            self.table.add(row)

    def cell(self, node: LexborNode, text: str, there: Seen) -> None:
        """Add a cell at its end; `there` tells whether a picture is visible."""
        shown = clean_cell(text) or _show_picture(node, there)
        heads = Heads.NOTHING
        if node.tag == "th":
            across = (node.attributes.get("scope") or "").lower().startswith("row")
            heads = Heads.ROW if across else Heads.COLUMN
        columns, rows = _read_span(node, "colspan"), _read_span(node, "rowspan")
        cell = Cell(shown, columns or 1, rows, heads, strong=_is_strong(node))
        if self.row is not None:
            self.row.append(cell)


def is_layout(node: LexborNode) -> bool:
    """Tell whether a table lays a page out instead of showing values.

    It has no heads, and contains headings, other tables, or one cell of blocks.
    """
    if (node.attributes.get("role") or "").lower() in {"presentation", "none"}:
        return True
    if any(_find_table(head) == node for head in node.css(MARKS)):
        return False
    if any(inner != node for inner in node.css(FLOWS)):
        return True
    cells = node.css("td")
    return len(cells) == 1 and len(cells[0].css(BLOCKS_OF_ONE)) > 1


def _find_table(node: LexborNode) -> LexborNode | None:
    found: LexborNode | None = node
    while found is not None and found.tag != "table":
        found = found.parent
    return found


def _read_span(node: LexborNode, name: str) -> int:
    """Read a span as browsers do: 1 where it is not a number."""
    read = SPAN.match(node.attributes.get(name) or "")
    return int(read.group(1)) if read else 1


def _is_strong(node: LexborNode) -> bool:
    """Tell whether all of a cell is bold."""
    while True:
        inner = [*_list_children(node)]
        if len(inner) != 1 or not inner[0].is_element_node:
            return False
        node = inner[0]
        if node.tag in {"b", "strong"}:
            return True


def _list_children(node: LexborNode) -> Iterator[LexborNode]:
    """List the children of a node without white space and comments."""
    child = node.child
    while child is not None:
        blank = child.is_text_node and not (child.text_content or "").strip()
        if not blank and not child.is_comment_node:
            yield child
        child = child.next


def _show_picture(node: LexborNode, there: Seen) -> str:
    """Return the name of a picture in a cell without text, or "" without one."""
    shows = False
    for inner in node.css(PICTURES):
        if not there(inner):
            continue
        shows = True
        named = inner.css_first("title") if inner.tag == "svg" else None
        name = inner.attributes.get("aria-label") or inner.attributes.get("title")
        name = named.text() if named else name
        if clean_cell(name or ""):
            return clean_cell(name or "")
    return PICTURE if shows else ""


def show_in_cell(node: LexborNode) -> str:
    """Return the text of a picture or a checkbox inside a cell."""
    if node.tag == "img":
        return f" {node.attributes.get('alt') or ''} "
    kind = (node.attributes.get("type") or "").lower()
    if kind not in {"checkbox", "radio"}:
        return ""
    return "\u2611 " if "checked" in node.attributes else "\u2610 "
