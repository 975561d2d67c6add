"""`ragas`: what was recorded, scored by ragas; red where it disagrees (R-E2)."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import say, tell
from bot.options import group
from bot.wiring import read_settings
from engine.errors import EnvironmentFailed, UsageError
from evals import store
from evals.advice.ragas_bridge import RagasMissing, Tools
from evals.advice.ragas_run import Ran, run_through, told
from evals.commands.judge import judge_of
from evals.deciding.baseline import BASELINES
from evals.deciding.finished import RUNS
from evals.deciding.settle import settled
from evals.options import Committed, Played, Taped
from evals.recording.models import SharedModels
from evals.recording.tape import Tape
from evals.report import files
from evals.store import StoreFailed

MOST = 20  # lines that are printed of what disagrees

HELP = """Score what `release` recorded by ragas, and compare it with the decision.

\b
  PYTHONPATH=build/ragas python -m evals ragas
  PYTHONPATH=build/ragas python -m evals ragas build/evals/oncology

Our deciding metrics run through ragas and have to come to the same values; metrics of
ragas that need no judge run beside them, and advise. Where GROUNDRULE_JUDGE names a
model, or --play a cassette of one, faithfulness and the context metrics advise too.
The report of the run shows it all.

Exit codes: 0 the values agree, 1 they do not or a metric did not run, 4 the environment
(ragas is missing: make ragas).
"""

app = group()


@app.command(help=HELP)
def ragas(
    run: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...", help="Folders of runs.", show_default="build/evals/*"
        ),
    ] = None,
    play: Played = None,
    tape: Taped = None,
    baselines: Committed = BASELINES,
) -> None:
    runs = run or scored_below(RUNS)
    broken = [each for each in runs if not _one(each, Tape.of(play, tape), baselines)]
    raise typer.Exit(1 if broken else 0)


def scored_below(folder: Path) -> list[Path]:
    """The scored runs of a folder.

    Raises:
        UsageError: there is none.
    """
    found = sorted(file.parent for file in folder.glob(f"*/{store.SCORES}"))
    if not found:
        raise UsageError(f"{folder} holds no scored run: make evals")
    return found


def _one(run: Path, tape: Tape, baselines: Path) -> bool:
    """Whether ragas and the decision of a run agree; its report is written anew."""
    try:
        ran = asyncio.run(_ran(run, tape))
        manifest = told(run)
    except (RagasMissing, StoreFailed) as error:
        raise EnvironmentFailed(str(error)) from error
    assert manifest is not None
    tell(f"{run.name}: {many(ran.ours, 'score')} of ours through ragas")
    for line in manifest["theirs"]:
        counts = f"{line['judged']} of {line['rows']} rows, {line['errors']} errors"
        mean = "nothing to judge" if line["mean"] is None else f"{line['mean']:.3f}"
        tell(f"{run.name}: {line['metric']} {mean} ({counts}), advice")
    for why in ran.broken[:MOST]:
        tell(f"{run.name}: {why}")
    if len(ran.broken) > MOST:
        tell(f"{run.name}: and {len(ran.broken) - MOST} more")
    say(f"Open {files.write(run, settled(run, baselines), committed=baselines)}")
    return not ran.broken


async def _ran(run: Path, tape: Tape) -> Ran:
    settings = read_settings()
    models = tape.models(settings) or SharedModels(settings)
    try:
        return await run_through(run, Tools(judge_of(models)))
    finally:
        await models.end()
