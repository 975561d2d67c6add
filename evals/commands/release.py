"""`release`: record, score, decide and report for every pack, in one go."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from bot.console import say, tell
from bot.options import group
from config.settings import PACKS
from engine.model.errors import EnvironmentFailed, GroundruleError, UsageError
from evals.broken import RUNS, forget
from evals.commands.record import CONCURRENCY, ask_all
from evals.commands.record import describe as recorded
from evals.commands.score import describe
from evals.compare import accepted, explain
from evals.compare.drafts import check_stored_drafts
from evals.compare.runs import BASELINES
from evals.compare.settle import Settled, join_verdicts, present_day, score, settle
from evals.compare.verdict import HEADLINES, Check, Decision, Whole
from evals.options import Annotate, Committed, Packs
from evals.record.cassettes import Tape
from evals.record.recorder import Plan
from evals.report import files
from evals.report.files import list_annotations

HELP = """Ask, score, decide and report every pack's suites: may this be released?

\b
  python -m evals release
  python -m evals release --pack oncology

The stored drafts of evals/suites/stored_drafts.yaml go through the validators first.
The first line, the last line, the first line of every report and the exit code say the
same.

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
    try:
        packs = choose_packs(pack)
        _forget_reports(out, packs)
        drafts = check_stored_drafts()
        made = {name: _settle(name, out / name, baselines, drafts) for name in packs}
        whole = join_verdicts(made.values())
        pages = _write_reports(made, whole, out, baselines)
        opening = accepted.describe(accepted.read(baselines), present_day())
    except GroundruleError as error:  # its own exit code, and no pack may go out
        tell(f"{HEADLINES[Decision.INCONCLUSIVE]}: {error}")
        raise
    tell(whole.why)
    tell(opening)
    _print_results(made, pages, annotate=annotate)
    tell(whole.why)
    raise typer.Exit(whole.exit_code)


def list_packs(packs: Path = PACKS) -> list[str]:
    """List the ids of all packs.

    Raises:
        UsageError: there is none.
    """
    found = sorted(file.parent.name for file in packs.glob("*/pack.yaml"))
    if not found:
        raise UsageError(f"{packs} holds no pack: there is nothing to release")
    return found


def choose_packs(named: Sequence[str] | None) -> list[str]:
    """Return the ids that were named, or all.

    Raises:
        UsageError: one is of no pack.
    """
    every = list_packs()
    unknown = [name for name in named or () if name not in every]
    if unknown:
        raise UsageError(
            f"no pack is called {unknown[0]}; there are {', '.join(every)}"
        )
    return list(dict.fromkeys(named or every))


def _forget_reports(out: Path, packs: Iterable[str]) -> None:
    """Remove the reports of earlier runs."""
    try:
        for name in packs:
            forget(out / name)
    except OSError as error:
        raise EnvironmentFailed(f"{error.filename}: {error.strerror}") from error


def _settle(pack: str, folder: Path, baselines: Path, drafts: Check) -> Settled:
    """Ask, score and decide one pack."""
    ask_pack(pack, folder)
    say(f"{pack}: {describe(score(folder))}")
    return settle(folder, baselines, drafts=drafts)


def ask_pack(pack: str, folder: Path) -> None:
    """Ask every case of a pack."""
    plan = Plan(pack=pack, out=folder, concurrency=CONCURRENCY)
    say(recorded(asyncio.run(ask_all(plan, Tape.of(None, None))), plan))


def _write_reports(
    made: Mapping[str, Settled], whole: Whole, out: Path, baselines: Path
) -> Mapping[str, Path]:
    """Write the reports of all packs, or none; return each pack's page."""
    try:
        return {
            name: files.write(out / name, each, whole, committed=baselines)
            for name, each in made.items()
        }
    except GroundruleError:
        _forget_reports(out, made)
        raise


def _print_results(
    made: Mapping[str, Settled], pages: Mapping[str, Path], *, annotate: bool
) -> None:
    """Print the result of each pack, and where to read on."""
    for name, each in made.items():
        tell(f"{name}: {each.verdict.said}; open {pages[name]} in a browser")
        if each.verdict.exit_code:
            for said in explain.why(each.verdict, each.run, each.baseline):
                tell(said)
        for said in list_annotations(each.verdict, each.run) if annotate else ():
            tell(said)
