"""Repositories on disk for tests, and preflights over them."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter

from adapters.preflight.commands import AllowList
from adapters.preflight.gathering import RepositoryPreflights
from adapters.preflight.repository import Repository
from engine.inspection.question_pack import Step
from engine.inspection.records import MASK, Gathered
from engine.model.places import decode_path

STEP: TypeAdapter[Step] = TypeAdapter(Step)


def made(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """The files, written below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
    return root


def gather(root: Path, allowed: AllowList | None = None, **step: object) -> Gathered:
    """What one step finds in a repository; its id is `s`."""
    port = RepositoryPreflights(Repository(root), allowed or AllowList())
    return port.gather(STEP.validate_python({"id": "s", **step}))


def places(found: Gathered) -> list[str]:
    return [str(block.place) for block in found.blocks]


def assert_stands(root: Path, found: Gathered) -> int:
    """Every block stands in its file, read as bytes; how many lines that are."""
    lines = 0
    for block in found.blocks:
        held = (root / decode_path(block.path)).read_bytes().split(b"\n")
        assert block.last <= len(held)
        for line in block.lines:
            text = held[line.number - 1].rstrip(b"\r").decode("utf-8", "replace")
            shown = text[: len(line.text)] if line.cut else text
            assert len(shown) == len(line.text), block.place
            pairs = zip(line.text, shown, strict=True)
            assert all(a in (b, MASK) for a, b in pairs), block.place
            lines += 1
    return lines
