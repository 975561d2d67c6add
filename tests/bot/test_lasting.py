"""What must last: withdrawals, and outcomes of other packs."""

import json
import shutil
from pathlib import Path

import pytest

from tests.bot.command import Command, command
from tests.conftest import ROOT

QUESTION = "How many motors does the toy arm have?"


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two small packs that have a demo text each."""
    folder = tmp_path / "packs"
    for name in ("first", "second"):
        shutil.copytree(ROOT / "config" / "packs" / "textbook", folder / name)
        (folder / name / "pack.lock").unlink()
        shutil.rmtree(folder / name / "corpus")
        rules = folder / name / "pack.yaml"
        text = rules.read_text(encoding="utf-8")
        rules.write_text(
            text.replace("id: textbook", f"id: {name}").replace("LOCKED", "draft"),
            encoding="utf-8",
        )
        for part in ("arm", "hand"):
            file = folder / name / "corpus" / f"{part}.md"
            file.parent.mkdir(exist_ok=True)
            matter = f"---\nid: {part}\nsource: course-textbook\n---\n"
            text = f"{matter}# The {part}\n\nThe toy {part} has six motors.\n"
            file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("GROUNDRULE_PACKS", str(folder))
    return folder


@pytest.fixture
def bot(
    packs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command line over these packs."""
    return command(tmp_path / "data", monkeypatch, capsys)


def test_a_withdrawn_demo_text_stays_withdrawn(bot: Command, tmp_path: Path) -> None:
    """Also where the index is gone and has to be made from the ledger."""
    assert bot("ask", QUESTION, "--pack", "first").code == 0
    assert bot("sources", "withdraw", "hand", "--pack", "first").code == 0
    shutil.rmtree(tmp_path / "data" / "index")
    again = bot("ask", QUESTION, "--pack", "first", "--json")
    assert again.code == 0, again.err
    listed = bot("sources", "list", "--pack", "first").out
    assert listed.startswith("arm\t")
    assert len(listed.splitlines()) == 1
    assert bot("reindex").out == "0 documents indexed\n"


@pytest.fixture
def batch(tmp_path: Path) -> tuple[object, ...]:
    """The options of a batch of one question."""
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(QUESTION), encoding="utf-8")
    return ("ask", "--batch", questions, "--out", tmp_path / "out.jsonl", "--pack")


def test_outcomes_of_another_pack_are_not_replaced(
    bot: Command, tmp_path: Path, batch: tuple[object, ...]
) -> None:
    """The second run is told to name another file; the first one's stays."""
    assert bot(*batch, "first").code == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    refused = bot(*batch, "second")
    assert refused.code == 2
    assert "another pack (first): name another --out" in refused.err
    assert (tmp_path / "out.jsonl").read_bytes() == before


def test_a_new_description_of_a_document_asks_again(
    bot: Command, tmp_path: Path, batch: tuple[object, ...]
) -> None:
    """Title, dates and tags are in the key; the record knows when it was stored."""
    out = tmp_path / "out.jsonl"
    assert bot(*batch, "first").code == 0
    (before,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert before["created"] is not None
    folder = tmp_path / "packs" / "first" / "corpus"
    arm = folder / "arm.md"
    text = arm.read_text(encoding="utf-8").replace("id: arm", "id: arm\ntitle: Arms")
    arm.write_text(text, encoding="utf-8")
    assert "1 changed" in bot("ingest", folder, "--pack", "first").out
    assert bot(*batch, "first").code == 0
    (after,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert after["question_id"] != before["question_id"]


def test_an_index_behind_its_ledger_settles_nothing(
    bot: Command, tmp_path: Path, batch: tuple[object, ...]
) -> None:
    """Exit 4, nothing lost, and `reindex` is named."""
    folder = tmp_path / "documents"
    folder.mkdir()
    text = "---\nid: real\nsource: ros2-docs\n---\nThe toy arm has six motors.\n"
    (folder / "real.md").write_text(text, encoding="utf-8")
    assert bot("ingest", folder, "--pack", "first").code == 0
    assert bot(*batch, "first").code == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    shutil.rmtree(tmp_path / "data" / "index")
    behind = bot(*batch, "first")
    assert behind.code == 4
    assert "reindex" in behind.err
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert bot("reindex").code == 0
    assert bot(*batch, "first").code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == before


def test_a_damaged_index_names_the_command_that_mends_it(
    bot: Command, tmp_path: Path
) -> None:
    """And the command mends it."""
    assert bot("ask", QUESTION, "--pack", "first").code == 0
    for file in (tmp_path / "data" / "index").rglob("*"):
        if file.is_file():
            file.write_bytes(b"nonsense" * 1000)
    damaged = bot("ask", QUESTION, "--pack", "first")
    assert damaged.code == 4
    assert "reindex --fresh" in damaged.err
    assert bot("reindex", "--fresh").code == 0
    assert bot("ask", QUESTION, "--pack", "first").code == 0


def test_messages_say_what_is_wrong(
    bot: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is no backup, a question of spaces, a folder without packs."""
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Sir,", encoding="utf-8")
    restored = bot("restore", letter)
    assert (restored.code, "is no database" in restored.err) == (2, True)
    assert bot("ask", "   ", "--pack", "first").code == 2
    (tmp_path / "none").mkdir()
    monkeypatch.setenv("GROUNDRULE_PACKS", str(tmp_path / "none"))
    assert bot("doctor").code == 2


def test_a_new_pack_can_be_asked_without_an_error(bot: Command) -> None:
    """What its README says is no document."""
    assert bot("pack", "new", "fresh").code == 0
    asked = bot("ask", QUESTION, "--pack", "fresh")
    assert asked.code == 0
    assert "README" not in asked.err
