"""`pack`: check, lock or start a policy pack (R-I9, R-I12, R-U8)."""

from pathlib import Path
from typing import Annotated

import typer

from adapters import packs
from bot.console import say, tell
from bot.options import group
from bot.wiring import read_settings
from engine.errors import PolicyError, UsageError

HELP = """Check or lock a policy pack, or start a new one.

\b
  python -m bot pack check config/packs/oncology
  python -m bot pack lock config/packs/textbook
  python -m bot pack new cardiology
"""
CHECK_HELP = """Check a pack: every problem with file, line, field and floor.

\b
  python -m bot pack check config/packs/oncology
  python -m bot pack check oncology

Exit code 1 where something is wrong, 2 where there is no such pack.
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
WRONG = 1

app = group(HELP)


@app.command(help=CHECK_HELP)
def check(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="DIR|PACK", show_default=False)],
) -> None:
    folder = _folder(pack, read_settings(ctx.obj.data).packs)
    try:
        report = packs.check(folder)
    except PolicyError as error:
        say(str(error))
        raise typer.Exit(WRONG) from error
    for problem in report.problems:
        say(str(problem))
    if report.pack is None or not report.passed:
        raise typer.Exit(WRONG)
    found = report.pack
    tell(f"{found.id} {found.version} ({found.status}): passed, hash {found.hash[:12]}")


@app.command(help=LOCK_HELP)
def lock(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="DIR|PACK", show_default=False)],
) -> None:
    folder = _folder(pack, read_settings(ctx.obj.data).packs)
    locked = packs.lock(folder)
    place = folder / packs.LOCK
    tell(f"{locked.id} {locked.version}: locked in {place}, hash {locked.hash[:12]}")


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


def _folder(pack: str, known: Path) -> Path:
    """The folder that a path or a pack's name means."""
    for folder in (Path(pack), known / pack):
        if folder.is_dir():
            return folder
    raise UsageError(f"no folder and no pack is called {pack!r}")
