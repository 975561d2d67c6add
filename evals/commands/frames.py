"""`frames`: whether words around a question change what comes of it (R-U9)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from bot.console import bar, say, tell
from bot.options import group
from bot.wiring import Application, read_settings
from engine.errors import UsageError
from evals.cases.alone import drawn
from evals.frames import AIM, Framed, framed, frames, share, table
from evals.options import Data, Packs

PACKS = ("oncology", "textbook", "mrd", "immigration")

HELP = """Ask questions of the suites alone and in frames, over the demo texts.

A frame is a greeting, a story, courtesy and the like: evals/suites/frames.yaml. A
question keeps its outcome where it is refused both times, or answered both times with a
quotation in common. Exits 1 where fewer than 95 of 100 keep it.

\b
  python -m evals frames --data build/frames
  python -m evals frames --set blind --questions 50 --data build/frames
  python -m evals frames --pack textbook --questions 10 --lost
"""

app = group()


@app.command(help=HELP)
def frames_around(  # noqa: PLR0913 (each argument is an option of the command line)
    around: Annotated[str, typer.Option("--set", help="Which frames.")] = "open",
    questions: Annotated[int, typer.Option(help="How many of each pack.")] = 50,
    seed: Annotated[int, typer.Option(help="Draws others.")] = 1,
    lost: Annotated[
        bool, typer.Option("--lost", help="Name those that changed their outcome.")
    ] = False,
    data: Data = None,
    pack: Packs = None,
) -> None:
    sets = frames()
    if around not in sets:
        raise UsageError(f"--set {around!r}: choose one of {', '.join(sets)}")
    drawing = _Drawing(around, questions, seed)
    found = asyncio.run(_all(drawing, pack or list(PACKS), data))
    if lost:
        _name([one for one in found if not one.kept])
    if share(found) < AIM:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Which questions are asked, in which frames."""

    around: str
    questions: int
    seed: int


async def _all(
    drawing: _Drawing, packs: Sequence[str], data: Path | None
) -> list[Framed]:
    every: list[Framed] = []
    around = frames()[drawing.around]
    async with Application(read_settings(data)) as running:
        for name in packs:
            cases = drawn(name, drawing.questions, drawing.seed)
            with bar(name, len(cases)) as steps:
                found = await framed(running, name, cases, around, steps.file)
            tell(f"{name}, {len(cases)} questions, {drawing.around}\n{table(found)}\n")
            every += found
    tell(f"together\n{table(every)}")
    return every


def _name(found: Sequence[Framed]) -> None:
    for one in found:
        now = "answered" if one.answered else "refused"
        say(f"{one.case.id}, {one.frame}, now {now}: {one.text}")
