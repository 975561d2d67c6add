"""`restore`: a backup back into the ledger, and the index made to agree."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from adapters.reply import many
from bot.commands.reindex import bring_up
from bot.console import tell
from bot.documents.writing import one_writer
from bot.options import Options, group
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError

HELP = """Replace everything by a backup, and make the index agree with it.

\b
  groundrule backup before.db
  groundrule restore groundrule-2026-11-22.db

The backup is verified first; where it does not verify, nothing is changed. What was
forgotten since the backup is forgotten again.
"""

MAGIC = b"SQLite format 3\0"

app = group()


@app.command(help=HELP)
def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
) -> None:
    asyncio.run(_restore(ctx.obj, file))


async def _restore(options: Options, file: Path) -> None:
    _refuse_other_files(file)
    async with Application(read_settings(options.data)) as application:
        with one_writer(application.data):
            ledger = application.ledger
            shelves = await ledger.shelves()
            asked = {name: await ledger.all_questions(name) for name in shelves}
            await ledger.restore(file)
            tell(f"restored {file}")
            documents = await bring_up(application, histories=True, asked=asked)
    tell(f"{many(documents, 'document')} indexed")


def _refuse_other_files(file: Path) -> None:
    """Raise UsageError where a file is no database."""
    try:
        with open(file, "rb") as opened:
            found = opened.read(len(MAGIC))
    except OSError as error:
        raise UsageError(f"cannot read {file} ({error.strerror})") from error
    if found != MAGIC:
        raise UsageError(f"{file} is no backup: it is no database")
