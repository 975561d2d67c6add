"""`sources sync`: from publishers on a loopback address to what is searched."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.fetching.web import Manners
from bot.commands import sources_sync
from config.settings import PACKS
from tests.bot.command import Command, command
from tests.loopback.confluence import Confluence, Entry
from tests.loopback.publishers import HOST, Publishers

SOURCE_ID = "course-textbook"
SOURCE = f"  - id: {SOURCE_ID}\n"
SYNC = """    sync:
      - by: clinicaltrials
        url: {base}/api/v2/studies
        condition: colon cancer
      - by: sitemap
        url: {base}/sitemap.xml
        below: [/guide/]
"""
WIKI = """    sync:
      - by: confluence
        url: {base}
        ids: [WARD]
        groups: {{leads: pay}}
"""


@contextmanager
def published() -> Iterator[Publishers]:
    """Publishers on a loop of their own."""
    place = Publishers()
    place.records = {"NCT00000001": "2024-03-05", "NCT00000002": "2024-03-05"}
    place.pages = {"/guide/one.html": "<h1>One</h1><p>The first page says hello.</p>"}
    with running(place):
        yield place


@contextmanager
def running(place: Publishers | Confluence) -> Iterator[None]:
    """A server on a loop of its own, while commands run in this thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    opened = place.open()
    asyncio.run_coroutine_threadsafe(opened.__aenter__(), loop).result(60)
    try:
        yield
    finally:
        closing = opened.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(closing, loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


@pytest.fixture
def bot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[tuple[Command, Publishers]]:
    """The command line over a pack that is fetched from publishers."""
    folder = tmp_path / "packs" / "first"
    shutil.copytree(PACKS / "textbook", folder)
    (folder / "pack.lock").unlink()
    shutil.rmtree(folder / "corpus")
    rules = folder / "pack.yaml"
    text = rules.read_text("utf-8").replace("id: textbook", "id: first")
    rules.write_text(text.replace("LOCKED", "draft"), "utf-8")
    monkeypatch.setenv("GROUNDRULE_PACKS", str(tmp_path / "packs"))
    monkeypatch.setenv("GROUNDRULE_SYNC_PRIVATE_HOSTS", HOST)
    monkeypatch.setattr(sources_sync, "MANNERS", Manners(pause=0.0))
    with published() as place:
        register = folder / "sources.yaml"
        told = register.read_text("utf-8").replace(
            SOURCE, SOURCE + SYNC.format(base=place.base)
        )
        register.write_text(told, "utf-8")
        yield command(tmp_path / "data", monkeypatch, capsys), place


def current(run: Command) -> set[str]:
    """The documents that are searched."""
    listed = run("sources", "list", "--pack", "first").out
    return {line.split("\t")[0] for line in listed.splitlines()}


def test_sources_are_fetched_and_taken_in_R_R10(
    bot: tuple[Command, Publishers],
) -> None:
    """Safe to repeat; a dry run changes nothing, and only --prune withdraws."""
    run, place = bot
    dry = run("sources", "sync", "first", "--all", "--dry-run")
    assert dry.code == 0, dry.err
    assert "would fetch 2 new" in dry.out
    assert not current(run)
    first = run("sources", "sync", "first", "--all")
    assert first.code == 0, first.err
    assert "fetched 2 new, 0 changed" in first.out
    register = "https://clinicaltrials.gov/study/"
    pages = {f"{place.base}/guide/one.html"}
    trials = {f"{register}NCT00000001", f"{register}NCT00000002"}
    assert current(run) == trials | pages
    again = run("sources", "sync", "first", SOURCE_ID)
    assert "fetched 0 new, 0 changed, 2 unchanged" in again.out
    del place.records["NCT00000002"]
    gone = run("sources", "sync", "first", "--all")
    assert "gone: " in gone.err
    assert "--prune withdraws it" in gone.err
    assert current(run) == trials | pages
    pruned = run("sources", "sync", "first", "--all", "--prune")
    assert pruned.code == 0, pruned.err
    assert current(run) == {f"{register}NCT00000001"} | pages


def test_a_page_that_is_limited_is_withdrawn_at_once_R_S8(
    bot: tuple[Command, Publishers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that a tag stands for is found by who holds it."""
    run, publishers = bot
    keys = Entry("Keys", "<h2>Where is the spare key?</h2><p>Behind the door.</p>")
    pay = Entry("Pay", "<p>Nights pay 20 euros more.</p>", groups=("leads",))
    place = Confluence({"10": keys, "11": pay}, "Basic bWVAeC5lOnQ=")
    monkeypatch.setenv("GROUNDRULE_CONFLUENCE_KEY", "me@x.e:t")
    with running(place):
        register = tmp_path / "packs" / "first" / "sources.yaml"
        old, new = SYNC.format(base=publishers.base), WIKI.format(base=place.base)
        register.write_text(register.read_text("utf-8").replace(old, new), "utf-8")
        taken = run("sources", "sync", "first", "--all")
        assert taken.code == 0, taken.err
        both = {f"{place.base}/spaces/WARD/pages/{n}" for n in (10, 11)}
        assert current(run) == both
        asked = ("ask", "How much more do nights pay?", "--pack", "first")
        assert "20 euros" not in run(*asked).out
        assert "20 euros" in run(*asked, "--tags", "pay").out
        keys.users = ("ada",)
        limited = run("sources", "sync", "first", "--all")
        assert "closed: course-textbook: 1 may be read by nobody" in limited.err
        assert len(current(run)) == 1
    assert "bWVAeC5lOnQ=" not in taken.out + taken.err + limited.out + limited.err


def test_a_source_that_fails_leaves_the_others_R_R10(
    bot: tuple[Command, Publishers],
) -> None:
    """It is named, its documents stay, and the exit code says so."""
    run, place = bot
    assert run("sources", "sync", "first", "--all").code == 0
    before = current(run)
    place.lost = 1
    place.pages["/guide/two.html"] = "<h1>Two</h1><p>The second page.</p>"
    failed = run("sources", "sync", "first", "--all", "--prune")
    assert failed.code == 1
    assert "says 2 records and lists 1" in failed.err
    assert current(run) == before | {f"{place.base}/guide/two.html"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["first"], "or --all, and not both"),
        (["first", "--all", SOURCE_ID], "or --all, and not both"),
        (["first", "nobody"], "`sync` in its sources.yaml"),
        (["none", "--all"], "none"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    bot: tuple[Command, Publishers], arguments: list[str], said: str
) -> None:
    run, _ = bot
    told = run("sources", "sync", *arguments)
    assert told.code == 2
    assert said in told.err
