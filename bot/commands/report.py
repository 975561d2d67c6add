"""`report`: what a pack did in a week, for those who own it."""

import asyncio
import json as encoding
from datetime import timedelta
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from adapters.mail import Place
from bot.console import tell
from bot.gaps.collecting import collect
from bot.options import Options, group, parse_day
from bot.pages.templates import write_page
from bot.reports.page import render_page, write_post
from bot.reports.posting import make_letter, parse_channel
from bot.reports.weekly import Weekly, count_week
from bot.wiring import Application, read_settings
from engine.parse.dates import today_in

HELP = """What a pack did: a week in counts, with a trend.

\b
  groundrule report weekly oncology
  groundrule report weekly oncology --page week.html
"""
WEEKLY_HELP = """The last seven days, today included, as lines, as a page, in a channel.

\b
  groundrule report weekly oncology
  groundrule report weekly oncology --until 2026-11-30 --page week.html
  groundrule report weekly oncology --json
  groundrule report weekly oncology --post slack:T0123:C0456
  groundrule report weekly oncology --post discord:789:4711

Questions, answers, refusals by reason with their denominator, what was one tap away,
gaps, sources most and never cited, stale sources, feedback, time, cost, changes of the
pack. Nothing that anybody asked is told. Days are counted in UTC. `serve` posts what
--post puts into the outbox. For a schedule, name channels in GROUNDRULE_WEEKLY.
"""

app = group(HELP)


@app.callback()
def about() -> None:
    """So that `weekly` is a verb of its own."""


@app.command("weekly", help=WEEKLY_HELP)
def run(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    until: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The day after the last one; else tomorrow."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="As a page.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
    post: Annotated[
        str | None, typer.Option(metavar="CHANNEL", help="Into a channel, too.")
    ] = None,
) -> None:
    place = None if post is None else parse_channel(post)
    week = asyncio.run(_weekly(ctx.obj, pack, until, place))
    if page is not None:
        write_page(render_page(week), page)
    if json:
        tell(encoding.dumps(week.model_dump(mode="json"), indent=2))
    else:
        tell(write_post(week))


async def _weekly(
    options: Options, name: str, until: str | None, place: Place | None
) -> Weekly:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(name)
        now = application.clock.now()
        tomorrow = today_in(pack.time_zone, now) + timedelta(days=1)
        day = tomorrow if until is None else parse_day(until, "--until")
        await collect(application, pack)
        week = await count_week(application, pack, day)
        if place is not None:
            said = make_letter(
                application, place, write_post(week), f"report:{uuid4().hex}"
            )
            await application.mailbox.send(said)
    return week
