"""kill -9 during ingestion, at random times: nothing is lost and the next run goes on."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.command import command
from tests.conftest import ROOT

KILLS = 3
PROOF = 100
LONGEST_S = 4.0  # a run that was not killed before is over


def library(folder: Path, documents: int) -> Path:
    """A folder of documents of several passages each."""
    folder.mkdir()
    for number in range(documents):
        parts = (f"## Part {n}\n\nJoint {number} has {n} motors." for n in range(6))
        matter = f"---\nid: d{number}\nsource: ros2-docs\n---\n"
        text = matter + "\n\n".join(parts)
        (folder / f"d{number}.md").write_text(text, encoding="utf-8")
    return folder


def ingest_and_kill(data: Path, folder: Path, after: float) -> None:
    """Start an ingestion and end it with all its children, without a warning."""
    line = ["-m", "bot", "--data", data, "ingest", folder, "--pack", "textbook"]
    running = subprocess.Popen(
        [sys.executable, *map(str, line)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        running.wait(after)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@pytest.mark.parametrize("kills", [KILLS, pytest.param(PROOF, marks=pytest.mark.prove)])
def test_a_killed_ingestion_loses_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kills: int,
) -> None:
    """Ledger and index open again, the chain holds, and a last run completes."""
    chance = random.Random(20261122)
    folder, data = library(tmp_path / "library", 40), tmp_path / "data"
    for _ in range(kills):
        ingest_and_kill(data, folder, chance.uniform(0.2, LONGEST_S))
    bot = command(data, monkeypatch, capsys)
    last = bot("ingest", folder, "--pack", "textbook")
    assert last.code == 0, last.err
    assert bot("verify", "--all").code == 0
    listed = bot("sources", "list", "--pack", "textbook").out.splitlines()
    assert len(listed) == 40
    assert bot("reindex").out == "0 documents indexed\n"
    again = bot("ingest", folder, "--pack", "textbook")
    assert "40 unchanged" in again.out
