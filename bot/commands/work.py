"""`work`: one worker process; `serve` starts as many as it needs."""

import asyncio
from typing import Annotated

import typer

from bot.options import Options, group
from bot.serving.work import Telling
from bot.serving.work import work as answer
from bot.wiring import Application, read_settings

HELP = """Answer what waits in the inbox. `serve` starts this; it ends when its
standard input closes.

\b
  groundrule work first
"""

app = group()


@app.command(help=HELP)
def work(
    ctx: typer.Context,
    worker: Annotated[str, typer.Argument(metavar="NAME", show_default=False)],
) -> None:
    asyncio.run(_work(ctx.obj, worker))


async def _work(options: Options, worker: str) -> None:
    settings = read_settings(options.data)
    async with Application(settings, observer=Telling()) as application:
        await answer(application, worker)
