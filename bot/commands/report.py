"""`report`: what a pack did in a week, for those who own it (R-O3)."""

import asyncio
import json as encoding
from datetime import date
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import re2
import typer

from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import Claimed, Letter
from adapters.mail import Action, Incoming, Place, Platform
from bot.console import tell
from bot.gaps.collecting import collect
from bot.options import Options, group
from bot.pages.sheet import put
from bot.reports.page import page as drawn
from bot.reports.page import post as worded
from bot.reports.weekly import Weekly, weekly
from bot.wiring import FACES, Application, read_settings
from engine.errors import UsageError
from engine.question.dates import today_in

HELP = """What a pack did: a week in counts, with a trend.

\b
  python -m bot report weekly oncology
  python -m bot report weekly oncology --page week.html
"""
WEEKLY_HELP = """The seven days before today, as lines, as a page, in a channel.

\b
  python -m bot report weekly oncology
  python -m bot report weekly oncology --until 2026-11-30 --page week.html
  python -m bot report weekly oncology --json
  python -m bot report weekly oncology --post slack:T0123:C0456
  python -m bot report weekly oncology --post discord:789:4711

Questions, answers, refusals by reason with their denominator, what was one tap away,
gaps, sources most and never cited, stale sources, feedback, time, cost, changes of the
pack. Nothing that anybody asked is told. Days are counted in UTC. `serve` posts what
--post puts into the outbox; a weekly timer of yours is all that a schedule takes.
"""
_CHANNEL = re2.compile(r"(slack):([A-Z0-9]+):([A-Z0-9]+)|(discord):(\d+):(\d+)")

app = group(HELP)


@app.callback()
def about() -> None:
    """So that `weekly` is a verb of its own."""


@app.command("weekly", help=WEEKLY_HELP)
def run(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="Not counted itself; else today.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="As a page.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
    post: Annotated[
        str | None, typer.Option(metavar="CHANNEL", help="Into a channel, too.")
    ] = None,
) -> None:
    place = None if post is None else channel(post)
    week = asyncio.run(_weekly(ctx.obj, pack, until, place))
    if page is not None:
        put(drawn(week), page)
    if json:
        tell(encoding.dumps(week.model_dump(mode="json"), indent=2))
    else:
        tell(worded(week))


async def _weekly(
    options: Options, name: str, until: str | None, place: Place | None
) -> Weekly:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(name)
        now = application.clock.now()
        day = today_in(pack.time_zone, now) if until is None else _day(until)
        await collect(application, pack)
        week = await weekly(application, pack, day)
        if place is not None:
            await _post(application, place, worded(week))
    return week


async def _post(application: Application, place: Place, text: str) -> None:
    """Put a text into the outbox; `serve` posts it."""
    incoming = Incoming(
        event=f"report:{uuid4().hex}",
        platform=place.platform,
        action=Action.ASK,
        place=place,
        person="",
        received=application.clock.now(),
    )
    parts = FACES[place.platform].notice(text, incoming)
    claimed = Claimed(incoming=incoming, asker="", worker="", attempts=1)
    letter = Letter(place=place, parts=parts)
    await application.mailbox.send(Reply(claimed, letter, callback=False))


def channel(typed: str) -> Place:
    """A channel of a platform.

    Raises:
        UsageError: it is none.
    """
    found = _CHANNEL.fullmatch(typed)
    if found is None:
        raise UsageError(
            f"--post {typed}: write slack:TEAM:CHANNEL or discord:SERVER:CHANNEL"
        )
    platform, tenant, name = (part for part in found.groups() if part is not None)
    return Place(platform=Platform(platform), tenant=tenant, channel=name)


def _day(typed: str) -> date:
    try:
        return date.fromisoformat(typed)
    except ValueError as error:
        raise UsageError(f"--until {typed}: write a day, as 2026-11-30") from error
