"""`score`: judge what was recorded, without asking anything again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import tell
from bot.options import group
from engine.errors import EnvironmentFailed, UsageError
from evals.forms import Result
from evals.metrics import catalogue
from evals.score import ScoresLost
from evals.scoring import Scored, score_run
from evals.store import StoreFailed

HELP = """Judge what was recorded, without asking anything again.

\b
  python -m evals score build/evals/oncology
  python -m evals score build/evals/oncology --metric quote_anchor

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
    _show(_scored(run, metric or catalogue.NAMES))


def _scored(run: Path, names: Sequence[str]) -> Scored:
    try:
        return score_run(run, names)
    except (catalogue.UnknownMetric, ScoresLost) as error:
        raise UsageError(str(error)) from error
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error


def _show(scored: Scored) -> None:
    counts = ", ".join(f"{scored.count(r)} {r.replace('_', ' ')}" for r in Result)
    metrics = many(len(scored.mutations), "metric")
    tell(f"{many(scored.rows, 'row')} by {metrics}: {counts}")
