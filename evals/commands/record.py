"""`record`: ask every case of a pack's suites, and keep what was answered."""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from adapters.inert import many
from adapters.terminal import make_console
from bot.console import say, tell
from bot.options import group
from bot.wiring import read_settings
from engine.model.errors import EnvironmentFailed, UsageError
from engine.policy.pack import PACK_ID
from evals.cases.suites import Library
from evals.options import Cached, Played, Taped
from evals.record import recorder as recording
from evals.record.cassettes import Tape
from evals.record.recorder import BUILD, CACHE, Plan, Summary, Tools
from evals.record.runner import Answered
from evals.store import StoreFailed

HELP = """Ask every case of a pack's suites, and keep what was answered.

\b
  python -m evals record --pack oncology --out build/evals/oncology
  python -m evals record --pack textbook --suite must_refuse_fixtures --no-generated

A case that could not be asked is a row with an error, which `decide` counts as failed.
The same command goes on where an earlier run stopped.
"""
CONCURRENCY = 4
SHOWN = 10  # errors that are named
LONGEST = 300  # characters of one


app = group()


@app.command(help=HELP)
def record(  # noqa: PLR0913 (each argument is an option of the command line)
    pack: Annotated[str, typer.Option(metavar="PACK", help="The policy pack.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of the run.", show_default="build/evals/PACK"
        ),
    ] = None,
    suite: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these suites.")
    ] = None,
    repeats: Annotated[int, typer.Option(help="How often each case is asked.")] = 1,
    concurrency: Annotated[
        int, typer.Option(help="Cases asked at once.")
    ] = CONCURRENCY,
    generated: Annotated[
        bool, typer.Option(help="Make counterfactual and adversarial cases too.")
    ] = True,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask again what was asked before.")
    ] = False,
    cache: Cached = CACHE,
    max_usd: Annotated[
        float | None, typer.Option(help="What models may cost; the rest are errors.")
    ] = None,
    play: Played = None,
    tape: Taped = None,
) -> None:
    if re.fullmatch(PACK_ID, pack) is None:  # it names folders, too
        raise UsageError(f"--pack {pack}: is no name of a pack")
    asked = Tape.of(play, tape)
    plan = Plan(
        pack=pack,
        out=out or BUILD / pack,
        repeats=repeats,
        concurrency=concurrency,
        only=tuple(suite or ()),
        generated=generated,
        fresh=fresh,
        cache=cache,
        max_usd=max_usd,
    )
    tell(describe(asyncio.run(ask_all(plan, asked)), plan))


async def ask_all(plan: Plan, tape: Tape) -> Summary:
    """Ask every case of a plan, with its progress on standard error."""
    if plan.concurrency < 1:
        raise UsageError(
            f"--concurrency {plan.concurrency}: ask one at a time at least"
        )
    settings = read_settings()
    try:
        with show_progress(f"cases of {plan.pack}") as progress:
            tools = Tools(progress, tape.open_models(settings))
            library = Library(packs=settings.packs)
            return await recording.record(plan, settings, library, tools)
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error


@contextmanager
def show_progress(what: str) -> Iterator[recording.Progress]:
    """Show a progress bar over cases on a terminal; name the errors on any output."""
    errors = make_console(sys.stderr)
    failures: list[str] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[errors]} errors"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal
    ) as live:
        task = live.add_task(what, total=0, errors=0)

        def expect(cases: int) -> None:
            live.update(task, total=(live.tasks[0].total or 0) + cases)

        def done(answered: Answered) -> None:
            if answered.row.error is not None:
                failures.append(f"{answered.row.case}: {answered.row.error}"[:LONGEST])
            live.update(task, advance=1, errors=len(failures))

        yield recording.Progress(say, expect, done)
    for failure in failures[:SHOWN]:
        say(f"error: {failure}")
    if len(failures) > SHOWN:
        say(f"and {len(failures) - SHOWN} errors more, in answers.jsonl")


def describe(summary: Summary, plan: Plan) -> str:
    """Describe on one line what a run came to."""
    asked = summary.took["asked"]
    return (
        f"{plan.pack}: {many(summary.cases, 'case')}, {many(summary.rows, 'row')}, "
        f"{many(summary.errors, 'error')}; {asked} asked, "
        f"{summary.rows - asked} known from before; {plan.out}"
    )
