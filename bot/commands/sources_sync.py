"""`sources sync`: fetch the documents of a pack's sources, and take them in."""

import asyncio
import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

import typer
from pydantic import SecretStr

from adapters.fetching.connectors import make_connector
from adapters.fetching.web import Manners, Web
from adapters.loaders.sandbox import Parser, list_served
from bot.commands.ingest import show
from bot.console import bar, say, tell
from bot.documents.fetched import Fetched, folder_of
from bot.documents.ingest import Job, ingest, look
from bot.documents.sync import Fetching, Wish, fetch
from bot.documents.writing import one_writer
from bot.options import Options
from bot.wiring import Application, read_settings
from engine.model.errors import FetchFailed, UsageError
from engine.policy.pack import Pack, Source
from engine.policy.records import Feed

HELP = """Fetch the documents of a pack's sources and take them in.

\b
  groundrule sources sync mrd --all
  groundrule sources sync mrd clinicaltrials --dry-run
  groundrule sources sync immigration --all --prune

What is fetched from where stands in the pack's sources.yaml, below `sync` of a source.
Safe to repeat: what has not changed is left alone, and a run that was cut off goes on.
What a source lists no more stays in force unless --prune. Web pages are asked for one
at a time, as their robots.txt allows. Exit code 1 where something could not be fetched
or taken in; the rest is.
"""
FAILED = 1
MANNERS = Manners()
ELSEWHERE = {"most", "groups", "labels"}  # of a feed: what its folder is not named by
PATIENCE_S = 120.0  # another process may be taking documents in


@dataclass(frozen=True, slots=True)
class _Place:
    """One feed of a source, and where its files lie."""

    source: Source
    feed: Feed
    fetched: Fetched


def sync(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", show_default=False)
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every source that names where.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Withdraw what a source lists no more.")
    ] = False,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be fetched.")
    ] = False,
) -> None:
    named = tuple(sources or ())
    if every is bool(named):
        raise UsageError("name the sources to fetch, or --all, and not both")
    wish = Wish(prune=prune, dry=dry)
    raise typer.Exit(asyncio.run(sync_sources(ctx.obj, pack, named, wish)))


async def sync_sources(
    options: Options, name: str, named: tuple[str, ...], wish: Wish
) -> int:
    """Fetch sources, all where none is named, and take them in; return the exit
    code.
    """
    settings = read_settings(options.data)
    async with Application(settings) as application:
        pack = application.pack(application.choose_pack(name))
        chosen = _choose_sources(pack, named)
        private = frozenset(settings.sync_private_hosts)
        failed = False
        files = application.data / "sync"
        files.mkdir(exist_ok=True)
        with one_writer(files):
            keys = _make_keys(settings.confluence_key, chosen)
            async with Web(pack.contact, private, MANNERS, keys=keys) as web:
                for source in chosen:
                    for feed in source.sync:
                        key = feed.model_dump_json(exclude=ELSEWHERE)
                        folder = folder_of(application.data, pack.id, source.id, key)
                        place = _Place(source, feed, Fetched(folder))
                        failed |= await _sync_feed(application, pack, web, place, wish)
    return FAILED if failed else 0


def _make_keys(key: SecretStr | None, sources: Iterable[Source]) -> Mapping[str, str]:
    """Make the credentials of each Confluence that a source names, by its origin."""
    if key is None:
        return {}
    told = key.get_secret_value()
    coded = base64.b64encode(told.encode()).decode()
    said = f"Basic {coded}" if ":" in told else f"Bearer {told}"
    feeds = (feed for source in sources for feed in source.sync)
    return {
        "://".join(urlsplit(feed.url)[:2]): said
        for feed in feeds
        if feed.by == "confluence"
    }


def _choose_sources(pack: Pack, named: tuple[str, ...]) -> list[Source]:
    """Choose the sources that are named, or all that can be fetched.

    Raises:
        UsageError: one is unknown, or none says where its documents are.
    """
    able = {source.id: source for source in pack.sources if source.sync}
    for name in named:
        if name not in able:
            raise UsageError(
                f"{name}: the pack {pack.id} says of no such source where to fetch it "
                f"(`sync` in its sources.yaml); it does of {', '.join(able) or 'none'}"
            )
    if not able:
        raise UsageError(
            f"the pack {pack.id} says of no source where to fetch it: add `sync` to "
            "one in its sources.yaml"
        )
    return [source for name, source in able.items() if name in named or not named]


async def _sync_feed(
    application: Application, pack: Pack, web: Web, place: _Place, wish: Wish
) -> bool:
    """Fetch one feed and take it in; return whether anything failed."""
    source, feed = place.source, place.feed
    try:
        with bar(source.id, feed.most) as steps:
            reader = make_connector(feed, web)
            done = await fetch(reader, place.fetched, feed.most, wish, steps.file)
    except FetchFailed as error:
        say(f"failed: {source.id}: {error}")
        return True
    _show(source, done, wish)
    if wish.dry:
        return bool(done.failures)
    folder = look(place.fetched.folder, list_served(pack.sources))
    prune = wish.prune or bool(done.closed)  # what was closed is withdrawn at once
    job = Job(place.fetched.folder, source=source.id, prune=prune)
    with (
        one_writer(application.data, PATIENCE_S),
        Parser() as parser,
        bar(source.id, len(folder.files)) as steps,
    ):
        corpus = application.corpus(pack)
        summary = await ingest(corpus, parser, job, folder, steps)
    show(summary, 0.0)
    return bool(done.failures or summary.failures)


def _show(source: Source, done: Fetching, wish: Wish) -> None:
    """Say what was fetched, or would be; what is gone and what failed, by name."""
    for failure in done.failures:
        say(f"failed: {source.id}: {failure}")
    hint = "withdrawn" if wish.prune and not wish.dry else "--prune withdraws it"
    for name in done.gone:
        say(f"gone: {source.id}: {name}: {hint}")
    if done.closed:
        say(
            f"closed: {source.id}: {len(done.closed)} may be read by nobody whom an "
            "access tag stands for (`groups`, `labels`), so nothing of them is kept"
        )
    counts = f"{len(done.new)} new, {len(done.changed)} changed"
    counts += f", {len(done.unchanged)} unchanged, {len(done.gone)} gone"
    done_or_not = "would fetch" if wish.dry else "fetched"
    tell(f"{source.id}: {done_or_not} {counts}, {len(done.failures)} failed")
