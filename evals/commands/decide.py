"""`decide`: whether a scored run may go out; any old one, without a call."""

from pathlib import Path

import typer

from bot.console import say, tell
from bot.options import group
from evals.compare.decide import SHARES
from evals.compare.runs import BASELINES
from evals.compare.settle import join_verdicts, settle
from evals.compare.verdict import Status
from evals.options import Committed, RunFolder

HELP = """Decide whether a scored run may go out, and write verdict.jsonl.

\b
  python -m evals decide build/evals/oncology

It is compared with the committed baseline of its pack. Exit codes: 0 it may, 1 it must
not, 3 this cannot be decided (and so it must not), 2 usage, 4 the environment.
"""

app = group()


@app.command(help=HELP)
def decide(run: RunFolder, baselines: Committed = BASELINES) -> None:
    raise typer.Exit(decide_run(run, baselines))


def decide_run(run: Path, baselines: Path = BASELINES) -> int:
    """Decide a run, print what it came to, and return the exit code."""
    made = settle(run, baselines)
    whole = join_verdicts([made])
    for check in made.verdict.checks:
        if check.result is not Status.PASS or check.check.startswith(SHARES):
            tell(f"{check.check}: {check.result}. {check.why}")
    if whole.exit_code:
        say(f"python -m evals why {run} says more")
    tell(whole.why)
    return whole.exit_code
