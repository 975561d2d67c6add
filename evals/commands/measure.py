"""`measure`: the labelled questions asked, and what came of them counted."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from bot.console import bar
from bot.documents.reindex import current_members, reindex
from bot.documents.writing import one_writer
from bot.options import group
from bot.wiring import Application, read_settings
from engine.policy.pack import Pack
from evals.options import Compared, Data, Packs, Profile
from evals.relevance.cases import load
from evals.relevance.measure import measure as ask_all
from evals.relevance.measure import missed, table

HELP = """Ask a half of the labelled questions and print what came of it.

Exits 1 where an aim was missed, and says which.

\b
  python -m evals measure --half test --data ~/groundrule-evals
"""

app = group()


@app.command(help=HELP)
def measure(
    half: Annotated[str, typer.Option(help="The half of the suite.")] = "test",
    suite: Annotated[str, typer.Option(help="The suite.")] = "development",
    profile: Compared = None,
    data: Data = None,
    pack: Packs = None,
) -> None:
    asked = _Asked(half, suite, profile)
    if asyncio.run(_measure(asked, data, pack or ["oncology", "textbook"])):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which questions are asked, and under which profile; None is the pack's own."""

    half: str
    suite: str
    profile: Profile | None


async def _measure(asked: _Asked, data: Path | None, packs: list[str]) -> list[str]:
    """Print the table of each pack; the aims that were missed."""
    aims = []
    async with Application(read_settings(data)) as running:
        for name in packs:
            cases = [c for c in load(name, asked.suite) if c.half == asked.half]
            pack = running.pack(name)
            if asked.profile is not None:
                pack = await _under(running, pack, asked.profile)
            scored = await ask_all(running, pack, cases)
            title = f"{name}, {asked.suite}, half {asked.half}, profile {pack.profile}"
            typer.echo(f"{title}\n{table(scored)}\n")
            aims += [f"{name}: {aim}" for aim in missed(scored)]
    for aim in aims:
        typer.echo(f"aim missed: {aim}", err=True)
    return aims


async def _under(running: Application, pack: Pack, profile: Profile) -> Pack:
    """The pack under a profile whose index holds what the ledger holds."""
    changed = pack.model_copy(update={"profile": profile})
    await running.search(profile).home.begin()
    corpus = running.corpus(changed)
    members = await current_members(corpus)
    current = {member.document: member.version for member in members.values()}
    if dict(await corpus.index.versions(pack.id)) != current:
        title = f"index of {pack.id}, {profile}"
        with one_writer(running.data), bar(title, len(members)) as steps:
            await reindex(corpus, steps)
    return changed
