"""Documents that a pack has taken in, for run-pack to read and search.

Source code is the file that was ingested, path and lines; of another document it is the
stored text. Nothing is shown but what everybody may see.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from adapters.preflight.retrieval import Passage
from bot.documents.corpus import Corpus
from engine import gate
from engine.model.document import Document, Membership, VersionState
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.places import decode_path
from engine.model.question import Question, Scope
from engine.parse import intent as intents
from engine.rank.reading import Reading
from engine.search.search import Searcher

LONGEST = 200  # characters of one part of a path


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The number of documents laid out, and of those withheld for their access tags."""

    files: int
    withheld: int


async def lay_out(corpus: Corpus, root: Path) -> LaidOut:
    """Write the current documents of a corpus below an empty folder.

    Raises:
        UsageError: there is none, or two of them have one path.
        EnvironmentFailed: the ledger has lost one, or the folder cannot be written.
    """
    every = await corpus.documents.memberships(corpus.shelf)
    current = tuple(_select_current(every))
    open_to_all = [member for member in current if not member.tags]
    for member in open_to_all:
        held = await corpus.documents.document(
            member.document, member.version, corpus.shelf
        )
        if held is None:
            raise EnvironmentFailed(f"{member.document} is not in the ledger")
        _write(root, held)
    if not open_to_all:
        raise UsageError(
            f"--index {corpus.pack.id}: holds no document for everybody: take some in "
            f"with `ingest DIR --pack {corpus.pack.id}`"
        )
    return LaidOut(len(open_to_all), len(current) - len(open_to_all))


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds passages for questions in words; called from a thread beside its loop.

    Args:
        corpus: what is searched.
        reading: who reads its passages.
        today: what is in force on this day.
        loop: where index and ledger were opened.
    """

    corpus: Corpus
    reading: Reading
    today: date
    loop: asyncio.AbstractEventLoop

    def __call__(self, query: str, seconds: float) -> Sequence[Passage]:
        """Find what the pack's gate lets through, best first.

        Raises:
            TimeoutError: so many seconds are over.
            EnvironmentFailed: index, embedder or ledger cannot be reached.
        """
        found = asyncio.run_coroutine_threadsafe(self.find_passages(query), self.loop)
        try:
            return found.result(seconds)
        finally:
            found.cancel()

    async def find_passages(self, query: str) -> Sequence[Passage]:
        """Find the sentences that answer a query, as whole lines."""
        corpus, pack = self.corpus, self.corpus.pack
        asked = Question(id="retrieval", session="retrieval", text=query, pack=pack.id)
        scope = Scope(pack=pack.id)
        statistics = await corpus.index.statistics(scope)
        intent = intents.read(asked, pack, statistics, self.today)
        searcher = Searcher(corpus.index, corpus.embedder, self.reading)
        evidence = await searcher.search(asked, intent, pack, statistics)
        decision = gate.decide(evidence, intent, pack, pack.register())
        chunks = decision.chunks if isinstance(decision, Open) else ()
        return [each for chunk in chunks for each in await self._read_lines(chunk)]

    async def _read_lines(self, chunk: Chunk) -> list[Passage]:
        """Read the lines of each sentence that was picked."""
        shelf = self.corpus.shelf
        documents = self.corpus.documents
        held = await documents.document(chunk.document, chunk.version, shelf)
        if held is None:
            raise EnvironmentFailed(f"{chunk.document} is not in the ledger")
        lines, file = held.text.split("\n"), "/".join(_split_path(held))
        found = []
        for pick in chunk.picks:
            until = pick.sentence if pick.last is None else pick.last
            first = held.text.count("\n", 0, chunk.sentences[pick.sentence].start)
            last = held.text.count("\n", 0, chunk.sentences[until].end)
            found.append(Passage(file, first + 1, tuple(lines[first : last + 1])))
        return found


def _select_current(members: Sequence[Membership]) -> Iterator[Membership]:
    """Select the current ones; demo texts only where there is nothing else."""
    current = [m for m in members if m.state is VersionState.CURRENT]
    real = any(not member.demo for member in current)
    yield from (member for member in current if not (real and member.demo))


def _write(root: Path, document: Document) -> None:
    file = root.joinpath(*_split_path(document))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="") as stream:
            stream.write(document.text)
    except FileExistsError as error:
        raise UsageError(
            f"two documents have the path {file.relative_to(root)}; {document.id} is "
            "one of them: withdraw the other"
        ) from error
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error


def _split_path(document: Document) -> Iterable[str]:
    """Split the path of a document: of its file, else its id without a scheme."""
    if document.file is not None:
        path = decode_path(document.file)
    else:
        path = f"{document.id.rpartition('://')[2]}.txt"
    named = (part[:LONGEST] for part in path.split("/"))
    return [part for part in named if part not in ("", ".", "..")]
