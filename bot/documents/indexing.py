"""Put documents into the index: embedded in batches across documents, added singly."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from bot.documents.corpus import Corpus
from engine.documents.chunks import make_chunks
from engine.documents.passage import LONGEST, encode_chunks, passage_text
from engine.model.document import Document
from engine.model.errors import DocumentTooLarge
from engine.model.passage import Chunk
from engine.model.ports import ONLY_OFFERED, Entry, StoredQuestion
from engine.policy.pack import Pack
from engine.questions.places import find_holder
from engine.questions.records import PassageQuestion, keep_used

# Names how documents are cut and what is embedded of a chunk: an index is bound to it.
CHUNKER = "chunks-200-7"
BEGINNING = 40  # characters that show which block is meant
BATCH = 32  # passages encoded at once; two megabytes of vectors wait to be put in


def cut_chunks(pack: Pack, document: Document) -> tuple[Chunk, ...]:
    """Cut a document into chunks, with the anchors that its pack and source ask for.

    Raises:
        DocumentTooLarge: a block, or the title, is longer than anything is embedded.
    """
    source = pack.register().get(document.source)
    chunks = make_chunks(
        document,
        anchors=pack.anchors_per_item,
        guideline=source is not None and source.guideline,
    )
    for chunk in chunks:
        size = len(passage_text(chunk))
        if size > LONGEST:
            raise DocumentTooLarge(
                f"{document.path}: the block that begins {chunk.text[:BEGINNING]!r} "
                f"has {size:,} characters with its title, {LONGEST:,} at most can be "
                "searched: cut it up or take it out, and ingest the file again"
            )
    return chunks


@dataclass(slots=True)
class _Open:
    """A document whose chunks are not all encoded."""

    document: str
    chunks: Sequence[Chunk]
    after: Callable[[], Awaitable[None]]
    questions: Sequence[PassageQuestion] = ()
    entries: list[Entry] = field(default_factory=list)

    @property
    def rest(self) -> Sequence[Chunk]:
        return self.chunks[len(self.entries) :]


async def do_nothing() -> None:
    """Do nothing after a document is in."""


class Indexer:
    """Embeds chunks and makes whole documents visible, in the order they were added.

    Args:
        corpus: its index takes a document in one step, its embedder runs in a thread.
        progress: is told how many chunks each step brought in.
    """

    def __init__(
        self, corpus: Corpus, progress: Callable[[int], None] = lambda number: None
    ) -> None:
        self._corpus = corpus
        self._progress = progress
        self._open: deque[_Open] = deque()
        self._waiting = 0

    async def add(
        self,
        document: str,
        chunks: Sequence[Chunk],
        after: Callable[[], Awaitable[None]] = do_nothing,
        questions: Sequence[PassageQuestion] = (),
    ) -> None:
        """Take a document in with the questions that its passages answer.

        Once it is visible, `after` runs.
        """
        self._open.append(_Open(document, chunks, after, keep_used(questions)))
        self._waiting += len(chunks)
        while self._waiting >= BATCH:
            await self._encode()

    async def finish(self) -> None:
        """Encode and put in what still waits."""
        while self._open:
            await self._encode()

    async def _encode(self) -> None:
        corpus = self._corpus
        waiting = (
            (document, chunk) for document in self._open for chunk in document.rest
        )
        batch = list(islice(waiting, BATCH))
        chunks = [chunk for _, chunk in batch]
        entries = await asyncio.to_thread(encode_chunks, corpus.embedder, chunks)
        for (document, _), made in zip(batch, entries, strict=True):
            document.entries.append(made)
        self._waiting -= len(batch)
        self._progress(len(batch))
        while self._open and not self._open[0].rest:
            done = self._open.popleft()
            if done.questions:
                await asyncio.to_thread(self._attach_questions, done)
            await corpus.index.put(
                corpus.pack.id, done.document, done.entries, corpus.tenant
            )
            await done.after()

    def _attach_questions(self, done: _Open) -> None:
        """Give each passage its questions, with vectors as an asker's get them."""
        held: dict[int, list[StoredQuestion]] = {}
        for question in done.questions:
            at = find_holder(done.chunks, question.span)
            if at is not None:
                vector = self._corpus.embedder.encode_question(question.text).vector
                mark = ONLY_OFFERED if question.only_offered else ""
                held.setdefault(at, []).append(
                    StoredQuestion(f"{mark}{question.text}", vector)
                )
        for at, asked in held.items():
            done.entries[at] = replace(done.entries[at], questions=tuple(asked))
