"""Small collections of a team's documents, started as `groundrule start` does.

`evals/own` holds them: a folder each, with its documents and labelled questions.
"""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters import packs
from adapters.loaders.sandbox import Parser, list_served
from bot.commands.start import Given, describe_folder, make_job
from bot.documents.ingest import Steps, ingest, look
from bot.wiring import Application
from config.settings import Settings
from engine.model.errors import DocumentError, UsageError
from engine.model.ports import Clock
from engine.policy.pack import Pack
from evals.relevance.own import Line, read_lines

OWN = Path(__file__).resolve().parent.parent / "own"
QUESTIONS = "questions.jsonl"
PUBLISHER = "The team"


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection: the folder of its documents, and what is asked of them."""

    name: str
    documents: Path
    file: Path
    questions: tuple[Line, ...]


def list_collections(folder: Path = OWN) -> list[str]:
    """List the names of the collections that there are."""
    return sorted(file.parent.name for file in folder.glob(f"*/{QUESTIONS}"))


def read_collection(name: str, folder: Path = OWN) -> Collection:
    """Read a collection and check its labels.

    Raises:
        UsageError: there is none of this name, it asks nothing, or a line is wrong.
    """
    known = list_collections(folder)
    if name not in known:
        raise UsageError(
            f"no collection is called {name!r}; there are {', '.join(known) or 'none'}"
        )
    documents, file = (folder / name / "docs").resolve(), folder / name / QUESTIONS
    questions = []
    for number, line in read_lines(file):
        if line.kind is None or not _is_quoted(line, documents):
            raise UsageError(
                f"{file}, line {number}: wants a kind, and its page's words"
            )
        questions.append(line)
    if not questions:
        raise UsageError(f"{file} holds no question")
    return Collection(name, documents, file, tuple(questions))


def _is_quoted(line: Line, documents: Path) -> bool:
    """Tell whether the page of a question holds its quote; so where there is none."""
    if line.page is None or line.quote is None:
        return True
    page = documents / line.page
    return page.is_file() and line.quote in page.read_text(encoding="utf-8")


@asynccontextmanager
async def started(
    collection: Collection, settings: Settings, clock: Clock | None = None
) -> AsyncIterator[tuple[Application, Pack]]:
    """Make a pack of a collection in a folder of its own, which is gone afterwards.

    Raises:
        DocumentError: a document could not be taken in.
        EnvironmentFailed: the folder cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="groundrule-own-") as name:
        place = Path(name)
        apart = {
            "data": place / "data",
            "packs": place / "packs",
            "index": "embedded",
            "database_url": None,
            "debug": False,
        }
        facts = describe_folder(
            collection.documents, PUBLISHER, Given(None, None, None)
        )
        packs.create_pack(place / "packs", collection.name, facts)
        own = settings.model_copy(update=apart)
        async with Application(own, clock=clock) as application:
            pack = application.pack(collection.name)
            await _take_in(application, pack, collection.documents)
            yield application, pack


async def _take_in(application: Application, pack: Pack, folder: Path) -> None:
    found = look(folder, list_served(pack.sources))
    with Parser() as parser:
        corpus = application.corpus(pack)
        summary = await ingest(corpus, parser, make_job(pack, folder), found, Steps())
    if summary.failures:
        raise DocumentError("; ".join(summary.failures))
