"""A full disk is told as one: the index is whole, and making it anew needs room."""

import errno
import sqlite3
from pathlib import Path

import pytest

from adapters.index.catalogue import Catalogue, Identity
from bot.console import explain
from engine.model.errors import IndexFailed, IndexFull

IDENTITY = Identity("none", 4, 4, "words")


def failing(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        failing(sqlite3.SQLITE_FULL),
        failing(sqlite3.SQLITE_IOERR_WRITE),
        failing(sqlite3.SQLITE_IOERR_SHMSIZE),
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
    ],
)
def test_no_room_is_no_damage_R_I8(tmp_path: Path, error: Exception) -> None:
    """Whoever frees space goes on; nobody is told to make the index anew."""
    catalogue = Catalogue(tmp_path, IDENTITY, 1.0)
    with pytest.raises(IndexFull) as raised, catalogue._translate_errors():
        raise error
    catalogue.close()
    told = explain(raised.value)
    assert "free some space" in told
    assert "reindex" not in told


def test_another_failure_of_the_disk_may_be_damage_R_I8(tmp_path: Path) -> None:
    """Then how to make the index anew is said."""
    catalogue = Catalogue(tmp_path, IDENTITY, 1.0)
    with pytest.raises(IndexFailed) as raised, catalogue._translate_errors():
        raise failing(sqlite3.SQLITE_CORRUPT)
    catalogue.close()
    assert "reindex --fresh" in explain(raised.value)
