"""A pack's corpus: where its documents are kept and searched, and for whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from adapters.index.upkeep import SHARED, KeptIndex
from engine.model.document import Document, IngestAction, Membership, shelf_of
from engine.model.ports import Embedder
from engine.policy.pack import Pack
from engine.questions.records import PassageQuestion, Questions
from engine.rank.reading import Reading


class Documents(Protocol):
    """The part of the ledger that keeps document versions, by shelf."""

    async def memberships(self, pack: str) -> Sequence[Membership]: ...

    async def document(
        self, document: str, version: str, pack: str
    ) -> Document | None: ...

    async def store_document(self, pack: str, document: Document) -> IngestAction: ...

    async def store_questions(
        self,
        pack: str,
        document: str,
        version: str,
        asked: Sequence[PassageQuestion],
    ) -> bool: ...

    async def questions(self, pack: str, document: str, version: str) -> Questions: ...

    async def withdraw(
        self, pack: str, document: str, *, pruned: bool = False
    ) -> object: ...


@dataclass(frozen=True, slots=True)
class Corpus:
    """A pack's corpus: what all may see, or what one workspace or server has alone.

    `tenant` names the latter as a question does: "slack:T0123", "discord:789".
    `reading` says who reads; without one no question can be tried.
    """

    pack: Pack
    documents: Documents
    index: KeptIndex
    embedder: Embedder
    tenant: str = SHARED
    reading: Reading | None = None

    @property
    def shelf(self) -> str:
        """What its documents stand under in the ledger."""
        return shelf_of(self.pack.id, self.tenant)

    @property
    def name(self) -> str:
        """What it is called for people."""
        return self.shelf.replace("@", " for ")
