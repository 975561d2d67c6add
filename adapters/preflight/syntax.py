"""Definitions and references by syntax, so without comments and strings."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

import re2
from tree_sitter import Node, Parser, QueryCursor, Tree

from adapters.preflight.content import Content
from adapters.preflight.grammars import find_language, load_grammar
from adapters.preflight.hits import Hit, Look
from adapters.preflight.python_names import Names, NotPython
from adapters.preflight.search import compile_expression
from engine.inspection.question_pack import Definitions, References

LARGEST = 1 << 20  # bytes of a file that is parsed
MOST_MATCHES = 100_000  # of one query in one file

# Node types of all languages: members, calls, the fields of the called name, and the
# suffixes of definitions.
MEMBERS = frozenset(
    {
        "attribute",
        "member_expression",
        "selector_expression",
        "field_expression",
        "scoped_identifier",
    }
)
CALLS = frozenset(
    {
        "call",
        "call_expression",
        "new_expression",
        "method_invocation",
        "object_creation_expression",
        "macro_invocation",
    }
)
CALLED = ("function", "constructor", "name", "type", "macro")
DEFINING = (
    "_definition",
    "_declaration",
    "_declarator",
    "_item",
    "_signature",
    "_spec",
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a file: its kind, and the lines of its definition or use."""

    text: str
    what: str
    first: int
    last: int


@dataclass(slots=True)
class Syntax:
    """The parsed files of one repository; definitions are cached across preflights."""

    _definitions: dict[str, tuple[Name, ...]] = field(default_factory=dict)

    def definitions(self, look: Look, step: Definitions) -> Iterator[Hit]:
        """Find definitions of names; the range of a hit is the whole definition."""
        pattern = compile_expression(step.name)
        for path, content in _list_parsable(look, step.name):
            known = self._definitions.get(path)
            if known is None:
                known = self._definitions[path] = tuple(
                    _find_definitions(path, content)
                )
            for name in known:
                if step.what and name.what not in step.what:
                    continue
                if pattern.fullmatch(name.text.encode()) is not None:
                    note, values = f"{name.what} {name.text}", (name.text, name.what)
                    yield Hit(path, name.first, name.last, note, values)

    def references(self, look: Look, step: References) -> Iterator[Hit]:
        """Find the lines in which names are used, each once; only calls for `calls`."""
        pattern = compile_expression(step.name)
        for path, content in _list_parsable(look, step.name):
            told: set[tuple[int, str]] = set()
            for name in _find_uses(path, content, pattern, calls=step.calls):
                if (name.first, name.text) not in told:
                    told.add((name.first, name.text))
                    note, values = f"{name.what} of {name.text}", (name.text,)
                    yield Hit(path, name.first, name.first, note, values)
            if find_language(path) == "python":
                yield from _find_aliased_calls(look, path, content, pattern, told)


def _list_parsable(look: Look, name: str) -> Iterator[tuple[str, Content]]:
    """List files of a known language that may have the name, to save parsing others.

    A name of plain letters has to occur as a whole word.
    """
    plain = all(c.isascii() and (c.isalnum() or c in "_|") for c in name)
    pattern = compile_expression(rf"\b(?:{name})\b" if plain else name)
    for path, content in look.contents():
        language = find_language(path)
        # Python normalises many letters beyond ASCII to ASCII.
        spelt = language == "python" and not content.data.isascii()
        if language is None or not (spelt or pattern.search(content.data)):
            continue
        if len(content.data) > LARGEST:
            look.miss(path, f"larger than {LARGEST >> 20} MiB: not parsed")
            continue
        yield path, content


def parse(path: str, content: Content) -> Tree:
    """Parse a file; a text that is not in its language gives a tree with errors."""
    return Parser(load_grammar(find_language(path) or "").language).parse(content.data)


def _find_definitions(path: str, content: Content) -> Iterator[Name]:
    """Find every definition once; a function in a class is its method."""
    query = load_grammar(find_language(path) or "").definitions
    cursor = QueryCursor(query, match_limit=MOST_MATCHES)
    kinds = cursor.captures(parse(path, content).root_node)
    found: dict[int, Name] = {}
    for kind in sorted(kinds):  # "function" before "method"
        for node in kinds[kind]:
            found[node.start_byte] = _make_name(node, kind, node.parent or node)
    yield from (found[at] for at in sorted(found))


def _find_uses(
    path: str, content: Content, pattern: re2._Regexp, *, calls: bool
) -> Iterator[Name]:
    """Find uses of names where they are written, except in their definitions."""
    root = parse(path, content).root_node
    at = 0
    while (found := pattern.search(content.data, at)) is not None:
        start = found.start()
        at = max(found.end(), start + 1)
        node = root.named_descendant_for_byte_range(start, start + 1)
        if node is None or not node.type.endswith("identifier"):
            continue
        at = max(node.end_byte, start + 1)
        if pattern.fullmatch(node.text or b"") is None:
            continue
        called = _is_called(node)
        if called or not (calls or _is_defined(node)):
            yield _make_name(node, "call" if called else "use", node)


def _find_aliased_calls(
    look: Look,
    path: str,
    content: Content,
    pattern: re2._Regexp,
    told: set[tuple[int, str]],
) -> Iterator[Hit]:
    """Find calls in Python by an alias, or in letters that Python normalises."""
    try:
        names = Names(content.data)
    except NotPython as error:
        look.miss(path, str(error))
        return
    for node in ast.walk(names.tree):
        if not isinstance(node, ast.Call):
            continue
        meant = {name.rpartition(".")[2] for name in names.of(node.func)}
        number = content.number(names.offset(node))
        for name in sorted(meant):
            known = (number, name) in told
            if not known and pattern.fullmatch(name.encode()) is not None:
                told.add((number, name))
                yield Hit(path, number, number, f"call of {name}", (name,))


def _is_called(node: Node) -> bool:
    """Tell whether a name is called: `f()`, `a.f()`, `new F()`."""
    at, parent = node, node.parent
    if parent is not None and parent.type in MEMBERS:
        if parent.named_children[-1] != node:
            return False
        at, parent = parent, parent.parent
    if parent is None or parent.type not in CALLS:
        return False
    return any(parent.child_by_field_name(part) == at for part in CALLED)


def _is_defined(node: Node) -> bool:
    """Tell whether a node is the name in a definition."""
    parent = node.parent
    if parent is None or not parent.type.endswith(DEFINING):
        return False
    return parent.child_by_field_name("name") == node


def _make_name(node: Node, what: str, whole: Node) -> Name:
    text = (node.text or b"").decode("utf-8", "replace")
    return Name(text, what, node.start_point.row + 1, whole.end_point.row + 1)
