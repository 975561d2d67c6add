"""`mutants`: whether each metric sees through the mutants that it ships."""

from typing import Annotated

import typer

from bot.console import tell
from bot.options import group
from engine.errors import UsageError
from evals.metrics import catalogue
from evals.mutants import mutation, table

HELP = """Show the mutation score of every metric.

Each metric ships rows that were tampered with, and healthy ones. It has to fail the
former and leave the latter alone; the command exits with 1 where one does not.
"""

app = group()


@app.command(help=HELP)
def mutants(
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these metrics.")
    ] = None,
) -> None:
    try:
        found = mutation(catalogue.load(metric or catalogue.NAMES))
    except catalogue.UnknownMetric as error:
        raise UsageError(str(error)) from error
    tell(table(found))
    if any(one.score < 1.0 for one in found):
        raise typer.Exit(1)
