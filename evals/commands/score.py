"""`score`: judge what was recorded, without asking anything again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import tell
from bot.options import group
from engine.model.errors import EnvironmentFailed, UsageError
from evals.forms import Result
from evals.metrics import catalogue
from evals.score import ScoresLost
from evals.scoring import Scored, score_run
from evals.store import StoreFailed

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
    tell(line(scored(run, metric or catalogue.NAMES)))


def scored(run: Path, names: Sequence[str] = catalogue.NAMES) -> Scored:
    """Score a run and write its scores.

    Raises:
        UsageError: a name is no metric's, or a row stands there twice.
        EnvironmentFailed: a file cannot be read or written.
    """
    try:
        return score_run(run, names)
    except (catalogue.UnknownMetric, ScoresLost) as error:
        raise UsageError(str(error)) from error
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error


def line(found: Scored) -> str:
    """What came of it, on one line."""
    counts = ", ".join(f"{found.count(r)} {r.replace('_', ' ')}" for r in Result)
    metrics = many(len(found.mutations), "metric")
    return f"{many(found.rows, 'row')} by {metrics}: {counts}"
