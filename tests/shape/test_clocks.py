"""No test goes by how fast the machine is: it waits for what happens, for a minute.

A wall-clock limit under a minute stands only where it has to pass: in a
`pytest.raises`, where what is waited for never comes.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shape.source import ROOT

LEAST_S = 60.0
LIMITS = {"timeout", "wait_for", "wait", "join"}  # calls that give up after seconds
WORDS = {"timeout", "within", "deadline"}  # arguments that say how many
WATCHES = {"perf_counter", "perf_counter_ns", "process_time", "thread_time"}
# The clock decides when something is killed, so that every moment has its turn.
KILLED = {"tests/bot/test_kill.py", "tests/adapters/index/test_crash.py"}
# Long proofs and servers: the limit is what they show, of processes of their own.
PROOFS = {
    "tests/scenarios/test_kills.py",
    "tests/adapters/index/test_weaviate_kill.py",
    "tests/adapters/index/test_weaviate_cold.py",
    "tests/adapters/index/test_weaviate_faults.py",
    "tests/scenarios/test_weaviate_outcomes.py",
}
FILES = sorted(
    path
    for path in (ROOT / "tests").rglob("*.py")
    if path.relative_to(ROOT).as_posix() not in KILLED | PROOFS
)

each = pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix()
)


def called(node: ast.Call) -> str:
    """The last part of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def outside_of_raises(node: ast.AST) -> Iterator[ast.AST]:
    """What a tree holds, without the blocks in which something has to fail."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.With | ast.AsyncWith) and any(
            isinstance(item.context_expr, ast.Call)
            and called(item.context_expr) == "raises"
            for item in child.items
        ):
            continue
        yield child
        yield from outside_of_raises(child)


def seconds(node: ast.expr, constants: dict[str, float]) -> float | None:
    """A number, also one that has a name in the same file."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    return constants.get(node.id) if isinstance(node, ast.Name) else None


def constants(tree: ast.Module) -> dict[str, float]:
    """The numbers that a file gives a name."""
    return {
        target.id: float(line.value.value)
        for line in tree.body
        if isinstance(line, ast.Assign)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, int | float)
        for target in line.targets
        if isinstance(target, ast.Name)
    }


def limits(tree: ast.Module) -> Iterator[str]:
    """Every limit under a minute, by its line."""
    named = constants(tree)
    for node in outside_of_raises(tree):
        if not isinstance(node, ast.Call):
            continue
        given = [word.value for word in node.keywords if word.arg in WORDS]
        if called(node) in LIMITS:
            given += node.args
        for one in given:
            found = seconds(one, named)
            if found is not None and found < LEAST_S:
                yield f"line {node.lineno}: {called(node)} gives up after {found:g} s"


def watches(tree: ast.Module) -> Iterator[str]:
    """Every look at a stop watch, and every comparison with a clock."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in WATCHES:
            yield f"line {node.lineno}: {called(node)}"
        if isinstance(node, ast.Assert):
            inner = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
            if any(called(call) == "monotonic" for call in inner):
                yield f"line {node.lineno}: an assertion about a clock"


def of_hypothesis(tree: ast.Module) -> Iterator[str]:
    """Every limit that a test sets its own examples."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) == "settings":
            for word in node.keywords:
                if word.arg == "deadline":
                    yield f"line {node.lineno}: tests/conftest.py says it"


@each
def test_no_test_goes_by_the_clock(path: Path) -> None:
    """What is compared is what was done; what is waited for has a minute."""
    if path.relative_to(ROOT).as_posix() == "tests/growth.py":
        return  # measures work against work
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [*limits(tree), *watches(tree), *of_hypothesis(tree)]
    assert found == [], f"{path.relative_to(ROOT)}: {found}"


@pytest.mark.parametrize(
    "text",
    [
        "async with asyncio.timeout(5): pass",
        "SOON = 5\nawait asyncio.wait_for(work, SOON)",
        "slack.connected(4, within=1)",
        "assert time.monotonic() - begun < 1",
        "took = perf_counter()",
        "@settings(deadline=200)\ndef test(): pass",
    ],
)
def test_a_limit_is_found(text: str) -> None:
    """Each way in which a test could go by the clock."""
    tree = ast.parse(text)
    assert [*limits(tree), *watches(tree), *of_hypothesis(tree)]


def test_a_limit_that_has_to_pass_is_none() -> None:
    """Where nothing comes, any limit will do."""
    text = "with pytest.raises(TimeoutError):\n    await asyncio.wait_for(work, 0.1)"
    assert not list(limits(ast.parse(text)))
