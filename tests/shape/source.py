"""The checkout's own Python files, parsed once for the shape tests."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("engine", "adapters", "bot", "config", "evals", "scripts", "benchmarks")


@dataclass(frozen=True)
class Module:
    path: str
    lines: int
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    """Every module outside tests/, by path."""
    found = []
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            relative = path.relative_to(ROOT).as_posix()
            found.append(Module(relative, text.count("\n"), ast.parse(text)))
    return tuple(found)


def imported(module: Module) -> set[str]:
    """The absolute module names that a module imports, wherever it does so."""
    names: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names
