"""Tables of HTML: what is data and what is layout, and the cells of the former."""

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
    cell_text,
)

# What shows something where a cell holds no text.
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
    """A table whose end has not come; `layout`: its cells are read as a page is."""

    layout: bool
    table: Table
    group: str = ""
    row: list[Cell] | None = None
    texts: list[list[str]] = field(default_factory=list)
    columns: int = 0

    def column(self, node: LexborNode, *, hidden: bool) -> None:
        """Take a column, or a group of them that has none named; or leave it out."""
        if node.tag == "colgroup" and node.css_first("col") is not None:
            return
        first, self.columns = self.columns, self.columns + (_span(node, "span") or 1)
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
        """Take the cell that ends here; `there` says whether a picture is seen."""
        shown = cell_text(text) or _seen(node, there)
        heads = Heads.NOTHING
        if node.tag == "th":
            across = (node.attributes.get("scope") or "").lower().startswith("row")
            heads = Heads.ROW if across else Heads.COLUMN
        columns, rows = _span(node, "colspan"), _span(node, "rowspan")
        cell = Cell(shown, columns or 1, rows, heads, strong=_is_strong(node))
        if self.row is not None:
            self.row.append(cell)


def is_layout(node: LexborNode) -> bool:
    """Whether a table parts a page instead of showing values.

    It has no heads of its own, and holds headings, other tables, or one cell of blocks.
    """
    if (node.attributes.get("role") or "").lower() in {"presentation", "none"}:
        return True
    if any(_table_of(head) == node for head in node.css(MARKS)):
        return False
    if any(inner != node for inner in node.css(FLOWS)):
        return True
    cells = node.css("td")
    return len(cells) == 1 and len(cells[0].css(BLOCKS_OF_ONE)) > 1


def _table_of(node: LexborNode) -> LexborNode | None:
    found: LexborNode | None = node
    while found is not None and found.tag != "table":
        found = found.parent
    return found


def _span(node: LexborNode, name: str) -> int:
    """A span as browsers read it: 1 where it is no number."""
    read = SPAN.match(node.attributes.get(name) or "")
    return int(read.group(1)) if read else 1


def _is_strong(node: LexborNode) -> bool:
    """Whether all that a cell shows is bold."""
    while True:
        inner = [*_children(node)]
        if len(inner) != 1 or not inner[0].is_element_node:
            return False
        node = inner[0]
        if node.tag in {"b", "strong"}:
            return True


def _children(node: LexborNode) -> Iterator[LexborNode]:
    """What stands in a node but white space."""
    child = node.child
    while child is not None:
        blank = child.is_text_node and not (child.text_content or "").strip()
        if not blank and not child.is_comment_node:
            yield child
        child = child.next


def _seen(node: LexborNode, there: Seen) -> str:
    """What a cell without text shows: a picture by its name, or nothing."""
    shows = False
    for inner in node.css(PICTURES):
        if not there(inner):
            continue
        shows = True
        named = inner.css_first("title") if inner.tag == "svg" else None
        name = inner.attributes.get("aria-label") or inner.attributes.get("title")
        name = named.text() if named else name
        if cell_text(name or ""):
            return cell_text(name or "")
    return PICTURE if shows else ""


def shown_in_cell(node: LexborNode) -> str:
    """What a picture or a box to tick says inside a cell."""
    if node.tag == "img":
        return f" {node.attributes.get('alt') or ''} "
    kind = (node.attributes.get("type") or "").lower()
    if kind not in {"checkbox", "radio"}:
        return ""
    return "\u2611 " if "checked" in node.attributes else "\u2610 "
