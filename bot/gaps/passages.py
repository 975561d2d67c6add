"""The passage that a question of a gap can be attached to in a chat (R-Q6).

It is on the page that came nearest when it was asked, as long as everybody may see its
document who asked: the gate opens on no other for them, and whoever owns the pack holds
their tags.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adapters.index.upkeep import SHARED
from adapters.ledger.store import SqlLedger
from bot.documents.corpus import Corpus
from bot.documents.indexing import chunks_of
from bot.documents.nearest import nearest
from bot.documents.reindex import stored
from bot.gaps.viewing import Line
from bot.wiring import Application
from engine.documents.records import Document, Membership, VersionState, shelf_of
from engine.policy.pack import Pack
from engine.records import Chunk, Nearest


@dataclass(frozen=True, slots=True)
class Member:
    """A current document, and whose it is."""

    tenant: str
    membership: Membership


@dataclass(frozen=True, slots=True)
class Page:
    """A page that came near, with its document."""

    near: Nearest
    member: Member

    @property
    def name(self) -> str:
        """A short name, the same in every process."""
        named = f"{self.near.document_id}\n{self.near.section}".encode()
        return hashlib.sha256(named).hexdigest()[:16]

    @property
    def title(self) -> str:
        """Its title and section, as they are shown."""
        parts = (self.near.title, *self.near.section.split(" > "))
        return " > ".join(part for part in dict.fromkeys(parts) if part)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage where it stands."""

    corpus: Corpus
    document: Document
    chunk: Chunk


async def members(ledger: SqlLedger, pack: str, tenant: str) -> Mapping[str, Member]:
    """The current documents of a pack for a tenant's people, by id.

    Raises:
        LedgerFailed: the database did not say.
    """
    found = {}
    for whose in (SHARED, tenant):
        for each in await ledger.memberships(shelf_of(pack, whose)):
            if each.state is VersionState.CURRENT:
                found[each.document] = Member(whose, each)
    return found


def pages(line: Line, known: Mapping[str, Member]) -> Iterator[Page]:
    """The pages that came near to a gap and everybody may see who asked, best first."""
    for near in line.near:
        member = known.get(near.document_id)
        if member is None:
            continue
        tags = member.membership.tags
        if not tags or tags & line.gap.tags:
            yield Page(near, member)


async def passage(
    application: Application, pack: Pack, page: Page, words: str
) -> Passage | None:
    """The passage of a page that comes nearest to some words; None where it is gone.

    Raises:
        LedgerFailed: the document cannot be read.
        EmbedderFailed: the words cannot be encoded.
    """
    corpus = application.corpus(pack, page.member.tenant)
    document = await stored(corpus, page.member.membership)
    section = page.near.section
    found = [c for c in chunks_of(pack, document) if " > ".join(c.section) == section]
    if not found:
        return None
    return Passage(corpus, document, nearest(corpus.embedder, found, words))
