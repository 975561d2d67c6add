"""`pack`: check, show, lock, tune or write a policy pack."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from adapters import pack_shown, packs
from adapters.inert import many
from adapters.ledger.history import Wanted
from bot.commands.replay import replay_outcomes
from bot.commands.replay import show as show_changes
from bot.console import say, tell
from bot.documents.writing import one_writer
from bot.options import group
from bot.replay.run import Replay
from bot.tuning import Failed, Labelled, Tuning, read_questions
from bot.wiring import Application, read_settings
from config.settings import Settings
from engine.model.errors import PolicyError, UsageError
from engine.policy.pack import Pack

HELP = """Check, show, lock or tune a policy pack, or write a new one.

\b
  groundrule pack check config/packs/oncology
  groundrule pack show oncology
  groundrule pack lock config/packs/textbook
  groundrule pack tune cardiology questions.txt
  groundrule pack new cardiology
"""
CHECK_HELP = """Check a pack: every problem with file, line, field and floor.

\b
  groundrule pack check config/packs/oncology
  groundrule pack check oncology
  groundrule pack check my_packs/oncology --replay

With --replay, what was asked of the installed pack of this id is asked of this one,
before it is taken into service: which outcomes would change, and why. Exit code 1 where
something is wrong or an outcome would change, 2 where there is no such pack.
"""
LOCK_HELP = """Lock the version of a pack whose status is LOCKED.

\b
  groundrule pack lock config/packs/textbook
  groundrule pack lock textbook

Its version and hash go into pack.lock beside it. From then on a change needs a new
version and a changelog entry, and then this command again.

Exit code 2 where the pack is wrong, has another status, or has changed under a version
that is locked.
"""
SHOW_HELP = """Show every setting of a pack with its meaning, as YAML for pack.yaml.

\b
  groundrule pack show rowing
  groundrule pack show rowing --own

What pack.yaml says itself is marked, or shown alone with --own; all else are defaults.
"""
NEW_HELP = """Write a new pack without documents, a draft that passes `pack check`.

\b
  groundrule pack new cardiology
  groundrule pack new cardiology --directory my_packs

`groundrule start` does so and takes the documents of a folder or a site in.
"""
TUNE_HELP = """Ask questions of yours, and see what would answer those that fail.

\b
  groundrule pack tune cardiology questions.txt
  groundrule pack tune cardiology questions.txt --store --by "Dr Ada Lovelace"

One question a line, and the title, id or file name of the page that answers it, or "-"
where none does (some of those belong into every file: they show what must stay closed):

\b
  how long till my hair is back | hair-loss.md
  how much is a wig | -

Each that is not answered from its page is shown with the passage of it that comes
nearest: read whether it answers. --store keeps the question with that passage, as
`questions add` does, so that whoever asks alike is answered; it is tried first, and
kept out of use, with the reason, where the gate stays closed.

Exit code 1 where a question fails that is not stored, 2 where a line names no page of
this corpus.
"""
WRONG = 1
QUOTED = 160  # characters of a passage that is shown
PLACEHOLDER = "Name the publisher"  # of a pack that was made without documents

app = group(HELP)


@app.command(help=CHECK_HELP)
def check(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="DIR|PACK", show_default=False)],
    again: Annotated[
        bool, typer.Option("--replay", help="Ask it what was asked before, too.")
    ] = False,
) -> None:
    settings = read_settings(ctx.obj.data)
    folder = _find_folder(pack, settings.packs)
    try:
        report = packs.check(folder)
    except PolicyError as error:
        say(str(error))
        raise typer.Exit(WRONG) from error
    for problem in report.problems:
        say(str(problem))
    found = report.pack
    changes = found is not None and again and asyncio.run(_replay(settings, found))
    if found is None or not report.passed:
        raise typer.Exit(WRONG)
    tell(f"{found.id} {found.version} ({found.status}): passed, hash {found.hash[:12]}")
    for source in found.sources:
        if PLACEHOLDER in source.publisher:
            say(
                f"sources.yaml: {source.id}: answers will name {source.publisher!r} "
                "as their publisher; write who it is, and ingest again"
            )
    if changes:
        raise typer.Exit(WRONG)


@app.command(help=LOCK_HELP)
def lock(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="DIR|PACK", show_default=False)],
) -> None:
    folder = _find_folder(pack, read_settings(ctx.obj.data).packs)
    locked = packs.lock(folder)
    place = folder / packs.LOCK
    tell(f"{locked.id} {locked.version}: locked in {place}, hash {locked.hash[:12]}")


@app.command(help=TUNE_HELP)
def tune(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    questions: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    store: Annotated[
        bool, typer.Option(help="Keep each question with its passage.")
    ] = False,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who says so.")] = "",
) -> None:
    sheet = read_questions(questions)
    application = Application(read_settings(ctx.obj.data))
    if asyncio.run(_tune(application, pack, sheet, by if store else None)):
        raise typer.Exit(WRONG)


async def _tune(
    application: Application, name: str, sheet: Sequence[Labelled], by: str | None
) -> int:
    """Say what fails, and store it where a name is given; return how many still
    fail.
    """
    failing = left = 0
    async with application as running:
        pack = running.pack(name)
        tuning = Tuning(running.corpus(pack), Replay(running, pack))
        async for one in tuning.find_failed(sheet):
            failing += 1
            tell(f"{one.asked.text}: {one.why}")
            if one.passage is not None:
                tell(f"  would answer: {one.passage.title}")
                text = one.passage.chunk.text
                tell(f"  {shorten(text, QUOTED, placeholder=' …')}")
            left += by is None or not await _store(one, running, by)
    say(f"{failing} of {many(len(sheet), 'question')} failed, {left} not stored")
    return left


async def _store(failed: Failed, application: Application, by: str) -> bool:
    """Store a question with its passage, and say what came of it."""
    if failed.passage is None:
        tell("  no page answers it, so it is stored nowhere")
        return False
    with one_writer(application.data):
        kept_out = await failed.passage.attach(failed.asked.text, by)
    tell("  stored with it" if kept_out is None else f"  kept out of use: {kept_out}")
    return kept_out is None


@app.command(help=SHOW_HELP)
def show(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="DIR|PACK", show_default=False)],
    own: Annotated[
        bool, typer.Option("--own", help="Only what pack.yaml says itself.")
    ] = False,
) -> None:
    folder = _find_folder(pack, read_settings(ctx.obj.data).packs)
    for line in pack_shown.list_settings(folder, packs.load(folder), own=own):
        tell(line)


@app.command(help=NEW_HELP)
def new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ID", show_default=False)],
    directory: Annotated[
        Path | None, typer.Option(help="Where to make it; else beside the others.")
    ] = None,
) -> None:
    owner = f"{PLACEHOLDER} of these documents"
    facts = packs.Facts(name, owner, "owner@example.org", datetime.now(UTC).date())
    folder = packs.create_pack(
        directory or read_settings(ctx.obj.data).packs, name, facts
    )
    tell(f"made {folder}: edit pack.yaml and sources.yaml, then `pack check` it")


async def _replay(settings: Settings, pack: Pack) -> bool:
    """Replay what was asked; return whether an outcome would change."""
    async with Application(settings) as application:
        given = pack.narrow() if settings.no_silent_fallback else pack
        found = await replay_outcomes(application, given, Wanted(pack=pack.id))
    show_changes(found)
    return bool(found.changes)


def _find_folder(pack: str, known: Path) -> Path:
    """Find the folder that a path or a pack's name means."""
    for folder in (Path(pack), known / pack):
        if folder.is_dir():
            return folder
    raise UsageError(f"no folder and no pack is called {pack!r}")
