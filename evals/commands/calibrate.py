"""`calibrate`: relevance fitted on the labelled questions that are not held back."""

import asyncio
from pathlib import Path

import typer

from bot.options import group
from bot.wiring import Application, read_settings
from config.settings import CALIBRATIONS
from engine.question.dates import today_in
from evals.options import Data, Fitted, Packs
from evals.relevance import calibrate as calibration
from evals.relevance.cases import load
from evals.relevance.collect import collect

# What somebody has looked at; `held` is kept apart (`measure --suite held`).
SUITES = ("development", "exam", "blind", "everyday")

HELP = """Fit relevance on the labelled questions and write config/calibration/.

The documents that the questions are labelled on must have been ingested into the data
folder.

\b
  python -m evals calibrate --data ~/groundrule-evals
"""

app = group()


@app.command(help=HELP)
def calibrate(profile: Fitted = "small", data: Data = None, pack: Packs = None) -> None:
    asyncio.run(_calibrate(profile, data, pack or ["oncology", "textbook"]))


async def _calibrate(profile: str, data: Path | None, packs: list[str]) -> None:
    async with Application(read_settings(data)) as running:
        tuned = []
        for name in packs:
            pack = running.pack(name).model_copy(update={"profile": profile})
            cases = [case for suite in SUITES for case in load(name, suite)]
            tuned += await collect(running, pack, cases)
            typer.echo(f"{name}: {len(cases)} questions measured", err=True)
        embedder = running.search(profile).embedder.name
        today = today_in("UTC", running.clock.now())
        suites = [f"{name}/{suite}" for name in packs for suite in SUITES]
        made = calibration.fit(tuned, embedder, today, suites)
    path = CALIBRATIONS / f"{profile}-relevance.json"
    calibration.write(made, path)
    path.with_suffix(".svg").write_text(calibration.diagram(made), encoding="utf-8")
    typer.echo(f"{path.name}: {made.provenance}")
