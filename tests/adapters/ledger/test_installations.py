"""The app's installations: kept by workspace, apart from backups (R-C1, R-S1)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from adapters.ledger.database import sqlite_url
from adapters.ledger.installations import Installation, Installations
from adapters.ledger.store import SqlLedger

MADE = Installation(
    team="T1",
    enterprise="E1",
    app="A1",
    bot="B1",
    bot_user="U1",
    token="xoxb-1",
    scopes=("chat:write", "commands"),
    installed=datetime(2026, 11, 22, tzinfo=UTC),
)


async def test_an_installation_is_found_by_its_workspace(ledger: SqlLedger) -> None:
    """As it was stored, and nobody else's."""
    installations = Installations(ledger.transactions)
    await installations.save(MADE)
    assert await installations.find("T1") == MADE
    assert await installations.find("T2") is None


async def test_installing_again_replaces_the_token(ledger: SqlLedger) -> None:
    """One for each workspace."""
    installations = Installations(ledger.transactions)
    await installations.save(MADE)
    again = MADE.model_copy(update={"token": "xoxb-2", "enterprise": None})
    await installations.save(again)
    assert await installations.find("T1") == again


async def test_what_is_deleted_is_gone(ledger: SqlLedger) -> None:
    """And may be deleted twice."""
    installations = Installations(ledger.transactions)
    await installations.save(MADE)
    for _ in range(2):
        await installations.delete("T1")
    assert await installations.find("T1") is None


async def test_no_backup_holds_a_token_R_S1(ledger: SqlLedger, tmp_path: Path) -> None:
    """And restoring one leaves the installations as they are."""
    installations = Installations(ledger.transactions)
    await installations.save(MADE)
    copy = tmp_path / "copy.db"
    await ledger.backup(copy)
    assert b"xoxb-1" not in copy.read_bytes()
    await ledger.restore(copy)
    assert await installations.find("T1") == MADE
    opened = SqlLedger(sqlite_url(copy))
    assert await Installations(opened.transactions).find("T1") is None
    await opened.close()


def test_an_installation_without_a_token_cannot_be_made() -> None:
    """Nor does its text show one."""
    with pytest.raises(ValidationError):
        Installation(**{**MADE.model_dump(), "token": ""})
    assert "xoxb-1" not in repr(MADE)
