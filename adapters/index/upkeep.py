"""What an index can do beyond its port: say how large it is, and tidy itself up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.model.errors import IndexAway
from engine.model.ports import Entry, Index

Tags = frozenset[str]  # access tags; none: everybody sees it
SHARED = "shared"  # the tenant whose documents everybody sees


class TenantInactive(IndexAway):
    """An administrator of the server switched off what one tenant has there."""


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
