"""`python -m evals`: fit relevance on labelled questions, measure what comes of it."""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.__main__ import run
from bot.console import bar
from bot.documents.reindex import current_members, reindex
from bot.documents.writing import one_writer
from bot.wiring import Application, read_settings
from engine.dates import today_in
from engine.policy import Pack
from evals.relevance import calibrate as calibration
from evals.relevance.cases import load
from evals.relevance.collect import collect
from evals.relevance.measure import measure as ask_all
from evals.relevance.measure import missed, table

FOLDER = Path(__file__).resolve().parent.parent / "config" / "calibration"

application = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Profile = Literal["small", "precise"]
Fitted = Annotated[Profile, typer.Option(help="Fit relevance for this profile.")]
Compared = Annotated[
    Profile | None,
    typer.Option(
        help="Ask under this profile; its index is made from the ledger first where "
        "it lacks documents.",
        show_default="the pack's",
    ),
]
Data = Annotated[Path | None, typer.Option(help="Data folder with the documents.")]
Packs = Annotated[list[str] | None, typer.Option("--pack", help="Only these packs.")]


@application.command()
def calibrate(profile: Fitted = "small", data: Data = None, pack: Packs = None) -> None:
    """Fit relevance on the tuning halves and write config/calibration/.

    The documents that the suites are labelled on must have been ingested into the data
    folder. Example: python -m evals calibrate --data ~/groundrule-evals
    """
    asyncio.run(_calibrate(profile, data, pack or ["oncology", "textbook"]))


@application.command()
def measure(
    half: Annotated[str, typer.Option(help="The half of the suite.")] = "test",
    suite: Annotated[str, typer.Option(help="The suite.")] = "development",
    profile: Compared = None,
    data: Data = None,
    pack: Packs = None,
) -> None:
    """Ask a half of the labelled questions and print what came of it.

    Exits 1 where an aim was missed, and says which.

    Example: python -m evals measure --half test --data ~/groundrule-evals
    """
    asked = _Asked(half, suite, profile)
    if asyncio.run(_measure(asked, data, pack or ["oncology", "textbook"])):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which questions are asked, and under which profile; None is the pack's own."""

    half: str
    suite: str
    profile: Profile | None


async def _calibrate(profile: str, data: Path | None, packs: list[str]) -> None:
    async with Application(read_settings(data)) as running:
        tuned = []
        for name in packs:
            pack = running.pack(name).model_copy(update={"profile": profile})
            cases = [case for case in load(name) if case.half == "tune"]
            tuned += await collect(running, pack, cases)
            typer.echo(f"{name}: {len(cases)} questions measured", err=True)
        embedder = running.search(profile).embedder.name
        today = today_in("UTC", running.clock.now())
        made = calibration.fit(tuned, embedder, today, packs)
    path = FOLDER / f"{profile}-relevance.json"
    calibration.write(made, path)
    path.with_suffix(".svg").write_text(calibration.diagram(made), encoding="utf-8")
    typer.echo(f"{path.name}: {made.provenance}")


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


if __name__ == "__main__":
    run(partial(application, prog_name="python -m evals"))
