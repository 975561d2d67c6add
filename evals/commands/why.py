"""`why`: a red run explained in sentences."""

from bot.console import tell
from bot.options import group
from evals import explain
from evals.baseline import BASELINES
from evals.options import Committed, RunFolder
from evals.settle import settled

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
