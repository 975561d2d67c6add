"""`pack tune`: what a pack lacks, proposed from questions and tried on them."""

import shutil
from pathlib import Path

import pytest

from config.settings import PACKS
from tests.bot.command import Command, command

WOBBLE = "how do i stop the wobble of the joint"
SHEET = f"""# of the page on controllers
What does each gain do? | pid-control.md
{WOBBLE} | PID control of robot joints

How much torque does the gripper have? | -
"""


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packs of a checkout of its own, with the textbook as a draft."""
    folder = tmp_path / "packs"
    shutil.copytree(PACKS / "textbook", folder / "textbook")
    file = folder / "textbook" / "pack.yaml"
    text = file.read_text(encoding="utf-8").replace("status: LOCKED", "status: draft")
    file.write_text(text, encoding="utf-8")
    (folder / "textbook" / "pack.lock").unlink()
    monkeypatch.setenv("GROUNDRULE_PACKS", str(folder))
    return folder


@pytest.fixture
def bot(
    packs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command line over one page of the textbook."""
    run = command(tmp_path / "data", monkeypatch, capsys)
    course = tmp_path / "course"
    course.mkdir()
    shutil.copy(packs / "textbook" / "corpus" / "pid-control.md", course)
    assert run("ingest", course, "--pack", "textbook").code == 0
    return run


def test_a_word_is_proposed_tried_and_taken_over_R_U2(
    bot: Command, packs: Path, tmp_path: Path
) -> None:
    """A diff that changes nothing; with --write the question is nearer to its page."""
    sheet = tmp_path / "questions.txt"
    sheet.write_text(SHEET, encoding="utf-8")
    file = packs / "textbook" / "pack.yaml"
    before = file.read_text(encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet)
    assert said.code == 0, said.err
    added = [
        line for line in said.out.splitlines() if line.startswith("+    wobble: [")
    ]
    assert len(added) == 1
    assert file.read_text(encoding="utf-8") == before
    assert "-> answered" in said.err.split(WOBBLE)[0].splitlines()[-1]
    assert "refused, rightly" in said.err
    assert bot("pack", "tune", "textbook", sheet, "--write").code == 0
    assert added[0].removeprefix("+") in file.read_text(encoding="utf-8")
    assert bot("pack", "check", "textbook").code == 0
    assert bot("ask", WOBBLE, "--pack", "textbook").code == 0
    again = bot("pack", "tune", "textbook", sheet)
    assert "wobble" not in again.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("What is a gain?\n", "line 1: write QUESTION | PAGE"),
        ("# nothing\n", "holds no question"),
        ("What is a gain? | no-such.md\n", "no page of this corpus"),
    ],
)
def test_a_file_that_names_no_page_is_refused_R_U2(
    bot: Command, tmp_path: Path, text: str, told: str
) -> None:
    sheet = tmp_path / "questions.txt"
    sheet.write_text(text, encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet)
    assert said.code == 2
    assert told in said.err


def test_floors_hold_for_what_is_proposed_R_I9(
    bot: Command, packs: Path, tmp_path: Path
) -> None:
    """A threshold that a question would need below its floor is not proposed."""
    sheet = tmp_path / "questions.txt"
    sheet.write_text("why does my arm sag | pid-control.md\n", encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet)
    assert "relevance: 0.2" not in said.out
