"""reStructuredText to canonical text, with the text of Sphinx's roles and directives.

No other file is included: `include`, `raw` and files in tables are disabled. A
directive or role that docutils does not know keeps its text and loses its markup.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import re2
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en
from docutils.utils import unescape

from adapters.loaders.canonical import (
    CanonicalText,
    Piece,
    to_subscript,
    to_superscript,
)
from adapters.loaders.front_matter import open_matter
from adapters.loaders.limits import Limits
from adapters.loaders.notes import Notes
from adapters.loaders.readers import make_loader_name
from adapters.loaders.tables import (
    BULLET,
    PICTURE,
    Cell,
    Heads,
    Table,
    clean_cell,
    write_inline,
)
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError, DocumentTooLarge
from engine.text.notes import find_numbers, format_mark

NAME = make_loader_name("rst")
CONFIGURED = (
    "what it has for some configurations alone (`ifconfig`) is left out, because a file"
    " does not say its own"
)
LINE_CHARACTERS = 100_000
SETTINGS: dict[str, object] = {
    "_disable_config": True,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "syntax_highlight": "none",
    "line_length_limit": LINE_CHARACTERS,
    "report_level": 1,  # keeps the text of what did not parse in the tree
    "halt_level": 5,
    "warning_stream": False,
}
# fmt: off
UNSEEN_DIRECTIVES = (
    "contents", "toctree", "include", "literalinclude", "raw", "redirect-from",
    "index", "highlight", "currentmodule", "module", "tabularcolumns", "meta",
    "sectnum", "date", "todo", "todolist", "testsetup", "testcleanup",
)
CODE_DIRECTIVES = ("code-block", "sourcecode", "code", "prompt", "graphviz", "mermaid")
# Directives whose argument is not text.
MUTE_DIRECTIVES = ("tabs", "grid", "card-carousel", "testcode", "testoutput")
# Tags of a build for the web, for `only`.
BUILT_WITH = frozenset({"html", "format_html", "builder_html"})
# fmt: on
DIRECTIVE = re2.compile(
    r"(?m)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z][\w:+.-]*)[ \t]*::"
)
ROLE = re2.compile(r":([A-Za-z][\w.+:-]*):`")
TITLED = re2.compile(r"(?s)^(.+?)\s*<[^<>]*>$")
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


class _AnyOption(dict[str, Any]):
    """An option specification that accepts every option, as text."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: str) -> Any:
        return str


class _Unseen(Directive):
    """A directive that shows nothing."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption()

    def run(self) -> list[nodes.Node]:
        return []


class _Code(_Unseen):
    """A directive with literal content below its caption."""

    def run(self) -> list[nodes.Node]:
        source = "\n".join(self.content)
        block = nodes.literal_block(source, source)
        caption = self.options.get("caption")
        if not caption:
            return [block]
        inline, messages = self.state.inline_text(caption, self.lineno)
        return [nodes.paragraph(caption, "", *inline), *messages, block]


class _Kept(_Unseen):
    """Any other directive; its argument is a line of text, its content body text."""

    def run(self) -> list[nodes.Node]:
        container = nodes.container()
        if "hide" in self.options:
            return []
        if self.arguments and self.name not in MUTE_DIRECTIVES:
            inline, messages = self.state.inline_text(self.arguments[0], self.lineno)
            container += nodes.paragraph(self.arguments[0], "", *inline)
            container += messages
        self.state.nested_parse(self.content, self.content_offset, container)
        return [container]


class _Only(_Kept):
    """Content for some builders, shown where a build for the web is among them."""

    def run(self) -> list[nodes.Node]:
        wanted = " ".join(self.arguments)
        self.arguments = []
        try:
            shown = _is_met(ast.parse(wanted.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError):
            shown = True  # as Sphinx does with an expression that it cannot read
        return super().run() if shown else []


def _is_met(wanted: ast.expr) -> bool:
    """Evaluate an expression of build tags.

    Raises:
        ValueError: it has more than tags, `and`, `or` and `not`.
    """
    if isinstance(wanted, ast.Name):
        return wanted.id in BUILT_WITH
    if isinstance(wanted, ast.UnaryOp) and isinstance(wanted.op, ast.Not):
        return not _is_met(wanted.operand)
    if isinstance(wanted, ast.BoolOp):
        held = [_is_met(part) for part in wanted.values]
        return all(held) if isinstance(wanted.op, ast.And) else any(held)
    raise ValueError("no expression of tags")


class _Configured(_Kept):
    """Content for some configurations, which a single file does not know."""

    def run(self) -> list[nodes.Node]:
        return [nodes.comment("", "", remark=CONFIGURED)]


def _read_role(
    name: str, rawtext: str, text: str, *rest: object, **more: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Read any role: the title of `title <target>`, or the target's last part."""
    shown = unescape(text)
    titled = None if name.startswith("cpp:") else TITLED.match(shown)
    if titled:
        shown = str(titled.group(1))
    elif name in {"doc", "download"}:
        shown = shown.rstrip("/").rpartition("/")[2]
    elif shown.startswith("~"):
        shown = shown[1:].rpartition(".")[2]
    classes = [name] if name in STRUCK else []
    return [nodes.inline(rawtext, shown.lstrip("!"), classes=classes)], []


def _register(text: str) -> None:
    """Register the directives and roles of `text` that docutils does not know."""
    for name in {str(found) for found in DIRECTIVE.findall(text)}:
        if name.lower() not in en.directives:
            directives.register_directive(name.lower(), _Kept)
    for name in UNSEEN_DIRECTIVES:
        directives.register_directive(name, _Unseen)
    for name in CODE_DIRECTIVES:
        directives.register_directive(name, _Code)
    directives.register_directive("only", _Only)
    directives.register_directive("ifconfig", _Configured)
    for name in {str(found) for found in ROLE.findall(text)}:
        if name.lower() not in en.roles:
            roles.register_local_role(name.lower(), cast(Any, _read_role))


@dataclass(slots=True)
class _Walk:
    """The state of the walk through the tree."""

    out: CanonicalText
    sections: int = 0
    depth: int = 0
    lists: list[int | None] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    marker: str = ""
    notes: Notes = field(default_factory=lambda: Notes(lambda name: name))
    noted: frozenset[str] = frozenset()

    def visit(self, node: nodes.Node) -> None:
        """Place one node of the body and the nodes below it."""
        if isinstance(node, UNSEEN):
            if isinstance(node, nodes.comment) and node.get("remark"):
                self.out.remark(node["remark"])
            return
        self.depth += 1
        if self.depth > self.out.limits.depth:
            raise DocumentError(
                f"{self.out.path}: lists or blocks nest deeper than"
                f" {self.out.limits.depth} levels; flatten it"
            )
        handler = HANDLERS.get(type(node).__name__)
        if handler is not None:
            handler(self, cast(nodes.Element, node))
        elif isinstance(node, nodes.TextElement):
            self.add(BlockKind.PARAGRAPH, read_inline(node))
        else:
            self.children(node)
        self.depth -= 1

    def children(self, node: nodes.Node) -> None:
        for child in node.children:
            self.visit(child)

    def add(self, kind: BlockKind, text: str, *, unfinished: bool = False) -> None:
        level, lead_in = 0, None
        if self.lists and kind is BlockKind.PARAGRAPH:
            kind, level = BlockKind.LIST_ITEM, len(self.lists)
            lead_in = self.lists[-1]
        marked = self.marker + text if text.strip() else text
        piece = Piece(kind, marked, level, lead_in, unfinished=unfinished)
        if self.out.add(piece) is not None:
            self.marker = ""
        self.place_notes(marked)

    def place_notes(self, text: str) -> None:
        """Place the notes that a text refers to, unless a list is open."""
        for number in find_numbers(text):
            self.notes.refer(str(number))
        if not self.lists:
            self.notes.place(self.out)

    def section(self, node: nodes.Element) -> None:
        self.sections += 1
        self.children(node)
        self.sections -= 1

    def title(self, node: nodes.Element) -> None:
        if isinstance(node.parent, nodes.section):
            level = min(6, self.sections)
            self.out.add(Piece(BlockKind.HEADING, read_inline(node), level))
            self.place_notes(read_inline(node))
        else:
            self.add(BlockKind.PARAGRAPH, read_inline(node))

    def code(self, node: nodes.Element) -> None:
        self.out.add(Piece(BlockKind.CODE, node.astext()))

    def items(self, node: nodes.Element) -> None:
        number = int(node.get("start", 1))
        self.lists.append(self.out.introduction(self.first[-1] if self.first else None))
        for item in node.children:
            self.first.append(len(self.out.blocks))
            if isinstance(node, nodes.enumerated_list):
                self.marker = make_item_mark(node, number)
            number += 1
            self.children(item)
            self.first.pop()
        self.lists.pop()
        self.place_notes("")

    def definition(self, node: nodes.Element) -> None:
        """Place a term or an option, then its definition."""
        inner = (nodes.definition, nodes.description)
        name = " ".join(
            read_inline(c) for c in node.children if not isinstance(c, inner)
        )
        self.add(BlockKind.PARAGRAPH, name, unfinished=True)
        self.lists.append(len(self.out.blocks) - 1)
        self.first.append(len(self.out.blocks))
        for child in node.children:
            if isinstance(child, inner):
                self.children(child)
        self.first.pop()
        self.lists.pop()
        self.place_notes("")

    def footnote(self, node: nodes.Element) -> None:
        """Place a note without a reference; others are placed at their references."""
        if self.noted.isdisjoint(node.get("ids", ())):
            self.entry(node)

    def entry(self, node: nodes.Element) -> None:
        """Place a field, footnote or citation, with its name before its text."""
        name, body = node.children[0], node.children[1:]
        label = isinstance(name, nodes.label)
        self.marker = f"[{read_inline(name)}] " if label else f"{read_inline(name)}: "
        for child in body:
            self.visit(child)
        self.marker = ""

    def table(self, node: nodes.Element) -> None:
        """Place a table of any form: its title, then its rows with their spans."""
        lead_in = None
        title = next((c for c in node.children if isinstance(c, nodes.title)), None)
        if title is not None:
            caption = Piece(BlockKind.PARAGRAPH, read_inline(title), unfinished=True)
            lead_in = self.out.add(caption)
        table = Table(self.out.path, lead_in=lead_in)
        read_table(node, table, self.out.limits)
        table.place(self.out)
        self.place_notes(node.astext())

    def lines(self, node: nodes.Element) -> None:
        lines = [read_inline(line) for line in node.findall(nodes.line)]
        self.add(BlockKind.PARAGRAPH, "\n".join(lines))

    def image(self, node: nodes.Element) -> None:
        alternative = str(node.get("alt", ""))
        if " " in alternative.strip():
            self.out.add(Piece(BlockKind.PARAGRAPH, alternative, quotable=False))

    def message(self, node: nodes.Element) -> None:
        """Place the text that did not parse, without the parser's message."""
        for block in node.children:
            if isinstance(block, nodes.literal_block):
                self.code(block)


HANDLERS = {
    "section": _Walk.section,
    "title": _Walk.title,
    "literal_block": _Walk.code,
    "doctest_block": _Walk.code,
    "math_block": _Walk.code,
    "bullet_list": _Walk.items,
    "enumerated_list": _Walk.items,
    "definition_list_item": _Walk.definition,
    "option_list_item": _Walk.definition,
    "field": _Walk.entry,
    "footnote": _Walk.footnote,
    "citation": _Walk.entry,
    "table": _Walk.table,
    "line_block": _Walk.lines,
    "image": _Walk.image,
    "system_message": _Walk.message,
}


def _number_notes(tree: nodes.document) -> tuple[frozenset[str], Notes]:
    """Replace references to footnotes by marks; return the footnotes with any."""
    known: dict[str, nodes.footnote] = {}
    for note in tree.findall(nodes.footnote):
        names: list[str] = note.get("ids", [])
        known.update(dict.fromkeys(names, note))
    order: dict[str, int] = {}
    for reference in [*tree.findall(nodes.footnote_reference)]:
        name = str(reference.get("refid", ""))
        if name in known:
            number = order.setdefault(name, len(order) + 1)
            reference.parent.replace(reference, nodes.Text(format_mark(number)))
    texts = {
        str(number): " ".join(read_inline(child) for child in known[name].children[1:])
        for name, number in order.items()
    }
    return frozenset(order), Notes(texts.__getitem__, {key: int(key) for key in texts})


def append_rst(out: CanonicalText, text: str) -> None:
    """Append the blocks of `text`.

    Raises:
        DocumentError: it nests deeper than the limit.
        DocumentTooLarge: a line is longer than docutils reads.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LINE_CHARACTERS:
            raise DocumentTooLarge(
                f"{out.path}: line {number} is longer than {LINE_CHARACTERS:,}"
                " characters; break it"
            )
    _register(text)
    try:
        tree = publish_doctree(text, settings_overrides=dict(SETTINGS))
        walk = _Walk(out)
        walk.noted, walk.notes = _number_notes(tree)
        walk.visit(tree)
    except RecursionError as error:
        raise DocumentError(
            f"{out.path}: lists or blocks nest too deeply to be read; flatten it"
        ) from error


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one reStructuredText page with optional YAML or JSON front matter."""
    opened = open_matter(text, path, limits)
    out = CanonicalText(path, limits)
    append_rst(out, opened.body)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        remarks=out.remarks,
        **opened.details.of(out.text, out.blocks),
    )


def make_item_mark(node: nodes.Element, number: int) -> str:
    """Make the mark of an enumerated item, as the page shows it."""
    kind = node.get("enumtype", "arabic")
    shown = str(number)
    if kind in {"loweralpha", "upperalpha"} and 1 <= number <= 26:
        shown = chr(ord("a" if kind == "loweralpha" else "A") + number - 1)
    return f"{node.get('prefix', '')}{shown}{node.get('suffix', '.')} "


def read_inline(node: nodes.Node) -> str:
    """Read the visible inline text, on one line unless a hyphen ends one."""
    if isinstance(node, nodes.Text):
        return str(SPACE.sub(" ", HYPHENATED.sub("\\1\v", node.astext()))).replace(
            "\v", "\n"
        )
    if isinstance(node, nodes.system_message | nodes.raw | nodes.image):
        return ""
    if isinstance(node, nodes.problematic):
        name = SUBSTITUTION.match(node.astext())
        return str(name.group(1)) if name else node.astext()
    parts = [read_inline(child) for child in node.children]
    if isinstance(node, nodes.literal | nodes.math):
        return node.astext()
    if isinstance(node, nodes.superscript):
        return to_superscript("".join(parts))
    if isinstance(node, nodes.subscript):
        return to_subscript("".join(parts))
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
    """Read the rows of a table of any form, with their spans."""
    for group in node.children:
        if not isinstance(group, nodes.tgroup):
            continue
        stubs = [bool(c.get("stub")) for c in group.findall(nodes.colspec)]
        for part in group.children:
            rows = [
                [*_read_cells(cast(nodes.Element, row), stubs, limits)]
                for row in part.children
                if isinstance(row, nodes.row)
            ]
            if isinstance(part, nodes.thead):
                table.head += rows
            elif rows:
                table.body.append(rows)


def _read_cells(
    row: nodes.Element, stubs: list[bool], limits: Limits
) -> Iterator[Cell]:
    wide = [1 + int(cast(nodes.Element, c).get("morecols", 0)) for c in row.children]
    whole = sum(wide) == len(stubs)
    for column, child in enumerate(row.children):
        cell = cast(nodes.Element, child)
        stub = whole and stubs[sum(wide[:column])]
        yield Cell(
            clean_cell("\v".join(_list_lines(cell, limits))),
            wide[column],
            1 + int(cell.get("morerows", 0)),
            Heads.ROW if stub else Heads.NOTHING,
            strong=_is_strong(cell),
        )


def _is_strong(cell: nodes.Element) -> bool:
    """Tell whether all of a cell is bold."""
    node: nodes.Node = cell
    while len(node.children) == 1 and not isinstance(node, nodes.Text):
        node = node.children[0]
        if isinstance(node, nodes.strong):
            return True
    return False


def _list_lines(node: nodes.Node, limits: Limits) -> Iterator[str]:
    """List the blocks of a cell, a line each, with the marks of lists."""
    for child in node.children:
        if isinstance(child, nodes.bullet_list | nodes.enumerated_list):
            number = int(child.get("start", 1))
            for item in child.children:
                numbered = isinstance(child, nodes.enumerated_list)
                mark = make_item_mark(child, number) if numbered else BULLET
                yield mark + " ".join(_list_lines(item, limits))
                number += 1
        elif isinstance(child, nodes.table):
            inner = Table("")
            read_table(child, inner, limits)
            yield write_inline(inner, limits)
        elif isinstance(child, nodes.line_block | nodes.compound | nodes.container):
            yield from _list_lines(child, limits)
        elif not isinstance(child, UNSEEN):
            yield read_inline(child) or _show_pictures(child)


def _show_pictures(node: nodes.Node) -> str:
    """Return the descriptions of pictures, for a line with pictures alone."""
    pictures = [*node.findall(nodes.image)]
    named = " ".join(str(picture.get("alt", "")) for picture in pictures).strip()
    return named or PICTURE if pictures else ""
