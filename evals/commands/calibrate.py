"""`calibrate`: relevance fitted on the labelled questions that are not held back."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import typer

from bot.documents.reindex import current_members, stored
from bot.options import group
from bot.wiring import Application, read_settings
from config.settings import CALIBRATIONS
from engine.errors import UsageError
from engine.policy.pack import Pack
from engine.question.dates import today_in
from evals.options import Data, Fitted, Packs, Questions
from evals.relevance import calibrate as calibration
from evals.relevance.cases import Case, load
from evals.relevance.collect import collect
from evals.relevance.own import read

# What somebody has looked at; `held` is kept apart (`measure --suite held`).
SUITES = ("development", "exam", "blind", "everyday")

HELP = """Fit relevance on the labelled questions and write config/calibration/.

The documents that the questions are labelled on must have been ingested into the data
folder.

\b
  python -m evals calibrate --data ~/groundrule-evals
  python -m evals calibrate --pack handbook --questions labelled.jsonl

With --questions it is fitted on your own labelled questions alone: one JSON object a
line, with "question", and "page" and "quote" where a page answers. See docs/evals.md.
"""

app = group()


@app.command(help=HELP)
def calibrate(
    profile: Fitted = "small",
    data: Data = None,
    pack: Packs = None,
    questions: Questions = None,
) -> None:
    packs = pack or ["oncology", "textbook"]
    if questions is not None and len(packs) != 1:
        raise UsageError("--questions are of one pack: name it with --pack")
    asyncio.run(_calibrate(profile, data, packs, questions))


async def _calibrate(
    profile: str, data: Path | None, packs: list[str], own: Path | None
) -> None:
    async with Application(read_settings(data)) as running:
        tuned = []
        for name in packs:
            pack = running.pack(name).model_copy(update={"profile": profile})
            cases = await _cases(running, pack, own)
            tuned += await collect(running, pack, cases)
            typer.echo(f"{name}: {len(cases)} questions measured", err=True)
        embedder = running.search(profile).embedder.name
        today = today_in("UTC", running.clock.now())
        suites = [f"{name}/{suite}" for name in packs for suite in SUITES]
        suites = suites if own is None else [f"{packs[0]}/{own.name}"]
        made = calibration.fit(tuned, embedder, today, suites)
    path = CALIBRATIONS / f"{profile}-relevance.json"
    calibration.write(made, path)
    path.with_suffix(".svg").write_text(calibration.diagram(made), encoding="utf-8")
    typer.echo(f"{path.name}: {made.provenance}")


async def _cases(running: Application, pack: Pack, own: Path | None) -> Sequence[Case]:
    """Labelled questions of a pack: its suites, or a file of its administrator."""
    if own is None:
        return [case for suite in SUITES for case in load(pack.id, suite)]
    corpus = running.corpus(pack)
    members = await current_members(corpus)
    return read(own, [await stored(corpus, member) for member in members.values()])
