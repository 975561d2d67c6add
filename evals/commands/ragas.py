"""`ragas`: score by ragas what was recorded; red where it disagrees."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import say, tell
from bot.options import group
from bot.wiring import read_settings
from engine.model.errors import EnvironmentFailed, UsageError
from evals import store
from evals.advice.ragas_bridge import RagasMissing, Ran, read_ragas, run_ragas
from evals.broken import RUNS
from evals.commands.judge import open_judge
from evals.compare.runs import BASELINES, write_verdict
from evals.compare.settle import Settled, join_verdicts, read_settled
from evals.compare.verdict import Check, Status
from evals.options import Committed, Played, Taped
from evals.record.cassettes import SharedModels, Tape
from evals.report import files
from evals.store import StoreFailed

CHECK = "ragas"
MOST = 20  # lines that are printed of what disagrees

HELP = """Score what `release` recorded by ragas, and compare it with the decision.

\b
  PYTHONPATH=build/ragas python -m evals ragas
  PYTHONPATH=build/ragas python -m evals ragas build/evals/oncology

Our deciding metrics run through ragas and have to come to the same values; metrics of
ragas that need no judge run beside them, and advise. Where GROUNDRULE_JUDGE names a
model, or --play a cassette of one, faithfulness and the context metrics advise too.
Whether the values agree is one more check of each run's verdict, and its reports are
written again: a value that differs, or a metric that did not run, is red.

Exit codes: those of the verdict on all runs, 4 the environment (ragas is missing: make
ragas).
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
    runs = run or list_scored(RUNS)
    made = {each: _add_check(each, Tape.of(play, tape), baselines) for each in runs}
    whole = join_verdicts(made.values())
    for folder, each in made.items():
        say(f"Open {files.write(folder, each, whole, committed=baselines)}")
    tell(whole.why)
    raise typer.Exit(whole.exit_code)


def list_scored(folder: Path) -> list[Path]:
    """List the scored runs of a folder.

    Raises:
        UsageError: there is none.
    """
    found = sorted(file.parent for file in folder.glob(f"*/{store.SCORES}"))
    if not found:
        raise UsageError(f"{folder} holds no scored run: make evals")
    return found


def _add_check(run: Path, tape: Tape, baselines: Path) -> Settled:
    """Add one check to a run: ragas and its decision agree."""
    made = read_settled(run, baselines)
    try:
        ran = asyncio.run(_run(run, tape))
        manifest = read_ragas(run)
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
    verdict = made.verdict.with_check(_make_check(ran))
    write_verdict(run, verdict)
    return replace(made, verdict=verdict)


def _make_check(ran: Ran) -> Check:
    if ran.broken:
        why = f"{len(ran.broken)} of {ran.ours} scores differ by ragas or did not run."
        return Check(check=CHECK, result=Status.FAIL, why=why)
    why = f"{ran.ours} scores of deciding metrics come to the same by ragas."
    return Check(check=CHECK, result=Status.PASS, why=why)


async def _run(run: Path, tape: Tape) -> Ran:
    settings = read_settings()
    models = tape.open_models(settings) or SharedModels(settings)
    try:
        return await run_ragas(run, open_judge(models))
    finally:
        await models.end()
