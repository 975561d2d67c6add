"""The Weaviate server of the tests, built by name."""

import sys
import time
from pathlib import Path

import pytest

from engine.model.errors import EnvironmentFailed
from scripts import weaviate_build
from scripts.weaviate_build import NAME, install, program


def tool(folder: Path, name: str, script: str) -> Path:
    """An executable of a few lines."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def test_without_go_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFailed, match=r"install Go 1\.26"):
        install(tmp_path / "cache")


def test_a_build_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name and version, into the cache; a second call needs no Go."""
    tools = tmp_path / "tools"
    tool(tools, "go", f'echo "$@" > "$GOBIN/{NAME}"')
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    built = install(tmp_path / "cache")
    assert built == program(tmp_path / "cache")
    asked = built.read_text(encoding="utf-8")
    assert asked.startswith("install github.com/weaviate/weaviate/cmd/")
    assert asked.strip().endswith(f"@{weaviate_build.VERSION}")
    assert [path.name for path in built.parent.iterdir()] == [NAME]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install(tmp_path / "cache") == built


def test_a_failed_build_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In Go's own words, and nothing is left behind."""
    tools = tmp_path / "tools"
    tool(tools, "go", "echo proxy unreachable >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    with pytest.raises(EnvironmentFailed, match=r"go install .* failed"):
        install(tmp_path / "cache")
    assert "proxy unreachable" in capfd.readouterr().err
    assert not list(program(tmp_path / "cache").parent.iterdir())


def gone(number: str, patience: float = 60.0) -> bool:
    """Whether a process that was killed is gone: a busy machine needs a moment."""
    status, end = Path(f"/proc/{number}/status"), time.monotonic() + patience
    while time.monotonic() < end:
        try:
            if "Z (zombie)" in status.read_text("ascii"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_a_build_that_hangs_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that does not answer costs a bounded time, and that is said."""
    tools, child = tmp_path / "tools", tmp_path / "child"
    tool(tools, "go", f"tail -f /dev/null & echo $! > {child}; wait")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    with pytest.raises(EnvironmentFailed, match="ended after 1 s"):
        install(tmp_path / "cache", patience=1.0)
    assert not list(program(tmp_path / "cache").parent.iterdir())
    assert gone(child.read_text(encoding="ascii").strip())


@pytest.mark.parametrize("go", [None, "echo proxy unreachable >&2; exit 1"])
def test_where_it_cannot_be_built_its_tests_are_skipped_and_that_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    go: str | None,
) -> None:
    """What `make test-servers` does on a machine without Go, or without a network."""
    tools = tmp_path / "tools"
    tools.mkdir()
    if go is not None:
        tool(tools, "go", go)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin" if go else str(tools))
    monkeypatch.setenv("GROUNDRULE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "argv", ["weaviate_build"])
    with pytest.raises(SystemExit, match="docs/weaviate"):
        weaviate_build.main()
    monkeypatch.setattr(sys, "argv", ["weaviate_build", "--where-possible"])
    weaviate_build.main()
    said = capfd.readouterr().err
    assert "WEAVIATE NOT BUILT, its tests will be skipped" in said
    assert ("proxy unreachable" if go else "install Go 1.26") in said
