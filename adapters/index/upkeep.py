"""The interface of an index for its maintenance, beyond the port of the engine.

The passages of an index never change. They are stored under keys, and the ledger
(`IndexKeys`) decides which keys are in force.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from typing import Protocol
from uuid import UUID

from engine.model.errors import IndexAway, IndexFailed
from engine.model.ports import Entry, Index

Tags = frozenset[str]  # access tags; with none, everybody sees the document
SHARED = "shared"  # the tenant whose documents everybody sees


class TenantInactive(IndexAway):
    """A tenant was deactivated on the server by its administrator."""


class IndexReplaced(IndexFailed):
    """Another index replaced the one that was to be changed."""


class State(IntEnum):
    """The state of a version in an index; searches skip dropped and written ones."""

    CURRENT = 0
    SUPERSEDED = 1  # searched for days on which it was in force
    DROPPED = 2  # will be swept
    WRITTEN = 3  # being written, or abandoned by a writer that was stopped


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One version of a document, and the key of its passages.

    `chunks` counts its passages. `in_force_to` is its last day in force, once another
    version superseded it. `came` is the revision of the index since which it is in
    force.
    """

    key: str
    tenant: str
    pack: str
    document: str
    version: str
    chunks: int
    state: State = State.WRITTEN
    in_force_from: date | None = None
    in_force_to: date | None = None
    came: int = 0

    @property
    def uuid(self) -> UUID:
        """Return the key as the name of an object."""
        return UUID(self.key)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an index; `revision` grows with every change of its keys."""

    name: str
    revision: int


class IndexKeys(Protocol):
    """The keys of indexes, and which of them are in force; a call is a transaction.

    Every change raises IndexReplaced where the place is no longer known, because
    another index replaced it.
    """

    async def find_place(self, index: str) -> Place | None:
        """Find the place that an index is read at; return None where it has none."""
        ...

    async def read_place(self, place: str) -> Place:
        """Read a place with its newest revision.

        Raises:
            IndexReplaced: it is not known.
        """
        ...

    async def list_places(self, prefix: str) -> Mapping[str, bool]:
        """Map the places of indexes with a name prefix to whether they are in force."""
        ...

    async def add_place(self, index: str, place: str, *, in_force: bool) -> bool:
        """Add a place; return False where it is to be in force and another one is."""
        ...

    async def take_over(self, index: str, place: str, prefix: str) -> None:
        """Put a place in force and forget all others of indexes with a prefix."""
        ...

    async def forget_place(self, place: str) -> None:
        """Forget a place with all its keys."""
        ...

    async def list_keys(self, place: str, tenant: str) -> Sequence[IndexKey]:
        """List all keys of a tenant, in the order in which they came into force."""
        ...

    async def list_tenants(self, place: str) -> Sequence[str]:
        """List the tenants that have keys."""
        ...

    async def claim(self, place: str, key: IndexKey) -> None:
        """Claim a key before anything is written under it."""
        ...

    async def put_in_force(
        self, place: str, key: IndexKey, retrieved: date | None
    ) -> None:
        """Put a key in force if its claim still holds; end or drop earlier ones.

        Args:
            place: the place that it was written to.
            key: the claimed key.
            retrieved: the day the document was fetched (`find_end_of_force`).

        Raises:
            IndexAway: the claim was swept meanwhile; nothing was changed.
        """
        ...

    async def withdraw(self, place: str, tenant: str, pack: str, document: str) -> None:
        """Drop all keys of a document."""
        ...

    async def list_stale(
        self, place: str, tenant: str, seconds: float
    ) -> Sequence[IndexKey]:
        """List keys dropped so many seconds ago, and abandoned claims."""
        ...

    async def drop(self, place: str, keys: Sequence[str]) -> frozenset[str]:
        """Drop the claims among keys; return the keys dropped now."""
        ...

    async def forget(self, place: str, keys: Sequence[str]) -> None:
        """Delete the rows of dropped keys that the index holds no passage of."""
        ...


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of an index: current documents and chunks, bytes where known."""

    bytes: int | None
    documents: int
    chunks: int
    dropped_chunks: int


class KeptIndex(Index, Protocol):
    """An index with the operations of its maintenance: tenants, sizes, compaction."""

    async def put(
        self, pack: str, document: str, entries: Sequence[Entry], tenant: str = SHARED
    ) -> None: ...

    async def withdraw(
        self, pack: str, document: str, tenant: str = SHARED
    ) -> None: ...

    async def versions(self, pack: str, tenant: str = SHARED) -> Mapping[str, str]: ...

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Map document ids to the access tags of current versions, for searches."""
        ...

    async def sizes(self) -> Sizes:
        """Measure the index."""
        ...

    async def compact(self) -> int:
        """Free the space of dropped versions; return the number of removed chunks."""
        ...

    async def doubts(self) -> str | None:
        """Describe the faults that a quick check finds; return None where none."""
        ...


class Dated(Protocol):
    """A version with its period of force."""

    @property
    def in_force_from(self) -> date | None: ...
    @property
    def in_force_to(self) -> date | None: ...


def find_end_of_force(
    earlier: Dated, begins: date | None, retrieved: date | None
) -> date | None:
    """Find the last day in force of a superseded version; None where it is unknown.

    A successor without a first day ends a period that is still running on the day
    before its retrieval, so that two versions are never in force together.

    Args:
        earlier: the superseded version.
        begins: the first day of its successor, if given.
        retrieved: the day the successor was fetched.
    """
    if begins is None and earlier.in_force_to is not None:
        begins = retrieved
    ends = [
        day
        for day in (earlier.in_force_to, begins and begins - timedelta(days=1))
        if day is not None
    ]
    if not ends or (earlier.in_force_from and min(ends) < earlier.in_force_from):
        return None
    return min(ends)
