"""`baseline`: wrong answers that the baselines may hold for a while."""

from datetime import datetime
from typing import Annotated

import typer

from adapters.inert import many
from adapters.packs import load
from bot.console import say
from bot.options import group
from config.settings import PACKS
from evals.compare import accepted
from evals.compare import runs as rows
from evals.compare.runs import BASELINES, read_run
from evals.compare.settle import pack_of
from evals.options import Committed, RunFolder
from evals.score import catalogue

HELP = """Say whose the wrong answers are that a baseline holds.

\b
  python -m evals baseline accept build/evals/oncology --until 2026-12-21

`python -m evals oracle --pin` stores the rows of a baseline.
"""
ACCEPT_HELP = """Say whose the wrong answers of a run are, and by when they are mended.

\b
  python -m evals baseline accept build/evals/oncology --until 2026-12-21

What is mended leaves evals/baselines/accepted.yaml, entries that stand keep their owner
and their day, and new ones get the pack's owner. A run that holds errors is refused.
Nothing is accepted before somebody has read that file's change and committed it.
"""

app = group(HELP)


@app.callback()
def options() -> None:
    """Take no option: typer would leave out the name of a group with one verb."""


@app.command(help=ACCEPT_HELP)
def accept(
    run: RunFolder,
    until: Annotated[
        datetime,
        typer.Option(formats=["%Y-%m-%d"], help="The last day of new entries."),
    ],
    baselines: Committed = BASELINES,
) -> None:
    made = read_run(run)
    rows.refuse_errors(made)
    pack, weights = pack_of(made), catalogue.WEIGHTS
    held = accepted.read(baselines)
    reasons = accepted.find_reasons(made, weights)
    owner = load(PACKS / pack).owner
    entries = accepted.renew(held.get(pack, ()), reasons, owner, until.date())
    file = accepted.write(baselines, {**held, pack: entries})
    say(
        f"{pack}: {many(len(entries), 'wrong answer')} accepted; read and commit {file}"
    )
