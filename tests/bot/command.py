"""A command line in this process: the same `main`, its exit code and both streams."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.__main__ import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Command = Callable[..., Result]


def command(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs verbs of the bot on one data folder."""
    verbs = called("python -m bot", main, monkeypatch, capsys)
    return lambda *arguments: verbs("--data", data, *arguments)


def called(
    name: str,
    main: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Runs a `main` with arguments, as what it is called on the command line."""

    def run(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        streams = capsys.readouterr()
        code = ended.value.code
        return Result(code if isinstance(code, int) else 0, streams.out, streams.err)

    return run
