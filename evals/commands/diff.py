"""`diff`: the answers that changed between two runs, word by word."""

from pathlib import Path
from typing import Annotated

import typer

from bot.console import tell
from bot.options import group
from evals import explain
from evals.finished import finished

HELP = """Show which answers changed from one run to another, word by word.

\b
  python -m evals diff evals/baselines/oncology build/evals/oncology

[-What is gone-] and {+what is new+} are marked as git marks words.
"""
Side = Annotated[Path, typer.Argument(metavar="RUN", show_default=False)]

app = group()


@app.command(help=HELP)
def diff(then: Side, now: Side) -> None:
    for line in explain.diff(finished(then, str(then)), finished(now, str(now))):
        tell(line)
