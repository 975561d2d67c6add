"""No client makes its calls again by hand: `adapters/retrying.py` and tenacity do.

What is found: a `for` or `while` whose body holds a `try` that survives an exception
(a handler that does not end in `raise`, `return` or `break`) and a call of `sleep` or
`pause`. A loop that waits with `asyncio.timeout` or `wait_for`, one that suppresses
(`contextlib.suppress`), one whose `try` or pause is in a function that it calls, and
one without any pause are not found.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.shape.source import Module, modules

PAUSES = {"sleep", "pause"}
# Work at intervals, each round of which may fail: nothing is called again.
PERIODIC = {("bot/serving/serve.py", "_sweep"), ("bot/serving/serve.py", "_report")}

Found = tuple[str, int]
# A pack's own documents may be code, which is read and never run.
MODULES = [m for m in modules() if not m.path.startswith("config/packs/")]


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """What a node holds, without the functions that are defined in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from inside(child)


def survives(handler: ast.ExceptHandler) -> bool:
    """Whether the loop may go on after a handler."""
    return not isinstance(handler.body[-1], ast.Raise | ast.Return | ast.Break)


def pauses(node: ast.AST) -> bool:
    """Whether it is a call that waits for some seconds."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name in PAUSES


def loops(tree: ast.AST) -> Iterator[Found]:
    """The function and the line of each loop that makes a failed call again."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for function in (node for node in ast.walk(tree) if isinstance(node, functions)):
        for loop in inside(function):
            if not isinstance(loop, ast.For | ast.AsyncFor | ast.While):
                continue
            held = list(inside(loop))
            handlers = [node for node in held if isinstance(node, ast.ExceptHandler)]
            if any(map(survives, handlers)) and any(map(pauses, held)):
                yield function.name, loop.lineno


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.path)
def test_no_call_is_made_again_by_hand(module: Module) -> None:
    """A policy of `adapters.retrying.again` does it."""
    found = {n: at for n, at in loops(module.tree) if (module.path, n) not in PERIODIC}
    assert not found, f"{module.path}: use adapters.retrying.again in {found}"


def test_the_periodic_rounds_are_there() -> None:
    """No exception is kept for what is gone."""
    found = {(m.path, name) for m in MODULES for name, _ in loops(m.tree)}
    assert found == PERIODIC


CALL = "async def ask():\n    for turn in range(3):\n        "


@pytest.mark.parametrize(
    "text",
    [
        CALL + "try:\n            return call()\n        except OSError:\n"
        "            await asyncio.sleep(1)",
        CALL + "await asyncio.sleep(turn)\n        try:\n            return call()\n"
        "        except OSError as error:\n            last = error",
        CALL + "try:\n            return call()\n        except OSError:\n"
        "            if turn == 2:\n                raise\n        time.sleep(1)",
        "def ask():\n    while True:\n        try:\n            call()\n"
        "        except OSError:\n            self.pause(2)\n        else:\n"
        "            return",
    ],
)
def test_a_loop_that_calls_again_is_found(text: str) -> None:
    """In the forms that there once were."""
    assert [name for name, _ in loops(ast.parse(text))] == ["ask"]


@pytest.mark.parametrize(
    "text",
    [
        "def look():\n    while not done():\n        time.sleep(1)",
        CALL + "try:\n            call()\n        except OSError as error:\n"
        "            raise Failed from error\n        await asyncio.sleep(1)",
        "async def ask():\n    async for attempt in again(OSError, Pauses(1.0)):\n"
        "        with attempt:\n            await call()",
    ],
)
def test_a_poll_or_a_policy_is_none(text: str) -> None:
    """Nothing failed there, or tenacity counts."""
    assert list(loops(ast.parse(text))) == []
