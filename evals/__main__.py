"""`python -m evals`: fit relevance on labelled questions, measure what comes of it."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.wiring import Application, read_settings
from engine.dates import today_in
from evals import calibrate as calibration
from evals.cases import load
from evals.collect import collect
from evals.measure import measure as ask_all
from evals.measure import missed, table

FOLDER = Path(__file__).resolve().parent.parent / "config" / "calibration"

application = typer.Typer(no_args_is_help=True, add_completion=False)
Data = Annotated[Path | None, typer.Option(help="Data folder with the documents.")]
Packs = Annotated[list[str] | None, typer.Option("--pack", help="Only these packs.")]


@application.command()
def calibrate(profile: str = "small", data: Data = None, pack: Packs = None) -> None:
    """Fit relevance on the tuning halves and write config/calibration/.

    The documents that the suites are labelled on must have been ingested into the data
    folder. Example: python -m evals calibrate --data ~/groundrule-evals
    """
    asyncio.run(_calibrate(profile, data, pack or ["oncology", "textbook"]))


@application.command()
def measure(
    half: str = "test",
    suite: str = "development",
    data: Data = None,
    pack: Packs = None,
) -> None:
    """Ask a half of the labelled questions and print what came of it.

    Exits 1 where an aim was missed, and says which.

    Example: python -m evals measure --half test --data ~/groundrule-evals
    """
    packs = pack or ["oncology", "textbook"]
    if asyncio.run(_measure(half, suite, data, packs)):
        raise typer.Exit(1)


async def _calibrate(profile: str, data: Path | None, packs: list[str]) -> None:
    async with Application(read_settings(data)) as running:
        tuned = []
        for name in packs:
            pack = running.pack(name).model_copy(update={"profile": profile})
            cases = [case for case in load(name) if case.half == "tune"]
            tuned += await collect(running, pack, cases)
            typer.echo(f"{name}: {len(cases)} questions measured", err=True)
        embedder = running.search(profile).embedder.name
        today = today_in("UTC", running.clock.now())
        made = calibration.fit(tuned, embedder, today, packs)
    path = FOLDER / f"{profile}-relevance.json"
    calibration.write(made, path)
    path.with_suffix(".svg").write_text(calibration.diagram(made), encoding="utf-8")
    typer.echo(f"{path.name}: {made.provenance}")


async def _measure(
    half: str, suite: str, data: Path | None, packs: list[str]
) -> list[str]:
    """Print the table of each pack; the aims that were missed."""
    aims = []
    async with Application(read_settings(data)) as running:
        for name in packs:
            cases = [case for case in load(name, suite) if case.half == half]
            scored = await ask_all(running, running.pack(name), cases)
            typer.echo(f"{name}, {suite}, half {half}\n{table(scored)}\n")
            aims += [f"{name}: {aim}" for aim in missed(scored)]
    for aim in aims:
        typer.echo(f"aim missed: {aim}", err=True)
    return aims


if __name__ == "__main__":
    application()
