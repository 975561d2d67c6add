"""`baseline`: the committed run that later ones are compared with."""

from datetime import datetime
from typing import Annotated

import typer

from adapters.inert import many
from adapters.packs import load
from bot.console import say
from bot.options import group
from config.settings import PACKS
from evals.cases import suites
from evals.deciding import accepted, baseline
from evals.deciding.baseline import BASELINES
from evals.deciding.finished import finished
from evals.deciding.settle import pack_of
from evals.metrics import catalogue
from evals.options import Committed, RunFolder

HELP = """Make or re-score the run that later ones are compared with.

\b
  python -m evals baseline renew build/evals/oncology --reason "answers name doses"
  python -m evals baseline rescore oncology --reason "facts fold white space"
"""
RENEW_HELP = """Make a run the baseline of its pack.

\b
  python -m evals baseline renew build/evals/oncology --reason "answers name doses"

Refused where the tree differs from its commit, where the run is not whole, and where
anything could not be run or judged. Commit evals/baselines/ with the change that it is
about, so that whoever reviews it sees which answers changed.
"""
RESCORE_HELP = """Judge the answers of a baseline with today's metrics.

\b
  python -m evals baseline rescore oncology --reason "facts fold white space"

No question is asked. Needed when the code of the metrics has changed.
"""
ACCEPT_HELP = """Say whose the wrong answers of a run are, and by when they are mended.

\b
  python -m evals baseline accept build/evals/oncology --until 2026-12-21

What is mended leaves evals/baselines/accepted.yaml, entries that stand keep their owner
and their day, and new ones get the pack's owner. Nothing is accepted before somebody
has read that file's change and committed it.
"""
Reason = Annotated[str, typer.Option(help="What changed, and why that is right.")]

app = group(HELP)


@app.command(help=RENEW_HELP)
def renew(run: RunFolder, reason: Reason, baselines: Committed = BASELINES) -> None:
    pack = pack_of(finished(run))
    wanted = [case.id for suite in suites.load(pack) for case in suite.cases]
    made = baseline.renew(run, baselines / pack, wanted, reason)
    say(f"{pack}: {len(made.cases)} cases are the baseline now; commit {baselines}")


@app.command(help=ACCEPT_HELP)
def accept(
    run: RunFolder,
    until: Annotated[
        datetime,
        typer.Option(formats=["%Y-%m-%d"], help="The last day of new entries."),
    ],
    baselines: Committed = BASELINES,
) -> None:
    made = finished(run)
    pack, weights = pack_of(made), catalogue.weights()
    held = accepted.read(baselines)
    reasons = accepted.reasons(made, weights)
    owner = load(PACKS / pack).owner
    entries = accepted.renewed(held.get(pack, ()), reasons, owner, until.date())
    file = accepted.write(baselines, {**held, pack: entries})
    say(
        f"{pack}: {many(len(entries), 'wrong answer')} accepted; read and commit {file}"
    )


@app.command(help=RESCORE_HELP)
def rescore(
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    reason: Reason,
    baselines: Committed = BASELINES,
) -> None:
    made = baseline.rescore(baselines / pack, reason)
    say(f"{pack}: {len(made.cases)} cases were scored anew; commit {baselines}")
