"""Resolution of names in a Python file: through imports, aliases and look-ups.

It reads Python's syntax tree and runs no code. A name that is bound several times
resolves to all of its meanings, anywhere in the file, because a search for calls should
rather find one too many.
"""

import ast
import builtins
import re
import tokenize
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO

UNKNOWN = "?"  # a module or name that is known only at run time
MOST_BRACES = 20_000  # Python parses a format string in quadratic time
_PASSES = 4  # longest chain of aliases
_MOST = 12  # meanings of one name
_LONGEST = 120  # characters of a dotted name
_BINDING = (
    *(ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.NamedExpr),
    *(ast.For, ast.withitem, ast.arguments, ast.ClassDef),
)
_BUILTINS = frozenset({*dir(builtins), "__builtins__", "?"})
_LOOKED_UP = frozenset({"globals", "locals", "vars", "__builtins__", "sys.modules"})
_IMPORTS = frozenset({"__import__", "importlib.import_module", "importlib.__import__"})
_WRAPS = frozenset({"functools.partial", "staticmethod", "classmethod"})
_TEXTS = ("utf-8", "utf-8-sig", "ascii", "us-ascii")
_ENDS = re.compile(rb"\r\n|\r|\n")


class NotPython(ValueError):
    """A file is not read as Python; the message gives the reason in a few words."""


@dataclass(slots=True)
class Names:
    """One file: its tree, and the meanings of its names.

    Args:
        data: the file's bytes.

    Raises:
        NotPython: Python would not read it, or not for certain.
    """

    data: bytes
    tree: ast.Module = field(init=False)
    _bound: dict[str, set[str]] = field(init=False, default_factory=dict)
    _stars: list[str] = field(init=False, default_factory=list)
    _roots: set[str] = field(init=False, default_factory=lambda: {*_BUILTINS})
    _starts: list[int] = field(init=False)
    _known: dict[int, set[str]] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.tree = _parse(self.data)
        self._starts = [0, *(found.end() for found in _ENDS.finditer(self.data))]
        binding = [node for node in ast.walk(self.tree) if isinstance(node, _BINDING)]
        for node in binding:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
        for _ in range(_PASSES):
            before = sum(map(len, self._bound.values()))
            for node in binding:
                self._bind(node)
            if sum(map(len, self._bound.values())) == before:
                break
        self._known = {}

    def offset(self, node: ast.expr | ast.stmt) -> int:
        """Find the byte at which a node's line starts; lines end at "\\r" too."""
        return self._starts[min(node.lineno, len(self._starts)) - 1]

    def of(self, node: ast.expr, depth: int = 0) -> set[str]:
        """Find the dotted names that an expression may mean; most have none.

        `__import__("os").system`, `getattr(os, "system")` and `o.system` after
        `import os as o` are all `os.system`; builtins have no module before them.
        """
        if depth > 50:
            return set()
        if self._known is not None and id(node) in self._known:
            return self._known[id(node)]
        found = {_normalise(name) for name in self._resolve(node, depth)}
        if self._known is not None:
            self._known[id(node)] = found
        return found

    def _resolve(self, node: ast.expr, depth: int) -> set[str]:
        found: set[str] = set()
        match node:
            case ast.Name(id=name):
                found = self._resolve_name(name)
            case ast.Attribute(value=value, attr=name):
                inside = self.of(value, depth + 1)
                found = {f"{base}.{name}" for base in inside}
                found |= self._bound.get(_write_path(node), set())
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                found = self.of(value, depth + 1)
            case ast.IfExp(body=one, orelse=other):
                found = self.of(one, depth + 1) | self.of(other, depth + 1)
            case ast.BoolOp(values=values):
                found = {n for value in values for n in self.of(value, depth + 1)}
            case ast.Subscript(value=value, slice=key):
                found = self._resolve_item(value, key, depth)
            case ast.Call():
                found = self._resolve_result(node, depth)
            case _:
                pass
        return found

    def _resolve_name(self, name: str) -> set[str]:
        bound = self._bound.get(name)
        if bound is not None:
            return {*bound, name}
        return {name, *(f"{star}.{name}" for star in self._stars)}

    def _resolve_item(self, value: ast.expr, key: ast.expr, depth: int) -> set[str]:
        """Resolve `globals()["eval"]`, `vars(os)["system"]`, `os.__dict__["x"]`."""
        name = read_constant(key)
        if isinstance(value, ast.Call):
            called = self.of(value.func, depth + 1)
            inside = set() if value.args else {""}
            for each in value.args[:1]:
                inside = self.of(each, depth + 1)
        else:
            called = inside = self.of(value, depth + 1)
            of = [each for each in inside if f".{each}".endswith(".__dict__")]
            if of:
                bases = [each[: -len("__dict__")] for each in of]
                return {f"{base}{name or UNKNOWN}" for base in bases}
            inside = {""}
        if not called & _LOOKED_UP:
            return set()
        return {f"{base}.{name or UNKNOWN}".lstrip(".") for base in inside}

    def _resolve_result(self, call: ast.Call, depth: int) -> set[str]:
        """Resolve the result of a call: a module, an attribute, or an unnamed value."""
        called = self.of(call.func, depth + 1)
        first = call.args[0] if call.args else None
        if called & _IMPORTS and first is not None:
            return {read_constant(first) or UNKNOWN}
        if "getattr" in called and len(call.args) > 1:
            name = read_constant(call.args[1]) or UNKNOWN
            return {f"{base}.{name}" for base in self.of(call.args[0], depth + 1)}
        if called & _WRAPS and first is not None:
            return self.of(first, depth + 1)
        return {f"{name}()" for name in called}

    # --- bindings of names ---------------------------------------------------------

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
                | ast.withitem(context_expr=value, optional_vars=ast.expr() as target)
            ):
                self._assign(target, value)
            case ast.For(target=target, iter=ast.Tuple() | ast.List() as every):
                for value in every.elts:
                    self._assign(target, value)
            case ast.ClassDef(name=name, bases=bases):
                for base in bases:
                    self._add(name, self.of(base))
            case ast.arguments():
                self._bind_defaults(node)
            case _:
                pass

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom) and node.level:
            return  # of the package itself
        above = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for each in node.names:
            if each.name == "*":
                if above[:-1] not in self._stars:
                    self._stars.append(above[:-1])
                continue
            known = f"{above}{each.name}"
            self._roots.add(known.partition(".")[0])
            if not above and not each.asname:  # `import os.path` binds os
                known = known.partition(".")[0]
            self._add(each.asname or known.rpartition(".")[2], {known})

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        inside = (ast.Tuple, ast.List)
        if isinstance(target, inside) and isinstance(value, inside):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._assign(one, other)
        elif isinstance(target, ast.Name | ast.Attribute):
            self._add(_write_path(target), self.of(value))

    def _bind_defaults(self, node: ast.arguments) -> None:
        """Bind parameters to their defaults: `def f(run=os.system)`."""
        every = [*node.posonlyargs, *node.args]
        given = node.defaults
        pairs = [*zip(every[len(every) - len(given) :], given, strict=True)]
        keywords = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        pairs += [(arg, value) for arg, value in keywords if value is not None]
        for argument, value in pairs:
            self._add(argument.arg, self.of(value))

    def _add(self, name: str, meant: Iterable[str]) -> None:
        """Add meanings that lead out of the file: modules, builtins, their results."""
        known = {each for each in meant if each != name and self._leads(each)}
        if name and known:
            held = self._bound.setdefault(name, set())
            held.update(sorted(known)[: max(0, _MOST - len(held))])

    def _leads(self, name: str) -> bool:
        root = name.partition(".")[0]
        return root in self._roots and name.count("(") < 2 and len(name) <= _LONGEST


def read_constant(node: ast.expr, depth: int = 0) -> str | None:
    """Read a literal text, also in parts ("sys" + "tem"); return None for others."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right) if depth < 50:
            first, last = (
                read_constant(left, depth + 1),
                read_constant(right, depth + 1),
            )
            return None if first is None or last is None else first + last
        case ast.JoinedStr(values=values) if depth < 50:
            parts = [read_constant(each, depth + 1) for each in values]
            return None if None in parts else "".join(map(str, parts))
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return read_constant(value, depth + 1) if depth < 50 else None
        case _:
            return None


def list_keywords(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """List the keyword arguments of a call, also those of `**{"shell": True}`."""
    for each in call.keywords:
        if each.arg is not None:
            yield each.arg, each.value
        elif isinstance(each.value, ast.Dict):
            for key, value in zip(each.value.keys, each.value.values, strict=True):
                name = None if key is None else read_constant(key)
                if name is not None:
                    yield name, value
        elif (
            isinstance(each.value, ast.Call) and _write_path(each.value.func) == "dict"
        ):
            yield from list_keywords(each.value)


def _write_path(node: ast.expr) -> str:
    """Write a dotted name as in the source; return "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 20:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join((node.id, *reversed(parts)))


_SAME: Mapping[str, str] = {
    "builtins": "",
    "__builtins__": "",
    "posix": "os",
    "nt": "os",
    "_pickle": "pickle",
    "cPickle": "pickle",
}


def _normalise(name: str) -> str:
    """Normalise a dotted name: `builtins.eval` is `eval`."""
    first, dot, rest = unicodedata.normalize("NFKC", name).partition(".")
    if not dot or first not in _SAME or rest == UNKNOWN:
        return first + dot + rest
    return f"{_SAME[first]}.{rest}".lstrip(".")


def _parse(data: bytes) -> ast.Module:
    """Parse a file as Python does.

    Raises:
        NotPython: Python would not read it.
    """
    if b"\0" in data:
        raise NotPython("holds a NUL byte: not read as Python")
    if data.count(b"{") > MOST_BRACES:
        raise NotPython("holds too many braces: not read as Python")
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        known = encoding.casefold()
        if known not in _TEXTS and not known.startswith(("iso-8859", "cp125", "latin")):
            raise NotPython(f"is written in {encoding}: not read as Python")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data.decode(encoding))
    except (SyntaxError, UnicodeError, LookupError) as error:
        told = (
            "is no Python of this version" if _is_syntax(error) else "cannot be decoded"
        )
        raise NotPython(f"{told}: not read as Python") from error
    except (RecursionError, MemoryError) as error:
        raise NotPython("is nested too deep: not read as Python") from error


def _is_syntax(error: Exception) -> bool:
    return isinstance(error, SyntaxError)
