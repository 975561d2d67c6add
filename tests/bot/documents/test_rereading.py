"""What older loaders read is named, read again, and what quoted it is listed."""

import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from adapters.loaders.readers import CURRENT, is_older, make_loader_name
from adapters.loaders.registry import BYTES_LOADERS, RECORD_LOADERS, TEXT_LOADERS
from adapters.loaders.sandbox import Parser
from bot.documents import rereading
from bot.documents.ingest import Steps, Summary
from bot.documents.reindex import current_members
from engine.model.document import Document
from engine.questions.records import Origin, PassageQuestion
from tests.adapters.loaders.studies import page_of, study_of
from tests.bot.command import command
from tests.bot.conftest import Library
from tests.bot.documents.test_ingest import actions, found

OLD = "markdown/1"
COUNTED = "0 added, {changed} changed, 0 unchanged, 0 pruned, 0 skipped, 0 failed"


async def hold(library: Library, document: Document, **changes: object) -> Document:
    """Have the ledger and the index hold a document as an older loader read it."""
    held = document.model_copy(update={"loader": OLD, **changes})
    await library.corpus.documents.store_document("small", held)
    return held


async def documents(library: Library) -> dict[str, Document]:
    held: dict[str, Document] = {}
    for member in (await current_members(library.corpus)).values():
        one = await library.corpus.documents.document(
            member.document, member.version, "small"
        )
        assert one is not None
        held[Path(one.path).name] = one
    return held


async def reread(library: Library, parser: Parser) -> Summary:
    return await rereading.reread(library.corpus, parser, Steps())


def test_a_text_is_old_where_another_loader_would_read_it_today_R_D7() -> None:
    """Whatever its number is; a repository's files are read as they were."""
    parsers = (TEXT_LOADERS, BYTES_LOADERS, RECORD_LOADERS)
    read = {
        sys.modules[parse.__module__].NAME
        for loaders in parsers
        for parse in loaders.values()
    }
    assert read | {"source code/1"} == CURRENT
    assert not any(map(is_older, CURRENT))
    assert all(map(is_older, ("markdown/1", "markdown/0", "gone/3", "", "pdf/99")))


async def test_texts_of_older_loaders_are_read_again_R_D7(
    library: Library, parser: Parser
) -> None:
    """Those alone, with their source and their tags; the old text is superseded."""
    library.write("notes/own.md", "Sleep well.", access_tags="[staff]")
    await library.ingest(tags=("ward",), source="notes")
    held = await documents(library)
    for name in ("salt.md", "own.md"):
        await hold(library, held[name])
    library.write("notes/salt.md", "# Salt\n\nRinse the mouth with a salt solution.")
    library.write("notes/rest.md", "# Rest\n\nChanged, and nobody asked for it.")
    library.write("notes/new.md", "Nobody took this in.")
    old = rereading.select_older((await current_members(library.corpus)).values())
    assert {Path(member.path).name for member in old} == {"salt.md", "own.md"}
    summary = await reread(library, parser)
    assert actions(summary) == {"changed": 2}
    assert summary.bound == {("notes", "what it was"): 2}
    after = await documents(library)
    assert after.keys() == held.keys()
    assert "salt solution" in after["salt.md"].text
    assert after["rest.md"] == held["rest.md"]
    assert after["own.md"].tags == ("staff", "ward")
    assert after["salt.md"].tags == ("ward",)
    assert {one.loader for one in after.values()} == {make_loader_name("markdown")}
    assert await library.agrees()
    assert actions(await reread(library, parser)) == {}


async def test_a_text_that_is_read_alike_is_not_embedded_again_R_D7(
    library: Library, parser: Parser
) -> None:
    """Neither then nor by an ordinary run."""
    await library.ingest()
    for again in (lambda: reread(library, parser), library.ingest):
        for document in (await documents(library)).values():
            await hold(library, document)
        assert (await again()).chunks == 0
        assert not rereading.select_older(
            (await current_members(library.corpus)).values()
        )


async def test_a_wrong_id_makes_room_for_the_right_one_R_D7(
    library: Library, parser: Parser
) -> None:
    """As where 0123 was read as a number; who may see it stays."""
    library.write("notes/locker.md", "The code is 4711.", id="0123", access_tags="[a]")
    await library.ingest()
    held = (await documents(library))["locker.md"]
    await library.corpus.documents.withdraw("small", "0123", pruned=True)
    await library.corpus.index.withdraw("small", "0123")
    await hold(library, held, id="83")
    summary = await reread(library, parser)
    assert actions(summary) == {"added": 1, "pruned": 1}
    assert "taken out: 83" in summary.notes[0]
    after = (await documents(library))["locker.md"]
    assert (after.id, after.tags) == ("0123", ("a",))
    assert "83" not in await current_members(library.corpus)


@pytest.mark.parametrize(
    "matter",
    [{"acces_tags": "[board]"}, {"retrieved": "2099-01-01"}, {"title": "a\x96"}],
)
async def test_what_is_refused_today_is_taken_out_until_it_is_mended_R_D7(
    library: Library, parser: Parser, matter: dict[str, str]
) -> None:
    """What is held of it is known to be wrong, or open to people whom it is not for."""
    await library.ingest()
    await hold(library, (await documents(library))["salt.md"])
    library.write("notes/salt.md", "Rinse the mouth with salt water.", **matter)
    summary = await reread(library, parser)
    assert actions(summary) == {"failed": 1, "pruned": 1}
    assert "salt.md" in summary.failures[0]
    assert (
        "salt.md" in summary.notes[0] and "once the file is mended" in summary.notes[0]
    )
    assert len(await found(library.corpus)) == 1
    library.write("notes/salt.md", "Rinse the mouth with salt water.")
    assert actions(await library.ingest()) == {"added": 1, "unchanged": 1}


async def test_a_file_that_is_gone_is_named_and_stays_R_D7(
    library: Library, parser: Parser
) -> None:
    await library.ingest()
    for document in (await documents(library)).values():
        await hold(library, document)
    (library.folder / "notes" / "salt.md").unlink()
    summary = await reread(library, parser)
    assert actions(summary) == {"failed": 1, "changed": 1}
    assert "salt.md: is gone" in summary.failures[0] and OLD in summary.failures[0]
    assert len(await current_members(library.corpus)) == 2


async def test_a_refused_file_of_records_keeps_what_it_held_R_R2(
    library: Library, parser: Parser
) -> None:
    """One spoilt record of a thousand does not take the others out."""
    file = library.folder / "notes" / "trials.json"
    file.write_text(json.dumps(page_of(2)), "utf-8")
    await library.ingest()
    for member in [*(await current_members(library.corpus)).values()]:
        one = await library.corpus.documents.document(
            member.document, member.version, "small"
        )
        assert one is not None
        if file.name in member.path:
            await hold(library, one, loader="clinicaltrials/1")
    spoilt = study_of("NCT00000002")
    spoilt["protocolSection"]["designModule"] = "x"  # type: ignore[index]
    page = {"studies": [study_of("NCT00000001"), spoilt]}
    file.write_text(json.dumps(page), "utf-8")
    summary = await reread(library, parser)
    assert actions(summary) == {"failed": 1}
    assert "NCT00000002" in summary.failures[0]
    assert len(await current_members(library.corpus)) == 4


async def test_questions_of_files_and_people_stay_R_Q1(
    library: Library, parser: Parser
) -> None:
    """Also where nobody knows which folder was taken in."""
    await library.ingest()
    held = await hold(library, (await documents(library))["salt.md"])
    asked = tuple(
        PassageQuestion(
            text=f"What about salt, {place or 'by hand'}?",
            document=held.id,
            version=held.version,
            span=held.sentences[-1],
            section=(),
            origin=Origin.PERSON,
            place=place,
            created=datetime.now(UTC),
        )
        for place in ("", "questions.jsonl:1")
    )
    store = library.corpus.documents.store_questions
    await store("small", held.id, held.version, asked)
    await reread(library, parser)
    kept = await library.corpus.documents.questions("small", held.id, held.version)
    assert {q.text for q in kept} >= {q.text for q in asked}


def test_doctor_names_them_and_recall_lists_what_quoted_them_R_D7(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the first look to the answers that rest on a text that was read wrongly."""
    bot = command(tmp_path / "data", monkeypatch, capsys)
    folder = tmp_path / "documents"
    folder.mkdir()
    head = "---\nid: motor\nsource: ros2-docs\n---\n# What a motor is\n\n"
    (folder / "motor.md").write_text(f"{head}A motor is a part that turns one joint.\n")
    assert bot("ingest", folder, "--pack", "textbook").code == 0
    assert "texts textbook" not in bot("doctor").out
    assert (
        "turns one joint"
        in bot("ask", "What does a motor turn?", "--pack", "textbook").out
    )

    async def as_before() -> None:
        ledger = SqlLedger(sqlite_url(tmp_path / "data" / "ledger.db"))
        (member,) = await ledger.memberships("textbook")
        held = await ledger.document(member.document, member.version, "textbook")
        assert held is not None
        old = held.model_copy(update={"loader": OLD})
        await ledger.store_document("textbook", old)
        await ledger.close()

    asyncio.run(as_before())
    told = bot("doctor").out
    assert "note          texts textbook: 1 text read by loaders" in told
    assert f"{OLD} (1): motor; run `sources reread --pack textbook`" in told
    assert f"texts textbook: motor was read by {OLD}" in bot("doctor", "--verbose").out
    (folder / "motor.md").write_text(
        f"{head}A motor is a part that turns two joints.\n"
    )
    read = bot("sources", "reread", "--pack", "textbook")
    assert (read.code, read.out) == (0, f"{COUNTED.format(changed=1)}\n")
    assert "texts textbook" not in bot("doctor").out
    listed = bot("recall", "show", "textbook").out
    assert "superseded" in listed and "motor" in listed
    assert bot("sources", "reread", "--pack", "textbook").out == (
        f"{COUNTED.format(changed=0)}\n"
    )
