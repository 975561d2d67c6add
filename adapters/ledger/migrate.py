"""Bring a ledger to this release's schema, in the caller's transaction."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from adapters.ledger.schema import REVISION
from engine.model.errors import LedgerFailed, LedgerTooNew

MIGRATIONS = Path(__file__).resolve().parent / "migrations"
LOCK = 0x67726E64  # PostgreSQL's advisory locks are numbers; this one is ours


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing; none where the schema is up to date.

    Raises:
        LedgerTooNew: a newer release wrote this ledger. Nothing was changed.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    if not current(connection):
        _run(connection, "upgrade head")


def current(connection: Connection) -> bool:
    """Whether a ledger has this release's schema, not an earlier one or none.

    Raises:
        LedgerTooNew: a newer release wrote this ledger.
    """
    found = _revision(connection)
    if found > REVISION:
        raise LedgerTooNew(
            f"the ledger has schema {found}, this release knows {REVISION}: "
            "use the newer release, or restore a backup"
        )
    return found == REVISION


def require(connection: Connection) -> None:
    """Refuse what could not be upgraded.

    Raises:
        LedgerTooNew: a newer release wrote this ledger.
        LedgerFailed: an earlier one did.
    """
    if not current(connection):
        raise LedgerFailed(
            f"the ledger has schema {_revision(connection) or 'none'}, this release "
            f"needs {REVISION}, and it cannot be brought there because it cannot be "
            "written: use the release that wrote it, or a copy of the data folder"
        )


def wipe(connection: Connection) -> None:
    """Take every table down and set up empty ones: the first half of a restore."""
    _run(connection, "downgrade base", "upgrade head")


def _revision(connection: Connection) -> str:
    """The schema's revision; revisions are numbers of four digits, "" is none."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    query = text("SELECT version_num FROM alembic_version")
    return str(connection.execute(query).scalar() or "")


def _run(connection: Connection, *steps: str) -> None:
    """Have Alembic take steps, each a command and the revision to come to.

    It is imported here: a fifth of a second that only a migration needs.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    for step in steps:
        verb, revision = step.split()
        run = command.upgrade if verb == "upgrade" else command.downgrade
        run(config, revision)
