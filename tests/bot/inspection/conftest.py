"""A small repository, a pack of four questions, and the command over them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.preflight.repositories import made
from tests.bot.command import Command, Result, command

Json = dict[str, Any]
FILES = {
    "src/app.py": "import os\n\n\ndef run(text):\n    return eval(text)\n",
    "src/safe.py": "def add(a, b):\n    return a + b\n",
    "tests/test_app.py": "def test_run():\n    assert True\n",
}
CALLS = {"kind": "references", "id": "calls", "name": "eval", "calls": True}
LOOKED = {"kind": "files", "id": "looked", "include": ["*.py"]}
ABSENT = [{"when": {"absent": "calls"}, "is": "NO"}, {"is": "YES"}]
EVALS: Json = {
    "id": "evals",
    "question": "Does it call eval?",
    "preflights": [LOOKED, CALLS],
    "rule": ABSENT,
    "expect": ["NO"],
    "severity": "error",
}
EXECS: Json = {
    "id": "execs",
    "question": "Does it call exec?",
    "preflights": [LOOKED, {**CALLS, "name": "exec"}],
    "rule": ABSENT,
    "expect": ["NO"],
}
GO: Json = {
    "id": "go",
    "question": "Which Go module is it?",
    "preflights": [{"kind": "dependencies", "id": "calls", "include": ["go.mod"]}],
    "rule": ABSENT,
}


@dataclass(frozen=True)
class Runs:
    """The command over one repository; every call makes a run of its own."""

    root: Path
    bot: Command
    out: Path

    def ask(self, *arguments: object, questions: list[Json], **pack: object) -> Result:
        """`run-pack` with these questions."""
        held = {"id": "small", "title": "Small", "version": "1.0.0", **pack}
        file = self.out.parent / "pack.yaml"
        text = json.dumps({**held, "questions": questions})  # JSON is YAML
        file.write_text(text, encoding="utf-8")
        given = ("--repo", self.root, "--out", self.out, *arguments)
        return self.bot("run-pack", file, *given)

    @property
    def folder(self) -> Path:
        """The newest run's."""
        return sorted(self.out.iterdir())[-1]

    def summary(self) -> Json:
        return dict(json.loads(self.read("summary.json")))

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


Make = Callable[[Mapping[str, str | bytes]], Runs]


@pytest.fixture
def runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Runs:
    root = made(tmp_path / "repo", FILES)
    bot = command(tmp_path / "data", monkeypatch, capsys)
    return Runs(root, bot, tmp_path / "runs")
