"""`replay`: stored questions through today's gates, packs and index."""

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from adapters.ledger.history import Wanted
from bot.console import bar, tell
from bot.options import HeldTags, Options, group, parse_day, split_names
from bot.pages.templates import write_page
from bot.replay import report
from bot.replay.many import Many, count_processes
from bot.replay.report import Findings
from bot.wiring import Application, read_settings
from engine.policy.pack import Pack

HELP = """Ask stored questions again, of no model: which outcomes would change, and why.

\b
  groundrule replay oncology
  groundrule replay oncology --since 2026-11-01 --most 500
  groundrule replay oncology --json > replay.json
  groundrule replay oncology --page replay.html
  groundrule pack check my_packs/oncology --replay

Each is asked as it was: same tenant, same access tags, same selection. A stored draft
of a model is judged anew; where the gate opens and no draft was shown, only a model
could tell what comes of it, and that is counted. Nothing is written. Exit code 1 where
an outcome would change. Questions that were asked with access tags which you do not
name with --tags are replayed and counted, but not shown. A question that was asked many
times alike is asked once.
"""
CHANGES = 1

app = group()


@app.command(help=HELP)
def replay(  # noqa: PLR0913 (each argument is an option of the command line)
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Asked on this day or later.")
    ] = None,
    most: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The newest N alone.")
    ] = None,
    tags: HeldTags = "",
    json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="As a page, too.")
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Else as many as are worth it."),
    ] = None,
) -> None:
    day = None if since is None else parse_day(since, "--since")
    start = datetime.combine(day, datetime.min.time(), UTC) if day else None
    reading = Reading(most, frozenset(split_names(tags)), processes)
    found = asyncio.run(_replay(ctx.obj, pack, start, reading))
    show(found, json=json, page=page)
    raise typer.Exit(CHANGES if found.changes else 0)


def show(found: Findings, *, json: bool = False, page: Path | None = None) -> None:
    """Print what a replay found, and write its page where one is wanted."""
    if json:
        tell(report.as_json(found))
    else:
        for line in report.render_text(found):
            tell(line)
        tell(f"{found.rate:.0f} outcomes a second")
    if page is not None:
        write_page(report.render_page(found), page)


@dataclass(frozen=True, slots=True)
class Reading:
    """How much is replayed, for whom, and how.

    `most` are the newest so many; `held` the access tags of who reads it, None sees
    all; `processes` None means as many as are worth it.
    """

    most: int | None = None
    held: frozenset[str] | None = None
    processes: int | None = None


async def _replay(
    options: Options, name: str, since: datetime | None, reading: Reading
) -> Findings:
    async with Application(read_settings(options.data)) as application:
        pack = application.pack(name)
        wanted = Wanted(pack=pack.id, since=since)
        return await replay_outcomes(application, pack, wanted, reading)


async def replay_outcomes(
    application: Application,
    pack: Pack,
    wanted: Wanted,
    reading: Reading = Reading(),
) -> Findings:
    """Replay every stored outcome that is wanted through today's pack."""
    ledger, most = application.ledger, reading.most
    total = await ledger.count(wanted)
    total = total if most is None else min(total, most)
    processes = reading.processes or count_processes(total)
    found, seen = [], set[str]()
    started = time.monotonic()
    async with Many(application, pack, processes) as many:
        with bar(pack.id, total) as steps:
            async for one in many.replay(ledger.outcomes(wanted, most)):
                found.append(one)
                seen |= one.stored.tags
                steps.file()
    seconds = time.monotonic() - started
    shown = frozenset(seen) if reading.held is None else reading.held
    return report.summarize(pack.id, pack.version, found, seconds, shown)
