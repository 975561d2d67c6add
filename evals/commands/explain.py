"""`explain`: everything that is known of one case."""

from bot.console import tell
from bot.options import group
from evals import baseline, explain
from evals.baseline import BASELINES
from evals.finished import finished
from evals.options import CaseId, Committed, RunFolder
from evals.settle import pack_of

HELP = """Say everything of one case: question, expectation, passages, answer, scores.

\b
  python -m evals explain build/evals/oncology CASE
"""

app = group()


@app.command("explain", help=HELP)
def one(run: RunFolder, case: CaseId, baselines: Committed = BASELINES) -> None:
    made = finished(run)
    for line in explain.explain(case, made, baseline.load(pack_of(made), baselines)):
        tell(line)
