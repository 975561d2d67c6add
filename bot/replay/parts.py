"""Substitutes for ledger, observer and model in a replay: nothing is written."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from adapters.ledger.store import SqlLedger
from engine.model.document import Description, Document, Membership
from engine.model.draft import (
    Draft,
    DraftClaim,
    DraftSection,
    Offered,
    Order,
    Passage,
    Selected,
    Written,
)
from engine.model.outcome import Outcome
from engine.model.prompt import Prompt
from engine.model.question import Scope
from engine.model.record import ClaimRecord, Record
from engine.model.spans import Span

UNRECORDED = "0" * 12  # the audit id of what is on no record


class Unwritten:
    """The Ledger port over a ledger of which nothing changes.

    Args:
        ledger: is read.
    """

    def __init__(self, ledger: SqlLedger) -> None:
        self._ledger = ledger

    async def record(self, outcome: Outcome) -> str:
        return UNRECORDED

    async def store_selection(self, document: Document) -> None:
        """Do nothing: it was stored when it was asked about, or is not kept."""

    async def document(self, document: str, version: str, pack: str) -> Document | None:
        return await self._ledger.document(document, version, pack)

    async def memberships(self, pack: str) -> Sequence[Membership]:
        return await self._ledger.memberships(pack)

    async def described(
        self, scope: Scope, versions: Collection[tuple[str, str]]
    ) -> Mapping[tuple[str, str], Description]:
        return await self._ledger.described(scope, versions)

    async def find_passage(self, pack: str, folded: str) -> tuple[str, str] | None:
        return await self._ledger.find_passage(pack, folded)

    async def find_passages(self, pack: str, folded: str) -> Sequence[tuple[str, str]]:
        return await self._ledger.find_passages(pack, folded)


class Silent:
    """The Observer port that observes nothing: these questions were counted once."""

    def event(self, name: str, fields: Mapping[str, object]) -> None: ...

    def count(self, metric: str, labels: Mapping[str, str]) -> None: ...

    def observe(self, metric: str, value: float) -> None: ...

    def trace(self, spans: Sequence[Span]) -> None: ...


class StoredWriter:
    """The Writer port over the selections of a stored answer.

    A sentence is selected again where it is offered word for word under the same title;
    what is no longer offered is no longer selected.

    Attributes:
        record: of the question that is asked.
    """

    def __init__(self) -> None:
        self.record: Record | None = None

    async def write(self, order: Order) -> Written:
        record = self.record
        prompt = Prompt(
            module="replay",
            model=(record and record.model) or "",
            program=(record and record.prompt_version) or "",
        )
        if record is None:
            return Written(draft=None, prompt=prompt)
        sections = tuple(
            DraftSection(
                heading=section.heading,
                claims=tuple(
                    claim
                    for stored in section.claims
                    for claim in _select_again(stored, record, order.passages)
                ),
            )
            for section in record.sections
        )
        kept = tuple(section for section in sections if section.claims)
        draft = Draft(sections=kept, mode="llm", model=record.model)
        return Written(draft=draft, prompt=prompt)


def _select_again(
    claim: ClaimRecord, record: Record, passages: Sequence[Passage]
) -> Iterator[DraftClaim]:
    """Select a stored quotation from what is offered today, a claim a passage."""
    titles = {s.title for s in record.sources if s.number in claim.citations}
    texts = [
        quote.text
        for source in record.sources
        for place in claim.quotes
        for quote in source.quotes
        if (source.number, quote.start) == (place.number, place.start)
    ]
    for passage in passages:
        found = passage.title in titles and [
            *_select_sentences(passage.sentences, texts)
        ]
        if found:
            yield DraftClaim(sentences=tuple(found))


def _select_sentences(
    offered: Sequence[Offered], texts: Sequence[str]
) -> Iterator[Selected]:
    for sentence in offered:
        if any(sentence.text in text for text in texts):
            yield sentence.selected
