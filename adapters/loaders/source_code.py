"""Source code: the canonical text is the file, so that line numbers agree.

In Python the head of a class or function is a heading, its docstring paragraphs and its
body code. In other languages a definition is code together with the comment right above
it. In configuration files a section or top-level key is a heading.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import re2
from tree_sitter import Node, Parser

from adapters.loaders.canonical import make_storable
from adapters.loaders.limits import Limits
from adapters.preflight.grammars import EXTENSIONS as LANGUAGES
from adapters.preflight.grammars import find_language, load_grammar
from engine.model.document import SOURCE_CODE, Block, BlockKind, Parsed
from engine.model.errors import DocumentError, DocumentTooLarge
from engine.model.places import encode_path

CONFIGURATION = frozenset({".toml", ".ini", ".cfg", ".yaml", ".yml"})
EXTENSIONS = frozenset({*LANGUAGES, *CONFIGURATION})
PIECE = 900  # characters of code from which a blank line ends a block
MOST = 1_500  # characters from which any line ends it
DEEPEST = 6  # levels of headings

_BLANK = re2.compile(r"\n[ \t]*\n")
_INNER = re2.compile(r"(?s)^[A-Za-z]*(?:\"\"\"|'''|\"|')(.*?)(?:\"\"\"|'''|\"|')$")
_SECTION = re2.compile(r"(?m)^(?:\[+[^\]\n]+\]+|[\w.\"'-]+:)[ \t]*(?:#.*)?$")
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})


@dataclass(slots=True)
class _Blocks:
    """The blocks of a file so far, in its order."""

    path: str
    text: str
    limits: Limits
    found: list[Block] = field(default_factory=list)

    def add(self, kind: BlockKind, start: int, end: int, level: int = 0) -> None:
        """Add a range without the white space around it."""
        said = self.text[start:end]
        end -= len(said) - len(said.rstrip())
        lead = said[: len(said) - len(said.lstrip())]
        # Code keeps the indentation of its first line.
        kept = lead.rfind("\n") + 1 if kind is BlockKind.CODE else len(lead)
        start += kept
        if start >= end or not any(map(str.isalnum, self.text[start:end])):
            return
        if len(self.found) >= self.limits.blocks:
            raise DocumentTooLarge(
                f"{self.path}: more than {self.limits.blocks:,} pieces; split the file"
            )
        self.found.append(Block(start=start, end=end, kind=kind, level=level))

    def code(self, start: int, end: int, level: int) -> None:
        """Add code in pieces short enough to quote, cut at blank lines or any line."""
        first = at = start
        while at < end:
            line = self.text.find("\n", at, end) + 1 or end
            blank = not self.text[at:line].strip()
            if (blank and at - first > PIECE) or line - first > MOST:
                self.add(BlockKind.CODE, first, at, level)
                first = at
            at = line
        self.add(BlockKind.CODE, first, end, level)

    def prose(self, start: int, end: int) -> None:
        """Add the paragraphs of a docstring."""
        at = start
        for gap in _BLANK.finditer(self.text[start:end]):
            self.add(BlockKind.PARAGRAPH, at, start + gap.start())
            at = start + gap.end()
        self.add(BlockKind.PARAGRAPH, at, end)


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one file of source code or configuration.

    Raises:
        DocumentError: its lines cannot be counted as editors count them.
    """
    if "\r" in text:
        raise DocumentError(
            f"{path}: has carriage returns within lines, so that its lines cannot be "
            "counted; save it with line feeds"
        )
    if len(text) > limits.characters:
        raise DocumentTooLarge(
            f"{path}: more than {limits.characters:,} characters; split the file"
        )
    text = make_storable(text)
    blocks = _Blocks(path, text, limits)
    language = find_language(path)
    if language is None:
        _read_configuration(blocks)
    else:
        _Reader(blocks, language).read()
    return Parsed(
        path=path,
        text=text,
        blocks=tuple(blocks.found),
        loader=SOURCE_CODE,
        title=encode_path(path),
    )


def _read_configuration(blocks: _Blocks) -> None:
    at, level = 0, 1
    for head in _SECTION.finditer(blocks.text):
        blocks.code(at, head.start(), level)
        blocks.add(BlockKind.HEADING, head.start(), head.end(), 1)
        at, level = head.end(), 2
    blocks.code(at, len(blocks.text), level)


class _Reader:
    """The reader of a file's blocks by its syntax tree."""

    def __init__(self, blocks: _Blocks, language: str) -> None:
        self._blocks = blocks
        self._python = language == "python"
        self._data = blocks.text.encode()
        self._language = language
        raw = np.frombuffer(self._data, dtype=np.uint8)
        # Characters that begin before each byte; UTF-8 continues with 10xxxxxx.
        self._characters = np.concatenate(([0], np.cumsum((raw & 0xC0) != 0x80)))

    def read(self) -> None:
        tree = Parser(load_grammar(self._language).language).parse(self._data)
        root = tree.root_node
        self._read_inside(root, 0, len(self._data), 1)

    def _read_inside(self, node: Node, start: int, end: int, level: int) -> None:
        """Add definitions, docstring and code between two offsets of a node."""
        at = start
        for child in node.children:
            defined = _find_definition(child)
            if self._python and child == _find_docstring(node):
                self._add_code(at, child.start_byte, level)
                self._add_prose(child)
                at = child.end_byte
            elif defined and level <= DEEPEST:
                before = at if self._python else _find_comment_start(child, at)
                self._add_code(at, before, level)
                self._add_definition(child, defined, before, level)
                at = child.end_byte
        self._add_code(at, end, level)

    def _add_definition(self, whole: Node, node: Node, start: int, level: int) -> None:
        body = node.child_by_field_name("body")
        members = body is not None and any(map(_find_definition, body.children))
        if body is None or not (self._python or members):
            self._add_code(start, whole.end_byte, level)
            return
        self._add_code(start, whole.start_byte, level)
        head = next(n for n in _list_before(body) if n.type not in _COMMENTS).end_byte
        self._add(BlockKind.HEADING, whole.start_byte, head, level)
        self._read_inside(body, head, whole.end_byte, level + 1)

    def _add_prose(self, statement: Node) -> None:
        start, end = (
            self._to_offset(statement.start_byte),
            self._to_offset(statement.end_byte),
        )
        inner = _INNER.search(self._blocks.text[start:end])
        if inner is None:
            self._blocks.prose(start, end)
        else:
            self._blocks.prose(start + inner.start(1), start + inner.end(1))

    def _add_code(self, start: int, end: int, level: int) -> None:
        if start < end:
            self._blocks.code(self._to_offset(start), self._to_offset(end), level)

    def _add(self, kind: BlockKind, start: int, end: int, level: int) -> None:
        self._blocks.add(kind, self._to_offset(start), self._to_offset(end), level)

    def _to_offset(self, byte: int) -> int:
        """Convert an offset in bytes to one in characters."""
        return int(self._characters[byte])


def _find_definition(node: Node) -> Node | None:
    """Find the class or function that a node defines, decorated or exported or not."""
    if node.type in ("decorated_definition", "export_statement"):
        return next(filter(None, map(_find_definition, node.children)), None)
    if node.type.endswith(("_definition", "_declaration", "_item")):
        named = node.child_by_field_name("name") is not None
        return node if named or node.type == "impl_item" else None
    return None


def _list_before(node: Node) -> Iterator[Node]:
    """List the siblings before a node, the nearest first."""
    before = node.prev_sibling
    while before is not None:
        yield before
        before = before.prev_sibling


def _find_docstring(node: Node) -> Node | None:
    """Find the string that opens a module or the body of a definition."""
    first = next((c for c in node.children if c.type not in _COMMENTS), None)
    if first is None or first.type != "expression_statement":
        return None
    return first if [c.type for c in first.children] == ["string"] else None


def _find_comment_start(node: Node, floor: int) -> int:
    """Find the start of the comments right above a definition."""
    start, row = node.start_byte, node.start_point.row
    for before in _list_before(node):
        if before.type not in _COMMENTS or before.start_byte < floor:
            break
        if before.end_point.row < row - 1:
            break
        start, row = before.start_byte, before.start_point.row
    return start
