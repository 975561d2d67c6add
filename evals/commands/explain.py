"""`explain`: everything that is known of one case."""

from bot.console import tell
from bot.options import group
from evals.deciding import baseline, explain
from evals.deciding.baseline import BASELINES
from evals.deciding.finished import finished
from evals.deciding.settle import pack_of
from evals.options import CaseId, Committed, RunFolder

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
