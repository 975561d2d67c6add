"""What people do with the questions of a corpus: add, look through, edit, remove."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import ValidationError

from bot.documents.asked import REMOVED, kept_out, use
from bot.documents.corpus import Corpus
from bot.documents.indexing import Indexer, chunks_of
from bot.documents.question_files import Line
from bot.documents.reindex import current_members, stored
from engine.model.document import Document, Membership
from engine.model.errors import UsageError
from engine.policy.access import opens
from engine.questions import places
from engine.questions.places import NoPlace, Place
from engine.questions.records import LONGEST, Origin, PassageQuestion, Questions

QUOTED = 8  # words of a passage by which an exported line names it


class StandsThere(UsageError):
    """The passage has the question already."""


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
        self._indexer = Indexer(
            *(corpus.pack.id, corpus.index, corpus.embedder),
            lambda _: None,
            corpus.tenant,
        )

    async def every(self, only: str | None = None) -> list[PassageQuestion]:
        """All of them, also those out of use, by document and place."""
        found: list[PassageQuestion] = []
        for name, member in (await current_members(self.corpus)).items():
            if only in (None, name) and self._open(member):
                found += await self._of(name)
        return found

    async def unreviewed(self, only: str | None = None) -> list[Kept]:
        """Those in use, but for headings, that nobody looked at."""
        found = []
        for question in await self.every(only):
            seen = question.reviewed_by or question.origin is Origin.HEADING
            if not seen and question.kept_out is None:
                found.append(await self._kept(question))
        return found

    async def attached(self) -> list[Kept]:
        """Those in use that people attached to their passages."""
        return [
            await self._kept(question)
            for question in await self.every()
            if question.kept_out is None and question.origin is Origin.PERSON
        ]

    async def lines(self) -> list[Line]:
        """Those in use as lines of a file; headings say themselves."""
        found = []
        for question in await self.every():
            if question.kept_out is None and question.origin is not Origin.HEADING:
                one = await self._kept(question)
                found.append(
                    Line(
                        document=question.document,
                        question=question.text,
                        section=" > ".join(one.section) or None,
                        quote=_beginning(one),
                        place="",
                    )
                )
        return found

    async def add(self, line: Line, by: str) -> PassageQuestion:
        """Attach a question to a passage that is named, in use where the gate opens.

        Raises:
            UsageError: there is no such document or passage; or as `attach`.
        """
        document = await self._document(line.document)
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
        before = await self._of(document.id)
        if any(q.same == added.same and q.kept_out is None for q in before):
            raise StandsThere(f"the passage has the question {added.text!r} already")
        added = await self._tried(document, added)
        kept = [q for q in before if q.same != added.same]
        await self._use(document, (*kept, added))
        return added

    async def keep(self, one: Kept, by: str) -> None:
        """Note that somebody looked at it."""
        await self._change(one.question, lambda q: _signed(q, by))

    async def edit(self, one: Kept, text: str, by: str) -> PassageQuestion:
        """Other words for it, tried anew.

        Raises:
            UsageError: they are too few or too many.
        """
        if not 3 <= len(text.strip()) <= LONGEST:
            raise UsageError(f"a question has 3 to {LONGEST} characters")
        # A person's now; the words of the file, or the model's, are not brought back.
        removed = one.question.model_copy(update={"kept_out": REMOVED})
        edited = _signed(one.question, by).model_copy(
            update={"text": text.strip(), "origin": Origin.PERSON, "place": ""}
        )
        edited = await self._tried(one.document, edited)
        before = await self._of(one.document.id)
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
        found = [q for q in await self.every() if q.id == name]
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
        document = await self._document(question.document)
        before = await self._of(document.id)
        after = tuple(change(q) if q.id == question.id else q for q in before)
        await self._use(document, after)

    async def _use(self, document: Document, questions: Questions) -> None:
        await use(self.corpus, self._indexer, document, questions)
        await self._indexer.finish()

    async def _tried(
        self, document: Document, question: PassageQuestion
    ) -> PassageQuestion:
        chunks = chunks_of(self.corpus.pack, document)
        reason = await kept_out(self.corpus, question, chunks)
        return question.model_copy(update={"kept_out": reason})

    async def _of(self, name: str) -> Questions:
        corpus = self.corpus
        member = (await current_members(corpus))[name]
        return await corpus.documents.questions(corpus.shelf, name, member.version)

    async def _document(self, name: str) -> Document:
        member = (await current_members(self.corpus)).get(name)
        if member is None or not self._open(member):
            raise UsageError(f"{self.corpus.name} has no document {name!r}")
        return await stored(self.corpus, member)

    def _open(self, member: Membership) -> bool:
        return self._held is None or opens(member.tags, self._held)

    async def _kept(self, question: PassageQuestion) -> Kept:
        document = await self._document(question.document)
        chunks = chunks_of(self.corpus.pack, document)
        at = places.find_holder(chunks, question.span)
        passage = "" if at is None else chunks[at].text
        section = () if at is None else chunks[at].section
        return Kept(question, document, passage, question.section or section)


def _signed(question: PassageQuestion, by: str) -> PassageQuestion:
    now = datetime.now(UTC)
    return question.model_copy(update={"reviewed_by": by, "reviewed": now})


def _beginning(one: Kept) -> str | None:
    """The first words of the first sentence that the question points to."""
    starts = [s.start for s in one.question.sentences] or [one.question.span.start]
    for sentence in one.document.sentences:
        if sentence.start >= starts[0] and sentence.kind != "heading":
            words = sentence.of(one.document.text).split()
            return " ".join(words[:QUOTED])
    return None
