"""`doctor` says what is set in one line, or everything."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from sqlite3 import connect

import pytest

from adapters.embedding import MiniLM
from adapters.index.catalogue import FILE
from bot.doctor.check import State
from bot.doctor.checkup import _check_corpus, run_checks, settings
from bot.documents.corpus import Corpus
from bot.wiring import Application
from config.settings import PACKS, Settings
from tests.bot.conftest import Library
from tests.fakes import FixedClock


def test_only_what_was_set_is_shown_unless_all_is_asked_for_R_S1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line; a secret is masked."""
    monkeypatch.delenv("GROUNDRULE_READER")
    given = {"data": tmp_path, "slack_bot_token": "xoxb-secret", "person_limit": 3}
    application = Application(Settings.model_validate(given))
    [line] = settings(application, verbose=False)
    assert line.found == (
        f"GROUNDRULE_DATA={tmp_path}, GROUNDRULE_SLACK_BOT_TOKEN=(set), "
        "GROUNDRULE_PERSON_LIMIT=3; `doctor --verbose` shows all"
    )
    lines = list(settings(application, verbose=True))
    assert len(lines) == len(Settings.model_fields)
    assert all("xoxb-secret" not in each.found for each in lines)


async def test_a_data_folder_of_before_becomes_its_owners_alone_R_S8(
    tmp_path: Path,
) -> None:
    """What others could read is closed; what cannot be closed `doctor` names."""
    data = tmp_path / "data"
    data.mkdir()
    files = [data / name for name in ("ledger.db", "events.jsonl", "events.jsonl.2")]
    for file in files:
        file.touch()
        file.chmod(0o644)
    data.chmod(0o755)
    async with Application(Settings(data=data)) as application:
        assert application.data == data
        assert [place.stat().st_mode & 0o777 for place in (data, *files)] == [
            0o700,
            *[0o600] * 3,
        ]
        data.chmod(0o750)  # as on a volume that is another's
        lines = [line async for line in run_checks(application)]
    (broken,) = [line for line in lines if line.part == "data"]
    assert broken.state is State.BROKEN
    assert f"chmod -R go= {data}" in broken.found


async def test_a_clock_that_stepped_is_named_R_U6(tmp_path: Path) -> None:
    """What is too old waits meanwhile; the clock may be wrong, or the bot was away."""
    clock = FixedClock()
    settings = Settings(data=tmp_path / "data")
    async with Application(settings, clock=clock) as application:
        found = []
        await application.mailbox.believe(clock.now())
        for days in (0, 91):
            clock.moment += timedelta(days=days)
            lines = [line async for line in run_checks(application)]
            found += [line for line in lines if line.part == "retention"]
    assert [line.state for line in found] == [State.OK, State.NOTE]
    assert "91 days after the last look" in found[1].found


async def test_a_pack_with_demo_texts_needs_no_ingest_R_U1(corpus: Corpus) -> None:
    """An empty corpus is no fault: its first question takes them in."""
    line = await _check_corpus(corpus, has_demo=True)
    assert line.state is State.NOTE
    assert "demo texts come with the first question" in line.found
    assert (await _check_corpus(corpus)).found.startswith("no documents: run `ingest")


async def test_access_tags_that_differ_in_the_index_are_named_R_S8(
    library: Library, corpus: Corpus, tmp_path: Path
) -> None:
    """A search goes by the index's own copy of them."""
    library.write("notes/staff.md", "# Staff\n\nThe code is 4711.", access_tags="[a]")
    await library.ingest()
    assert (await _check_corpus(corpus)).state is State.OK
    with closing(connect(tmp_path / "data" / "index" / FILE)) as database:
        database.execute("UPDATE documents SET tags = '' WHERE tags != ''")
        database.commit()
    line = await _check_corpus(corpus)
    assert line.state is State.BROKEN
    assert "access tags" in line.found
    assert "reindex --fresh" in line.found


async def test_an_embedder_that_nothing_hears_emergencies_over_is_named_R_M6(
    tmp_path: Path,
) -> None:
    """By its name, whatever the packs ask."""
    deaf = MiniLM(1)
    deaf.name = "another"
    async with Application(Settings(data=tmp_path), embedder=deaf) as application:
        lines = [line async for line in run_checks(application)]
    (told,) = [line for line in lines if line.part == "embedder"]
    assert told.state is State.NOTE
    assert "another: nothing was fitted that hears emergencies" in told.found


async def test_a_server_that_is_away_is_told_once(tmp_path: Path) -> None:
    """Nobody listens there; each pack would fail for the same reason."""
    given = {
        "data": tmp_path,
        "index": "weaviate",
        "WEAVIATE_URL": "http://127.0.0.1:9",
    }
    async with Application(Settings.model_validate(given)) as application:
        lines = [line async for line in run_checks(application)]
    broken = [line for line in lines if line.state is State.BROKEN]
    assert [line.part for line in broken] == ["index"]
    assert "WEAVIATE_URL" in broken[0].found
    assert [line.part for line in lines if line.part == "corpora"] == ["corpora"]


async def test_what_is_wrong_with_the_index_of_all_packs_is_told_once(
    tmp_path: Path,
) -> None:
    """An index of another embedder is there, for every pack."""
    (tmp_path / "index" / "other").mkdir(parents=True)
    given = {"data": tmp_path}
    async with Application(Settings.model_validate(given)) as application:
        lines = [line async for line in run_checks(application)]
    [broken] = [line for line in lines if line.state is State.BROKEN]
    packs = sorted(file.parent.name for file in PACKS.glob("*/pack.yaml"))
    assert broken.part == f"corpus {', '.join(packs)}"
    assert "groundrule reindex" in broken.found
