"""Upgrade a ledger to this release's schema, in the caller's transaction.

A new ledger gets every table at once and is stamped with REVISION; one of an earlier
release is upgraded by the migrations since BASE, the first schema that has any.
"""

import secrets
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    inspect,
    select,
    text,
)

from adapters.ledger import guards
from adapters.ledger.chain import hash_genesis
from adapters.ledger.schema import REVISION, apart, chain_head, metadata
from engine.model.errors import LedgerFailed, LedgerTooNew

BASE = "0016"
MIGRATIONS = Path(__file__).resolve().parent / "migrations"
LOCK = 0x67726E64  # PostgreSQL's advisory locks are numbers; this one is ours

_stamps = MetaData()
_stamp = Table(
    "alembic_version",
    _stamps,
    Column("version_num", String(32)),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def upgrade(connection: Connection) -> None:
    """Create the schema, or run the migrations that are missing, if any.

    Raises:
        LedgerTooNew: a newer release wrote this ledger. Nothing was changed.
        LedgerFailed: its schema is older than BASE. Nothing was changed.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    found = _read_revision(connection)
    if not found:
        _create(connection)
        _stamps.create_all(connection)
        connection.execute(insert(_stamp).values(version_num=REVISION))
    elif found != REVISION:
        _run_migrations(connection)


def require(connection: Connection) -> None:
    """Refuse a ledger that would have to be upgraded.

    Raises:
        LedgerTooNew: a newer release wrote this ledger.
        LedgerFailed: an earlier one did.
    """
    found = _read_revision(connection)
    if found != REVISION:
        raise LedgerFailed(
            f"the ledger has schema {found or 'none'}, this release "
            f"needs {REVISION}, and it cannot be brought there because it cannot be "
            "written: use the release that wrote it, or a copy of the data folder"
        )


def wipe(connection: Connection) -> None:
    """Replace every table by an empty one: the first half of a restore.

    Installations of the app stay, because no backup holds their tokens.
    """
    metadata.drop_all(connection)
    _create(connection)


def _create(connection: Connection) -> None:
    """Create the tables and their guards, and name this ledger.

    A table that exists already is an error, because its rows are not ours.
    """
    metadata.create_all(connection, checkfirst=False)
    apart.create_all(connection)
    for statement in guards.write_statements(connection.dialect.name):
        connection.execute(text(statement))
    name = secrets.token_hex(16)
    first = {"id": 1, "ledger": name, "sequence": 0, "hash": hash_genesis(name)}
    connection.execute(insert(chain_head).values(first))


def _read_revision(connection: Connection) -> str:
    """Read the schema's revision, a number of four digits; "" where there is none.

    Raises:
        LedgerTooNew: it is newer than this release's.
        LedgerFailed: it is older than BASE.
    """
    if not inspect(connection).has_table(_stamp.name):
        return ""
    found = str(connection.scalar(select(_stamp.c.version_num)) or "")
    if found > REVISION:
        raise LedgerTooNew(
            f"the ledger has schema {found}, this release knows {REVISION}: "
            "use the newer release, or restore a backup"
        )
    if found and found < BASE:
        raise LedgerFailed(
            f"the ledger has schema {found}, and no schema before {BASE} can be "
            "upgraded: see 'Restart and upgrade' in docs/deployment.md, or choose "
            "another --data folder"
        )
    return found


def _run_migrations(connection: Connection) -> None:
    """Run the migrations up to the newest with Alembic.

    Alembic is imported here, because its import takes a fifth of a second and only an
    upgrade needs it.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
