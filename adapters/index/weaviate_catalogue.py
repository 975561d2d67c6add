"""Which versions a Weaviate index holds and who may see them, kept in memory.

A reader asks for the head of a tenant with every search, and reads again only the
versions that changed since it last did. How rare a stem is, and which version a passage
may come from, is taken from here and never from the server's own statistics, which
count what an asker may not see.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.lexical import Bools
from adapters.index.snapshot import Versions
from adapters.index.upkeep import SHARED
from adapters.index.weaviate_counted import Counted
from adapters.index.weaviate_objects import End, Head, Version
from adapters.index.weaviate_reading import Known, Reading
from adapters.index.weaviate_shelf import Shelf
from engine.model.errors import IndexFailed
from engine.model.ports import CorpusStatistics, SearchQuery
from engine.model.question import Scope

Name = TypeVar("Name")
Kept = TypeVar("Kept")

_READINGS = 5  # of a catalogue of which a part was deleted meanwhile
_KEPT = 16  # tenants, and sets of visible versions of one view, those used last


@dataclass(frozen=True, eq=False)
class Part:
    """What one tenant shows at one revision: its versions by when they came.

    `gone` ended before, and may still stand on the server.
    """

    tenant: str
    head: Head
    versions: tuple[Version, ...]
    gone: tuple[End, ...] = ()

    @cached_property
    def stems(self) -> Counted:
        return Counted([version.stems for version in self.versions])

    @cached_property
    def words(self) -> Counted:
        return Counted([version.words for version in self.versions])

    def of(self, pack: str, document: str) -> list[Version]:
        """The versions of a document that a search may still return."""
        return [v for v in self.versions if (v.pack, v.document) == (pack, document)]

    def current(self, pack: str) -> list[Version]:
        """The versions of a pack that are not superseded."""
        return [v for v in self.versions if v.pack == pack and v.current]

    def newest(self) -> list[Version]:
        """The versions by when they were written, the newest last."""
        return sorted(self.versions, key=lambda version: version.born)


@dataclass(frozen=True, eq=False)
class Seen:
    """What one scope sees of a view."""

    view: "View"
    visible: Bools
    _kept: dict[object, FilterReturn] = field(default_factory=dict)

    def kept(self, name: object, made: Callable[[], FilterReturn]) -> FilterReturn:
        """A filter, made once: the client checks each of its parts anew."""
        found = self._kept.get(name) or made()
        _keep(self._kept, name, found)
        return found

    @cached_property
    def described(self) -> tuple[frozenset[str], frozenset[str], bool]:
        """Tags and sources of the visible versions, and whether one is a demo text."""
        versions = [self.view.versions[at] for at in np.flatnonzero(self.visible)]
        tags = frozenset(tag for version in versions for tag in version.tags)
        sources = frozenset(version.source for version in versions)
        return tags, sources, any(version.demo for version in versions)

    @cached_property
    def chunks(self) -> int:
        versions = self.view.versions
        return sum(versions[at].chunks for at in np.flatnonzero(self.visible))

    @cached_property
    def average_length(self) -> float:
        """Of the visible chunks, in weighted stems."""
        versions = self.view.versions
        total = sum(versions[at].length for at in np.flatnonzero(self.visible))
        return (total / self.chunks if self.chunks else 0.0) or 1.0

    @cached_property
    def frequency(self) -> Mapping[str, int]:
        """Stem -> visible chunks that hold it."""
        return _summed(
            part.stems.total(self.visible[rows]) for part, rows in self.view.rows
        )

    @cached_property
    def statistics(self) -> CorpusStatistics:
        return CorpusStatistics(
            documents=int(np.count_nonzero(self.visible)),
            chunks=self.chunks,
            chunk_frequency=self.frequency,
            word_frequency=_summed(
                part.words.total(self.visible[rows]) for part, rows in self.view.rows
            ),
        )

    def tenants(self) -> list[Part]:
        """Those that hold something visible."""
        return [p for p, rows in self.view.rows if bool(self.visible[rows].any())]


@dataclass(frozen=True, eq=False)
class View:
    """The shared tenant and an asker's own, at one revision of each."""

    parts: tuple[Part, ...]
    _seen: dict[bytes, Seen] = field(default_factory=dict)
    # Searches and statistics ask from several threads at once.
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def is_at(self, heads: Sequence[Head | None]) -> bool:
        """Whether nothing was written since."""
        return [part.head for part in self.parts] == [head or Head() for head in heads]

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        return tuple(version for part in self.parts for version in part.versions)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each version by the name of its object."""
        return {str(version.key): at for at, version in enumerate(self.versions)}

    @cached_property
    def rows(self) -> tuple[tuple[Part, slice], ...]:
        """Where the versions of each part stand among all."""
        ends = np.cumsum([len(part.versions) for part in self.parts]).tolist()
        return tuple(
            (part, slice(end - len(part.versions), end))
            for part, end in zip(self.parts, ends, strict=True)
        )

    @cached_property
    def _columns(self) -> Versions:
        return Versions.of(
            [
                version.row(at, part.tenant)
                for part in self.parts
                for at, version in enumerate(part.versions)
            ]
        )

    def counted(self, query: SearchQuery) -> Seen:
        """What a query may see, with all that it needs of it; takes its time."""
        seen = self.seen(query.scope, query.sources, query.document)
        _ = seen.frequency, seen.average_length, seen.described
        return seen

    def seen(
        self,
        scope: Scope,
        sources: frozenset[str] | None = None,
        document: str | None = None,
    ) -> Seen:
        """What a scope sees, of these sources or this document alone where given."""
        if not self.versions:
            return Seen(self, np.zeros(0, np.bool_))
        visible = self._columns.visible(scope, sources, document)
        key = np.packbits(visible).tobytes()
        with self._turn:
            seen = self._seen.get(key) or Seen(self, visible)
            _keep(self._seen, key, seen)
            return seen


class Catalogue:
    """The views of a shelf, brought up to date when a head moved."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._parts: dict[str, Part] = {}
        self._views: dict[str, View] = {}
        self._reading = Reading(shelf)
        self._loading: dict[str, asyncio.Task[Part]] = {}

    def known(self, tenant: str) -> View | None:
        """The view that was last asked for, which may be out of date."""
        return self._views.get(tenant)

    async def view(
        self, tenant: str, heads: Sequence[Head | None] | None = None
    ) -> View:
        """What a tenant's askers may choose from, at these heads or the newest.

        Raises:
            IndexFailed: it cannot be read.
        """
        tenants = asked_tenants(tenant)
        heads = await self._shelf.heads(tenants) if heads is None else heads
        before = self._views.get(tenant)
        if before is not None and before.is_at(heads):
            _keep(self._views, tenant, before)
            return before
        parts = await asyncio.gather(
            *(
                self.part(name, head or Head())
                for name, head in zip(tenants, heads, strict=True)
            )
        )
        view = View(tuple(parts))
        _keep(self._views, tenant, view)
        return view

    async def part(self, tenant: str, head: Head) -> Part:
        """What one tenant shows at a head.

        Whoever asks first reads it, for all who ask meanwhile; it is read to the end
        even when they lose patience, so that the next one finds it.
        """
        while True:
            known = self._parts.get(tenant)
            if known is not None and known.head == head:
                _keep(self._parts, tenant, known)
                return known
            if tenant not in self._loading:
                loading = asyncio.create_task(self._load(tenant, head, known))
                self._loading[tenant] = loading
                loading.add_done_callback(lambda _: self._loading.pop(tenant, None))
            part = await asyncio.shield(self._loading[tenant])
            _keep(self._parts, tenant, part)
            if part.head.revision >= head.revision:
                return part

    def being_read(self) -> float | None:
        """How much is read of what is being read, from 0 to 1; None where nothing is.

        None also where nothing came yet, which a server that is away looks like.
        """
        return min(self._reading.shares.values(), default=None)

    def forget(self) -> None:
        """Read everything anew: the collection is another one."""
        self._parts.clear()
        self._views.clear()

    async def close(self) -> None:
        """End what is being read."""
        loading = list(self._loading.values())
        for task in loading:
            task.cancel()
        await asyncio.gather(*loading, return_exceptions=True)

    async def _load(self, tenant: str, head: Head, before: Part | None) -> Part:
        """Read what a tenant shows, again where some of it was deleted meanwhile."""
        for _ in range(_READINGS):
            if before is not None and not _follows(before.head, head):
                before = None
            known = Known()
            if before is not None:
                known = Known.after(before.head, before.versions, before.gone, head)
            await self._reading.read(tenant, head, known)
            newest = await self._shelf.head(tenant) or Head()
            if (
                newest.purged == head.purged
                if before is None
                else _follows(before.head, newest)
            ):
                return await asyncio.to_thread(_part, tenant, head, known)
            before, head = None, newest
        raise IndexFailed(
            "documents are deleted faster than their catalogue can be read: ask again"
        )


def asked_tenants(tenant: str) -> tuple[str, ...]:
    """Whose documents an asker of a tenant may see."""
    return (SHARED,) if tenant == SHARED else (SHARED, tenant)


def _follows(before: Head, head: Head) -> bool:
    """Whether what came between two heads is still there to be read."""
    if before.revision == head.revision and before.flip != head.flip:
        return False  # a backup was brought back, and written to
    return before.purged <= head.purged <= before.revision <= head.revision


def _part(tenant: str, head: Head, known: Known) -> Part:
    """What a tenant shows."""
    alive = [v for key, v in known.versions.items() if key not in known.ends]
    alive.sort(key=lambda version: (version.came, str(version.key)))
    return Part(tenant, head, tuple(alive), tuple(known.ends.values()))


def _summed(parts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    first, *others = parts
    if not others:
        return first
    total = dict(first)
    for other in others:
        for term, count in other.items():
            total[term] = total.get(term, 0) + count
    return total


def _keep(kept: dict[Name, Kept], name: Name, what: Kept) -> None:
    """Keep something, and of the others those that were used last."""
    kept.pop(name, None)
    while len(kept) >= _KEPT:
        del kept[next(iter(kept))]
    kept[name] = what
