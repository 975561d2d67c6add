"""`label`: a person's verdict on an answer, kept with author and reason."""

from pathlib import Path
from typing import Annotated

import typer

from adapters.clock import SystemClock
from bot.console import say
from bot.options import group
from engine.question.dates import today_in
from evals.deciding import labels
from evals.deciding.finished import finished
from evals.deciding.labels import LABELS, Signed
from evals.deciding.settle import pack_of
from evals.options import CaseId, RunFolder

HELP = """Say what you make of an answer; it is added to evals/labels/PACK.jsonl.

\b
  python -m evals label build/evals/oncology CASE --metric useful --fail
      --author robin --reason "the second quote is about another drug"

A label is bound to the text that was judged. Correct one by adding another.
"""

app = group()


@app.command(help=HELP)
def label(  # noqa: PLR0913 (each argument is an option of the command line)
    run: RunFolder,
    case: CaseId,
    passed: Annotated[
        bool, typer.Option("--pass/--fail", show_default=False, help="Your verdict.")
    ],
    metric: Annotated[str, typer.Option(help="What you judge.")],
    author: Annotated[str, typer.Option(help="Who you are.")],
    reason: Annotated[str, typer.Option(help="Why you say so.")],
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where to.", show_default="evals/labels/PACK.jsonl"
        ),
    ] = None,
) -> None:
    made = finished(run)
    signed = Signed(author, reason, today_in("UTC", SystemClock().now()))
    said = labels.label(made, case, metric, "pass" if passed else "fail", signed)
    file = to or LABELS / f"{pack_of(made)}.jsonl"
    labels.append(file, said)
    say(f"{case}: {said.metric} {said.result}, in {file}")
