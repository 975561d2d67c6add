"""What nodes of reStructuredText show: inline text, list marks, cells of tables."""

from collections.abc import Iterator
from typing import cast

import re2
from docutils import nodes

from adapters.loaders.canonical import subscript, superscript
from adapters.loaders.limits import Limits
from adapters.loaders.tables import (
    BULLET,
    PICTURE,
    Cell,
    Heads,
    Table,
    as_text,
    cell_text,
)

# fmt: off
UNSEEN = (
    nodes.comment, nodes.target, nodes.substitution_definition, nodes.raw,
    nodes.pending, nodes.decoration, nodes.meta, nodes.transition, nodes.colspec,
)
# fmt: on
STRUCK = frozenset({"del", "line-through", "s", "strike", "strikethrough"})
SUBSTITUTION = re2.compile(r"(?s)^\|(.+)\|_{0,2}$")
SPACE = re2.compile(r"\s+")
HYPHENATED = re2.compile(r"([\w](?:-|\x{2010}))\n\s*")


def ordinal(node: nodes.Element, number: int) -> str:
    """The mark of an enumerated item, as the page shows it."""
    kind = node.get("enumtype", "arabic")
    shown = str(number)
    if kind in {"loweralpha", "upperalpha"} and 1 <= number <= 26:
        shown = chr(ord("a" if kind == "loweralpha" else "A") + number - 1)
    return f"{node.get('prefix', '')}{shown}{node.get('suffix', '.')} "


def inline(node: nodes.Node) -> str:
    """Inline text as a reader sees it, on one line unless a hyphen ends one."""
    if isinstance(node, nodes.Text):
        return str(SPACE.sub(" ", HYPHENATED.sub("\\1\v", node.astext()))).replace(
            "\v", "\n"
        )
    if isinstance(node, nodes.system_message | nodes.raw | nodes.image):
        return ""
    if isinstance(node, nodes.problematic):
        name = SUBSTITUTION.match(node.astext())
        return str(name.group(1)) if name else node.astext()
    parts = [inline(child) for child in node.children]
    if isinstance(node, nodes.literal | nodes.math):
        return node.astext()
    if isinstance(node, nodes.superscript):
        return superscript("".join(parts))
    if isinstance(node, nodes.subscript):
        return subscript("".join(parts))
    if isinstance(node, nodes.inline) and STRUCK & set(node.get("classes", ())):
        return f"~~{''.join(parts)}~~"
    if isinstance(node, nodes.footnote_reference | nodes.citation_reference):
        return f"[{''.join(parts)}]"
    blocks = any(
        isinstance(child, nodes.Body) and not isinstance(child, nodes.Inline)
        for child in node.children
    )
    return (" " if blocks else "").join(parts)


def read_table(node: nodes.Element, table: Table, limits: Limits) -> None:
    """The rows of a table of any form, with their spans."""
    for group in node.children:
        if not isinstance(group, nodes.tgroup):
            continue
        stubs = [bool(c.get("stub")) for c in group.findall(nodes.colspec)]
        for part in group.children:
            rows = [
                [*_cells(cast(nodes.Element, row), stubs, limits)]
                for row in part.children
                if isinstance(row, nodes.row)
            ]
            if isinstance(part, nodes.thead):
                table.head += rows
            elif rows:
                table.body.append(rows)


def _cells(row: nodes.Element, stubs: list[bool], limits: Limits) -> Iterator[Cell]:
    wide = [1 + int(cast(nodes.Element, c).get("morecols", 0)) for c in row.children]
    whole = sum(wide) == len(stubs)
    for column, child in enumerate(row.children):
        cell = cast(nodes.Element, child)
        stub = whole and stubs[sum(wide[:column])]
        yield Cell(
            cell_text("\v".join(_lines(cell, limits))),
            wide[column],
            1 + int(cell.get("morerows", 0)),
            Heads.ROW if stub else Heads.NOTHING,
            strong=_is_strong(cell),
        )


def _is_strong(cell: nodes.Element) -> bool:
    """Whether all of a cell is bold."""
    node: nodes.Node = cell
    while len(node.children) == 1 and not isinstance(node, nodes.Text):
        node = node.children[0]
        if isinstance(node, nodes.strong):
            return True
    return False


def _lines(node: nodes.Node, limits: Limits) -> Iterator[str]:
    """The blocks of a cell, a line each; marks of lists stay."""
    for child in node.children:
        if isinstance(child, nodes.bullet_list | nodes.enumerated_list):
            number = int(child.get("start", 1))
            for item in child.children:
                numbered = isinstance(child, nodes.enumerated_list)
                mark = ordinal(child, number) if numbered else BULLET
                yield mark + " ".join(_lines(item, limits))
                number += 1
        elif isinstance(child, nodes.table):
            inner = Table("")
            read_table(child, inner, limits)
            yield as_text(inner, limits)
        elif isinstance(child, nodes.line_block | nodes.compound | nodes.container):
            yield from _lines(child, limits)
        elif not isinstance(child, UNSEEN):
            yield inline(child) or _pictured(child)


def _pictured(node: nodes.Node) -> str:
    """What stands for a line that shows pictures alone."""
    pictures = [*node.findall(nodes.image)]
    named = " ".join(str(picture.get("alt", "")) for picture in pictures).strip()
    return named or PICTURE if pictures else ""
