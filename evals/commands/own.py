"""`own`: make an assistant of a team's documents, and ask it labelled questions."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from adapters.clock import SystemClock
from bot.console import bar, export_lines, say, tell
from bot.options import group
from bot.readers import open_reader
from bot.wiring import read_settings
from config.settings import Settings
from engine.model.errors import GroundruleError, UsageError
from engine.parse.dates import today_in
from evals.record.corpora import FixedClock
from evals.relevance.answered import Row, ask_all, write_table
from evals.relevance.collections import (
    Collection,
    list_collections,
    read_collection,
    started,
)

HELP = """Make an assistant of each collection of evals/own, and ask all its questions.

\b
  python -m evals own
  python -m evals own swimming_club primary_school
  GROUNDRULE_READER=small python -m evals own --report build/own.jsonl

Each pack is made as `groundrule start` makes it, in a folder that is gone afterwards;
nothing is tuned. An answer is right where it shows the labelled words, a refusal is
right by a tap where one of its choices does. A near miss is answered by no document.

Exit codes: 0 all was asked, 2 usage, 3 a collection could not be measured, 4 the
environment.
"""
NOT_MEASURED = 3

app = group()


@app.command(help=HELP)
def own(
    collections: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", show_default=False)
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Every answer, as a line of JSON."),
    ] = None,
) -> None:
    chosen = [read_collection(name) for name in collections or list_collections()]
    if not chosen:
        raise UsageError("evals/own holds no collection")
    settings = read_settings()
    rows = asyncio.run(ask_collections(chosen, settings))
    for line in write_table(rows):
        tell(line)
    tell(f"reader: {open_reader(settings).name}")
    if report is not None:
        export_lines([row.model_dump_json() for row in rows], "answer", report)
    if {row.collection for row in rows} != {collection.name for collection in chosen}:
        raise typer.Exit(NOT_MEASURED)


async def ask_collections(
    collections: Sequence[Collection], settings: Settings
) -> list[Row]:
    """Ask every question of some collections; one that cannot be is said, and left
    out."""
    today = today_in("UTC", SystemClock().now())
    clock = FixedClock(today, passing=settings.model is not None)
    rows: list[Row] = []
    for collection in collections:
        found = []
        try:
            async with started(collection, settings, clock) as (application, pack):
                with bar(collection.name, len(collection.questions)) as steps:
                    async for row in ask_all(application, pack, collection):
                        found.append(row)
                        steps.file()
        except GroundruleError as error:
            say(f"{collection.name}: could not be measured: {error}")
        else:
            rows += found
            say(f"{collection.name}: {len(found)} questions asked")
    return rows
