"""kill -9 at random times, while ingesting and while asking: nothing is lost (R-D2)."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.command import command
from tests.conftest import ROOT

KILLS = 2
PROOF = 100
TEXTBOOK = ("--pack", "textbook")
LONGEST_S = 3.0  # a run that was not killed before is over


def library(folder: Path, documents: int) -> Path:
    """A folder of documents of several passages each."""
    folder.mkdir()
    for number in range(documents):
        parts = (f"## Part {n}\n\nJoint {number} has {n} motors." for n in range(6))
        matter = f"---\nid: d{number}\nsource: ros2-docs\n---\n"
        text = matter + "\n\n".join(parts)
        (folder / f"d{number}.md").write_text(text, encoding="utf-8")
    return folder


def run_and_kill(after: float, *arguments: object) -> None:
    """Start the command line and end it with all its children, without a warning."""
    running = subprocess.Popen(
        [sys.executable, "-m", "bot", *map(str, arguments)],
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
        after = chance.uniform(0.2, LONGEST_S)
        run_and_kill(after, "--data", data, "ingest", folder, *TEXTBOOK)
    bot = command(data, monkeypatch, capsys)
    last = bot("ingest", folder, *TEXTBOOK)
    assert last.code == 0, last.err
    assert bot("verify", "--all").code == 0
    listed = bot("sources", "list", *TEXTBOOK).out.splitlines()
    assert len(listed) == 40
    assert bot("reindex").out == "0 documents indexed\n"
    again = bot("ingest", folder, *TEXTBOOK)
    assert "40 unchanged" in again.out


@pytest.mark.parametrize("kills", [KILLS, pytest.param(PROOF, marks=pytest.mark.prove)])
def test_a_killed_batch_loses_no_outcome_R_D2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kills: int,
) -> None:
    """Every line that was written is on record, and the last run answers the rest."""
    chance = random.Random(20261123)
    data, outcomes = tmp_path / "data", tmp_path / "outcomes.jsonl"
    bot = command(data, monkeypatch, capsys)
    assert bot("ingest", library(tmp_path / "library", 10), *TEXTBOOK).code == 0
    questions = tmp_path / "questions.jsonl"
    asked = [f"How many motors has joint {number % 10}?" for number in range(60)]
    questions.write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    batch = ("ask", "--batch", questions, "--out", outcomes, *TEXTBOOK)
    for _ in range(kills):
        run_and_kill(chance.uniform(0.5, LONGEST_S), "--data", data, *batch)
    written = outcomes.read_bytes().splitlines()[:-1] if outcomes.exists() else []
    last = bot(*batch)
    assert last.code == 0, last.err
    lines = outcomes.read_bytes().splitlines()
    assert lines[: len(written)] == written
    assert [json.loads(line)["question"] for line in lines] == asked
    assert bot("verify", "--all").code == 0
    for line in lines[:3]:
        assert bot("verify", json.loads(line)["audit_id"]).code == 0
