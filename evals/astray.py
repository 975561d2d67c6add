"""`python -m evals.astray`: answers of a model that picks badly on purpose, to be read.

Every sentence that it picks is true of what its page speaks of; what has to be judged,
by a person and against the documents, is whether the sentences mislead who asked.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from adapters import packs
from bot.documents.embedders import open_embedder
from bot.wiring import read_settings
from config.settings import PACKS
from engine.drafts.drafting import Models
from engine.drafts.orders import Offered, Order, Passage, Written
from engine.drafts.prompts import Prompt
from engine.errors import EnvironmentFailed
from engine.lexicon import STOPWORDS, stem, words
from engine.policy.pack import Pack
from engine.records import Draft, DraftClaim, DraftSection
from evals.cases.suites import DEMO, load
from evals.forms import Case, Json
from evals.record import CACHE, TODAY
from evals.recording.corpora import CORPORA, Corpora
from evals.recording.costs import Purse
from evals.recording.desk import Desk, Site
from evals.recording.models import SharedModels
from evals.recording.runner import Item

NAME = "test/astray"
ROUNDS = 4  # times that a question is asked, each with other picks
NEAR = 6  # sentences next to the best
TURNS = frozenset(
    ("not", "no", "never", "none", "only", "unless", "except", "however", "but")
)
HELP = """Answers of a model that picks badly on purpose, for a person to read.

\b
  python -m evals.astray --pack oncology --shown 75 --seed 7
"""


class AstrayWriter:
    """The Writer port: sentences near the question that are not its best answer."""

    def __init__(self, random: Random) -> None:
        self._random = random

    async def write(self, order: Order) -> Written:
        ways = (_near, _figures, _turned, _beside, _elsewhere)
        found = list(self._random.choice(ways)(order)) or list(_near(order))
        self._random.shuffle(found)
        picked = found[: self._random.randint(1, 3)]
        claims = tuple(DraftClaim(sentences=(one.selected,)) for one in picked)
        heading = next(iter(order.headings), "")
        section = DraftSection(heading=heading, claims=claims)
        return Written(
            draft=Draft(sections=(section,), mode="llm"),
            prompt=Prompt(module="astray", model=NAME, program=""),
        )


def _near(order: Order) -> Iterator[Offered]:
    """What says next to most of the question."""
    yield from _ranked(order, order.passages)[1 : 1 + NEAR]


def _figures(order: Order) -> Iterator[Offered]:
    """What holds a figure, any."""
    near = _ranked(order, order.passages)[1 : 1 + 2 * NEAR]
    yield from (one for one in near if any(c.isdigit() for c in one.text))


def _turned(order: Order) -> Iterator[Offered]:
    """What turns or limits something, which may not be what was asked."""
    near = _ranked(order, order.passages)[1 : 1 + 2 * NEAR]
    yield from (one for one in near if TURNS.intersection(words(one.text)))


def _beside(order: Order) -> Iterator[Offered]:
    """What stands around the best sentence."""
    best = _ranked(order, order.passages)[0]
    for passage in order.passages:
        if best in passage.sentences:
            at = passage.sentences.index(best)
            yield from passage.sentences[max(at - 2, 0) : at]
            yield from passage.sentences[at + 1 : at + 3]


def _elsewhere(order: Order) -> Iterator[Offered]:
    """The best of each passage but that of the best."""
    best = _ranked(order, order.passages)[0]
    for passage in order.passages:
        if best not in passage.sentences:
            yield from _ranked(order, [passage])[:2]


def _ranked(order: Order, passages: Sequence[Passage]) -> list[Offered]:
    asked = _content(order.question)
    told = [
        (len(asked & _content(f"{' '.join(passage.section)} {one.text}")), one)
        for passage in passages
        for one in passage.sentences
    ]
    return [one for _, one in sorted(told, key=lambda each: -each[0])]


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


class AstrayModels(SharedModels):
    """Stands where the configured models stand."""

    def __init__(self, writer: AstrayWriter) -> None:
        super().__init__(read_settings())
        self._writer = writer

    def of(self, pack: Pack) -> Models:
        return Models(writer=self._writer)


@dataclass(frozen=True, slots=True)
class Shown:
    """One question of a pack and what came of it."""

    case: Case
    record: Json

    @property
    def astray(self) -> bool:
        """Whether what the model picked is what a reader sees."""
        return not self.record["was_refusal"] and self.record["mode"] == "llm"


async def asked(pack: Pack, random: Random, cache: Path) -> AsyncIterator[Shown]:
    """Questions that the demo texts answer, in any order, and what is shown of each."""
    suites = [suite for suite in load(pack.id) if suite.corpus == DEMO]
    cases = [case for suite in suites for case in suite.cases if _plain(case)]
    documents = PACKS / pack.id / "corpus"
    models = AstrayModels(AstrayWriter(random))
    settings = read_settings()
    embedder = open_embedder(settings, pack.profile)
    with Corpora(settings, pack, embedder, models, cache / CORPORA) as corpora:
        async with corpora.opened(documents, (), TODAY) as opened:
            desk = Desk(pack, opened, Site(documents, (), TODAY), Purse(None))
            for turn in range(ROUNDS):
                random.shuffle(cases)
                for case in cases:
                    answered = await desk.ask(Item(case, turn))
                    if answered.row.record is None:
                        raise EnvironmentFailed(f"{case.id}: {answered.row.error}")
                    yield Shown(case, answered.row.record)


def _plain(case: Case) -> bool:
    """Whether a question stands for itself and has an answer."""
    told = case.previous or case.selection or case.as_of or case.changes
    return case.expected.outcome == "answer" and not told


def main(
    pack: Annotated[str, typer.Option(help="Whose demo texts are asked.")] = "oncology",
    shown: Annotated[int, typer.Option(help="Answers to show.")] = 75,
    seed: Annotated[int, typer.Option(help="Of picks and order.")] = 7,
    cache: Annotated[Path, typer.Option(help="Where corpora are kept.")] = CACHE,
) -> None:
    asyncio.run(_report(packs.load(PACKS / pack), shown, Random(seed), cache))


async def _report(pack: Pack, most: int, random: Random, cache: Path) -> None:
    every, seen = 0, 0
    async for one in asked(pack, random, cache):
        every += 1
        if one.astray:
            seen += 1
            typer.echo(f"\n=== {seen}. {one.case.id}: {one.case.question}")
            typer.echo(f"    expected: {one.case.expected.facts}")
            typer.echo(one.record["answer"])
        if seen == most:
            break
    typer.echo(f"\n{pack.id}: {every} asked, {seen} shown as the model picked them")


if __name__ == "__main__":
    typer.run(main)
