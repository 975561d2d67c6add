"""`doctor`: what is configured, what is missing, what to do."""

import asyncio
from typing import Annotated

import typer

from bot.console import tell
from bot.doctor.check import State
from bot.doctor.checkup import run_checks
from bot.options import Options, group
from bot.wiring import Application, read_settings

HELP = """Say what is configured, what is missing and what to do.

\b
  groundrule doctor
  groundrule doctor --online     asks Slack and Discord about the tokens, too
  groundrule doctor --verbose    shows every setting
  groundrule doctor --model      asks the language model something, and says the cost
  groundrule doctor | grep -v ^ok

Exit code 4 where something needed is broken, 2 where a pack or setting is wrong.
"""
EXIT_CODES = {State.BROKEN: 4, State.CONFIGURATION: 2}

app = group()


@app.command(help=HELP)
def doctor(
    ctx: typer.Context,
    online: Annotated[
        bool, typer.Option("--online", help="Ask Slack and Discord, too.")
    ] = False,
    model: Annotated[
        bool, typer.Option("--model", help="One real call of the language model, too.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show every setting.")
    ] = False,
) -> None:
    wanted = {"online": online, "asked": model, "verbose": verbose}
    raise typer.Exit(asyncio.run(_doctor(ctx.obj, **wanted)))


async def _doctor(options: Options, **wanted: bool) -> int:
    worst = 0
    async with Application(read_settings(options.data)) as application:
        async for check in run_checks(application, **wanted):
            worst = max(worst, EXIT_CODES.get(check.state, 0))
            tell(f"{check.state.value:<13} {check.part}: {check.found}")
    return worst
