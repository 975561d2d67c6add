"""What an index and its keepers agree on, beyond the port of the engine.

The passages that an index holds never change. They stand under keys, and which of
these keys are in force is said by the ledger (`IndexKeys`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from typing import Protocol
from uuid import UUID

from engine.model.errors import IndexAway, IndexFailed
from engine.model.ports import Entry, Index

Tags = frozenset[str]  # access tags; none: everybody sees it
SHARED = "shared"  # the tenant whose documents everybody sees


class TenantInactive(IndexAway):
    """An administrator of the server switched off what one tenant has there."""


class IndexReplaced(IndexFailed):
    """Another index took the place of the one that was to be changed."""


class State(IntEnum):
    """Of a version that an index holds. No search returns a dropped or written one."""

    CURRENT = 0
    SUPERSEDED = 1  # searched for days on which it was in force
    DROPPED = 2  # until it is swept
    WRITTEN = 3  # being written, or left behind by a writer that was stopped


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One version of a document, and the key that its passages stand under.

    `chunks` counts its passages. `in_force_to` is the last day that it is in force for,
    once another version superseded it. It is in force since revision `came` of its
    index.
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
        """The key as the name of an object."""
        return UUID(self.key)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index stands. `revision` grows whenever what is in force changes."""

    name: str
    revision: int


class IndexKeys(Protocol):
    """Which keys of an index are in force. Each call is one transaction.

    Every change raises IndexReplaced where the place is no longer known: another index
    took its place.
    """

    async def in_force(self, index: str) -> Place | None:
        """The place that an index is read at; None where there is none."""
        ...

    async def at(self, place: str) -> Place:
        """A place at its newest revision.

        Raises:
            IndexReplaced: it is not known.
        """
        ...

    async def places(self, prefix: str) -> Mapping[str, bool]:
        """Places whose index's name has a prefix, and whether they are in force."""
        ...

    async def add_place(self, index: str, place: str, *, in_force: bool) -> bool:
        """Make a place known; False where it is to be in force and another one is."""
        ...

    async def take_over(self, index: str, place: str, prefix: str) -> None:
        """Put a place in force, and forget all others of indexes with a prefix."""
        ...

    async def forget_place(self, place: str) -> None:
        """Forget a place with all its keys."""
        ...

    async def keys(self, place: str, tenant: str) -> Sequence[IndexKey]:
        """All keys of a tenant, by when they came into force."""
        ...

    async def tenants(self, place: str) -> Sequence[str]:
        """The tenants that have keys."""
        ...

    async def claim(self, place: str, key: IndexKey) -> None:
        """Name a key before anything is written under it."""
        ...

    async def put_in_force(
        self, place: str, key: IndexKey, retrieved: date | None
    ) -> None:
        """Put a key in force if it is still claimed, and end or drop earlier ones.

        Args:
            place: where it was written.
            key: what was claimed.
            retrieved: when the document was fetched (`end_of_force`).

        Raises:
            IndexAway: the claim was swept meanwhile; nothing was changed.
        """
        ...

    async def withdraw(self, place: str, tenant: str, pack: str, document: str) -> None:
        """Drop all keys of a document."""
        ...

    async def stale(
        self, place: str, tenant: str, seconds: float
    ) -> Sequence[IndexKey]:
        """Keys dropped so many seconds ago, and claims of writers long gone."""
        ...

    async def drop(self, place: str, keys: Sequence[str]) -> frozenset[str]:
        """Drop the claims among keys; those that are dropped now."""
        ...

    async def forget(self, place: str, keys: Sequence[str]) -> None:
        """Delete the rows of dropped keys, of which the index holds nothing more."""
        ...


@dataclass(frozen=True, slots=True)
class Sizes:
    """What an index holds that is current, and its bytes where it knows them."""

    bytes: int | None
    documents: int
    chunks: int
    dropped_chunks: int


class KeptIndex(Index, Protocol):
    """An index as its keepers see it: with tenants, sizes and compaction."""

    async def put(
        self, pack: str, document: str, entries: Sequence[Entry], tenant: str = SHARED
    ) -> None: ...

    async def withdraw(
        self, pack: str, document: str, tenant: str = SHARED
    ) -> None: ...

    async def versions(self, pack: str, tenant: str = SHARED) -> Mapping[str, str]: ...

    async def tags(self, pack: str, tenant: str = SHARED) -> Mapping[str, Tags]:
        """Document id -> access tags that a search goes by, of current versions."""
        ...

    async def sizes(self) -> Sizes:
        """What it holds."""
        ...

    async def compact(self) -> int:
        """Give back the space of what was dropped; how many chunks were removed."""
        ...

    async def doubts(self) -> str | None:
        """What is wrong with it as far as a quick look shows; None for nothing."""
        ...


class Dated(Protocol):
    """A version with the period that it is in force for."""

    @property
    def in_force_from(self) -> date | None: ...
    @property
    def in_force_to(self) -> date | None: ...


def end_of_force(
    earlier: Dated, begins: date | None, retrieved: date | None
) -> date | None:
    """Last day on which a superseded version held; None if that cannot be said.

    A successor that does not say when it begins ends a period that is still running on
    the day before it was retrieved, so that two versions are not in force together.

    Args:
        earlier: what is superseded.
        begins: the first day of its successor, where that says it.
        retrieved: when the successor was fetched.
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
