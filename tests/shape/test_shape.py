"""The house rules that a machine can hold: imports, door, excepts, sizes, prose."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from tests.shape.source import ROOMS, ROOT, Module, imported, modules

# What the core may use from outside.
ENGINE_LIBRARIES = {
    "pydantic",
    "numpy",
    "re2",
    "nupunkt",
    "snowballstemmer",
    "py3langid",
}
# The only places that may catch everything; CONTRIBUTING.md names them, too.
BROAD = {"engine/pipeline/ask.py", "evals/record/runner.py"}
# Who may know a platform: the wiring, the processes, the checks, Slack's own pages.
PLATFORMS = {
    "adapters/plain.py",  # takes the layout off a part of either
    "bot/wiring.py",
    "bot/serving/platforms.py",
    "bot/doctor/platforms.py",
    "bot/messages/facts.py",
}
LONGEST_FILE = 700
LONGEST_BODY = 60
TESTS = ROOT / "tests"

each = pytest.mark.parametrize("module", modules(), ids=lambda m: m.path)


def test_imports_point_downwards() -> None:
    """The packages and the layers of the engine, as pyproject.toml draws them."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@each
def test_the_core_of_the_application_knows_no_platform(module: Module) -> None:
    """Only what serves, checks or shows a platform imports it; none knows another."""
    names = imported(module)
    known = {p for p in ("slack", "discord") if any(_below(n, p) for n in names)}
    room = "/".join(module.path.split("/")[:2])
    if room in ("adapters/slack", "adapters/discord"):
        assert known <= {room.split("/")[1]}, module.path
    elif module.path.startswith(("engine/", "adapters/", "bot/")):
        assert module.path in PLATFORMS or not known, f"{module.path} imports {known}"


def _below(name: str, platform: str) -> bool:
    return f"{name}.".startswith(f"adapters.{platform}.")


@each
def test_engine_knows_no_outside(module: Module) -> None:
    """The core imports the standard library and six named libraries, and DSPy where a
    model is asked."""
    if not module.path.startswith("engine/"):
        return
    roots = {name.split(".")[0] for name in imported(module)}
    outside = roots - set(sys.stdlib_module_names) - {"engine"}
    asks = module.path.startswith("engine/prompting/")
    allowed = ENGINE_LIBRARIES | ({"dspy"} if asks else set())
    assert outside <= allowed, f"{module.path} imports {outside}"


@each
def test_no_code_reads_what_belongs_to_the_tests(module: Module) -> None:
    """What measures or answers brings its own data along."""
    said = {
        id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and id(node) not in said:
            named = "tests/" in str(node.value)
            assert not named, f"{module.path}:{node.lineno} names {node.value!r}"
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            below = isinstance(node.op, ast.Div) and node.right.value == "tests"
            assert not below, f"{module.path}:{node.lineno} goes below tests"


@each
def test_no_broad_except(module: Module) -> None:
    """Only the corridor and the boundary of a case catch everything, with a name."""
    if module.path in BROAD:
        return
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        names = {n.id for n in ast.walk(node.type or node) if isinstance(n, ast.Name)}
        broad = node.type is None or names & {"Exception", "BaseException"}
        assert not broad, f"{module.path}:{node.lineno} catches everything"


def test_the_places_that_may_catch_everything_are_named() -> None:
    """Each of them does, and CONTRIBUTING.md says which they are."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in BROAD:
        assert "except Exception" in (ROOT / path).read_text(encoding="utf-8"), path
        assert f"`{path}`" in page, path


@each
def test_files_stay_small(module: Module) -> None:
    """A file has at most 700 lines, a function body at most 60."""
    assert module.lines <= LONGEST_FILE, f"{module.path}: {module.lines} lines"
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0]
        documented = isinstance(first, ast.Expr) and isinstance(
            first.value, ast.Constant
        )
        start = (first.end_lineno or 0) + 1 if documented else first.lineno
        body = (node.end_lineno or 0) - start + 1
        assert body <= LONGEST_BODY, f"{module.path}:{node.lineno} {node.name}: {body}"


def test_test_files_stay_small() -> None:
    """The limit of a file holds for tests, too."""
    lines = {path: path.read_text().count("\n") for path in TESTS.rglob("*.py")}
    assert {path for path, count in lines.items() if count > LONGEST_FILE} == set()


@each
def test_modules_say_what_they_are_for(module: Module) -> None:
    """Every module opens with a sentence."""
    doc = ast.get_docstring(module.tree)
    assert doc, f"{module.path} has no docstring"
    assert "PLACEHOLDER" not in doc, module.path
    assert doc.rstrip().endswith((".", ":")) or "\n" in doc, module.path


@each
def test_imports_stand_at_the_top(module: Module) -> None:
    """Nothing is imported inside functions, but for what only some runs need."""
    if module.path in LAZY or module.path.startswith(("evals/", "scripts/")):
        return
    for node in ast.walk(module.tree):
        assert not isinstance(node, ast.alias) or node.name != "import_module"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ast.walk(node):
                late = isinstance(inner, ast.ImportFrom | ast.Import)
                assert not late, f"{module.path}:{inner.lineno}"


# A command's module, a server's client and optional packages are imported when they
# are needed: start-up time, and what may not be installed. The architecture says why.
LAZY = {
    "adapters/embedding_fastembed.py",
    "adapters/ledger/migrate.py",
    "adapters/plugins.py",
    "bot/documents/indexes.py",
    "bot/models.py",
    "bot/pages/templates.py",
    "bot/tracing.py",
    "bot/verbs.py",
}


def test_the_modules_that_import_on_demand_are_named() -> None:
    """Each of them is there, and docs/architecture.md says what it waits with."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    arrows = page.partition("## The arrows")[2].partition("\n## ")[0]
    for path in LAZY:
        assert (ROOT / path).exists() and f"`{path}`" in arrows, path


def test_the_door_is_the_engine_package() -> None:
    """What may be used from outside stands in `engine.__all__`, and exists."""
    assert "Engine" in engine.__all__
    assert all(hasattr(engine, name) for name in engine.__all__)


def test_names_say_what_a_room_is_for() -> None:
    """No utils, helpers, common, manager or base."""
    banned = {"utils", "helpers", "common", "manager", "base", "misc"}
    parts = {part for m in modules() for part in m.path[:-3].split("/")}
    assert not parts & banned


def test_readme_names_the_tree() -> None:
    """Every top-level folder of code and every command stands in the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for room in (*ROOMS, "tests"):
        assert f"`{room}/`" in readme, room


def test_no_machine_paths_or_indexes_in_the_tree() -> None:
    """Lock files and code name no index host and no path of a machine."""
    hosts = ("py" + "pi.org", "python" + "hosted", "npm" + "js.", "/wo" + "rk/")
    files = [*ROOT.glob("requirements/*"), *ROOT.glob("*.toml"), ROOT / "Makefile"]
    files += [ROOT / module.path for module in modules()]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not any(host in text for host in hosts), path
