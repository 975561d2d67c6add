"""`python -m evals.modelled`: what a model makes of questions, beside the quotations.

Every question is asked of the pack without a model and with the configured one, and
counted against the facts that its case wants. What came of each is kept as it comes:
the same command goes on where an earlier run stopped.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from adapters import packs
from bot.__main__ import run
from bot.console import say, tell
from bot.documents.embedders import open_embedder
from bot.wiring import read_settings
from config.settings import Settings
from engine.errors import EnvironmentFailed, UsageError
from engine.policy.pack import Pack
from evals.cases.suites import DEMO, Library, load
from evals.forms import Case, Result
from evals.metrics.facts import Facts
from evals.record import BUILD, CACHE, TODAY
from evals.recording import manifest
from evals.recording.corpora import CORPORA, Corpora
from evals.recording.costs import Purse
from evals.recording.desk import Desk, Site
from evals.recording.models import SharedModels
from evals.recording.runner import Item

HELP = """What the configured model makes of questions, beside the quotations.

\b
  python -m evals.modelled --pack oncology --pack textbook
  python -m evals.modelled --pack mrd --most 5 --seconds 600

The table stands on standard output as Markdown. A model on your own machine is given
the time that it takes by --seconds.
"""
ALONE = "deterministic"  # the answer mode without a model


@dataclass(frozen=True, slots=True)
class Came:
    """What came of one question, in one answer mode.

    Attributes:
        key: the content address of what was asked.
        end: answered with the facts, answered without, or refused.
        chosen: whether the sentences shown are those that a model chose.
        retries: drafts beyond the first.
        lost: model calls that brought no readable draft.
    """

    key: str
    pack: str
    case: str
    mode: str
    end: str
    chosen: bool = False
    retries: int = 0
    lost: int = 0
    sent: int = 0
    written: int = 0
    seconds: float = 0.0


WITH, WITHOUT, REFUSED = "with the facts", "without them", "refused"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked: at most so many cases of a suite, spread evenly over it."""

    suite: str
    most: int | None
    seconds: float | None
    passages: int | None
    kept: Path
    cache: Path
    library: Library

    def cases(self, pack: str) -> Sequence[Case]:
        """The cases of a pack that have an answer with facts.

        Raises:
            UsageError: the pack has no such suite over its demo texts.
        """
        every = [s for s in load(pack, self.library) if s.name == self.suite]
        if not any(suite.corpus == DEMO for suite in every):
            raise UsageError(f"--suite {self.suite}: the pack {pack} has none")
        found = [c for suite in every for c in suite.cases if _plain(c)]
        most = min(self.most or len(found), len(found))
        return [found[at * len(found) // most] for at in range(most)]

    def changed(self, pack: Pack) -> Pack:
        """The pack with the time and the passages of this plan."""
        budget, answer = pack.budget, pack.answer
        if self.seconds is not None:
            budget = budget.model_copy(update={"seconds": self.seconds})
        if self.passages is not None:
            answer = answer.model_copy(update={"passages": self.passages})
        return pack.model_copy(update={"budget": budget, "answer": answer})


def _plain(case: Case) -> bool:
    told = case.previous or case.selection or case.as_of or case.changes
    wanted = case.expected.outcome == "answer" and case.expected.facts
    return bool(wanted) and not told


async def asked(
    name: str, plan: Plan, settings: Settings, models: SharedModels
) -> AsyncIterator[Came]:
    """What comes of each question, alone and with the model; what is kept is not asked.

    Raises:
        UsageError: the pack has no such suite, or what is kept cannot be read.
        EnvironmentFailed: a question could not be asked.
    """
    folder = plan.library.packs / name
    pack, documents = packs.load(folder), folder / "corpus"
    modelled = plan.changed(pack)
    answer = pack.answer.model_copy(update={"mode": ALONE})
    alone = pack.model_copy(update={"answer": answer})
    held = kept(plan.kept)
    embedder = open_embedder(settings, pack.profile)
    with Corpora(settings, pack, embedder, models, plan.cache / CORPORA) as corpora:
        async with corpora.opened(documents, (), TODAY) as opened:
            for each in (alone, modelled):
                desk = Desk(each, opened, Site(documents, (), TODAY), Purse(None))
                for case in plan.cases(name):
                    key = _key(case, each, models)
                    came = held.get(key) or await _one(desk, case, each, key)
                    if key not in held:
                        _keep(came, plan.kept)
                    yield came


def _key(case: Case, pack: Pack, models: SharedModels) -> str:
    """What was asked of which model, wherever that is served this time."""
    limits = (pack.budget.seconds, pack.answer.passages)
    return manifest.hashed(
        {
            "case": asdict(case),
            "pack": [pack.id, pack.hash, limits],
            "model": None if pack.answer.mode == ALONE else models.writer.name,
            "code": manifest.requesting(),
        }
    )


async def _one(desk: Desk, case: Case, pack: Pack, key: str) -> Came:
    """One question to what came of it.

    Raises:
        EnvironmentFailed: it could not be asked.
    """
    began = time.monotonic()
    answered = await desk.ask(Item(case))
    took = time.monotonic() - began
    row, tokens = answered.row, answered.took["tokens"]
    if row.record is None:
        raise EnvironmentFailed(f"{case.id}: {row.error}")
    sources = {source.version: source for source in answered.sources}
    right = Facts().score(case, row, sources).result is Result.PASS
    prompts = row.record["prompts"]
    return Came(
        key=key,
        pack=pack.id,
        case=case.id,
        mode=pack.answer.mode,
        end=REFUSED if row.refused else WITH if right else WITHOUT,
        chosen=row.record["mode"] == "llm" and not row.refused,
        retries=max(len(prompts) - 1, 0),
        lost=sum(prompt["failure"] is not None for prompt in prompts),
        sent=tokens.get("prompt", 0),
        written=tokens.get("answer", 0),
        seconds=round(took, 2),
    )


# --- what is kept -----------------------------------------------------------------


def kept(file: Path) -> Mapping[str, Came]:
    """What came of earlier questions, by key.

    Raises:
        UsageError: the file holds something else.
    """
    if not file.exists():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    try:
        every = [Came(**json.loads(line)) for line in lines]
    except (TypeError, ValueError) as error:
        raise UsageError(f"{file}: is no file of this program: {error}") from error
    return {came.key: came for came in every}


def _keep(came: Came, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(came)) + "\n")


# --- the table --------------------------------------------------------------------


def table(every: Sequence[Came], model: str) -> Iterator[str]:
    """Markdown: a column for each pack and mode."""
    columns = dict.fromkeys((came.pack, came.mode) for came in every)
    grouped = [[c for c in every if (c.pack, c.mode) == each] for each in columns]
    named = {ALONE: "quotations alone"}
    heads = [f"`{pack}`, {named.get(mode, model)}" for pack, mode in columns]
    yield _row("", *heads)
    yield _row(*["---"] * (1 + len(heads)))
    for label, told in zip(
        _LABELS, zip(*map(_told, grouped), strict=True), strict=True
    ):
        yield _row(label, *told)


_LABELS = (
    "questions",
    "answered with the facts",
    "answered without them",
    "wrongly refused",
    "shown as the model chose",
    "drafts beyond the first",
    "calls without a readable draft",
    "tokens sent and written, median",
    "seconds a question, median and most",
)


def _told(group: Sequence[Came]) -> Sequence[str]:
    ends = [came.end for came in group]
    seconds = [came.seconds for came in group]
    sent, written = (median(c.sent for c in group), median(c.written for c in group))
    return (
        str(len(group)),
        str(ends.count(WITH)),
        str(ends.count(WITHOUT)),
        str(ends.count(REFUSED)),
        str(sum(came.chosen for came in group)),
        str(sum(came.retries for came in group)),
        str(sum(came.lost for came in group)),
        f"{sent:.0f} and {written:.0f}",
        f"{median(seconds):.1f} and {max(seconds):.1f}",
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


app = typer.Typer(add_completion=False)


@app.command(help=HELP)
def main(  # noqa: PLR0913 (each argument is an option of the command line)
    pack: Annotated[list[str], typer.Option(help="Whose demo texts are asked.")],
    suite: Annotated[str, typer.Option(help="Whose questions.")] = "must_cite",
    most: Annotated[
        int | None, typer.Option(min=1, help="Questions of each pack; default: all.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Of a question; default: the pack's.")
    ] = None,
    passages: Annotated[
        int | None,
        typer.Option(min=1, max=10, help="Of a prompt; default: the pack's."),
    ] = None,
    out: Annotated[Path, typer.Option(help="What came, a line each.")] = BUILD
    / "modelled.jsonl",
    cache: Annotated[Path, typer.Option(help="Where corpora are kept.")] = CACHE,
) -> None:
    settings = read_settings()
    library = Library(packs=settings.packs)
    plan = Plan(suite, most, seconds, passages, out, cache, library)
    asyncio.run(_report(pack, plan, settings))


async def _report(names: Sequence[str], plan: Plan, settings: Settings) -> None:
    models = SharedModels(settings)
    try:
        model = models.writer.name.partition("/")[2]
        every = []
        for name in names:
            async for came in asked(name, plan, settings, models):
                every.append(came)
                say(f"{came.case}, {came.mode}: {came.end}, {came.seconds:.1f} s")
    finally:
        await models.end()
    for line in table(every, model):
        tell(line)


if __name__ == "__main__":
    run(app)
