"""`calibrate`: fit relevance on labelled questions, or measure it on others."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.documents.reindex import current_members, read_stored
from bot.options import group
from bot.readers import open_reader
from bot.wiring import Application, read_settings
from config.settings import CALIBRATIONS, Settings
from engine.model.errors import UsageError
from engine.parse.dates import today_in
from engine.policy.pack import Pack
from evals.options import Data, Packs, Questions
from evals.relevance import calibrate as calibration
from evals.relevance.cases import Case, load
from evals.relevance.collect import Collected, collect
from evals.relevance.collections import list_collections, read_collection, started
from evals.relevance.measure import list_missed, measure, write_table
from evals.relevance.own import FEWEST, read

# Suites that people have looked at; `held` is kept apart (`measure --suite held`).
SUITES = ("development", "exam", "blind", "everyday")

HELP = """Fit relevance on labelled questions (config/calibration/), or measure it.

The documents that the questions are labelled on must have been ingested into the data
folder.

\b
  python -m evals calibrate --data ~/groundrule-evals
  python -m evals calibrate --pack handbook --questions labelled.jsonl
  python -m evals calibrate --collections
  python -m evals calibrate measure --half test --data ~/groundrule-evals

With --questions it is fitted on your own labelled questions alone: one JSON object a
line, with "question", and "page" and "quote" where a page answers. See docs/evals.md.
With --collections those of evals/own are fitted on too, which need no data folder, or
alone where no --pack is named.

`measure` asks a half of a suite and prints what came of it; it exits 1 where an aim was
missed, and says which.
"""

app = group()


@app.command(help=HELP)
def calibrate(  # noqa: PLR0913 (each argument is an option of the command line)
    what: Annotated[Literal["fit", "measure"], typer.Argument()] = "fit",
    data: Data = None,
    pack: Packs = None,
    questions: Questions = None,
    half: Annotated[str, typer.Option(help="The half to measure.")] = "test",
    suite: Annotated[str, typer.Option(help="The suite to measure.")] = "development",
    collections: Annotated[
        bool, typer.Option("--collections", help="Fit on those of evals/own, too.")
    ] = False,
) -> None:
    packs = pack or ([] if collections else ["oncology", "textbook"])
    if what == "measure":
        if collections:
            raise UsageError("--collections is for a fit: `evals own` measures them")
        if asyncio.run(_measure(suite, half, data, packs)):
            raise typer.Exit(1)
        return
    if questions is not None and len(packs) != 1:
        raise UsageError("--questions are of one pack: name it with --pack")
    names = list_collections() if collections else []
    asyncio.run(_calibrate(data, packs, questions, names))


async def _measure(
    suite: str, half: str, data: Path | None, packs: list[str]
) -> list[str]:
    """Print the table of each pack; return the aims that were missed."""
    aims = []
    async with Application(read_settings(data)) as running:
        for name in packs:
            cases = [case for case in load(name, suite) if case.half == half]
            scored = await measure(running, running.pack(name), cases)
            typer.echo(f"{name}, {suite}, half {half}\n{write_table(scored)}\n")
            aims += [f"{name}: {aim}" for aim in list_missed(scored)]
    for aim in aims:
        typer.echo(f"aim missed: {aim}", err=True)
    return aims


async def _calibrate(
    data: Path | None, packs: list[str], own: Path | None, names: Sequence[str]
) -> None:
    settings = read_settings(data)
    async with Application(settings) as running:
        tuned = [one for n in names for one in await measure_collection(n, settings)]
        for name in packs:
            pack = running.pack(name)
            cases = await _load_cases(running, pack, own)
            tuned += await collect(running, pack, cases)
            typer.echo(f"{name}: {len(cases)} questions measured", err=True)
        embedder = running.search.embedder.name
        today = today_in("UTC", running.clock.now())
        suites = [f"{name}/{suite}" for name in packs for suite in SUITES]
        suites = suites if own is None else [f"{packs[0]}/{own.name}"]
        suites += [f"own/{name}" for name in names]
        labelled = calibration.Labelled(tuned, suites, today)
        reader = open_reader(settings)
        made = await calibration.fit(labelled, embedder, reader)
    kind = reader.name.split("-")[0].replace("/", "-")
    path = CALIBRATIONS / f"{settings.embedder}-{kind}-relevance.json"
    calibration.write(made, path)
    path.with_suffix(".svg").write_text(
        calibration.draw_diagram(made), encoding="utf-8"
    )
    typer.echo(f"{path.name}: {made.provenance}")


async def measure_collection(name: str, settings: Settings) -> list[Collected]:
    """Measure the questions of a collection of evals/own over its own documents.

    Raises:
        DocumentError: a document could not be taken in.
    """
    collection = read_collection(name)
    async with started(collection, settings) as (application, pack):
        cases = await _load_cases(application, pack, collection.file, fewest=1)
        typer.echo(f"{name}: {len(cases)} questions measured", err=True)
        return await collect(application, pack, cases)


async def _load_cases(
    running: Application, pack: Pack, own: Path | None, fewest: int = FEWEST
) -> Sequence[Case]:
    """Load the labelled questions of a pack: its suites, or its administrator's
    file."""
    if own is None:
        return [case for suite in SUITES for case in load(pack.id, suite)]
    corpus = running.corpus(pack)
    members = await current_members(corpus)
    documents = [await read_stored(corpus, member) for member in members.values()]
    return read(own, documents, fewest)
