"""`pack tune`: which questions fail, and the passages that would answer them."""

import shutil
from pathlib import Path

import pytest

from config.settings import PACKS
from tests.bot.command import Command, command

OVERSHOOTS = "my robot overshoots, what now"
WOBBLE = "how do i stop the wobble of the joint"  # too far from the page
SHEET = f"""# of the page on controllers
What does each gain do? | pid-control.md
{OVERSHOOTS} | PID control of robot joints

How much torque does the gripper have? | -
"""


@pytest.fixture
def bot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command line over one page of the textbook."""
    run = command(tmp_path / "data", monkeypatch, capsys)
    course = tmp_path / "course"
    course.mkdir()
    shutil.copy(PACKS / "textbook" / "corpus" / "pid-control.md", course)
    assert run("ingest", course, "--pack", "textbook").code == 0
    return run


def test_what_fails_is_shown_with_the_passage_and_stored_with_it_R_Q1_R_Q6(
    bot: Command, tmp_path: Path
) -> None:
    """Nothing is stored unasked; stored, it is answered, by that passage."""
    sheet = tmp_path / "questions.txt"
    sheet.write_text(SHEET, encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet)
    assert said.code == 1, said.err
    assert said.out.splitlines()[0].startswith(f"{OVERSHOOTS}: refused (")
    assert "  would answer: PID control of robot joints > " in said.out
    assert "What does each gain do?: " not in said.out
    assert "torque" not in said.out
    assert "1 of 3 questions failed, 1 not stored" in said.err
    assert bot("questions", "list", "textbook").out.count(OVERSHOOTS) == 0
    stored = bot("pack", "tune", "textbook", sheet, "--store", "--by", "Ada")
    assert (stored.code, "stored with it" in stored.out) == (0, True)
    assert "1 of 3 questions failed, 0 not stored" in stored.err
    assert bot("questions", "list", "textbook").out.count(OVERSHOOTS) == 1
    asked = bot("ask", OVERSHOOTS, "--pack", "textbook")
    assert (asked.code, "│ 3. Raise Kd until" in asked.out) == (0, True)
    again = bot("pack", "tune", "textbook", sheet)
    assert (again.code, again.out) == (0, "")


def test_what_no_page_answers_is_told_and_never_stored_R_Q6(
    bot: Command, tmp_path: Path
) -> None:
    """Neither what is answered wrongly, nor what the gate refuses on its passage."""
    sheet = tmp_path / "questions.txt"
    lines = (
        "What does each gain do? | -",
        "Who won the match? | pid-control.md",
        f"{WOBBLE} | pid-control.md",
    )
    sheet.write_text("\n".join(lines), encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet, "--store")
    assert said.code == 1
    assert "What does each gain do?: answered, though no page does" in said.out
    assert "no page answers it, so it is stored nowhere" in said.out
    assert "kept out of use: its passage does not speak of it (0." in said.out
    assert "3 of 3 questions failed, 3 not stored" in said.err
    assert "│" not in bot("ask", WOBBLE, "--pack", "textbook").out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("What is a gain?\n", "line 1: write QUESTION | PAGE"),
        ("# nothing\n", "holds no question"),
        ("What is a gain? | no-such.md\n", "no page of this corpus"),
    ],
)
def test_a_file_that_names_no_page_is_refused_R_Q1(
    bot: Command, tmp_path: Path, text: str, told: str
) -> None:
    sheet = tmp_path / "questions.txt"
    sheet.write_text(text, encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet)
    assert said.code == 2
    assert told in said.err
