"""Ledgers to test on: a SQLite file, and a database of a PostgreSQL from a package."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import URL, Connection, create_engine, text

from adapters.ledger.database import sqlite_url
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from tests.fakes import FixedClock


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """The address of an empty database, of either kind."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "data" / "ledger.db")
    created: URL = request.getfixturevalue("empty_postgresql")
    return created


@pytest.fixture
async def ledger(url: URL, tmp_path: Path) -> AsyncIterator[SqlLedger]:
    """An empty ledger with its anchor at `head.json`."""
    opened = SqlLedger(url, anchor=tmp_path / "head.json")
    yield opened
    await opened.close()


@pytest.fixture
async def vault(url: URL, ledger: SqlLedger) -> AsyncIterator[Connection]:
    """A connection of somebody who has switched triggers and foreign keys off."""
    engine = create_engine(url)
    with engine.connect() as connection:
        if url.get_backend_name() == "postgresql":
            connection.execute(text("SET session_replication_role = replica"))
        else:
            query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            for name in connection.scalars(text(query)).all():
                connection.execute(text(f"DROP TRIGGER {name}"))
        connection.commit()
        yield connection
    engine.dispose()


@pytest.fixture
async def sqlite_ledger(tmp_path: Path) -> AsyncIterator[SqlLedger]:
    """An empty ledger in the file `data/ledger.db`."""
    opened = SqlLedger(sqlite_url(tmp_path / "data" / "ledger.db"))
    yield opened
    await opened.close()


@pytest.fixture
def clock() -> FixedClock:
    """A clock that a test sets."""
    return FixedClock()


@pytest.fixture
async def dated(
    url: URL, tmp_path: Path, clock: FixedClock
) -> AsyncIterator[SqlLedger]:
    """An empty ledger that goes by `clock`, with its anchor at `head.json`."""
    opened = SqlLedger(url, anchor=tmp_path / "head.json", clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
def mailbox(dated: SqlLedger) -> Mailbox:
    """The empty mailbox of the ledger `dated`."""
    return Mailbox(dated)
