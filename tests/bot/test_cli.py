"""Every verb but `ask` and `chat`: results, messages and exit codes (R-P2)."""

import asyncio
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from bot.__main__ import main
from bot.documents.writing import one_writer
from tests.adapters.ledger.samples import document
from tests.bot.command import Command, command
from tests.conftest import ROOT

TEXTBOOK = ("--pack", "textbook")


def write_documents(folder: Path) -> Path:
    """Two documents of the textbook pack, and one that belongs to nobody."""
    folder.mkdir()
    sentences = {"a": "A motor turns one joint.", "b": "A sensor measures light."}
    for name, text in sentences.items():
        matter = f"---\nid: {name}\nsource: ros2-docs\n---\n"
        (folder / f"{name}.md").write_text(f"{matter}\n# Title {name}\n\n{text}\n")
    (folder / "stray.txt").write_text("Nobody registered this.\n")
    return folder


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents that `ingested` holds, to be left as they are."""
    return write_documents(tmp_path_factory.mktemp("cli") / "documents")


@pytest.fixture(scope="module")
def prepared(library: Path) -> Iterator[Path]:
    """A data folder that has taken the library in."""
    data = library.parent / "data"
    with pytest.MonkeyPatch.context() as patch:
        line = ["bot", "--data", data, "ingest", library, *TEXTBOOK]
        patch.setattr(sys, "argv", list(map(str, line)))
        with pytest.raises(SystemExit):
            main()
    yield data


@pytest.fixture
def bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line on a data folder of the test."""
    return command(tmp_path / "data", monkeypatch, capsys)


@pytest.fixture
def ingested(bot: Command, prepared: Path, tmp_path: Path) -> Command:
    """The command line on a copy of the prepared data folder."""
    shutil.copytree(prepared, tmp_path / "data")
    return bot


def test_verbs_and_their_help_show_examples(bot: Command) -> None:
    """`--help` everywhere, each with at least one line to copy."""
    shown = bot("--help")
    assert shown.code == 0
    verbs = [
        line.split()[0] for line in shown.out.split("Commands:")[1].splitlines()[1:]
    ]
    assert {"ask", "chat", "ingest", "verify", "doctor", "restore"} <= set(verbs)
    for verb in verbs:
        help_text = bot(verb, "--help")
        assert help_text.code == 0
        assert f"groundrule {verb}" in help_text.out.split("Options:")[0], verb


@pytest.mark.parametrize("verb", ["questions", "sources", "recall"])
def test_what_knows_no_reader_says_whose_it_is_R_S8(bot: Command, verb: str) -> None:
    """Verbs with --tags show what may be seen; these are the operator's."""
    assert "--tags" in bot("--help").out
    told = " ".join(bot(verb, "--help").out.split())
    assert "for whoever runs the bot: it names documents whatever access tags" in told


def test_a_bad_document_is_exit_1_after_the_rest_went_in(
    bot: Command, tmp_path: Path
) -> None:
    """The summary stands on standard output, the names on standard error."""
    documents = write_documents(tmp_path / "documents")
    first = bot("ingest", documents, *TEXTBOOK)
    assert first.code == 1
    assert (
        first.out == "2 added, 0 changed, 0 unchanged, 0 pruned, 0 skipped, 1 failed\n"
    )
    assert "stray.txt" in first.err
    (documents / "stray.txt").unlink()
    again = bot("ingest", documents, *TEXTBOOK)
    assert again.code == 0
    assert again.out.startswith("0 added, 0 changed, 2 unchanged")


def test_documents_are_listed_and_withdrawn_R_U1(
    ingested: Command, library: Path
) -> None:
    """Columns are separated by tabs; a withdrawn one comes back with `--again`."""
    listed = ingested("sources", "list", *TEXTBOOK)
    rows = [line.split("\t") for line in listed.out.splitlines()]
    assert [(row[0], row[1], row[3], row[4]) for row in rows] == [
        ("a", "current", "ros2-docs", "Title a"),
        ("b", "current", "ros2-docs", "Title b"),
    ]
    assert ingested("sources", "withdraw", "a", *TEXTBOOK).code == 0
    assert ingested("sources", "list", *TEXTBOOK).out.startswith("b\t")
    every = ingested("sources", "list", "--pack", "textbook", "--every")
    assert "a\twithdrawn" in every.out
    kept = ingested("ingest", library / "a.md", *TEXTBOOK)
    assert kept.out.startswith("0 added")
    assert "a.md: a was withdrawn; --again takes it in" in kept.err
    again = ingested("ingest", library / "a.md", *TEXTBOOK, "--again")
    assert again.out.startswith("1 added")
    assert "source ros2-docs: 1 by front matter" in again.err


def test_demo_texts_that_are_taken_in_by_hand_come_tried_R_Q2(
    bot: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on first use: trying each of their 1,400 questions lasts many minutes."""
    shipped, packs = ROOT / "config" / "packs" / "textbook", tmp_path / "packs"
    without = shutil.ignore_patterns("corpus")
    shutil.copytree(shipped, packs / "textbook", ignore=without)
    corpus, elsewhere = packs / "textbook" / "corpus", tmp_path / "copy"
    for folder, name, source in (
        (corpus, "motor", "course-textbook"),
        (elsewhere, "wheel", "ros2-docs"),
    ):
        folder.mkdir()
        matter = f"---\nid: {name}\nsource: {source}\n---\n"
        (folder / f"{name}.md").write_text(f"{matter}\n# A {name}\n\nIt turns.\n")
        lines = (
            json.dumps({"document": name, "question": f"Is the town hall {n} m tall?"})
            for n in range(1, 21)
        )
        (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("GROUNDRULE_PACKS", str(packs))
    taken = bot("ingest", corpus, *TEXTBOOK)
    assert "1 added" in taken.out
    assert "Trying" not in taken.err
    assert "question kept out" not in taken.err
    other = bot("ingest", elsewhere, *TEXTBOOK)
    assert "Trying 20 questions of files on the gate" in other.err
    assert "'20' does not stand there" in other.err


def test_a_demo_text_beside_a_document_is_listed_as_unused_R_U1(
    ingested: Command, tmp_path: Path
) -> None:
    """As the search has it; where it is all that there is, it is used."""
    demo = tmp_path / "demo"
    demo.mkdir()
    (demo / "d.md").write_text(
        "---\nid: d\ntitle: D\nsource: ros2-docs\ndemo: true\n---\n# D\n\nIt is so.\n",
        encoding="utf-8",
    )
    assert ingested("ingest", demo, *TEXTBOOK).code == 0
    listed = ingested("sources", "list", *TEXTBOOK)
    assert "d\tcurrent, demo, unused\t" in listed.out
    assert "unused: demo texts are not searched beside documents" in listed.err
    for name in ("a", "b"):
        assert ingested("sources", "withdraw", name, *TEXTBOOK).code == 0
    alone = ingested("sources", "list", *TEXTBOOK)
    assert "d\tcurrent, demo\t" in alone.out
    assert "unused" not in alone.err


@pytest.mark.parametrize("tags", ["", ",", " , ", "staff\nother"])
def test_access_tags_that_are_none_are_exit_2_R_S8(
    bot: Command, tmp_path: Path, tags: str
) -> None:
    """Nothing is taken in for everybody that somebody meant to close."""
    refused = bot(
        "ingest", write_documents(tmp_path / "documents"), *TEXTBOOK, "--tags", tags
    )
    assert refused.code == 2
    assert "--tags" in refused.err
    assert bot("sources", "list", *TEXTBOOK).out == ""


def test_a_backup_brings_everything_back_R_U7(
    ingested: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Into an empty data folder, index included, and it verifies there."""
    assert ingested("backup", tmp_path / "backup.db").code == 0
    other = command(tmp_path / "other", monkeypatch, capsys)
    restored = other("restore", tmp_path / "backup.db")
    assert restored.code == 0
    assert "2 documents indexed" in restored.out
    verified = other("verify", "--all")
    assert verified.code == 0
    assert verified.out.startswith("verified: 0 answers, 0 quotes, 2 document versions")
    assert ingested("backup", tmp_path / "backup.db").code == 2


def test_a_stored_block_too_long_to_search_stops_no_restore_R_U7(
    ingested: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit 1 with the document's name; everything else is restored and indexed."""

    async def slip_in() -> None:
        """Store what `ingest` refuses, as an earlier release did."""
        ledger = SqlLedger(sqlite_url(tmp_path / "data" / "ledger.db"))
        held = document("0123456789 " * 100_000, "aaa", source="ros2-docs")
        await ledger.store_document("textbook", held)
        await ledger.close()

    asyncio.run(slip_in())
    assert ingested("backup", tmp_path / "backup.db").code == 0
    other = command(tmp_path / "other", monkeypatch, capsys)
    restored = other("restore", tmp_path / "backup.db")
    assert restored.code == 1
    assert restored.out.startswith("restored ")
    assert "clinic/aaa.md" in restored.err
    assert "all else is done" in restored.err
    again = other("reindex")
    assert again.code == 1
    assert "clinic/aaa.md" in again.err


def test_a_changed_document_fails_verification_R_D3(
    ingested: Command, tmp_path: Path
) -> None:
    """Exit 1, and what differs is named."""
    (tmp_path / "data" / "ledger.head.json").write_text("{}")
    result = ingested("verify", "--all")
    assert result.code == 1
    assert "ANCHOR_CHANGED" in result.err


def test_anchors_are_rebuilt_with_a_coverage_report_R_R7(
    ingested: Command,
) -> None:
    """All, some, or none of them: the report comes with it."""
    every = ingested("anchors", "rebuild", "--all", *TEXTBOOK)
    assert every.code == 0
    assert "2 documents rebuilt" in every.out
    assert "2 passages, 2 anchors: 2 (100.0%)" in every.out
    assert ingested("anchors", "rebuild", "b", *TEXTBOOK).code == 0
    assert ingested("anchors", "rebuild", "absent", *TEXTBOOK).code == 2
    assert ingested("anchors", "rebuild", *TEXTBOOK).code == 2


def test_an_index_of_another_embedder_is_not_mixed_and_can_be_replaced(
    ingested: Command, library: Path, tmp_path: Path
) -> None:
    """Refused with the way out; `reindex` makes the new one beside the old."""
    (index,) = (tmp_path / "data" / "index").iterdir()
    index.rename(index.with_name("another-embedder"))
    refused = ingested("ingest", library, *TEXTBOOK)
    assert refused.code == 4
    assert "reindex" in refused.err
    assert "2 documents indexed" in ingested("reindex").out
    assert [p.name for p in index.parent.iterdir()] == [index.name]


def test_one_ingestion_at_a_time(
    ingested: Command, library: Path, tmp_path: Path
) -> None:
    """A second writer is told to wait; a killed one leaves no lock behind."""
    with one_writer(tmp_path / "data"):
        busy = ingested("ingest", library, *TEXTBOOK)
    assert busy.code == 4
    assert "another process" in busy.err


def test_doctor_says_what_is_wrong_and_what_to_do(
    ingested: Command, tmp_path: Path
) -> None:
    """0 when all is well, 4 when index and ledger differ, with the verb that helps."""
    well = ingested("doctor")
    assert well.code == 0, well.out
    assert "corpus textbook: 2 documents" in well.out
    shutil.rmtree(tmp_path / "data" / "index")
    ill = ingested("doctor")
    assert ill.code == 4
    assert "run `reindex`" in ill.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ingest", "absent", *TEXTBOOK), "absent: no such file"),
        (("ingest", ROOT / "docs", "--pack", "nobody"), "no pack is called 'nobody'"),
        (("ingest", ROOT), "name a pack"),
        (("sources", "withdraw", "x", *TEXTBOOK), "no document 'x'"),
        (("verify",), "verify needs"),
        (("verify", "abcdef"), "no answer has the id"),
        (("restore", "absent"), "absent"),
        (("ask",), "ask needs a question"),
        (("ask", "x", "--out", "y", *TEXTBOOK), "--out belongs to --batch"),
        (("ask", "--batch", "absent", *TEXTBOOK), "cannot read absent"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_sentence(
    bot: Command, arguments: tuple[object, ...], said: str
) -> None:
    """No traceback, nothing on standard output."""
    result = bot(*arguments)
    assert result.code == 2
    assert said in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


def test_an_unknown_setting_is_exit_2(
    bot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt variable is not passed over in silence."""
    monkeypatch.setenv("GROUNDRULE_DATABASE", "x")
    result = bot("doctor")
    assert (result.code, "GROUNDRULE_DATABASE" in result.err) == (2, True)


def test_a_data_folder_that_cannot_be_made_is_exit_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder and the two ways to choose another are named."""
    result = command(Path("/proc/nowhere"), monkeypatch, capsys)("doctor")
    assert result.code == 4
    listed = command(Path("/proc/nowhere"), monkeypatch, capsys)
    failed = listed("sources", "list", *TEXTBOOK)
    assert failed.code == 4
    assert "--data or GROUNDRULE_DATA" in failed.err


def test_pack_check_names_file_field_and_floor_R_I9(
    bot: Command, tmp_path: Path
) -> None:
    """Exit 1 for what is wrong in a pack, 2 for a pack that is not there."""
    assert bot("pack", "check", ROOT / "config/packs/oncology").code == 0
    assert bot("pack", "check", "oncology").code == 0
    copy = shutil.copytree(ROOT / "config/packs/oncology", tmp_path / "oncology")
    text = (copy / "pack.yaml").read_text(encoding="utf-8")
    lower = text.replace("minimum_sensitive: 2", "minimum_sensitive: 1")
    for content, named in ((f"surprise: 1\n{text}", "surprise"), (lower, "R-I9")):
        (copy / "pack.yaml").write_text(content, encoding="utf-8")
        result = bot("pack", "check", copy)
        assert result.code == 1
        assert "pack.yaml:" in result.err
        assert named in result.err
    assert bot("pack", "check", tmp_path / "absent").code == 2


def test_a_pack_is_locked_once_for_each_version_R_I12(
    bot: Command, tmp_path: Path
) -> None:
    """A change under the same version is refused, with what to do about it."""
    copy = shutil.copytree(ROOT / "config/packs/textbook", tmp_path / "textbook")
    (copy / "pack.lock").unlink()
    assert bot("pack", "check", copy).code == 1
    first = bot("pack", "lock", copy)
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("textbook 1.4.9: locked in ")
    assert bot("pack", "check", copy).code == 0
    text = (copy / "pack.yaml").read_text(encoding="utf-8")
    changed = text.replace("anchors_per_item: 3", "anchors_per_item: 4")
    (copy / "pack.yaml").write_text(changed, encoding="utf-8")
    again = bot("pack", "lock", copy)
    assert (again.code, again.out) == (2, "")
    assert "give the pack a new version" in again.err
    assert "status: is active" in bot("pack", "lock", "oncology").err
    assert bot("pack", "lock", tmp_path / "absent").code == 2


def test_the_same_wrong_pack_met_elsewhere_is_exit_2(
    bot: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pack is configuration for every verb but `pack check`."""
    copy = shutil.copytree(ROOT / "config/packs/oncology", tmp_path / "oncology")
    with (copy / "pack.yaml").open("a", encoding="utf-8") as file:
        file.write("surprise: 1\n")
    monkeypatch.setenv("GROUNDRULE_PACKS", str(tmp_path))
    result = bot("sources", "list", "--pack", "oncology")
    assert (result.code, "surprise" in result.err) == (2, True)


def test_a_new_pack_passes_its_check_R_U8(bot: Command, tmp_path: Path) -> None:
    """Scaffolded beside the others or elsewhere, once; what is to fill in is told."""
    (tmp_path / "packs").mkdir()
    made = bot("pack", "new", "heart", "--directory", tmp_path / "packs")
    assert made.code == 0
    checked = bot("pack", "check", tmp_path / "packs" / "heart")
    assert checked.code == 0
    assert (
        "sources.yaml: documents: answers will name 'Name the publisher" in checked.err
    )
    assert bot("pack", "new", "heart", "--directory", tmp_path / "packs").code == 2
