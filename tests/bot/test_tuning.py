"""`pack tune`: what a pack lacks, proposed from questions and tried on them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.tuning import Labelled, Seen, Tuning, improves
from config.settings import PACKS
from engine.policy.pack import Pack
from tests.bot.command import Command, command
from tests.engine.small_pack import small_pack

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
    told = next(line for line in said.err.splitlines() if line.startswith(WOBBLE))
    assert ": refused (" in told
    assert "; with the proposal: answered from its page (" in told
    assert "  it would quote first: " in said.err
    assert "refused, rightly" in said.err
    assert "1 of 3 questions better, none worse" in said.err
    assert bot("pack", "tune", "textbook", sheet, "--write").code == 0
    assert added[0].removeprefix("+") in file.read_text(encoding="utf-8")
    assert bot("pack", "check", "textbook").code == 0
    assert bot("ask", WOBBLE, "--pack", "textbook").code == 0
    again = bot("pack", "tune", "textbook", sheet)
    assert again.out == ""
    assert "nothing to propose: no change that was tried makes one" in again.err


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


PAGED, OTHER, NONE = Labelled("a", "p"), Labelled("b", "p"), Labelled("c", None)
RIGHT, SHUT = Seen(0.9, 0.1, opened=True, right=True), Seen(0.4, 0.1, False, False)
WRONG = Seen(0.4, 0.8, opened=True, right=False)


@pytest.mark.parametrize(
    ("before", "after", "better"),
    [
        ((SHUT, RIGHT, SHUT), (RIGHT, RIGHT, SHUT), True),
        ((WRONG, RIGHT, SHUT), (SHUT, RIGHT, SHUT), True),
        ((SHUT, RIGHT, WRONG), (SHUT, RIGHT, SHUT), True),
        ((SHUT, RIGHT, SHUT), (SHUT, RIGHT, SHUT), False),
        ((SHUT, RIGHT, SHUT), (RIGHT, SHUT, SHUT), False),
        ((SHUT, RIGHT, SHUT), (RIGHT, RIGHT, WRONG), False),
        ((SHUT, SHUT, SHUT), (RIGHT, WRONG, SHUT), False),
    ],
)
def test_a_change_has_to_better_one_question_and_spoil_none_R_U2(
    before: tuple[Seen, ...], after: tuple[Seen, ...], better: bool
) -> None:
    """Nearer alone is nothing; a wrong answer is worse than a refusal."""
    assert improves((PAGED, OTHER, NONE), before, after) is better


class Scripted(Tuning):
    """Sees what a glossary makes of each question; proposes a line for each."""

    __slots__ = ("script",)
    script: Mapping[tuple[str, str], Seen]

    async def see(self, pack: Pack, asked: Labelled) -> Seen:
        told = [self.script.get((asked.text, word)) for word in pack.retrieval.glossary]
        return next((one for one in told if one), SHUT)

    async def _word(
        self, pack: Pack, asked: Labelled, seen: Seen
    ) -> dict[str, tuple[str, ...]]:
        return {f"word {asked.text}": ("meaning",)}


async def test_only_lines_that_were_proved_are_proposed_R_U2() -> None:
    """One that opens the gate for another question falls away, the others stay."""
    tuning = Scripted.__new__(Scripted)
    tuning.script = {
        ("a", "word a"): RIGHT,
        ("b", "word b"): RIGHT,
        ("c", "word b"): WRONG,
    }
    found = await tuning.propose(small_pack(), (PAGED, OTHER, NONE))
    assert dict(found.changes.glossary) == {"word a": ("meaning",)}
    assert found.after == [RIGHT, SHUT, SHUT]


def test_floors_hold_for_what_is_proposed_R_I9(
    bot: Command, packs: Path, tmp_path: Path
) -> None:
    """A threshold that a question would need below its floor is not proposed."""
    sheet = tmp_path / "questions.txt"
    sheet.write_text("why does my arm sag | pid-control.md\n", encoding="utf-8")
    said = bot("pack", "tune", "textbook", sheet)
    assert "relevance: 0.2" not in said.out
