"""The questions that files say a document answers, brought to their passages.

Front matter names questions of its own document, `questions.jsonl` beside documents
those of any, and headings that are questions are always taken. What a person says is
tried on the gate before it is used; demo texts come tried. What a document says
of itself is only offered to choose from until somebody looked at it.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bot.documents.corpus import Corpus
from bot.documents.folder import Folder
from bot.documents.indexing import Indexer, cut_chunks
from bot.documents.question_files import Line, read_lines
from engine.documents.passage import encode_chunks
from engine.model.document import Document
from engine.model.passage import Chunk
from engine.model.ports import Entry
from engine.pipeline.trial import Trial
from engine.questions import places
from engine.questions.fitting import find_misfit
from engine.questions.places import NoPlace, Place
from engine.questions.records import (
    FRONT_MATTER,
    Origin,
    PassageQuestion,
    Questions,
    keep_used,
)

UNTRIED = "not tried yet"
REMOVED = "removed"  # by a person; no later run brings it back
UNFITTED = "nothing was fitted for this embedder and reader, so it cannot be tried"
HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The questions that a version is to have, and whether others are stored."""

    questions: Questions
    changed: bool


class Gathering:
    """The questions of one ingestion.

    Args:
        corpus: what is ingested into.
        folder: its files of questions are read.
        whole: all documents of the folder are taken in, so that a line of another one
            is a mistake.
        demo: they are the demo texts of the pack, whose questions were tried and looked
            at; a file that calls itself a demo has none such.
        keep: what files said before stays where they are not found.

    Attributes:
        problems: lines that could not be read or brought to a passage.
    """

    def __init__(
        self,
        corpus: Corpus,
        folder: Folder,
        *,
        whole: bool,
        demo: bool = False,
        keep: bool = False,
    ) -> None:
        self._corpus = corpus
        self._came_tried = demo
        self._whole = whole
        self._keep = keep
        self._root = folder.root
        self._now = datetime.now(UTC)
        self._lines: list[Line] = []
        self.problems: list[str] = []
        for file in folder.questions:
            lines, problems = read_lines(file, self._name_file(file))
            self._lines += lines
            self.problems += problems
        self._met: set[Line] = set()
        self._untried: dict[str, Document] = {}
        self._to_try = 0

    async def gather(self, document: Document, matter: Sequence[str]) -> Wanted:
        """Gather what files say of a version now, and what people and models added."""
        corpus = self._corpus
        stored = await corpus.documents.questions(
            corpus.shelf, document.id, document.version
        )
        known = {question.same: question for question in stored}
        found = {q.same: q for q in stored if self._keep or not q.place}
        for said in (
            *self._read_files(document, matter),
            *self._read_headings(document),
        ):
            found.setdefault(said.same, _keep_trial(said, known.get(said.same)))
        questions = tuple(found[key] for key in sorted(found))
        untried = sum(map(_needs_trial, questions))
        if untried:
            self._untried[document.id] = document
            self._to_try += untried
        return Wanted(questions, questions != tuple(stored))

    async def finish(
        self, indexer: Indexer, report: Callable[[int, int], None]
    ) -> list[str]:
        """Try what is new, use what the gate opens for, and return what is kept out.

        A line of an unknown document is a problem.

        Args:
            indexer: writes the passages of the questions in use.
            report: told before each trial its number and how many there are.
        """
        notes: list[str] = []
        count = itertools.count(1)
        for document in self._untried.values():
            notes += await self._try_new(
                indexer, document, lambda: report(next(count), self._to_try)
            )
        await indexer.finish()
        members = await self._corpus.documents.memberships(self._corpus.shelf)
        known = {member.document for member in members}
        known |= {self._name_file(Path(member.path)) for member in members}
        self.problems += [
            f"{line.place}: document: {line.document!r} is in no file of this folder"
            for line in self._lines
            if self._whole and line not in self._met and line.document not in known
        ]
        return notes

    async def _try_new(
        self, indexer: Indexer, document: Document, report: Callable[[], None]
    ) -> list[str]:
        corpus, shelf = self._corpus, self._corpus.shelf
        stored = await corpus.documents.questions(shelf, document.id, document.version)
        chunks = cut_chunks(corpus.pack, document)
        questions: list[PassageQuestion] = []
        for question in stored:
            if _needs_trial(question):
                report()
                objection = await find_objection(corpus, question, chunks)
                question = question.model_copy(update={"kept_out": objection})
            questions.append(question)
        await replace_questions(corpus, indexer, document, questions)
        return [
            f"question kept out: {q.place}: {q.text!r}: {q.kept_out}"
            for q in questions
            if q.kept_out is not None and _needs_trial(q)
        ]

    def _read_files(
        self, document: Document, matter: Sequence[str]
    ) -> Iterator[PassageQuestion]:
        """Yield what people say in files; a line without a passage is a problem."""
        best = _NearestPassage(self._corpus, document)
        place = f"{self._name_file(Path(document.path))}: {FRONT_MATTER}"
        for number, text in enumerate(matter):
            yield self._make_question(
                document, text, best.find(text), f"{place}[{number}]"
            )
        names = {document.id, self._name_file(Path(document.path))}
        for line in self._lines:
            if line.document not in names:
                continue
            self._met.add(line)
            try:
                if line.section is None and line.quote is None:
                    where = best.find(line.question)
                else:
                    where = places.find_place(document, line.section, line.quote)
            except NoPlace as error:
                self.problems.append(f"{line.place}: {error}")
                continue
            yield self._make_question(document, line.question, where, line.place)

    def _make_question(
        self, document: Document, text: str, where: Place, place: str
    ) -> PassageQuestion:
        tried = self._came_tried and document.demo
        return PassageQuestion(
            text=text,
            document=document.id,
            version=document.version,
            span=where.span,
            section=where.section,
            origin=Origin.PERSON,
            place=place,
            created=self._now,
            kept_out=None if tried else UNTRIED,
            reviewed=self._now if tried else None,
        )

    def _read_headings(self, document: Document) -> Iterator[PassageQuestion]:
        for heading in places.find_question_headings(document):
            new = self._make_question(document, heading.text, heading, HEADING)
            yield new.model_copy(update={"origin": Origin.HEADING, "kept_out": None})

    def _name_file(self, path: Path) -> str:
        """Return a file as messages name it: relative to the folder."""
        if path.is_relative_to(self._root):
            return path.relative_to(self._root).as_posix()
        return path.as_posix()


async def replace_questions(
    corpus: Corpus,
    indexer: Indexer,
    document: Document,
    questions: Sequence[PassageQuestion],
) -> None:
    """Make these the questions of a document's current version, searched and stored.

    The index goes first: what is only in the ledger would not be found again.
    """
    shelf, name, version = corpus.shelf, document.id, document.version
    before = await corpus.documents.questions(shelf, name, version)

    async def store() -> None:
        await corpus.documents.store_questions(shelf, name, version, questions)

    if _searched_questions(before) == _searched_questions(questions):
        await store()
        return
    chunks = cut_chunks(corpus.pack, document)
    await indexer.add(name, chunks, store, keep_used(questions))


async def find_objection(
    corpus: Corpus, question: PassageQuestion, chunks: Sequence[Chunk]
) -> str | None:
    """Say why a question is not to be used; None where the gate opens for it."""
    at = places.find_holder(chunks, question.span)
    if at is None:
        return "its passage is gone"
    chunk = chunks[at]
    sentences = [
        chunk.text[span.start - chunk.start : span.end - chunk.start]
        for span in question.sentences
    ]
    reason = find_misfit(question.text, chunk, sentences)
    if reason is not None:
        return reason
    if corpus.reading is None:
        return UNFITTED
    trial = Trial(
        corpus.index,
        corpus.embedder,
        corpus.reading,
        corpus.pack,
        corpus.tenant,
        datetime.now(UTC).date(),
    )
    return await trial.fails(question.text, chunk)


class _NearestPassage:
    """The passage of a document that is nearest to a question; encoded when needed."""

    def __init__(self, corpus: Corpus, document: Document) -> None:
        self._corpus = corpus
        self._document = document
        self._entries: list[Entry] | None = None

    def find(self, text: str) -> Place:
        """Return the place of the passage."""
        embedder = self._corpus.embedder
        if self._entries is None:
            chunks = cut_chunks(self._corpus.pack, self._document)
            self._entries = encode_chunks(embedder, chunks)
        asked = embedder.encode_question(text).vector
        near = [float(entry.vector @ asked) for entry in self._entries]
        chunk = self._entries[int(np.argmax(near))].chunk
        return Place(chunk.sentences[0], chunk.section)


def _keep_trial(
    said: PassageQuestion, stored: PassageQuestion | None
) -> PassageQuestion:
    """Give what a file says the trial and the review that it had before."""
    if stored is None or stored.origin is not said.origin:
        return said
    return stored.model_copy(update={"place": said.place, "text": said.text})


def _needs_trial(question: PassageQuestion) -> bool:
    """Tell whether a person's question in a file is out of use, and not for good."""
    of_a_file = question.origin is Origin.PERSON and bool(question.place)
    return of_a_file and question.kept_out not in (None, REMOVED)


def _searched_questions(
    questions: Iterable[PassageQuestion],
) -> set[tuple[int, str, bool]]:
    return {(q.span.start, q.text, q.only_offered) for q in keep_used(questions)}
