"""The pages that a gap can be attached to in a chat (R-Q6).

They came nearest when it was asked, and stay as long as everybody may see the document
who asked: the gate opens on no other for them, and whoever owns the pack holds their
tags.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adapters.index.upkeep import SHARED
from adapters.ledger.store import SqlLedger
from bot.gaps.viewing import Line
from engine.access import opens
from engine.documents.records import Membership, VersionState, shelf_of
from engine.records import Nearest


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


async def members(ledger: SqlLedger, pack: str, tenant: str) -> Mapping[str, Member]:
    """The current documents of a pack for a tenant's people, by id.

    Raises:
        LedgerFailed: the database did not say.
    """
    return {
        each.document: Member(whose, each)
        for whose in (SHARED, tenant)
        for each in await ledger.memberships(shelf_of(pack, whose))
        if each.state is VersionState.CURRENT
    }


def pages(line: Line, known: Mapping[str, Member]) -> Iterator[Page]:
    """The pages that came near to a gap and everybody may see who asked, best first."""
    for near in line.near:
        member = known.get(near.document_id)
        if member is None:
            continue
        if opens(member.membership.tags, line.gap.tags):
            yield Page(near, member)
