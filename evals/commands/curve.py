"""`curve`: what each threshold of relevance would answer."""

import asyncio
from pathlib import Path

from bot.console import bar, tell
from bot.documents.reindex import current_members, stored
from bot.options import group
from bot.wiring import Application, read_settings
from engine.errors import UsageError
from engine.policy.pack import Pack
from evals.options import Data, Packs, Questions
from evals.relevance.curve import Asked, Curve, curve, of_lines, table
from evals.relevance.own import lines
from evals.relevance.recorded import recorded

PACKS = ("oncology", "textbook", "mrd", "immigration")

BASELINES = Path(__file__).resolve().parents[1] / "baselines"
HELP = """Count what each of six thresholds of relevance would answer.

Without --questions it reads the last accepted run of each pack, over its demo texts,
and asks nothing.

\b
  python -m evals curve
  python -m evals curve --pack textbook --questions labelled.jsonl --data FOLDER

With --questions it asks what FOLDER holds, every number of the pack's gate set to each
threshold in turn: one JSON object a line, with "question", and "page" and "quote" where
a page answers, as `calibrate` reads them. What is answered by a page that is not there
is left out. See docs/measurements.md.
"""

app = group()


@app.command(help=HELP)
def curves(
    data: Data = None,
    pack: Packs = None,
    questions: Questions = None,
) -> None:
    packs = pack or list(PACKS)
    if questions is None:
        for name in packs:
            _show(name, recorded(BASELINES / name))
    elif len(packs) == 1:
        asyncio.run(_ask(data, packs[0], questions))
    else:
        raise UsageError("--questions are of one pack: name it with --pack")


async def _ask(data: Path | None, name: str, file: Path) -> None:
    async with Application(read_settings(data)) as running:
        pack = running.pack(name)
        asked = await _own(running, pack, file)
        with bar(name, len(asked)) as steps:
            _show(name, await curve(running, pack, asked, steps.file))


def _show(name: str, found: Curve) -> None:
    number = found.answerable + found.unanswerable
    tell(f"{name}, {number} questions\n{table(found)}\n")


async def _own(running: Application, pack: Pack, file: Path) -> tuple[Asked, ...]:
    corpus = running.corpus(pack)
    members = await current_members(corpus)
    held = [await stored(corpus, member) for member in members.values()]
    return of_lines(lines(file), [document.text for document in held])
