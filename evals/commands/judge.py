"""`judge`: put what was recorded before a model, and say what its word is worth."""

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from bot.console import tell
from bot.options import group
from bot.wiring import read_settings
from engine.model.errors import EnvironmentFailed, UsageError
from evals.advice.judge import (
    COMMITTED,
    Asks,
    Judged,
    LabelsWrong,
    judge_run,
    read_labels,
)
from evals.forms import Result
from evals.options import Played, Taped
from evals.record.cassettes import SharedModels, Tape
from evals.store import StoreFailed

HELP = """Put what was recorded before a model, and say what its word is worth.

\b
  python -m evals judge build/evals/oncology
  python -m evals judge build/evals/oncology --play tapes/judge.jsonl

The judge says of each claim whether the passages that it cites carry it. It advises;
`decide` does not read it. GROUNDRULE_JUDGE names the model. The labels of the project
are judged with each run, unless --labels names others. `python -m evals ragas` asks the
same judge for the metrics of ragas.
"""

app = group()


@app.command(help=HELP)
def judge(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the run.")],
    labels: Annotated[
        Path, typer.Option(metavar="FILE", help="Labels of claims.")
    ] = COMMITTED,
    play: Played = None,
    tape: Taped = None,
) -> None:
    _show(asyncio.run(_judge(run, labels, Tape.of(play, tape))))


async def _judge(run: Path, labels: Path, tape: Tape) -> Judged:
    models = tape.open_models(read_settings()) or SharedModels(read_settings())
    try:
        judge = open_judge(models)
        if judge is None:
            raise UsageError("there is no judge: set GROUNDRULE_JUDGE")
        return await judge_run(run, judge, read_labels(labels))
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    except LabelsWrong as error:
        raise UsageError(str(error)) from error
    finally:
        await models.end()


def open_judge(models: SharedModels) -> Asks | None:
    """Open the judge that is configured or on a cassette; this imports DSPy."""
    model = models.judge
    if model is None:
        return None
    made: Asks = import_module("evals.advice.judge_model").ModelJudge(model)
    return made


def _show(judged: Judged) -> None:
    counts = ", ".join(f"{judged.count(r)} {r.replace('_', ' ')}" for r in Result)
    worth = judged.believed
    tell(f"{len(judged.scores)} scores: {counts}")
    tell(f"the judge calls {worth.judged_good} of {worth.judged} claims carried")
    if worth.rate is not None:
        rate = worth.rate
        tell(f"corrected: {rate.value:.1%}, from {rate.low:.1%} to {rate.high:.1%}")
    if worth.permit.granted:
        tell("it has earned a place among the metrics that decide")
    for why in worth.permit.why:
        tell(f"it may not gate: {why}")
