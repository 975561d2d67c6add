"""Commands: only those of the operator's list, without a shell, within bounds."""

from pathlib import Path

import pytest

from adapters.preflight.commands import AllowList, read_allow_list
from engine.model.errors import PolicyError, UsageError
from tests.adapters.preflight.repositories import gather, made, places

PRINT = ("{python}", "-c", "import sys; print(sys.argv[1])", "{text}")


def allowed(*words: str, **rest: object) -> AllowList:
    return AllowList.model_validate({"commands": {"run": {"words": words, **rest}}})


def test_lines_of_a_command_are_evidence_where_they_stand_R_P3(tmp_path: Path) -> None:
    """A place that is not in the repository, or has no such line, is none."""
    root = made(tmp_path, {"a.txt": "one\ntwo\n"})
    code = "print('a.txt:2: why'); print('a.txt:9: no'); print('b.txt:1: no')"
    found = gather(root, allowed("{python}", "-c", code), kind="command", command="run")
    assert [(b.path, b.first, b.text, b.note) for b in found.blocks] == [
        ("a.txt", 2, "two", "why")
    ]


def test_an_argument_is_one_word_and_no_shell_R_P3(tmp_path: Path) -> None:
    """What a shell would run is text."""
    root = made(tmp_path / "repo", {"a.txt": "one\n"})
    mark = tmp_path / "mark"
    rule = allowed(*PRINT, arguments={"text": ".*"})
    step = {"kind": "command", "command": "run"}
    said = f"a.txt:1: $(touch {mark}); touch {mark}"
    found = gather(root, rule, **step, arguments={"text": said})
    assert [block.note for block in found.blocks] == [said.removeprefix("a.txt:1: ")]
    assert not mark.exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"text": "--help"}, "without a dash in front"),
        ({"text": "UPPER"}, "has to match"),
        ({}, "text is missing or too much"),
        ({"text": "a", "more": "b"}, "more is missing or too much"),
    ],
)
def test_arguments_have_a_schema_R_P3(
    tmp_path: Path, arguments: dict[str, str], why: str
) -> None:
    rule = allowed(*PRINT, arguments={"text": "[a-z-]+"})
    with pytest.raises(UsageError, match=why):
        gather(tmp_path, rule, kind="command", command="run", arguments=arguments)


def test_a_command_that_is_not_allowed_is_a_usage_error_R_P3(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'rm' is not allowed: --commands FILE"):
        gather(tmp_path, kind="command", command="rm")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import time; time.sleep(600)", "took longer than 0.5 s"),
        ("print('a.txt:1: x' * 10_000)", "printed more than 1000 bytes"),
        ("raise SystemExit(7)", "ended with exit code 7"),
    ],
)
def test_a_command_keeps_its_bounds_R_P3(tmp_path: Path, code: str, why: str) -> None:
    """One that does not has found nothing, and the preflight is not complete."""
    root = made(tmp_path, {"a.txt": "one\n"})
    rule = allowed("{python}", "-c", code, seconds=0.5, output=1000)
    if "sleep" not in code:
        rule = allowed("{python}", "-c", code, seconds=60, output=1000)
    found = gather(root, rule, kind="command", command="run")
    assert places(found) == []
    assert not found.complete
    assert found.unread[0].why in (
        why,
        "ended with exit code -25",
        "ended with exit code 120",
    )


def test_a_command_starts_outside_of_the_repository_R_P3(tmp_path: Path) -> None:
    """So that no program loads what the repository put there."""
    root = made(tmp_path, {"a.txt": "one\n", "json.py": "raise SystemExit(9)\n"})
    code = "import json, os; print('a.txt:1:', os.listdir())"
    found = gather(root, allowed("{python}", "-c", code), kind="command", command="run")
    assert [block.note for block in found.blocks] == ["[]"]


def test_an_allow_list_names_file_line_and_field(tmp_path: Path) -> None:
    file = tmp_path / "allowed.yaml"
    file.write_text("commands:\n  run:\n    word: [ls]\n", encoding="utf-8")
    with pytest.raises(
        PolicyError, match=r"allowed.yaml:3: commands.run.word: unknown"
    ):
        read_allow_list(file)
