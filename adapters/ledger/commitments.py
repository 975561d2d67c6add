"""Rows that are bound to the chain by a commitment each, and go with it (R-D3).

What a reader said, who wants to be told, which pack is paused, which gap is open and
which answer was recalled may change and be deleted, and much of it names people. So the
chain holds, of each row, the salted hash of what stands in it: an entry says which
commitments came and which went. With the row its salt is gone, and what is left says
nothing.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    select,
    true,
)

from adapters.ledger import chain, entries
from adapters.ledger.entries import RowsEntry, canonical, instant
from adapters.ledger.schema import (
    audit_chain,
    feedback,
    gap_questions,
    gaps,
    pauses,
    recalls,
    wishes,
)
from adapters.ledger.sealing import Personal
from engine.model.errors import VerificationFailed

COMMITTED = (feedback, pauses, wishes, gaps, gap_questions, recalls)
UNBOUND = {"salt", "vector"}  # the salt is of it; a vector is made of the question
BATCH = 500  # commitments that one entry names

Said = Mapping[str, frozenset[str]]  # table -> commitments


def salt() -> str:
    """Make random characters, without which a commitment says nothing."""
    return secrets.token_hex(16)


def held(
    connection: Connection, table: Table, which: ColumnElement[bool] | None = None
) -> Mapping[str, str]:
    """Map the commitment of each row, or of these, to what the row is of."""
    rows = connection.execute(select(table).where(true() if which is None else which))
    (first, *_) = table.primary_key
    found = {}
    for row in rows.mappings():
        told = {name: repr(row[name]) for name in row if name not in UNBOUND}
        value = canonical({name: told[name] for name in sorted(told)})
        commitment = Personal(table.name, str(row["salt"]), value).commitment
        found[commitment] = str(row[first.name])
    return found


@contextmanager
def noted(
    connection: Connection, table: Table, which: ColumnElement[bool], now: datetime
) -> Iterator[None]:
    """Append to the chain what the block changes of these rows.

    Raises:
        LedgerFailed: the chain is damaged.
    """
    before = held(connection, table, which).keys()
    yield
    after = held(connection, table, which).keys()
    _say(connection, table.name, (after - before, before - after), now)


def say_again(connection: Connection, last: Said, now: datetime) -> None:
    """Append again what was said last of tables which a restore left as they are.

    Nothing else: a row that was changed behind the ledger's back is found as before.
    """
    known = said(connection)
    for name, commitments in last.items():
        before = known.get(name, frozenset())
        _say(connection, name, (commitments - before, before - commitments), now)


def said(connection: Connection, tables: Collection[Table] = COMMITTED) -> Said:
    """Read which rows there are by the chain; unreadable entries say nothing."""
    names = {table.name for table in tables}
    row = audit_chain.c
    ours = row.kind.in_(("rows", "adopted_rows"))
    found: defaultdict[str, set[str]] = defaultdict(set)
    query = select(row.entry).where(ours).order_by(row.sequence)
    for text in connection.scalars(query):
        with suppress(VerificationFailed):
            entry = entries.read(text)
            if isinstance(entry, RowsEntry) and entry.table in names:
                found[entry.table] |= set(entry.came)
                found[entry.table] -= set(entry.went)
    return {name: frozenset(commitments) for name, commitments in found.items()}


def _say(
    connection: Connection,
    table: str,
    changed: tuple[Collection[str], Collection[str]],
    now: datetime,
) -> None:
    """Append which commitments came and went, a batch an entry."""
    came, went = (iter(sorted(commitments)) for commitments in changed)
    while True:
        entry = RowsEntry(
            created=instant(now),
            table=table,
            came=tuple(islice(came, BATCH)),
            went=tuple(islice(went, BATCH)),
        )
        if not (entry.came or entry.went):
            return
        chain.append(connection, entry)
