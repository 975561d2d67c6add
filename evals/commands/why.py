"""`why`: a red run explained in sentences."""

from bot.console import tell
from bot.options import group
from evals.deciding import explain
from evals.deciding.baseline import BASELINES
from evals.deciding.settle import settled
from evals.options import Committed, RunFolder

HELP = """Say why a run may not go out: each failed check, each case, what changed.

\b
  python -m evals why build/evals/oncology
"""

app = group()


@app.command(help=HELP)
def why(run: RunFolder, baselines: Committed = BASELINES) -> None:
    made = settled(run, baselines)
    for line in explain.why(made.verdict, made.run, made.baseline):
        tell(line)
