"""`baseline`: the committed run that later ones are compared with."""

from typing import Annotated

import typer

from bot.console import say
from bot.options import group
from evals import baseline, suites
from evals.baseline import BASELINES
from evals.finished import finished
from evals.options import Committed, RunFolder
from evals.settle import pack_of

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
Reason = Annotated[str, typer.Option(help="What changed, and why that is right.")]

app = group(HELP)


@app.command(help=RENEW_HELP)
def renew(run: RunFolder, reason: Reason, baselines: Committed = BASELINES) -> None:
    pack = pack_of(finished(run))
    wanted = [case.id for suite in suites.load(pack) for case in suite.cases]
    made = baseline.renew(run, baselines / pack, wanted, reason)
    say(f"{pack}: {len(made.cases)} cases are the baseline now; commit {baselines}")


@app.command(help=RESCORE_HELP)
def rescore(
    pack: Annotated[str, typer.Argument(metavar="PACK", show_default=False)],
    reason: Reason,
    baselines: Committed = BASELINES,
) -> None:
    made = baseline.rescore(baselines / pack, reason)
    say(f"{pack}: {len(made.cases)} cases were scored anew; commit {baselines}")
