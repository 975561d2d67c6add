"""`report`: write a decided run as a page, a summary, test results and annotations."""

from pathlib import Path
from typing import Annotated

import typer

from bot.console import say, tell
from bot.options import group
from evals.compare.runs import BASELINES, read_run
from evals.compare.settle import join_verdicts, read_settled
from evals.options import Annotate, Committed, RunFolder
from evals.report import files
from evals.report.files import list_annotations

HELP = """Write report.html, summary.md, junit.xml and the trend beside a decided run.

\b
  python -m evals report build/evals/oncology
  python -m evals report build/evals/oncology --against build/evals/before

The page is one file that fetches nothing. It shows what moved since the baseline, and
with --against the texts of another run beside those of this one. The exit code is that
of the verdict, as of `decide`.
"""

app = group()


@app.command(help=HELP)
def report(
    run: RunFolder,
    against: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Another run to show beside it.")
    ] = None,
    annotate: Annotate = False,
    baselines: Committed = BASELINES,
) -> None:
    made = read_settled(run, baselines)
    beside = read_run(against, str(against)) if against else None
    whole = join_verdicts([made])
    page = files.write(run, made, whole, beside, baselines)
    if annotate:
        for line in list_annotations(made.verdict, made.run):
            tell(line)
    say(f"Open {page} in a browser.")
    tell(whole.why)
    raise typer.Exit(whole.exit_code)
