"""`expire`: delete what was asked longer ago than may be kept."""

import asyncio
from datetime import timedelta
from typing import Annotated

import typer

from adapters.ledger.transactions import ScrubPending
from adapters.reply import many
from bot.console import say, tell
from bot.options import Options, group
from bot.privacy.events import clean_events
from bot.wiring import Application, read_settings

HELP = """Delete what anybody asked longer ago than so many days.

\b
  groundrule expire                # GROUNDRULE_RETENTION_DAYS
  groundrule expire --days 30

`serve` does this every hour; where only the terminal is used, a timer of yours does.
Text, pseudonyms, the gap board's words and events go; counts, citations and the audit
chain stay.
"""

app = group()


@app.command(help=HELP)
def expire(
    ctx: typer.Context,
    days: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Instead of the setting.")
    ] = None,
) -> None:
    asyncio.run(_expire(ctx.obj, days))


async def _expire(options: Options, days: int | None) -> None:
    settings = read_settings(options.data)
    kept = timedelta(days=days or settings.retention_days)
    async with Application(settings) as application:
        before = application.clock.now() - kept
        try:
            erased = await application.ledger.expire(before)
        except ScrubPending as error:
            say(f"deleted, but old bytes are still in the database's log: {error}")
            erased = 0
        events = await clean_events(application)
    tell(f"expired: {many(erased, 'outcome')}, {many(events, 'event')}")
