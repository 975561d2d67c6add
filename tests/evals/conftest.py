"""The command line of the evaluations, for the tests of its verbs."""

from functools import partial

import pytest

from bot.__main__ import run
from evals.verbs import command
from tests.bot.command import Command, called


@pytest.fixture
def evals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs verbs of `python -m evals`, as it runs them."""
    name = "python -m evals"
    return called(
        name, lambda: run(partial(command(), prog_name=name)), monkeypatch, capsys
    )
