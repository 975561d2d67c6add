"""Commitments: salted hashes that bind rows which may change to the chain.

Verdicts, wishes to be told, pauses, gaps and recalls may change and be deleted, and
many of them name people. So the chain holds the salted hash of each row instead of the
row: an entry lists which commitments came and which went. Deleting a row deletes its
salt, and without the salt its hash reveals nothing.
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
from adapters.ledger.entries import RowsEntry, dump_canonical, format_instant
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
UNBOUND = {"salt", "vector"}  # not hashed; a vector is computed from the question
BATCH = 500  # commitments that one entry names

Committed = Mapping[str, frozenset[str]]  # table -> commitments


def make_salt() -> str:
    """Make the random salt of a commitment, 32 hexadecimal digits."""
    return secrets.token_hex(16)


def read_commitments(
    connection: Connection, table: Table, which: ColumnElement[bool] | None = None
) -> Mapping[str, str]:
    """Map the commitment of each selected row to the first column of its key."""
    rows = connection.execute(select(table).where(true() if which is None else which))
    (first, *_) = table.primary_key
    found = {}
    for row in rows.mappings():
        told = {name: repr(row[name]) for name in row if name not in UNBOUND}
        value = dump_canonical({name: told[name] for name in sorted(told)})
        commitment = Personal(table.name, str(row["salt"]), value).commitment
        found[commitment] = str(row[first.name])
    return found


@contextmanager
def note_changes(
    connection: Connection, table: Table, which: ColumnElement[bool], now: datetime
) -> Iterator[None]:
    """Append to the chain how the block changes the selected rows.

    Raises:
        LedgerFailed: the chain is damaged.
    """
    before = read_commitments(connection, table, which).keys()
    yield
    after = read_commitments(connection, table, which).keys()
    _append_changes(connection, table.name, (after - before, before - after), now)


def append_again(connection: Connection, last: Committed, now: datetime) -> None:
    """Append the commitments of the replaced chain for tables that a restore left.

    They come from that chain, not from the rows, so that a verification still finds a
    row that was changed without an entry.
    """
    known = read_committed(connection)
    for name, commitments in last.items():
        before = known.get(name, frozenset())
        _append_changes(
            connection, name, (commitments - before, before - commitments), now
        )


def read_committed(
    connection: Connection, tables: Collection[Table] = COMMITTED
) -> Committed:
    """Read which commitments hold by the chain; skip entries that cannot be read."""
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


def _append_changes(
    connection: Connection,
    table: str,
    changed: tuple[Collection[str], Collection[str]],
    now: datetime,
) -> None:
    """Append which commitments came and went, BATCH of each in one entry."""
    came, went = (iter(sorted(commitments)) for commitments in changed)
    while True:
        entry = RowsEntry(
            created=format_instant(now),
            table=table,
            came=tuple(islice(came, BATCH)),
            went=tuple(islice(went, BATCH)),
        )
        if not (entry.came or entry.went):
            return
        chain.append(connection, entry)
