"""`why`: explain a red run in sentences, or say everything of one case."""

from typing import Annotated

import typer

from bot.console import tell
from bot.options import group
from evals.compare import explain
from evals.compare.runs import BASELINES
from evals.compare.settle import read_settled
from evals.options import Committed, RunFolder

HELP = """Say why a run may not go out: each failed check, each case, what changed.

\b
  python -m evals why build/evals/oncology
  python -m evals why build/evals/oncology CASE

With CASE it says everything of one: question, expectation, scores, passages, the served
text, and what moved since the baseline.
"""

app = group()


@app.command(help=HELP)
def why(
    run: RunFolder,
    case: Annotated[str | None, typer.Argument(metavar="CASE")] = None,
    baselines: Committed = BASELINES,
) -> None:
    made = read_settled(run, baselines)
    if case is None:
        lines = explain.why(made.verdict, made.run, made.baseline)
    else:
        lines = explain.explain(case, made.run, made.baseline)
    for line in lines:
        tell(line)
