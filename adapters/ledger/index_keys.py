"""The keys of an index in the ledger: implements `adapters.index.upkeep.IndexKeys`.

A writer claims a key, then writes passages under it; no search reads them yet. One
transaction then checks that the claim still holds, puts the key in force and ends the
key that it replaces. Each change increments the revision of its place, so that writers
of one place follow each other, on any machine.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.engine import RowMapping

from adapters.index.upkeep import (
    IndexKey,
    IndexReplaced,
    Place,
    State,
    find_end_of_force,
)
from adapters.ledger.entries import format_instant
from adapters.ledger.schema import index_keys, indexes
from adapters.ledger.transactions import Transactions
from engine.model.errors import IndexAway
from engine.model.ports import Clock

T = TypeVar("T")
CLAIM_S = 600.0  # an older claim counts as abandoned: its writer has to start again
_AT_ONCE = 500  # keys named in one statement


class LedgerKeys:
    """The rows of `indexes` and `index_keys`.

    Args:
        transactions: those of the ledger.
        clock: gives the time at which a key was changed.
    """

    def __init__(self, transactions: Transactions, clock: Clock) -> None:
        self._transactions = transactions
        self._clock = clock

    async def find_place(self, index: str) -> Place | None:
        """Find the place that an index is read at; return None where it has none."""
        key = indexes.c
        query = select(key.place, key.revision).where(key.name == index, key.in_force)

        def read(connection: Connection) -> Place | None:
            row = connection.execute(query).one_or_none()
            return None if row is None else Place(row.place, row.revision)

        return await self._transactions.read(read)

    async def read_place(self, place: str) -> Place:
        """Find a place at its newest revision.

        Raises:
            IndexReplaced: it is not known.
        """
        query = select(indexes.c.revision).where(indexes.c.place == place)
        found = await self._transactions.read(lambda c: c.execute(query).scalar())
        if found is None:
            raise _make_replaced()
        return Place(place, int(found))

    async def list_places(self, prefix: str) -> Mapping[str, bool]:
        """Map the places of indexes with a name prefix to whether they are in force."""
        key = indexes.c
        query = (
            select(key.place, key.in_force)
            .where(_match_prefix(prefix))
            .order_by(key.place)
        )
        return await self._transactions.read(
            lambda c: {row.place: bool(row.in_force) for row in c.execute(query)}
        )

    async def add_place(self, index: str, place: str, *, in_force: bool) -> bool:
        """Add a place; return False where it is to be in force and another one is."""
        taken = select(indexes.c.place).where(
            indexes.c.name == index, indexes.c.in_force
        )
        values = {"place": place, "name": index, "in_force": in_force, "revision": 0}

        def add(connection: Connection) -> bool:
            if in_force and connection.execute(taken).first():
                return False
            connection.execute(insert(indexes).values(values))
            return True

        return await self._transactions.append(add)

    async def take_over(self, index: str, place: str, prefix: str) -> None:
        """Put a place in force and forget all others of indexes with a prefix."""
        others = select(indexes.c.place).where(
            _match_prefix(prefix), indexes.c.place != place
        )

        def change(connection: Connection) -> None:
            for other in connection.scalars(others).all():
                _forget_place(connection, other)
            named = {"in_force": True, "name": index}
            this = indexes.c.place == place
            _advance(connection, place)
            connection.execute(update(indexes).where(this).values(named))

        await self._transactions.append(change)

    async def forget_place(self, place: str) -> None:
        """Forget a place with all its keys."""
        await self._transactions.append(lambda c: _forget_place(c, place))

    async def list_keys(self, place: str, tenant: str) -> Sequence[IndexKey]:
        """List all keys of a tenant, in the order in which they came into force."""
        key = index_keys.c
        return await self._select(key.place == place, key.tenant == tenant)

    async def list_tenants(self, place: str) -> Sequence[str]:
        """List the tenants that have keys."""
        key = index_keys.c
        query = select(key.tenant).where(key.place == place).distinct()
        return await self._transactions.read(lambda c: sorted(c.scalars(query).all()))

    async def claim(self, place: str, key: IndexKey) -> None:
        """Claim a key before anything is written under it."""
        values = _make_values(key) | {"place": place}
        await self._change(
            place,
            lambda c, n, now: c.execute(
                insert(index_keys).values(**values, changed=now)
            ),
        )

    async def put_in_force(
        self, place: str, key: IndexKey, retrieved: date | None
    ) -> None:
        """Put a key in force if its claim still holds; end or drop earlier ones.

        Raises:
            IndexAway: the claim was swept meanwhile; nothing was changed.
        """
        row = index_keys.c
        same = (
            row.tenant == key.tenant,
            row.pack == key.pack,
            row.document == key.document,
        )
        held = select(index_keys).where(row.place == place, *same, _IN_FORCE)
        mine = (
            row.place == place,
            row.key == key.key,
            row.state == _write_state(State.WRITTEN),
        )

        def change(connection: Connection, revision: int, now: str) -> None:
            for earlier in map(_read_key, connection.execute(held).mappings().all()):
                ends = find_end_of_force(earlier, key.in_force_from, retrieved)
                known = ends is not None and earlier.version != key.version
                state = State.SUPERSEDED if known else State.DROPPED
                if (state, ends) != (earlier.state, earlier.in_force_to):
                    end = None if ends is None else ends.isoformat()
                    ended = {
                        "state": _write_state(state),
                        "in_force_to": end,
                        "changed": now,
                    }
                    _set(connection, place, [earlier.key], ended)
            values: dict[str, object] = {
                "state": _write_state(State.CURRENT),
                "came": revision,
                "changed": now,
            }
            done = connection.execute(update(index_keys).where(*mine).values(values))
            if done.rowcount != 1:
                raise IndexAway(
                    f"{key.document} was written so slowly that it was swept away as "
                    "left behind, and nothing was changed: try again"
                )

        await self._change(place, change)

    async def withdraw(self, place: str, tenant: str, pack: str, document: str) -> None:
        """Drop all keys of a document."""
        row = index_keys.c
        same = (row.tenant == tenant, row.pack == pack, row.document == document)
        this = (row.place == place, *same, _IN_FORCE)
        dropped = {"state": _write_state(State.DROPPED)}
        await self._change(
            place,
            lambda c, n, now: c.execute(
                update(index_keys).where(*this).values(**dropped, changed=now)
            ),
        )

    async def list_stale(
        self, place: str, tenant: str, seconds: float
    ) -> Sequence[IndexKey]:
        """List keys dropped so many seconds ago, and claims older than CLAIM_S."""
        row, now = index_keys.c, self._clock.now()
        claim = format_instant(now - timedelta(seconds=max(CLAIM_S, seconds)))
        before = format_instant(now - timedelta(seconds=seconds))
        ripe = (row.state == _write_state(State.DROPPED)) & (row.changed <= before)
        left = (row.state == _write_state(State.WRITTEN)) & (row.changed <= claim)
        ended = row.state.in_(
            [_write_state(State.DROPPED), _write_state(State.WRITTEN)]
        )
        return await self._select(
            row.place == place, row.tenant == tenant, ended, ripe | left
        )

    async def drop(self, place: str, keys: Sequence[str]) -> frozenset[str]:
        """Drop those of the keys that are claims, so that none comes into force.

        Returns:
            The keys dropped now; a key that came into force meanwhile stays so.
        """
        dropped: list[str] = []

        def change(connection: Connection, revision: int, now: str) -> None:
            dropped.clear()
            row = index_keys.c
            for some in _split(keys):
                claimed = (row.key.in_(some), row.state == _write_state(State.WRITTEN))
                query = select(row.key).where(row.place == place, *claimed)
                dropped.extend(connection.execute(query).scalars())
            state = {"state": _write_state(State.DROPPED), "changed": now}
            _set(connection, place, dropped, state)

        await self._change(place, change)
        return frozenset(dropped)

    async def forget(self, place: str, keys: Sequence[str]) -> None:
        """Delete the rows of dropped keys that the index holds no passage of."""

        def remove(connection: Connection, revision: int, now: str) -> None:
            for some in _split(keys):
                gone = delete(index_keys).where(
                    index_keys.c.place == place,
                    index_keys.c.key.in_(some),
                    index_keys.c.state == _write_state(State.DROPPED),
                )
                connection.execute(gone)

        await self._change(place, remove)

    async def _select(self, *where: ColumnElement[bool]) -> Sequence[IndexKey]:
        query = select(index_keys).where(*where)
        query = query.order_by(index_keys.c.came, index_keys.c.key)
        return await self._transactions.read(
            lambda c: [_read_key(row) for row in c.execute(query).mappings()]
        )

    async def _change(
        self, place: str, work: Callable[[Connection, int, str], object]
    ) -> None:
        """Change keys of a place under its next revision, in one exclusive transaction.

        Raises:
            IndexReplaced: the place is not known.
        """
        now = format_instant(self._clock.now())
        await self._transactions.append(lambda c: work(c, _advance(c, place), now))


def _advance(connection: Connection, place: str) -> int:
    """Increment the revision of a place and return it."""
    this = indexes.c.place == place
    more = {"revision": indexes.c.revision + 1}
    if not connection.execute(update(indexes).where(this).values(more)).rowcount:
        raise _make_replaced()
    query = select(indexes.c.revision).where(this)
    return int(connection.execute(query).scalar_one())


def _make_replaced() -> IndexReplaced:
    return IndexReplaced("another process made the index anew: try again")


def _forget_place(connection: Connection, place: str) -> None:
    connection.execute(delete(index_keys).where(index_keys.c.place == place))
    connection.execute(delete(indexes).where(indexes.c.place == place))


def _set(
    connection: Connection,
    place: str,
    keys: Sequence[str],
    values: Mapping[str, object],
) -> None:
    for some in _split(keys):
        these = (index_keys.c.place == place, index_keys.c.key.in_(some))
        connection.execute(update(index_keys).where(*these).values(**values))


def _split(keys: Sequence[str]) -> list[Sequence[str]]:
    return [keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE)]


def _match_prefix(prefix: str) -> ColumnElement[bool]:
    return func.substr(indexes.c.name, 1, len(prefix)) == prefix


def _write_state(state: State) -> str:
    return state.name.lower()


_IN_FORCE = index_keys.c.state.in_(
    [_write_state(State.CURRENT), _write_state(State.SUPERSEDED)]
)


def _make_values(key: IndexKey) -> dict[str, object]:
    return {
        "key": key.key,
        "tenant": key.tenant,
        "pack": key.pack,
        "document": key.document,
        "version": key.version,
        "chunks": key.chunks,
        "state": _write_state(key.state),
        "in_force_from": key.in_force_from and key.in_force_from.isoformat(),
        "in_force_to": key.in_force_to and key.in_force_to.isoformat(),
        "came": key.came,
    }


def _read_key(row: RowMapping) -> IndexKey:
    return IndexKey(
        key=row["key"],
        tenant=row["tenant"],
        pack=row["pack"],
        document=row["document"],
        version=row["version"],
        chunks=row["chunks"],
        state=State[row["state"].upper()],
        in_force_from=_parse_day(row["in_force_from"]),
        in_force_to=_parse_day(row["in_force_to"]),
        came=row["came"],
    )


def _parse_day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
