"""Back a ledger up to one file and restore it, for SQLite and PostgreSQL alike.

A backup is itself a ledger in a SQLite file, written from one consistent view and
verified before it gets its name, so it also moves a ledger between the two databases.
A restore replaces everything in one transaction, while other processes may run. What
was forgotten since the backup is forgotten again, and an entry of the chain names the
head that was replaced. Where the backup is of this very ledger, the mailbox stays as it
is, so that no event is answered twice, and the chain gets the entries of channels'
bindings that the replaced chain had.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Table, column, delete, insert, select, text
from sqlalchemy import table as lightweight

from adapters.ledger import (
    chain,
    commitments,
    mail_bindings,
    migrate,
    retention,
)
from adapters.ledger.chain import Head
from adapters.ledger.database import Database, sqlite_url
from adapters.ledger.entries import RestoredEntry, format_instant
from adapters.ledger.report import Report
from adapters.ledger.schema import (
    MAIL,
    audit_chain,
    chain_head,
    index_keys,
    indexes,
    metadata,
    recalls,
)
from adapters.ledger.verify import verify
from engine.model.errors import LedgerFailed, UsageError, VerificationFailed

BATCH = 50  # rows copied at a time
# Tables that a restore leaves as they are: events since the backup, and the index.
BESIDE = (*MAIL, recalls, indexes, index_keys)


def backup(source: Database, to: Path) -> Report:
    """Write a verified copy of a ledger to a new file.

    Returns:
        The verification of the copy.

    Raises:
        UsageError: `to` exists.
        VerificationFailed: the ledger does not verify; no backup was made.
        LedgerFailed: the copy cannot be written.
    """
    if to.exists():
        raise UsageError(f"{to} exists: choose another name for the backup")
    with _make_draft(to.parent) as draft:
        target = Database(sqlite_url(draft))
        try:
            with source.reading() as old, target.writing() as new:
                _copy(old, new)
            report = _verify(target, "the ledger does not verify; no backup was made")
        finally:
            target.close()
        _sync(draft)
        draft.replace(to)
    return report


def restore(target: Database, backup: Path, now: datetime) -> Head:
    """Replace everything by a backup and return the new head.

    Raises:
        UsageError: there is no such file.
        VerificationFailed: the backup does not verify; nothing was changed.
        LedgerTooNew: a newer release made the backup.
        LedgerFailed: it cannot be read or written.
    """
    if not backup.is_file():
        raise UsageError(f"{backup} is no file")
    # Work on a copy: opening a ledger brings it to this release's schema.
    with _make_draft(target.file.parent if target.file else None) as draft:
        _duplicate(backup, draft)
        source = Database(sqlite_url(draft))
        try:
            _verify(source, "the backup does not verify; nothing was restored")
            with source.reading() as old, target.writing() as new:
                head = _replace(old, new, now)
        finally:
            source.close()
    target.scrub()
    return head


def _replace(old: Connection, new: Connection, now: datetime) -> Head:
    try:
        replaced = chain.read_head(new, lock=True)
    except LedgerFailed:
        replaced = Head("", 0, "")  # too damaged to read
    mark = chain.read_head(old)
    same = _descends_from(mark, replaced, new)
    again = _forgotten_since(mark, new) if same else {}
    bound = mail_bindings.read_last_entries(new) if same else {}
    rows = commitments.read_committed(new, BESIDE) if same else {}
    if same:
        _set_mail_aside(new)
    migrate.wipe(new)
    _copy(old, new)
    if same:
        _put_mail_back(new)
        mail_bindings.append_again(new, bound, now)
        commitments.append_again(new, rows, now)
    for fields in sorted(set(again.values()), key=sorted):
        these = [sequence for sequence, gone in again.items() if gone == fields]
        retention.erase(new, these, "restored", now, sorted(fields))
    entry = RestoredEntry(
        created=format_instant(now), sequence=replaced.sequence, hash=replaced.hash
    )
    return chain.append(new, entry)


def _descends_from(mark: Head, head: Head, connection: Connection) -> bool:
    """Tell whether a ledger with this head once had the head `mark`."""
    if mark.sequence == 0:
        return head.ledger == mark.ledger
    query = select(audit_chain.c.hash).where(audit_chain.c.sequence == mark.sequence)
    return connection.execute(query).scalar() == mark.hash


def _forgotten_since(mark: Head, connection: Connection) -> retention.Forgotten:
    """Find the fields forgotten after `mark`, of outcomes that are older than it."""
    since = retention.read_forgotten(connection, after=mark.sequence)
    return {n: fields for n, fields in since.items() if n <= mark.sequence}


def _set_mail_aside(connection: Connection) -> None:
    for table in BESIDE:
        kept = f"CREATE TEMPORARY TABLE kept_{table.name} AS SELECT * FROM {table.name}"
        connection.execute(text(kept))


def _put_mail_back(connection: Connection) -> None:
    for table in BESIDE:
        names = table.columns.keys()
        kept = lightweight(f"kept_{table.name}", *map(column, names))
        connection.execute(delete(table))
        connection.execute(insert(table).from_select(names, select(kept)))
        connection.execute(text(f"DROP TABLE {kept.name}"))


def _copy(old: Connection, new: Connection) -> None:
    """Copy every row of every table into an empty ledger."""
    new.execute(delete(chain_head))
    for table in metadata.sorted_tables:
        _copy_table(old, new, table)


def _copy_table(old: Connection, new: Connection, table: Table) -> None:
    rows = old.execute(select(table).execution_options(yield_per=BATCH)).mappings()
    for batch in rows.partitions(BATCH):
        new.execute(insert(table), [dict(row) for row in batch])


def _verify(database: Database, problem: str) -> Report:
    with database.reading() as connection:
        report = verify(connection, None)
    if not report.ok:
        first = report.failures[0]
        raise VerificationFailed(f"{problem}: {first.fault} {first.detail}")
    return report


@contextmanager
def _make_draft(folder: Path | None) -> Iterator[Path]:
    """Make room for a draft file, deleted at the end unless it was renamed."""
    try:
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".ledger-", dir=folder) as scratch:
            yield Path(scratch) / "ledger.db"
    except OSError as error:
        raise LedgerFailed(f"cannot write the copy: {error.strerror}") from error


def _duplicate(backup: Path, draft: Path) -> None:
    shutil.copyfile(backup, draft)
    draft.chmod(0o600)


def _sync(file: Path) -> None:
    """Put a finished file on the disk before it gets its name."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
