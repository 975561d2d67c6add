"""`release`: record, score, decide and report for every pack, in one go (R-P2)."""

from pathlib import Path
from typing import Annotated

import typer

from bot.console import say, tell
from bot.options import group
from config.settings import PACKS
from engine.errors import UsageError
from evals import replay
from evals.commands.record import record
from evals.commands.score import score
from evals.deciding import accepted, explain
from evals.deciding.baseline import BASELINES
from evals.deciding.finished import RUNS
from evals.deciding.settle import Settled, present_day, settle
from evals.deciding.verdict import Decision
from evals.options import Annotate, Committed, Packs
from evals.report import files
from evals.report.annotations import annotations

HELP = """Ask, score, decide and report every pack's suites: may this be released?

\b
  python -m evals release
  python -m evals release --pack oncology

The stored drafts of evals/suites/stored_drafts.yaml go through the validators first.

Exit codes: 0 every pack may be released, 1 one must not (which and why is printed),
3 one cannot be decided, 2 usage, 4 the environment.
"""

app = group()


@app.command(help=HELP)
def release(
    pack: Packs = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the runs, one a pack.")
    ] = RUNS,
    annotate: Annotate = False,
    baselines: Committed = BASELINES,
) -> None:
    tell(accepted.opening(accepted.read(baselines), present_day()))
    wrong = _replayed()
    made = [_one(name, out / name, baselines) for name in pack or every_pack()]
    for each in made:
        if annotate:
            for line in annotations(each.verdict, each.run):
                tell(line)
    code = exit_code([each.verdict.decision for each in made])
    raise typer.Exit(1 if wrong else code)


def _replayed() -> int:
    """How many stored drafts the validators judge wrong; each is told."""
    stored = replay.load()
    wrong = list(replay.faults(stored))
    for fault in wrong:
        tell(f"stored draft {fault}")
    tell(f"stored drafts: {len(stored)} replayed, {len(wrong)} wrong verdicts")
    return len(wrong)


def every_pack(packs: Path = PACKS) -> list[str]:
    """The ids of all packs.

    Raises:
        UsageError: there is none.
    """
    found = sorted(file.parent.name for file in packs.glob("*/pack.yaml"))
    if not found:
        raise UsageError(f"{packs} holds no pack: there is nothing to release")
    return found


def exit_code(decisions: list[Decision]) -> int:
    """The exit code of several packs: a regression outweighs what is open."""
    if Decision.REGRESSION in decisions:
        return 1
    return 0 if decisions and set(decisions) == {Decision.RELEASE} else 3


def _one(pack: str, folder: Path, baselines: Path) -> Settled:
    record(pack=pack, out=folder)
    score(run=folder)
    made = settle(folder, baselines)
    page = files.write(folder, made, committed=baselines)
    if made.verdict.exit_code:
        for line in explain.why(made.verdict, made.run, made.baseline):
            tell(line)
    tell(f"{pack}: {made.verdict.why}")
    say(f"{pack}: open {page} in a browser")
    return made
