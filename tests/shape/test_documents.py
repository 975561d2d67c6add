"""Documents name only what is in the tree: paths, links, modules to run."""

from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
import re2

from tests.shape.source import ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
# Folders of the data folder, which docs/formats.md describes.
OF_DATA = {"build/", "backups/", "cache/", "data/", "index/", "keys/", "weaviate/"}

_CODE = re2.compile(r"(?s)```.*?```")
_PATH = re2.compile(r"`(\.?[\w*][\w./*-]*(?:\.py|/))`")
_LINK = re2.compile(r"\]\(([^)#:]+)\)")
_RUN = re2.compile(r"python -m ((?:adapters|benchmarks|bot|evals|scripts)[\w.]*)")

each = pytest.mark.parametrize(
    "document", [ROOT / name for name in DOCUMENTS], ids=lambda path: path.name
)


@cache
def places() -> tuple[str, ...]:
    """Every module of the tree, and every folder with a slash behind it."""
    rooms = (path for path in ROOT.iterdir() if path.is_dir())
    found = []
    for room in rooms:
        if room.name == "build" or room.name.startswith("."):
            continue
        found += [
            room,
            *(p for p in room.rglob("*") if p.is_dir() or p.suffix == ".py"),
        ]
    return tuple(p.relative_to(ROOT).as_posix() + "/" * p.is_dir() for p in found)


def stands(name: str) -> bool:
    """Whether a path is in the tree; a single name may stand anywhere in it."""
    alone = "/" not in name.rstrip("/")
    return any(
        fnmatch(place, name) or (alone and fnmatch(place, f"*/{name}"))
        for place in places()
    )


@each
def test_every_path_that_is_named_is_there(document: Path) -> None:
    """A module or folder that moved is renamed where it is written about, too."""
    prose = _CODE.sub("", document.read_text(encoding="utf-8"))
    named = {
        name for name in _PATH.findall(prose) if name.split("/")[0] + "/" not in OF_DATA
    }
    assert [name for name in sorted(named) if not stands(name)] == []


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
