"""Reads from a Weaviate server which versions a tenant has, and which of them ended.

What is deleted while it is read is never taken for something that is still there. A
version is deleted before its end is, so all ends that may be deleted just then are read
first: whose end is gone by then is gone itself when the versions are read.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.weaviate_counted import Terms
from adapters.index.weaviate_objects import (
    CATALOGUE_FIELDS,
    END_FIELDS,
    End,
    Head,
    Version,
    end_of,
    version_of,
)
from adapters.index.weaviate_schema import Kind
from adapters.index.weaviate_shelf import Shelf
from engine.model.errors import IndexFailed

_WINDOW = 200  # revisions read at once, each with a new version and the ends of others
_AT_ONCE = 4  # windows read side by side
_MOST = 5_000  # objects of one reading; the server stops at 10,000

Found = list[tuple[UUID, Mapping[str, object]]]


@dataclass
class Known:
    """What was read of a tenant, by the names of the versions.

    `since` is the head that it was complete at, before more was read.
    """

    since: Head = field(default_factory=Head)
    versions: dict[UUID, Version] = field(default_factory=dict)
    ends: dict[UUID, End] = field(default_factory=dict)

    @classmethod
    def after(
        cls, since: Head, versions: Iterable[Version], gone: Iterable[End], head: Head
    ) -> "Known":
        """What was known at an earlier head, without what is deleted at a later one."""
        ends = {end.owner: end for end in gone if end.born > head.purged}
        return cls(since, {version.key: version for version in versions}, ends)

    def add(self, found: Found, terms: Terms) -> None:
        """Take in objects of the catalogue."""
        for key, properties in found:
            if properties["kind"] == Kind.END.value:
                end = end_of(key, properties)
                self.ends[end.owner] = end
            else:
                self.versions[key] = version_of(key, properties, terms)


class Reading:
    """Reads the catalogues of tenants, with terms of one numbering."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._terms = Terms()
        self.shares: dict[str, float] = {}  # tenant -> how much is read, while it is

    async def read(self, tenant: str, head: Head, known: Known) -> None:
        """Add what came and what ended since, several windows at once.

        None is asked for any more when one failed.
        """
        if head.purged > known.since.revision:
            known.add(await self._ended(tenant, 0, head.purged), self._terms)
        starts = range(known.since.revision, head.revision, _WINDOW)
        firsts = iter(starts)

        async def windows() -> None:
            for first in firsts:
                last = min(first + _WINDOW, head.revision)
                found = await self._came(tenant, first, last)
                await asyncio.to_thread(known.add, found, self._terms)
                self.shares[tenant] = self.shares.get(tenant, 0.0) + 1 / len(starts)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(_AT_ONCE):
                    group.create_task(windows())
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        finally:
            self.shares.pop(tenant, None)

    async def _ended(self, tenant: str, first: int, last: int) -> Found:
        """The ends that came after one revision, up to another, and are still there.

        They are few but while many documents are deleted; then in halves.
        """
        by = Filter.by_property
        where = by("kind").equal(Kind.END.value)
        where &= Filter.not_(by("born").greater_than(last))
        if first:
            where &= by("born").greater_than(first)
        found = await self._fetch(tenant, where, END_FIELDS)
        if len(found) < _MOST:
            return found
        if last - first == 1:
            raise _too_many()
        middle = (first + last) // 2
        earlier = await self._ended(tenant, first, middle)
        return earlier + await self._ended(tenant, middle, last)

    async def _came(self, tenant: str, first: int, last: int) -> Found:
        """What came after one revision, up to another.

        Each is named: from one to another, the server would compare all that stand
        above the first.
        """
        by = Filter.by_property
        where = by("kind").contains_any([Kind.VERSION.value, Kind.END.value]) & by(
            "born"
        ).contains_any(list(range(first + 1, last + 1)))
        found = await self._fetch(tenant, where, CATALOGUE_FIELDS)
        if len(found) == _MOST:
            raise _too_many()
        return found

    async def _fetch(
        self, tenant: str, where: FilterReturn, fields: Sequence[str]
    ) -> Found:
        return await self._shelf.fetch(
            tenant, "reading the catalogue", where, fields, _MOST
        )


def _too_many() -> IndexFailed:
    return IndexFailed(
        f"more than {_MOST} versions of documents changed at once: run "
        "`groundrule reindex --fresh`"
    )
