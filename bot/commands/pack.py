"""`pack`: check, lock, tune or start a policy pack (R-I9, R-I12, R-U2, R-U8)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from adapters import packs
from adapters.inert import many
from adapters.ledger.history import Wanted
from adapters.pack_text import changed, difference
from bot.commands.replay import replayed, show
from bot.console import say, tell
from bot.documents.reindex import current_members, stored
from bot.options import group
from bot.tuning import Labelled, Proposal, Seen, Tuning, read_questions
from bot.wiring import Application, calibration, read_settings
from config.settings import Settings
from engine.errors import PolicyError, UsageError
from engine.policy.pack import Pack
from engine.question.dates import today_in
from engine.records import Scope
from engine.retrieve.search import Searcher

HELP = """Check, lock or tune a policy pack, or start a new one.

\b
  python -m bot pack check config/packs/oncology
  python -m bot pack lock config/packs/textbook
  python -m bot pack tune cardiology questions.txt
  python -m bot pack new cardiology
"""
CHECK_HELP = """Check a pack: every problem with file, line, field and floor.

\b
  python -m bot pack check config/packs/oncology
  python -m bot pack check oncology
  python -m bot pack check my_packs/oncology --replay

With --replay, what was asked of the installed pack of this id is asked of this one,
before it is taken into service: which outcomes would change, and why. Exit code 1 where
something is wrong or an outcome would change, 2 where there is no such pack.
"""
LOCK_HELP = """Lock the version of a pack whose status is LOCKED.

\b
  python -m bot pack lock config/packs/textbook
  python -m bot pack lock textbook

Its version and hash go into pack.lock beside it. From then on a change needs a new
version and a changelog entry, and then this command again.

Exit code 2 where the pack is wrong, has another status, or has changed under a version
that is locked.
"""
NEW_HELP = """Start a new pack, a draft that passes `pack check`.

\b
  python -m bot pack new cardiology
  python -m bot pack new cardiology --directory my_packs
"""
TUNE_HELP = """Propose glossary lines and thresholds from some questions of yours.

\b
  python -m bot pack tune cardiology questions.txt
  python -m bot pack tune cardiology questions.txt --write

One question a line, and the title, id or file name of the page that answers it, or "-"
where none does (some of those belong into every file: they show what must stay closed):

\b
  how long till my hair is back | hair-loss.md
  how much is a wig | -

A change is proposed only where it was tried on all of these questions and one comes out
better and none worse; what comes of each is said, with the sentence that would be
quoted: read whether it answers. Nothing changes without --write, and no number goes
below the pack's floors. Ten questions show what lacks, not how good a pack is: measure
that on others.

Exit code 2 where a line names no page of this corpus.
"""
WRONG = 1
QUOTED = 160  # characters of a sentence that a proposal would quote
PLACEHOLDER = "Name the publisher"  # of config/pack_template/sources.yaml

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
    folder = _folder(pack, settings.packs)
    try:
        report = packs.check(folder)
    except PolicyError as error:
        say(str(error))
        raise typer.Exit(WRONG) from error
    for problem in report.problems:
        say(str(problem))
    found = report.pack
    changes = found is not None and again and asyncio.run(_changes(settings, found))
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
    folder = _folder(pack, read_settings(ctx.obj.data).packs)
    locked = packs.lock(folder)
    place = folder / packs.LOCK
    tell(f"{locked.id} {locked.version}: locked in {place}, hash {locked.hash[:12]}")


@app.command(help=TUNE_HELP)
def tune(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    questions: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    write: Annotated[bool, typer.Option(help="Change pack.yaml so.")] = False,
) -> None:
    sheet = read_questions(questions)
    settings = read_settings(ctx.obj.data)
    folder = settings.packs / pack
    proposal = asyncio.run(_tuned(Application(settings), pack, sheet))
    for line in _outcomes(sheet, proposal):
        say(line)
    if not proposal.changes:
        say(
            "nothing to propose: no change that was tried makes one of these questions "
            "come out better and none worse"
        )
        return
    text = changed(folder, proposal.changes)
    tell(difference(folder, text).rstrip())
    if write:
        packs.rewrite(folder, text)
        say(f"{folder / packs.POLICY} was changed: `pack check` it")


async def _tuned(
    application: Application, name: str, sheet: Sequence[Labelled]
) -> Proposal:
    async with application as running:
        pack = running.pack(name)
        search, corpus = running.search, running.corpus(pack)
        members = await current_members(corpus)
        texts = {m.document: (await stored(corpus, m)).text for m in members.values()}
        tuning = Tuning(
            Searcher(search.index, search.embedder, calibration(search.embedder)),
            await search.index.statistics(Scope(pack=pack.id)),
            today_in(pack.time_zone, running.clock.now()),
            list(members.values()),
            texts,
        )
        return await tuning.propose(pack, sheet)


def _outcomes(sheet: Sequence[Labelled], proposal: Proposal) -> list[str]:
    """What comes of each question now and, if better, with what is proposed."""
    lines = ["in brackets: how near the page comes to the question, from 0 to 1"]
    better = 0
    for asked, was, then in zip(sheet, proposal.before, proposal.after, strict=True):
        now, changed = _outcome(asked, was), _outcome(asked, then)
        lines.append(f"{asked.text}: {now}")
        if then.rank(asked) > was.rank(asked):
            better += 1
            lines[-1] += f"; with the proposal: {changed}"
            if then.quoted:
                shown = shorten(then.quoted, QUOTED, placeholder=" …")
                lines.append(f"  it would quote first: {shown}")
    if better:
        lines.append(f"{better} of {many(len(sheet), 'question')} better, none worse")
    return lines


def _outcome(asked: Labelled, seen: Seen) -> str:
    if asked.page is None:
        told = "answered, though no page does" if seen.opened else "refused, rightly"
        return f"{told} ({seen.other:.2f})"
    told = "answered from another page" if seen.opened else "refused"
    return f"{'answered from its page' if seen.right else told} ({seen.own:.2f})"


@app.command(help=NEW_HELP)
def new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ID", show_default=False)],
    directory: Annotated[
        Path | None, typer.Option(help="Where to make it; else beside the others.")
    ] = None,
) -> None:
    folder = packs.new(directory or read_settings(ctx.obj.data).packs, name)
    tell(f"made {folder}: edit pack.yaml and sources.yaml, then `pack check` it")


async def _changes(settings: Settings, pack: Pack) -> bool:
    """Replay what was asked; whether an outcome would change."""
    async with Application(settings) as application:
        given = pack.narrow() if settings.no_silent_fallback else pack
        found = await replayed(application, given, Wanted(pack=pack.id))
    show(found)
    return bool(found.changes)


def _folder(pack: str, known: Path) -> Path:
    """The folder that a path or a pack's name means."""
    for folder in (Path(pack), known / pack):
        if folder.is_dir():
            return folder
    raise UsageError(f"no folder and no pack is called {pack!r}")
