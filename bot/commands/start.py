"""`start`: one command to a bot for a folder or a site."""

import asyncio
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from adapters import packs
from adapters.fetching.survey import Survey, survey_site
from adapters.fetching.web import Web
from adapters.index.upkeep import SHARED
from adapters.loaders.sandbox import list_served
from adapters.terminal import Terminal
from bot import first_try
from bot.assistant import Assistant
from bot.commands import sources_sync
from bot.commands.ingest import take_in
from bot.console import out, say, tell
from bot.documents.ingest import Job, look
from bot.documents.reindex import current_members
from bot.documents.sync import Wish
from bot.options import Options, group
from bot.wiring import Application, read_settings
from config.settings import Settings
from engine.model.answer import Answer
from engine.model.errors import UsageError
from engine.model.outcome import Outcome
from engine.policy.links import is_below
from engine.policy.pack import Pack

HELP = """Make an assistant of a folder of documents or of a website, and try it.

\b
  groundrule start rowing ~/club/documents
  groundrule start rowing https://club.example/handbook/
  groundrule start rowing documents/ --publisher "Harbour Rowing Club" \\
      --base-url https://club.example/files/

It writes a pack, takes the documents in, asks three questions that their headings ask,
and says how to put the assistant into Slack or Discord. Whose documents they are and
where they stand in the web is asked on a terminal, read from a site, or given by
options.

A folder's files are linked where --base-url says that they stand: each by its path
there. {page} in it stands for the path without its ending, as sites write their pages:
https://club.example/wiki/{page}/. Where the folder holds a sources.yaml, that is taken
for the register as it is. Of a site, the pages below the address are fetched, one a
second, as its sitemap lists them or links lead to them, and as robots.txt allows.

Safe to repeat: the pack stays as it is, and what changed is taken in. Exit code 1 where
a document could not be taken in; the rest is.
"""
REGISTER = "sources.yaml"  # of a folder that says itself what its sources are
FAILED = 1

app = group()


@dataclass(frozen=True, slots=True)
class Given:
    """What was said on the command line, or is asked for."""

    publisher: str | None
    contact: str | None
    base_url: str | None


@app.command("start", help=HELP)
def start(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
    place: Annotated[str, typer.Argument(metavar="DIR-or-URL", show_default=False)],
    publisher: Annotated[
        str | None, typer.Option(metavar="WHO", help="Whose documents these are.")
    ] = None,
    contact: Annotated[
        str | None, typer.Option(metavar="WHO", help="Whom to write to about it.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where a folder's files stand.")
    ] = None,
) -> None:
    packs.refuse_name(name)
    given = Given(publisher, contact, _complete_address(base_url))
    work = _start_site if place.startswith(("http:", "https:")) else _start_folder
    raise typer.Exit(work(ctx.obj, name, place, given))


def _start_folder(options: Options, name: str, place: str, given: Given) -> int:
    """Start a pack of a folder, or take it in again; return the exit code."""
    settings = read_settings(options.data)
    folder = _find_folder(place)
    known = _load_known(settings, name)
    if known is None:
        publisher = _ask("Whose documents are these?", given.publisher, "--publisher")
        base = given.base_url or _complete_address(
            _ask("Web address at which these files stand (Enter: none)", None)
        )
        asked = replace(given, base_url=base)
        known = _make_pack(settings, name, describe_folder(folder, publisher, asked))
    else:
        _continue(known, same=any(s.folder == str(folder) for s in known.sources))
    code = asyncio.run(take_in(options, name, SHARED, make_job(known, folder)))
    return _show(options, settings, name) or code


def describe_folder(folder: Path, publisher: str, given: Given) -> packs.Facts:
    """Write what a new pack says of its folder, given as an absolute path."""
    base, own = given.base_url, folder / REGISTER
    return replace(
        _make_facts(publisher, given),
        homepage=_find_site(base) if base else None,
        source={"folder": str(folder), "base_url": base},
        register=own if own.is_file() else None,
    )


def make_job(pack: Pack, folder: Path) -> Job:
    """Say what of a pack's folder is taken in, and by which source."""
    ids = [source.id for source in pack.sources if source.folder == str(folder)]
    return Job(folder, source=ids[0] if len(ids) == 1 else None)


def _find_folder(place: str) -> Path:
    """Find the folder that was named.

    Raises:
        UsageError: there is none, or nothing in it can be read.
    """
    folder = Path(place).expanduser().resolve()
    if folder.is_file():
        raise UsageError(f"{place}: is a file; name the folder that it lies in")
    if not folder.exists():
        raise UsageError(f"{place}: no such folder; a website begins with https://")
    look(folder, list_served(()))
    return folder


def _start_site(options: Options, name: str, place: str, given: Given) -> int:
    """Start a pack of a website, or fetch it again; return the exit code."""
    settings = read_settings(options.data)
    if given.base_url is not None:
        raise UsageError("--base-url is for a folder: a site's pages have addresses")
    url = _complete_address(place) or ""
    known = _load_known(settings, name)
    if known is None:
        found = asyncio.run(_survey(settings, url, given))
        publisher = _ask(
            "Who publishes this site?", given.publisher, default=found.publisher
        )
        source = {
            "url_prefixes": [found.prefix],
            "sync": [found.feed.model_dump(exclude_defaults=True)],
        }
        facts = _make_facts(publisher, given)
        _make_pack(
            settings, name, replace(facts, homepage=found.homepage, source=source)
        )
        by = "its sitemap lists" if found.feed.by == "sitemap" else "links lead to"
        say(f"Fetching the pages that {by}, about one a second ...")
    else:
        prefixes = [p for source in known.sources for p in source.url_prefixes]
        _continue(known, same=any(is_below(url, prefix) for prefix in prefixes))
    code = asyncio.run(sources_sync.sync_sources(options, name, (), Wish()))
    return _show(options, settings, name) or code


async def _survey(settings: Settings, url: str, given: Given) -> Survey:
    contact = given.contact or given.publisher or urlsplit(url).netloc
    private = frozenset(settings.sync_private_hosts)
    async with Web(contact, private, sources_sync.MANNERS) as web:
        return await survey_site(web, url)


def _make_facts(publisher: str, given: Given) -> packs.Facts:
    """Write what every new pack says of who answers for it."""
    contact, today = given.contact or publisher, datetime.now(UTC).date()
    return packs.Facts(publisher, publisher, contact, today)


def _make_pack(settings: Settings, name: str, facts: packs.Facts) -> Pack:
    folder = packs.create_pack(settings.packs, name, facts)
    tell(f"made the pack {folder}")
    return packs.load(folder)


def _load_known(settings: Settings, name: str) -> Pack | None:
    """Load the pack where it was started before."""
    folder = settings.packs / name
    return packs.load(folder) if folder.is_dir() else None


def _continue(pack: Pack, *, same: bool) -> None:
    """Say that a pack exists.

    Raises:
        UsageError: it was started of something else.
    """
    if not same:
        places = [p for s in pack.sources for p in (s.folder, *s.url_prefixes) if p]
        of = f" and is of {', '.join(places[:3])}" if places else ""
        raise UsageError(
            f"the pack {pack.id} exists{of}: choose another name, or add documents to "
            f"it with `groundrule ingest DIR --pack {pack.id}`"
        )
    say(f"the pack {pack.id} exists and stays as it is; taking in what changed")


def _ask(
    question: str, given: str | None, option: str | None = None, default: str = ""
) -> str:
    """Return what was given, or what a person at a terminal answers, else the default.

    Raises:
        UsageError: `option` has to be given where there is no terminal.
    """
    if given and given.strip():
        return given.strip()
    if sys.stdin.isatty() and sys.stderr.isatty():
        usual = None if option else default
        shown = bool(default)
        typed = typer.prompt(
            question, usual, prompt_suffix=" ", show_default=shown, err=True
        )
        return str(typed).strip()
    if option:
        raise UsageError(f"{question} Say so with {option}")
    return default


def _complete_address(typed: str | None) -> str | None:
    """Complete a web address with a slash after its host; None for nothing.

    Raises:
        UsageError: it is none.
    """
    if not typed or not typed.strip():
        return None
    url = typed.strip()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{typed}: is no web address; write https://host/...")
    return url if parts.path else f"{parts.scheme}://{parts.netloc}/"


def _find_site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


# --- what it answers ----------------------------------------------------------------


def _show(options: Options, settings: Settings, name: str) -> int:
    """Try the pack and say what comes next; return the exit code."""
    if not asyncio.run(_try_pack(options, settings, name)):
        say("nothing was taken in, so there is nothing to ask: mend it and repeat")
        return FAILED
    program = options.program
    tell(
        f"Ask it yourself:  {program} chat --pack {name}\n"
        f"Your questions:   {program} pack tune {name} questions.txt  (see --help)\n"
        f"What can be set:  {program} pack show {name}\n"
        "In Slack:         paste adapters/slack/manifest.json at api.slack.com/apps, "
        f"set GROUNDRULE_SLACK_PACK={name} and the two tokens\n"
        "In Discord:       make a bot at discord.com/developers, set "
        f"GROUNDRULE_DISCORD_PACK={name} and its token\n"
        f"                  then `{program} serve`; step by step: docs/platforms.md"
    )
    return 0


async def _try_pack(options: Options, settings: Settings, name: str) -> bool:
    """Ask what the documents' headings ask; return whether there is any document."""
    shown: list[Outcome] = []
    terminal = Terminal(out(), options.program)
    async with Application(settings) as application:
        pack = application.pack(name)
        corpus = application.corpus(pack)
        if not await current_members(corpus):
            return False
        assistant = Assistant(application, frozenset())
        await assistant.pack(name)
        async for outcome in first_try.try_out(assistant, corpus, pack):
            shown.append(outcome)
            out().rule(style="dim")
            out().print(f"> {outcome.question.text}\n", style="bold")
            terminal.show(assistant.word(pack, outcome))
        out().rule(style="dim")
    first_try.keep_questions(settings.packs / name, shown)
    answered = sum(isinstance(outcome.result, Answer) for outcome in shown)
    say(f"{answered} of {len(shown)} questions of the headings were answered")
    return True
