"""Plugins: found by entry point in what is installed, loaded where they are named."""

from pathlib import Path

import pytest

from adapters import plugins
from engine.model.errors import EnvironmentFailed, UsageError
from tests.adapters.preflight.repositories import gather, made, places

CODE = """\
from adapters.preflight.hits import Hit


def gather(look, step):
    for path, content in look.contents():
        for number in range(1, content.count + 1):
            if step.options["word"] in content.line(number).text:
                yield Hit(path, number, number, note="a word")
    yield Hit("nowhere.txt", 1, 1)


number = 3
"""


def install(folder: Path, name: str, **points: str) -> None:
    """A package as pip leaves it: a module, and its metadata with entry points."""
    made(folder, {f"{name}.py": CODE})
    lines = "".join(
        f"[{group.replace('_', '.')}]\n{p}\n" for group, p in points.items()
    )
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    info = f"{name}-1.0.dist-info"
    made(folder, {f"{info}/METADATA": metadata, f"{info}/entry_points.txt": lines})


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_an_installed_preflight_finds_evidence_R_P8(
    installed: Path, tmp_path: Path
) -> None:
    """What it names that is not in the repository is dropped."""
    install(installed, "words_one", groundrule_preflights="words = words_one:gather")
    root = made(tmp_path / "repo", {"a.txt": "one\ntwo\n"})
    step = {"kind": "plugin", "plugin": "words", "options": {"word": "two"}}
    found = gather(root, **step)
    assert places(found) == ["a.txt:2"]
    assert found.blocks[0].note == "a word"


def test_two_of_one_name_are_refused_R_P5(installed: Path) -> None:
    """Nobody could say which of them decided."""
    install(installed, "words_two", groundrule_validators="words = words_two:gather")
    install(
        installed, "words_three", groundrule_validators="words = words_three:gather"
    )
    with pytest.raises(UsageError, match="two packages bring words"):
        plugins.load_validator("words")


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("words_four:nothing", "words_four"),
        ("words_none:gather", "words_none"),
        ("words_four:number", "cannot be called"),
    ],
)
def test_a_broken_plugin_is_the_environment_R_P5(
    installed: Path, target: str, why: str
) -> None:
    install(installed, "words_four", groundrule_extractors=f"broken = {target}")
    with pytest.raises(EnvironmentFailed, match=f"broken.*{why}"):
        plugins.load_extractor("broken")


def test_the_bundled_ones_are_there_without_an_installation_R_P5() -> None:
    for group, named in plugins.BUNDLED.items():
        assert named, group
    assert callable(plugins.load_preflight("python_security"))
    assert callable(plugins.load_validator("python_security"))
    assert callable(plugins.load_extractor("python_security"))
