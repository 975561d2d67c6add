"""`backup`: ledger and documents in one verified file."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from adapters.reply import many
from bot.console import tell
from bot.options import Options, group
from bot.wiring import Application, read_settings

HELP = """Write ledger and documents to one file, verified before it gets its name.

\b
  groundrule backup groundrule-2026-11-22.db

The index is not in it: `restore` makes it again. What is forgotten later stays in this
file until it is restored or deleted.
"""

app = group()


@app.command(help=HELP)
def backup(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
) -> None:
    asyncio.run(_backup(ctx.obj, file))


async def _backup(options: Options, file: Path) -> None:
    settings = read_settings(options.data)
    async with Application(settings, only_read=True) as application:
        report = await application.ledger.backup(file)
    versions = many(report.versions, "document version")
    tell(f"{file}: {many(report.answers, 'answer')}, {versions}, verified")
