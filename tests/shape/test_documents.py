"""Documents name only what is in the tree: paths, links, modules to run."""

from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
import re2

from tests.shape.source import ROOMS, ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
# Folders of the data folder, which docs/formats.md describes.
OF_DATA = {"build/", "backups/", "cache/", "data/", "index/", "keys/", "weaviate/"}
TREE = (*ROOMS, "deploy", "docs", "requirements", "tests")

_CODE = re2.compile(r"(?s)```.*?```")
_PATH = re2.compile(r"`(\.?[\w*][\w./*-]*(?:\.py|/))`")
_ROW = re2.compile(r"`([^`]+)`")
_LINK = re2.compile(r"\]\(([^)#:]+)\)")
_IN_CODE = re2.compile(r"(?m)(?:^|[\s\"(])([\w./-]+\.py)\b")
_BELOW = re2.compile(rf"(?m)(?:^|[\s\"(])((?:{'|'.join(TREE)})/[\w/-]+)(?:\s|$)")
_RUN = re2.compile(r"python -m ((?:adapters|benchmarks|bot|evals|scripts)[\w.]*)")

each = pytest.mark.parametrize(
    "document", [ROOT / name for name in DOCUMENTS], ids=lambda path: path.name
)


@cache
def places() -> tuple[str, ...]:
    """Every module of the tree, and every folder with a slash behind it.

    A folder that holds caches alone is what a pull leaves of a room that was moved.
    """
    rooms = (path for path in ROOT.iterdir() if path.is_dir())
    found = []
    for room in rooms:
        if room.name == "build" or room.name.startswith("."):
            continue
        found += [
            room,
            *(p for p in room.rglob("*") if _holds(p) or p.suffix == ".py"),
        ]
    return tuple(p.relative_to(ROOT).as_posix() + "/" * p.is_dir() for p in found)


def _holds(path: Path) -> bool:
    """Whether a path is a folder that holds more than caches."""
    held = (p for p in path.rglob("*") if p.is_file() and p.suffix != ".pyc")
    return path.is_dir() and any(held)


def stands(name: str, anywhere: bool = False) -> bool:
    """Whether a path is in the tree; a single name may stand anywhere in it."""
    alone = anywhere or "/" not in name.rstrip("/")
    return any(
        fnmatch(place, name) or (alone and fnmatch(place, f"*/{name}"))
        for place in places()
    )


def missing_in_code(text: str) -> list[str]:
    """The modules and folders that code and diagrams name and that are not there.

    A module may be named by the end of its path.
    """
    code = "\n".join(_CODE.findall(text))
    modules = {name for name in _IN_CODE.findall(code) if not stands(name, True)}
    folders = {name for name in _BELOW.findall(code) if not (ROOT / name).exists()}
    return sorted(modules | folders)


@each
def test_every_path_that_is_named_is_there(document: Path) -> None:
    """A module or folder that moved is renamed where it is written about, too."""
    prose = _CODE.sub("", document.read_text(encoding="utf-8"))
    named = {
        name for name in _PATH.findall(prose) if name.split("/")[0] + "/" not in OF_DATA
    }
    assert [name for name in sorted(named) if not stands(name)] == []


@each
def test_every_path_in_a_code_fence_is_there(document: Path) -> None:
    """Diagrams and commands name what is in the tree, too."""
    assert missing_in_code(document.read_text(encoding="utf-8")) == []


def test_a_name_in_a_code_fence_is_held_against_the_tree() -> None:
    """By its end, or by its path; outside a fence nothing counts."""
    there = "```\nengine/gate.py, verify/check.py and config/packs\n```"
    gone = "gone.py\n```\nmodel ─→ asked_for.py: Order\nconfig/nowhere\n```"
    assert missing_in_code(there) == []
    assert missing_in_code(gone) == ["asked_for.py", "config/nowhere"]


def test_every_room_has_a_row_in_the_architecture() -> None:
    """Each module and folder directly below a room of the product and the evals."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = page.partition("## The tree")[2].partition("## The arrows")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in _ROW.findall(row)}
    for room in ("engine", "adapters", "bot", "evals"):
        below = {name for name in places() if name.rstrip("/").count("/") == 1}
        below = {name for name in below if name.startswith(f"{room}/")}
        apart = {name for name in below if "/__" in name}
        lost = {n for n in below - apart if not any(fnmatch(n, row) for row in named)}
        assert lost == set()


@each
def test_every_link_leads_to_a_file(document: Path) -> None:
    """Links within the checkout, pictures included."""
    linked = set(_LINK.findall(document.read_text(encoding="utf-8")))
    assert [to for to in sorted(linked) if not (document.parent / to).exists()] == []


@each
def test_every_module_to_run_is_there(document: Path) -> None:
    """`python -m scripts.demo` is scripts/demo.py, or a package that can be run."""
    for name in set(_RUN.findall(document.read_text(encoding="utf-8"))):
        path = ROOT.joinpath(*name.rstrip(".").split("."))
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), name
