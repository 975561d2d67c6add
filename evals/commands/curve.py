"""`curve`: what each threshold of relevance would answer."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bot.assistant import Assistant
from bot.console import bar, tell
from bot.documents.reindex import current_members, stored
from bot.options import group
from bot.wiring import Application, read_settings
from engine.errors import UsageError
from engine.policy import Pack
from evals.options import Data, Packs
from evals.relevance.curve import Asked, curve, of_lines, of_suites, table
from evals.relevance.own import lines

PACKS = ("oncology", "textbook", "mrd", "immigration")

HELP = """Ask labelled questions at six thresholds, and count.

Every number of a pack's gate is set to the threshold in turn. Without --questions the
questions are those of the pack's suites, over its demo texts.

\b
  python -m evals curve --data build/curve
  python -m evals curve --pack textbook --questions labelled.jsonl --data FOLDER

With --questions it asks what FOLDER holds: one JSON object a line, with "question", and
"page" and "quote" where a page answers, as `calibrate` reads them. What is answered by
a page that is not there is left out. See docs/measurements.md.
"""

app = group()


@app.command(help=HELP)
def curves(
    data: Data = None,
    pack: Packs = None,
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own, for one pack.")
    ] = None,
) -> None:
    packs = pack or list(PACKS)
    if questions is not None and len(packs) != 1:
        raise UsageError("--questions are of one pack: name it with --pack")
    asyncio.run(_curves(data, packs, questions))


async def _curves(data: Path | None, packs: list[str], own: Path | None) -> None:
    async with Application(read_settings(data)) as running:
        for name in packs:
            pack = await Assistant(running, frozenset()).pack(name)
            asked = of_suites(name) if own is None else await _own(running, pack, own)
            with bar(name, len(asked)) as steps:
                found = await curve(running, pack, asked, steps.file)
            tell(f"{name}, {len(asked)} questions\n{table(found)}\n")


async def _own(running: Application, pack: Pack, file: Path) -> Sequence[Asked]:
    corpus = running.corpus(pack)
    members = await current_members(corpus)
    held = [await stored(corpus, member) for member in members.values()]
    return of_lines(lines(file), [document.text for document in held])
