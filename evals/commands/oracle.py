"""`oracle`: say what moved in what the bot does, or store what it does now."""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import say, tell
from bot.options import group
from engine.model.errors import EnvironmentFailed
from evals.commands.release import choose_packs
from evals.compare import oracle as held
from evals.compare.oracle import Asked, Asking, Difference
from evals.compare.runs import BASELINES
from evals.compare.stored import Kind
from evals.options import Committed, Packs

HELP = """Ask every case of every pack and 600 messages, and say what moved.

\b
  python -m evals oracle
  python -m evals oracle --pack mrd --report build/moved.txt
  python -m evals oracle --words-may-move
  python -m evals oracle --pin

It compares outcome, reason, states, quotations, choices, what replies are built of on
Slack and Discord, and the fields of the response record with what evals/baselines
holds. Words that alone moved are counted by themselves. --pin stores what came: a
commit that moves something on purpose does so, and says what moved and why.

Exit codes: 0 nothing moved, 1 something moved, 2 usage, 4 the environment.
"""
SHOWN = 20  # of one kind
LONGEST = 240  # characters of a side

app = group()


@app.command(help=HELP)
def oracle(  # noqa: PLR0913 (each argument is an option of the command line)
    pack: Packs = None,
    pin: Annotated[bool, typer.Option("--pin", help="Store what comes.")] = False,
    words_may_move: Annotated[
        bool, typer.Option("--words-may-move", help="Words that moved fail nothing.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where all that moved goes.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask again what was asked before.")
    ] = False,
    baselines: Committed = BASELINES,
) -> None:
    began = time.monotonic()
    asking = Asking(packs=choose_packs(pack), fresh=fresh)
    if not pin:
        held.refuse_unstored(asking, baselines, whole=not pack)
    asked = held.ask(asking, say)
    say(f"{many(asked.count, 'row')} in {time.monotonic() - began:.0f} s")
    if pin:
        held.pin(asking, asked, baselines)
        tell(f"{many(asked.count, 'row')} stored in {baselines}: commit them.")
        return
    found = list(held.find_differences(asked, baselines))
    for line in describe_moved(found, SHOWN, LONGEST):
        tell(line)
    if report is not None:
        _write(report, found)
    tell(summarise(asked, found))
    hard = [each for each in found if each.moved.kind is not Kind.WORDS]
    raise typer.Exit(1 if hard or (found and not words_may_move) else 0)


def describe_moved(
    found: Sequence[Difference], most: int, longest: int
) -> Iterator[str]:
    """Describe what moved: `most` of each kind, both sides cut to `longest`
    characters."""
    for kind in Kind:
        some = [each for each in found if each.moved.kind is kind]
        if some:
            yield f"{kind}: {len(some)}"
            yield from (_describe_side(each, longest) for each in some[:most])
        if some[most:]:
            yield f"  and {len(some) - most} more: --report FILE holds all of them"


def _describe_side(each: Difference, longest: int) -> str:
    moved = each.moved
    then, now = (
        f"{side[:longest]}…" if len(side) > longest else side or "nothing"
        for side in (moved.then, moved.now)
    )
    sides = f": {then} → {now}" if moved.then or moved.now else ""
    return f"  {each.pack} {moved.case}{sides}"


def summarise(asked: Asked, found: Iterable[Difference]) -> str:
    """Say in the last line how much moved of how much."""
    moved = [each for each in found if each.moved.kind is not Kind.WORDS]
    rows = {(each.pack, each.moved.case) for each in moved}
    words = {(each.pack, each.moved.case) for each in found} - rows
    of = f"of {many(asked.count, 'row')} and {len(asked.fields)} fields of the record"
    if not rows and not words:
        return f"Nothing moved, {of}."
    said = f"{len(rows)} moved and {len(words)} in words alone, {of}. "
    return said + "Is it meant? Then --pin, and say in the commit what moved and why."


def _write(report: Path, found: Sequence[Difference]) -> None:
    every = "\n".join(describe_moved(found, len(found), 1_000_000))
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(f"{every}\n", encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailed(f"{report}: cannot be written ({error})") from error
