"""One database of one process: SQLite in WAL mode with full sync, or PostgreSQL.

Plain synchronous SQLAlchemy: psycopg and the standard library's SQLite both block, and
a transaction is short; adapters/ledger/transactions.py runs each in a thread. SQLite
writers begin IMMEDIATE, so that two never deadlock half-way. Deleted content is
overwritten (`secure_delete`), because "forget me" must leave nothing in the file.

A SQLite file that cannot be written is read with its log and the log's index, where
they exist. Without a log the file is complete and is opened as immutable, because
SQLite could not create a log. A process that may write creates one, so a log that
appears meanwhile is an error.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.pool import ConnectionPoolEntry
from tenacity import Retrying, retry_if_exception, wait_fixed

from adapters.ledger import migrate
from adapters.owner import FILE, FOLDER, close_to_others
from engine.model.errors import LedgerBusy, LedgerFailed, LedgerFull, UsageError

PATIENCE_S = 10  # for another writer, and for a connection
STATEMENT_S = 300  # for one statement on PostgreSQL
PERSONAL = (  # tables with rows or texts that are deleted
    "personal",
    "selection_uses",
    "document_versions",
    "inbox",
    "outbox",
    "posts",
    "threads",
    "feedback",
    "greeted",
    "gap_questions",
    "wishes",
)
BEGIN = "groundrule_begin"  # execution option: the statement that opens a transaction
END = "groundrule_end"  # execution option: when waiting for other writers ends
SYNC = "groundrule_sync"  # execution option: whether a commit waits for the disk
WRITE = "BEGIN IMMEDIATE"
LOG_S = 0.05  # one try to empty the log, and the pause between two
LOOK_S = 0.001  # between two tries to begin while another process writes

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
)
_FULL = {
    "53100",  # PostgreSQL: disk_full
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
_BUSY = {
    "55P03",  # PostgreSQL: lock_not_available
    "40P01",  # deadlock_detected
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_BUSY_SNAPSHOT,
}


def sqlite_url(file: Path) -> URL:
    """Make the URL of a ledger in a file."""
    return URL.create("sqlite", database=str(file))


class Database:
    """Transactions on one ledger; opening it brings its schema up to date.

    Args:
        url: the database.
        only_read: promise to write nothing, so that a read-only file will do.

    Raises:
        LedgerTooNew: a newer release wrote it.
        LedgerFailed: it cannot be opened, or its schema is older and the file cannot
            be written.
        UsageError: the address names no SQLite file and no PostgreSQL database.
    """

    def __init__(self, url: URL | str, *, only_read: bool = False) -> None:
        address = _parse_address(url)
        self.file: Path | None = None
        self._read_only: ReadOnly | None = None
        if address.get_backend_name() == "postgresql":
            self._engine = _make_postgresql(address)
        else:
            self.file = Path(address.database or "").absolute()
            if only_read and cannot_write(self.file):
                self._read_only = ReadOnly.of(self.file)
                self._engine = _make_sqlite(self._read_only.address, ())
            else:
                _create(self.file)
                self._engine = _make_sqlite(address)
        try:
            self._prepare()
        except LedgerFailed:
            self.close()
            raise

    def _prepare(self) -> None:
        if self._read_only is None:
            with self.writing() as connection:
                migrate.upgrade(connection)
            return
        with self.reading() as connection:
            try:
                connection.exec_driver_sql("SELECT * FROM sqlite_master LIMIT 1")
            except OperationalError as error:
                raise LedgerFailed(self._read_only.unreadable) from error
            migrate.require(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the ledger and changes nothing."""
        options = (
            {}
            if self.file
            else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        )
        with _translate_errors(), self._engine.connect() as connection:
            connection.execution_options(**options)
            with connection.begin():
                yield connection
        if self._read_only is not None:
            self._read_only.check()

    @contextmanager
    def writing(
        self, *, lasting: bool = True, end: float | None = None
    ) -> Iterator[Connection]:
        """Open a transaction that commits at the end of the block; an error undoes it.

        SQLite waits for other writers until `end`, on the clock of `time.monotonic`, or
        for PATIENCE_S; PostgreSQL for PATIENCE_S. One that is not `lasting` does not
        wait for the disk: it survives the end of every process at once, and a loss of
        power once a later, lasting one has committed.
        """
        options = {
            BEGIN: WRITE,
            END: time.monotonic() + PATIENCE_S if end is None else end,
            SYNC: "FULL" if lasting else "NORMAL",
        }
        with _translate_errors(), self._engine.connect() as connection:
            connection.execution_options(**options)
            with connection.begin():
                if not (lasting or self.file):
                    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
                yield connection

    def scrub(self) -> None:
        """Remove deleted content from the files: SQLite's log, or dead rows.

        Raises:
            LedgerFailed: another process still reads the older state; repeat it later.
        """
        with _translate_errors(), self._engine.connect() as connection:
            if self.file:
                connection.execution_options(**{BEGIN: ""})
                _empty_log(connection)
            else:
                connection.execution_options(isolation_level="AUTOCOMMIT")
                connection.execute(text(f"VACUUM {', '.join(PERSONAL)}"))

    def close(self) -> None:
        """Close every connection; SQLite then folds its log into the file."""
        self._engine.dispose()


def _parse_address(url: URL | str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise UsageError("the database address is no URL") from error
    backend = address.get_backend_name()
    if backend == "sqlite" and address.database not in (None, "", ":memory:"):
        return address.set(drivername="sqlite")
    if backend == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    raise UsageError(
        "the database address must be sqlite:///FILE or postgresql+psycopg://…"
    )


def _create(file: Path) -> None:
    """Create folder and file, readable by their owner alone."""
    try:
        file.parent.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        file.touch(mode=FILE)
    except OSError as error:
        raise LedgerFailed(
            f"cannot write {file}: {error.strerror}; choose another --data folder"
        ) from error
    close_to_others(file)


def _make_sqlite(address: URL, pragmas: Sequence[str] = _PRAGMAS) -> Engine:
    engine = create_engine(address, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        """Set SQLite's options of a connection; the `begin` hook opens transactions."""
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_S * 1000:.0f}")
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        """Open a transaction with the statement in the execution options."""
        options = connection.get_execution_options()
        statement = options.get(BEGIN, "BEGIN")
        if statement == WRITE:
            connection.exec_driver_sql(f"PRAGMA synchronous = {options[SYNC]}")
            _wait_to_write(connection, options[END])
        elif statement:
            connection.exec_driver_sql(statement)

    return engine


def _wait_to_write(connection: Connection, end: float) -> None:
    """Begin to write as soon as no other process does; raise at the end.

    SQLite's own busy handler ends up trying every 100 ms and may miss every gap between
    two transactions of a busy process, while a platform waits for its acknowledgement.
    """
    _wait_at_most(connection, 0)
    try:
        Retrying(
            retry=retry_if_exception(_is_busy),
            wait=wait_fixed(LOOK_S),
            stop=lambda _: time.monotonic() >= end,
            reraise=True,
        )(connection.exec_driver_sql, WRITE)
    finally:
        _wait_at_most(connection, PATIENCE_S)


def _empty_log(connection: Connection) -> None:
    """Fold the log into the file, in short tries, because each blocks all writers."""
    end = time.monotonic() + PATIENCE_S
    _wait_at_most(connection, LOG_S)
    try:
        while connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar():
            if time.monotonic() >= end:
                raise LedgerFailed(
                    "deleted text still stands in the log because another process "
                    "reads the ledger: repeat this when it has ended"
                )
            time.sleep(LOG_S)
    finally:
        _wait_at_most(connection, PATIENCE_S)


def _is_busy(error: BaseException) -> bool:
    cause = error.orig if isinstance(error, OperationalError) else None
    code: int = getattr(cause, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY  # extended codes add higher bits


def _wait_at_most(connection: Connection, seconds: float) -> None:
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")


def _make_postgresql(address: URL) -> Engine:
    options = (
        f"-c synchronous_commit=on -c lock_timeout={PATIENCE_S}s "
        f"-c statement_timeout={STATEMENT_S}s"
    )
    return create_engine(
        address,
        hide_parameters=True,
        pool_pre_ping=True,
        connect_args={"connect_timeout": PATIENCE_S, "options": options},
    )


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise _make_failure(error) from error


def _make_failure(error: SQLAlchemyError) -> LedgerFailed:
    """Translate an error by its first line, because later lines may quote a row."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    codes = {getattr(cause, name, None) for name in ("sqlite_errorcode", "sqlstate")}
    if codes & _FULL:
        return LedgerFull("the ledger's disk is full: free some space")
    if codes & _BUSY:
        return LedgerBusy("others wrote to the ledger all the while: try it again")
    lines = str(cause).splitlines()
    return LedgerFailed(f"the ledger failed: {lines[0] if lines else type(cause)}")


def cannot_write(file: Path) -> bool:
    """Tell whether a ledger exists that may not be written, in its file or folder."""
    effective = os.access in os.supports_effective_ids
    return file.exists() and not all(
        os.access(place, os.W_OK, effective_ids=effective)
        for place in (file.parent, file)
    )


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """The way to open a file that cannot be written.

    Attributes:
        address: the file's URL, for SQLAlchemy.
        log: SQLite's log beside the file.
        whole: whether the file is complete: there is no log.
    """

    address: URL
    log: Path
    whole: bool

    @classmethod
    def of(cls, file: Path) -> "ReadOnly":
        """Look at the file as it is now."""
        log = file.with_name(f"{file.name}-wal")
        whole = not log.exists()
        query = {"uri": "true", "mode": "ro"} | ({"immutable": "1"} if whole else {})
        address = URL.create("sqlite", database=file.as_uri(), query=query)
        return cls(address, log, whole)

    def check(self) -> None:
        """Check, after reading, that no log has appeared.

        Raises:
            LedgerBusy: another process wrote meanwhile.
        """
        if self.whole and self.log.exists():
            raise LedgerBusy("another process wrote to the ledger: repeat this")

    @property
    def unreadable(self) -> str:
        """Explain what to do where the file cannot be opened."""
        return (
            f"what stands in {self.log} cannot be read where nothing can be written: "
            "copy the data folder to where you may write, and give that as --data"
        )
