"""`score`: judge what was recorded, without asking anything again."""

from pathlib import Path
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import tell
from bot.options import group
from evals.compare import settle
from evals.forms import Result
from evals.score import catalogue
from evals.score.score import Scoring

HELP = """Judge what was recorded, without asking anything again.

\b
  python -m evals score build/evals/oncology
  python -m evals score build/evals/oncology --metric verbatim

Writes scores.jsonl beside the answers. Whether a run may be released, `decide` says.
"""

app = group()


@app.command(help=HELP)
def score(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the run.")],
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these metrics.")
    ] = None,
) -> None:
    tell(describe(settle.score(run, metric or catalogue.NAMES)))


def describe(found: Scoring) -> str:
    """Describe on one line what the scores came to."""
    counts = ", ".join(f"{found.count(r)} {r.replace('_', ' ')}" for r in Result)
    metrics = many(len(found.mutations), "metric")
    return f"{many(found.rows, 'row')} by {metrics}: {counts}"
