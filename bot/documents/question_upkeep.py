"""Add, review, edit and remove the questions of a corpus."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import ValidationError

from bot.documents.asked import REMOVED, find_objection, replace_questions
from bot.documents.corpus import Corpus
from bot.documents.indexing import Indexer, cut_chunks
from bot.documents.question_files import Line
from bot.documents.reindex import current_members, read_stored
from engine.model.document import Document, Membership
from engine.model.errors import UsageError
from engine.policy.access import opens
from engine.questions import places
from engine.questions.places import NoPlace, Place
from engine.questions.records import LONGEST, Origin, PassageQuestion, Questions

QUOTED = 8  # words of a passage by which an exported line names it


class StandsThere(UsageError):
    """The passage already has the question."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored question with its document and the passage that it belongs to."""

    question: PassageQuestion
    document: Document
    passage: str
    section: tuple[str, ...]


class Upkeep:
    """The questions of the current documents of a corpus.

    Args:
        corpus: of a pack.
        held: access tags; a document that is not open to who holds them is as one that
            is not there, and no question is put there. None for who runs it all.
    """

    def __init__(self, corpus: Corpus, held: Collection[str] | None = None) -> None:
        self.corpus = corpus
        self._held = held
        self._indexer = Indexer(corpus)

    async def list_all(self, only: str | None = None) -> list[PassageQuestion]:
        """List all, also those out of use, by document and place."""
        found: list[PassageQuestion] = []
        for name, member in (await current_members(self.corpus)).items():
            if only in (None, name) and self._may_see(member):
                found += await self._read_questions(name)
        return found

    async def list_unreviewed(self, only: str | None = None) -> list[Kept]:
        """List those in use, except headings, that await a review."""
        found = []
        for question in await self.list_all(only):
            seen = question.reviewed_by or question.origin is Origin.HEADING
            if not seen and question.kept_out is None:
                found.append(await self._locate(question))
        return found

    async def list_attached(self) -> list[Kept]:
        """List those in use that people attached to their passages."""
        return [
            await self._locate(question)
            for question in await self.list_all()
            if question.kept_out is None and question.origin is Origin.PERSON
        ]

    async def export_lines(self) -> list[Line]:
        """Return those in use as lines of a file, except headings."""
        found = []
        for question in await self.list_all():
            if question.kept_out is None and question.origin is not Origin.HEADING:
                one = await self._locate(question)
                found.append(
                    Line(
                        document=question.document,
                        question=question.text,
                        section=" > ".join(one.section) or None,
                        quote=_quote_beginning(one),
                        place="",
                    )
                )
        return found

    async def add(self, line: Line, by: str) -> PassageQuestion:
        """Attach a question to a passage that is named, in use where the gate opens.

        Raises:
            UsageError: there is no such document or passage; or as `attach`.
        """
        document = await self._read_document(line.document)
        try:
            where = places.find_place(document, line.section, line.quote)
        except NoPlace as error:
            raise UsageError(f"--{error}") from error
        return await self.attach(document, where, line.question, by)

    async def attach(
        self, document: Document, where: Place, text: str, by: str
    ) -> PassageQuestion:
        """Attach a question to a passage, in use where the gate opens.

        Raises:
            StandsThere: in these words, in use.
            UsageError: the question is too short or too long.
        """
        try:
            added = PassageQuestion(
                text=text,
                document=document.id,
                version=document.version,
                span=where.span,
                section=where.section,
                origin=Origin.PERSON,
                created=datetime.now(UTC),
                reviewed_by=by,
                reviewed=datetime.now(UTC) if by else None,
            )
        except ValidationError as error:
            raise UsageError(f"a question has 3 to {LONGEST} characters") from error
        before = await self._read_questions(document.id)
        if any(q.same == added.same and q.kept_out is None for q in before):
            raise StandsThere(f"the passage has the question {added.text!r} already")
        added = await self._try_question(document, added)
        kept = [q for q in before if q.same != added.same]
        await self._use(document, (*kept, added))
        return added

    async def keep(self, one: Kept, by: str) -> None:
        """Note that somebody looked at it."""
        await self._change(one.question, lambda q: _sign(q, by))

    async def edit(self, one: Kept, text: str, by: str) -> PassageQuestion:
        """Change its words, and try it again.

        Raises:
            UsageError: they are too few or too many.
        """
        if not 3 <= len(text.strip()) <= LONGEST:
            raise UsageError(f"a question has 3 to {LONGEST} characters")
        # A person's now; the words of the file, or the model's, are not brought back.
        removed = one.question.model_copy(update={"kept_out": REMOVED})
        edited = _sign(one.question, by).model_copy(
            update={"text": text.strip(), "origin": Origin.PERSON, "place": ""}
        )
        edited = await self._try_question(one.document, edited)
        before = await self._read_questions(one.document.id)
        taken = {removed.same, edited.same}
        kept = [q for q in before if q.same not in taken]
        old = [removed] if removed.same != edited.same else []
        await self._use(one.document, (*kept, *old, edited))
        return edited

    async def remove(self, name: str) -> PassageQuestion:
        """Take one out of use for good.

        Raises:
            UsageError: there is none of this id.
        """
        found = [q for q in await self.list_all() if q.id == name]
        if not found:
            raise UsageError(
                f"{self.corpus.name} has no question {name!r}: see `questions list`"
            )
        out = {"kept_out": REMOVED}
        await self._change(found[0], lambda q: q.model_copy(update=out))
        return found[0]

    async def _change(
        self,
        question: PassageQuestion,
        change: Callable[[PassageQuestion], PassageQuestion],
    ) -> None:
        document = await self._read_document(question.document)
        before = await self._read_questions(document.id)
        after = tuple(change(q) if q.id == question.id else q for q in before)
        await self._use(document, after)

    async def _use(self, document: Document, questions: Questions) -> None:
        await replace_questions(self.corpus, self._indexer, document, questions)
        await self._indexer.finish()

    async def _try_question(
        self, document: Document, question: PassageQuestion
    ) -> PassageQuestion:
        chunks = cut_chunks(self.corpus.pack, document)
        reason = await find_objection(self.corpus, question, chunks)
        return question.model_copy(update={"kept_out": reason})

    async def _read_questions(self, name: str) -> Questions:
        corpus = self.corpus
        member = (await current_members(corpus))[name]
        return await corpus.documents.questions(corpus.shelf, name, member.version)

    async def _read_document(self, name: str) -> Document:
        member = (await current_members(self.corpus)).get(name)
        if member is None or not self._may_see(member):
            raise UsageError(f"{self.corpus.name} has no document {name!r}")
        return await read_stored(self.corpus, member)

    def _may_see(self, member: Membership) -> bool:
        return self._held is None or opens(member.tags, self._held)

    async def _locate(self, question: PassageQuestion) -> Kept:
        document = await self._read_document(question.document)
        chunks = cut_chunks(self.corpus.pack, document)
        at = places.find_holder(chunks, question.span)
        passage = "" if at is None else chunks[at].text
        section = () if at is None else chunks[at].section
        return Kept(question, document, passage, question.section or section)


def _sign(question: PassageQuestion, by: str) -> PassageQuestion:
    now = datetime.now(UTC)
    return question.model_copy(update={"reviewed_by": by, "reviewed": now})


def _quote_beginning(one: Kept) -> str | None:
    """Return the first words of the first sentence that the question points to."""
    starts = [s.start for s in one.question.sentences] or [one.question.span.start]
    for sentence in one.document.sentences:
        if sentence.start >= starts[0] and sentence.kind != "heading":
            words = sentence.of(one.document.text).split()
            return " ".join(words[:QUOTED])
    return None
