"""Standard output that takes no more: one sentence and exit 4, or a quiet end."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.demo import Demo

QUESTION = "What is integral windup?"
ASK = ("-m", "bot", "ask", QUESTION, "--pack", "textbook")
PROGRAMS = {
    "ask": ASK,
    "ask --json": (*ASK, "--json"),
    "doctor": ("-m", "bot", "doctor"),
    "help": ("-m", "bot", "--help"),
    "demo": ("-m", "scripts.demo"),
    "evals": ("-m", "evals", "calibrate", "--help"),
}


@pytest.fixture(scope="module")
def environment(demo: Demo) -> dict[str, str]:
    """Demo texts are there already, so that nothing else is said."""
    cache = demo.data / "cache"
    cache.mkdir(exist_ok=True)
    for name in ("oncology", "textbook"):
        (cache / f"first-use-{name}").touch()
    return {**os.environ, "GROUNDRULE_DATA": str(demo.data)}


@pytest.fixture(params=["full", "pipe"])
def refusing(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    """A full device, or a pipe whose reader went away."""
    if request.param == "full":
        writer = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, writer = os.pipe()
        os.close(reader)
    yield request.param, writer
    os.close(writer)


@pytest.mark.parametrize("program", PROGRAMS)
def test_standard_output_that_takes_nothing_R_P2(
    environment: dict[str, str], refusing: tuple[str, int], program: str
) -> None:
    """A full disk is one sentence and exit 4; a reader that went away is no error."""
    kind, writer = refusing
    ended = run(PROGRAMS[program], environment, stdout=writer)
    said = "groundrule: cannot write to standard output (No space left on device)"
    assert ended.returncode == (4 if kind == "full" else 0), ended.stderr
    assert [line.startswith(said) for line in ended.stderr.splitlines()] == (
        [True] if kind == "full" else []
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">/dev/full 2>/dev/full"])
def test_a_closed_stream_is_exit_4_R_P2(
    environment: dict[str, str], tmp_path: Path, closed: str
) -> None:
    """No traceback, whichever of the two streams it is."""
    shell = f'"$@" {closed}'
    line = ["bash", "-c", shell, "bash", sys.executable, "-m", "bot", "doctor"]
    ended = subprocess.run(
        line,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 4
    assert "Traceback" not in ended.stderr


def run(
    arguments: tuple[str, ...], environment: dict[str, str], stdout: int
) -> subprocess.CompletedProcess[str]:
    """A program of ours as its own process."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
