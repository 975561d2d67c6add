"""Questions that a model writes for the passages of a corpus.

What the model said of a passage is kept in a file by passage, model and prompt, so that
a run that was cut off pays for nothing twice. A document's questions are tried and put
in together, once all its passages were read.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from adapters.index.upkeep import SHARED
from adapters.owner import FILE, FOLDER
from bot.documents.asked import find_objection, replace_questions
from bot.documents.corpus import Corpus
from bot.documents.indexing import Indexer, cut_chunks
from bot.documents.reindex import current_members, read_stored
from engine.model.document import Document
from engine.model.errors import ModelFailed
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.model.prompt import Failure, Usage
from engine.questions.records import Origin, PassageQuestion, Proposed, Questioner

FEWEST = 8  # words of a passage that is worth a call
KINDS = 60  # characters of a reason by which dropped questions are counted
_PROPOSED: TypeAdapter[tuple[Proposed, ...]] = TypeAdapter(tuple[Proposed, ...])
# Somebody has to change something before another call may help.
_HOPELESS = (Failure.KEY, Failure.UNPAID, Failure.NAME, Failure.OPEN)


@dataclass(slots=True)
class Plan:
    """The passages to read, and what that will take at most.

    `hidden` documents are limited to some people, and so not sent to a provider.
    """

    work: list[tuple[Document, list[Chunk]]] = field(default_factory=list)
    passages: int = 0
    cached: int = 0
    hidden: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class Written:
    """The result of a run; `left` passages were not read, the budget being spent."""

    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    left: int = 0
    usage: Usage = field(default_factory=Usage)


class Writing:
    """One run over a corpus.

    Args:
        corpus: whose passages.
        questioner: asks the model.
        folder: where its answers are kept.
        budget: US dollars that may be spent, None for any.
    """

    def __init__(
        self,
        corpus: Corpus,
        questioner: Questioner,
        folder: Path,
        budget: float | None,
    ) -> None:
        self._corpus = corpus
        self._questioner = questioner
        self._folder = folder
        self._budget = budget
        self._indexer = Indexer(corpus)
        self.written = Written()

    async def plan(self, only: str | None = None) -> Plan:
        """List what to read: of one document, or of all that may be sent."""
        plan = Plan()
        for member in (await current_members(self._corpus)).values():
            if only is not None and member.document != only:
                continue
            if self._is_hidden(member.tags):
                plan.hidden += 1
                continue
            document = await read_stored(self._corpus, member)
            chunks = list(self._select_chunks(document))
            plan.work.append((document, chunks))
            for chunk in chunks:
                plan.passages += 1
                if self._read_kept(chunk) is None:
                    plan.usage += self._questioner.estimate(chunk)
                else:
                    plan.cached += 1
        return plan

    async def run(self, plan: Plan, done: Callable[[], None]) -> Written:
        """Read what is planned, `done` being told of each passage.

        Raises:
            ModelFailed: the provider takes no call until somebody changes something;
                what was read before is kept.
        """
        for document, chunks in plan.work:
            proposed: list[tuple[Chunk, Proposed]] = []
            for chunk in chunks:
                found = await self._propose(chunk)
                proposed += [(chunk, one) for one in found]
                done()
            await self._take_in(document, proposed)
        return self.written

    def _is_hidden(self, tags: frozenset[str]) -> bool:
        if self._corpus.pack.questions.restricted_to_model:
            return False
        return bool(tags) or self._corpus.tenant != SHARED

    def _select_chunks(self, document: Document) -> Iterator[Chunk]:
        for chunk in cut_chunks(self._corpus.pack, document):
            if len(chunk.text.split()) >= FEWEST and self._questioner.rendered(chunk):
                yield chunk

    async def _propose(self, chunk: Chunk) -> Sequence[Proposed]:
        """Ask the model once for the questions of a passage."""
        kept = self._read_kept(chunk)
        if kept is not None:
            return kept
        written, needed = self.written, self._questioner.estimate(chunk).cost
        spent = written.usage.cost
        if self._budget is not None and (
            needed is None or spent is None or spent + needed > self._budget
        ):
            written.left += 1
            return ()
        said = await self._questioner.write(chunk)
        written.usage += said.prompt.usage
        failure = said.prompt.failure
        if failure in _HOPELESS:
            raise ModelFailed(
                f"the model {self._questioner.name} takes no call ({failure}): see "
                "`doctor --model`; what was read so far is kept"
            )
        if failure is not None:
            written.failed += 1
            return ()
        self._keep(chunk, said.proposed)
        return said.proposed

    async def _take_in(
        self, document: Document, proposed: Sequence[tuple[Chunk, Proposed]]
    ) -> None:
        """Try what is new, and use what passes."""
        corpus, written = self._corpus, self.written
        before = await corpus.documents.questions(
            corpus.shelf, document.id, document.version
        )
        known = {question.same for question in before}
        fresh: list[PassageQuestion] = []
        for chunk, one in proposed:
            question = None if one.flaw else self._make_question(document, chunk, one)
            if question is not None and question.same in known:
                continue
            reason = one.flaw
            if question is not None:
                known.add(question.same)
                reason = await find_objection(corpus, question, [chunk])
            if question is None or reason is not None:
                written.dropped[_shorten_reason(reason)] += 1
            else:
                fresh.append(question)
        if fresh:
            await replace_questions(corpus, self._indexer, document, [*before, *fresh])
            await self._indexer.finish()
            written.kept += len(fresh)

    def _make_question(
        self, document: Document, chunk: Chunk, proposed: Proposed
    ) -> PassageQuestion:
        return PassageQuestion(
            text=proposed.text,
            document=document.id,
            version=document.version,
            span=Span(start=chunk.start, end=chunk.end),
            section=chunk.section,
            sentences=proposed.sentences,
            origin=Origin.MODEL,
            model=self._questioner.name,
            prompt=self._questioner.version,
            created=datetime.now(UTC),
        )

    # --- what the model said, by passage ------------------------------------------

    def _name_file(self, chunk: Chunk) -> Path:
        asked = self._questioner
        named = f"{asked.key}\n{chunk.id}\n{asked.rendered(chunk)}"
        return self._folder / f"{hashlib.sha256(named.encode()).hexdigest()}.json"

    def _read_kept(self, chunk: Chunk) -> Sequence[Proposed] | None:
        """Read what the model said of a passage; None where nothing is readable."""
        try:
            said = json.loads(self._name_file(chunk).read_text(encoding="utf-8"))
            return _PROPOSED.validate_python(said)
        except (OSError, ValueError, ValidationError):
            return None

    def _keep(self, chunk: Chunk, proposed: tuple[Proposed, ...]) -> None:
        self._folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        file = self._name_file(chunk)
        draft = file.with_suffix(".new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE)
        with open(descriptor, "wb") as opened:
            opened.write(_PROPOSED.dump_json(proposed))
        draft.replace(file)


def _shorten_reason(reason: str | None) -> str:
    """Cut what a reason quotes, so that equal reasons are counted together."""
    text = (reason or "").split("'")
    return "…".join(text[::2]).strip("… ")[:KINDS] if len(text) > 1 else text[0]
