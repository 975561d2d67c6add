"""The catalogue of a Weaviate index: versions in force and who may see them, in memory.

The ledger decides which keys are in force. The object of each key describes its version
and never changes, so it is read once. Frequencies of stems and the visible versions
come from here and never from the server's statistics, which also count passages that an
asker may not see.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from weaviate.collections.classes.filters import FilterReturn

from adapters.index.lexical import Bools
from adapters.index.snapshot import Versions
from adapters.index.upkeep import SHARED, IndexKey, IndexReplaced, Place, State
from adapters.index.weaviate_objects import (
    VERSION_FIELDS,
    Counted,
    Terms,
    Version,
    read_version,
)
from adapters.index.weaviate_shelf import At, Shelf
from engine.model.errors import IndexFailed
from engine.model.ports import CorpusStatistics, SearchQuery
from engine.model.question import Scope

Name = TypeVar("Name")
Kept = TypeVar("Kept")

IN_FORCE = (State.CURRENT, State.SUPERSEDED)
_WINDOW = 200  # versions of one call
_AT_ONCE = 4  # calls at once
_READINGS = 5  # tries, where keys are swept meanwhile
_KEPT = 16  # cached tenants, and sets of visible versions of one view


@dataclass(frozen=True, eq=False)
class Part:
    """One tenant's versions in force, in order of arrival; `hidden` its other keys."""

    at: At
    versions: tuple[Version, ...]
    hidden: tuple[IndexKey, ...] = ()

    @cached_property
    def keys(self) -> frozenset[IndexKey]:
        """Return all its rows in the ledger."""
        return frozenset((*self.hidden, *(version.row for version in self.versions)))

    @cached_property
    def stems(self) -> Counted:
        return Counted([version.stems for version in self.versions])

    @cached_property
    def words(self) -> Counted:
        return Counted([version.words for version in self.versions])

    def current(self, pack: str) -> list[Version]:
        """List the versions of a pack that are not superseded."""
        rows = ((version, version.row) for version in self.versions)
        return [v for v, r in rows if r.pack == pack and r.state is State.CURRENT]


@dataclass(frozen=True, eq=False)
class Seen:
    """The versions of a view that one scope sees."""

    view: "View"
    visible: Bools
    _kept: dict[object, FilterReturn] = field(default_factory=dict)

    def kept(self, name: object, made: Callable[[], FilterReturn]) -> FilterReturn:
        """Return a cached filter, because the client is slow to make one."""
        found = self._kept.get(name) or made()
        _keep(self._kept, name, found)
        return found

    @cached_property
    def versions(self) -> list[Version]:
        """List the visible versions."""
        return [self.view.versions[at] for at in np.flatnonzero(self.visible)]

    @cached_property
    def described(self) -> tuple[frozenset[str], frozenset[str], bool]:
        """Return tags and sources of visible versions, and whether any is a demo."""
        tags = frozenset(tag for version in self.versions for tag in version.tags)
        sources = frozenset(version.source for version in self.versions)
        return tags, sources, any(version.demo for version in self.versions)

    @cached_property
    def chunks(self) -> int:
        return sum(version.row.chunks for version in self.versions)

    @cached_property
    def average_length(self) -> float:
        """Return the average length of the visible chunks, in weighted stems."""
        total = sum(version.length for version in self.versions)
        return (total / self.chunks if self.chunks else 0.0) or 1.0

    @cached_property
    def frequency(self) -> Mapping[str, int]:
        """Map stems to the number of visible chunks with them."""
        return _sum_counts(
            part.stems.total(self.visible[rows]) for part, rows in self.view.rows
        )

    @cached_property
    def statistics(self) -> CorpusStatistics:
        return CorpusStatistics(
            documents=int(np.count_nonzero(self.visible)),
            chunks=self.chunks,
            chunk_frequency=self.frequency,
            word_frequency=_sum_counts(
                part.words.total(self.visible[rows]) for part, rows in self.view.rows
            ),
        )

    def tenants(self) -> list[Part]:
        """List the parts that have a visible version."""
        return [p for p, rows in self.view.rows if bool(self.visible[rows].any())]


@dataclass(frozen=True, eq=False)
class View:
    """The parts of the shared tenant and the asker's own, at one revision."""

    parts: tuple[Part, ...]
    _seen: dict[bytes, Seen] = field(default_factory=dict)
    # Searches and statistics use it from several threads at once.
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def versions(self) -> tuple[Version, ...]:
        return tuple(version for part in self.parts for version in part.versions)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Map keys to the rows of their versions."""
        return {version.row.key: at for at, version in enumerate(self.versions)}

    @cached_property
    def rows(self) -> tuple[tuple[Part, slice], ...]:
        """Return each part with the slice of its versions among all."""
        ends = np.cumsum([len(part.versions) for part in self.parts]).tolist()
        return tuple(
            (part, slice(end - len(part.versions), end))
            for part, end in zip(self.parts, ends, strict=True)
        )

    @cached_property
    def _columns(self) -> Versions:
        return Versions.of([v.stored(at) for at, v in enumerate(self.versions)])

    def counted(self, query: SearchQuery) -> Seen:
        """Return what a query may see, with slow properties already computed."""
        seen = self.seen(query.scope, query.sources, query.document)
        _ = seen.frequency, seen.average_length, seen.described
        return seen

    def seen(
        self,
        scope: Scope,
        sources: frozenset[str] | None = None,
        document: str | None = None,
    ) -> Seen:
        """Return what a scope sees, limited to sources or a document where given."""
        if not self.versions:
            return Seen(self, np.zeros(0, np.bool_))
        visible = self._columns.visible(scope, sources, document)
        key = np.packbits(visible).tobytes()
        with self._turn:
            seen = self._seen.get(key) or Seen(self, visible)
            _keep(self._seen, key, seen)
            return seen


class Catalogue:
    """The views of a shelf, updated when the ledger's revision has grown."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._terms = Terms()
        self._parts: dict[str, tuple[Place, Part]] = {}
        self._views: dict[str, View] = {}
        self._loading: dict[str, asyncio.Task[tuple[Place, Part]]] = {}
        self._shares: dict[str, float] = {}  # tenant -> share read, while it is read

    async def view(self, tenant: str) -> View:
        """Return the view of a tenant's askers.

        Raises:
            IndexFailed: it cannot be read, or the server lacks a version in force.
        """
        place = await self._shelf.needed()
        parts = await asyncio.gather(
            *(self.part(place, name) for name in list_visible_tenants(tenant))
        )
        view = self._views.get(tenant)
        if view is None or view.parts != tuple(parts):
            view = View(tuple(parts))
        _keep(self._views, tenant, view)
        return view

    async def part(self, place: Place, tenant: str) -> Part:
        """Return one tenant's part at a revision or later.

        Calls at the same time share one reading, which goes on when they are cancelled,
        so that the next call finds its result.
        """
        while True:
            known = self._parts.get(tenant)
            if known is not None and _is_as_new(known[0], place):
                _keep(self._parts, tenant, known)
                return known[1]
            if tenant not in self._loading:
                loading = asyncio.create_task(self._load(tenant, known))
                self._loading[tenant] = loading
                loading.add_done_callback(lambda _: self._loading.pop(tenant, None))
            found = await asyncio.shield(self._loading[tenant])
            _keep(self._parts, tenant, found)
            if found[0].name != place.name:
                raise IndexReplaced("another process made the index anew: try again")

    def being_read(self) -> float | None:
        """Return the share read of a running reading, from 0 to 1, or None.

        None also where nothing was received yet, as with a server that is away.
        """
        return min(self._shares.values(), default=None)

    async def close(self) -> None:
        """Cancel running readings."""
        loading = list(self._loading.values())
        for task in loading:
            task.cancel()
        await asyncio.gather(*loading, return_exceptions=True)

    async def _load(
        self, tenant: str, known: tuple[Place, Part] | None
    ) -> tuple[Place, Part]:
        """Read one tenant's part, and again where some of it was swept meanwhile.

        Raises:
            IndexFailed: the server lacks the object of a key in force.
        """
        lacking: list[IndexKey] = []
        for _ in range(_READINGS):
            place = await self._shelf.needed()
            at = At(place.name, tenant)
            rows = await self._shelf.keys.list_keys(place.name, tenant)
            before = known[1] if known is not None and known[1].at == at else None
            if before is not None and before.keys == frozenset(rows):
                return place, before
            held = {v.row.key: v for v in before.versions} if before else {}
            wanted = [row for row in rows if row.state in IN_FORCE]
            await self._read(at, [row for row in wanted if row.key not in held], held)
            lacking = [row for row in wanted if row.key not in held]
            if not lacking:
                versions = tuple(replace(held[row.key], row=row) for row in wanted)
                hidden = tuple(row for row in rows if row.state not in IN_FORCE)
                return place, Part(at, versions, hidden)
            if (await self._shelf.needed()).revision == place.revision:
                break
        raise IndexFailed(
            f"the Weaviate server lacks {len(lacking)} versions that are in force, of "
            f"{lacking[0].document} for one: run `groundrule reindex`"
        )

    async def _read(
        self, at: At, rows: Sequence[IndexKey], held: dict[str, Version]
    ) -> None:
        """Add the versions of rows whose objects exist, several windows at once.

        A failure of one window cancels the others.
        """
        starts = range(0, len(rows), _WINDOW)
        firsts = iter(starts)

        async def windows() -> None:
            for first in firsts:
                some = {row.key: row for row in rows[first : first + _WINDOW]}
                found = await read_versions(self._shelf, at, list(some.values()))
                await asyncio.to_thread(take_in, found, some)
                share = self._shares.get(at.tenant, 0.0) + 1 / len(starts)
                self._shares[at.tenant] = share

        def take_in(
            found: Mapping[str, Mapping[str, object]], some: Mapping[str, IndexKey]
        ) -> None:
            for key, properties in found.items():
                held[key] = read_version(some[key], properties, self._terms)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(_AT_ONCE):
                    group.create_task(windows())
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        finally:
            self._shares.pop(at.tenant, None)


async def read_versions(
    shelf: Shelf,
    at: At,
    rows: Sequence[IndexKey],
    fields: Sequence[str] = VERSION_FIELDS,
) -> Mapping[str, Mapping[str, object]]:
    """Read the objects of versions that the server has, by key."""
    names = [row.uuid for row in rows]
    found = await shelf.fetch_by_name(at, "reading the catalogue", names, fields)
    return {str(key): properties for key, properties in found}


def list_visible_tenants(tenant: str) -> tuple[str, ...]:
    """List the tenants whose documents an asker of a tenant may see."""
    return (SHARED,) if tenant == SHARED else (SHARED, tenant)


def _is_as_new(known: Place, place: Place) -> bool:
    return known.name == place.name and known.revision >= place.revision


def _sum_counts(parts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    first, *others = parts
    if not others:
        return first
    total = dict(first)
    for other in others:
        for term, count in other.items():
            total[term] = total.get(term, 0) + count
    return total


def _keep(kept: dict[Name, Kept], name: Name, what: Kept) -> None:
    """Put an item into a cache and drop the least recently used ones beyond _KEPT."""
    kept.pop(name, None)
    while len(kept) >= _KEPT:
        del kept[next(iter(kept))]
    kept[name] = what
