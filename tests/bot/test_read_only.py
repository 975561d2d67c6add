"""A data folder that cannot be written is verified and backed up (R-D3, R-U7).

As root every folder can be written, so these tests lay root's rights down meanwhile.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect

import pytest

from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from tests.adapters.ledger.samples import document, refused
from tests.bot.command import Command, command

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody may enter, which pytest's are not."""
    made = Path(tempfile.mkdtemp(prefix="groundrule-read-only-"))
    made.chmod(0o755)
    yield made
    for folder in made.rglob("*/"):
        folder.chmod(0o700)
    shutil.rmtree(made)


@pytest.fixture
def run(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line over the folder `data` of the place."""
    return command(place / "data", monkeypatch, capsys)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Somebody whom permissions hold."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


def recorded(place: Path) -> Path:
    """A data folder with a document and a refusal."""

    async def record() -> None:
        ledger = SqlLedger(sqlite_url(place / "data" / "ledger.db"))
        await ledger.store_document("oncology", document())
        await ledger.record(refused())
        await ledger.close()

    asyncio.run(record())
    return place / "data"


def close(data: Path) -> dict[Path, bytes]:
    """Let everybody read and nobody write; what stands there."""
    held = {}
    for file in data.iterdir():
        file.chmod(0o444)
        held[file] = file.read_bytes()
    data.chmod(0o555)
    return held


def test_a_folder_that_cannot_be_written_is_verified_R_D3(
    place: Path, run: Command
) -> None:
    """Nothing there is changed, made or taken away."""
    data = recorded(place)
    held = close(data)
    with unprivileged():
        with pytest.raises(PermissionError):
            (data / "new").touch()
        result = run("verify", "--all")
    assert (result.code, result.err) == (0, "")
    assert "verified: 1 answer" in result.out
    assert {file: file.read_bytes() for file in data.iterdir()} == held


def test_a_folder_that_cannot_be_written_is_backed_up_R_U7(
    place: Path, run: Command
) -> None:
    """Elsewhere; the copy is a whole ledger."""
    close(recorded(place))
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    with unprivileged():
        result = run("backup", elsewhere / "monday.db")
    assert (result.code, result.err) == (0, "")
    assert "1 answer, 1 document version, verified" in result.out
    assert (elsewhere / "monday.db").stat().st_size > 0


def test_what_stands_in_the_log_alone_is_verified_R_D3(
    place: Path, run: Command
) -> None:
    """A snapshot of a ledger that was open: part of it is not in the file yet."""
    data = recorded(place)
    copy = place / "copy"
    with closing(connect(data / "ledger.db")) as open_one:
        open_one.execute("UPDATE chain_head SET hash = 'changed'")
        open_one.commit()
        shutil.copytree(data, copy)
    data.rename(place / "before")
    copy.rename(data)
    assert (data / "ledger.db-wal").stat().st_size > 0
    held = close(data)
    with unprivileged():
        result = run("verify", "--all")
    assert result.code == 1
    assert "HEAD_CHANGED" in result.err
    assert {file.name for file in data.iterdir()} == {file.name for file in held}
    data.chmod(0o755)
    (data / "ledger.db-shm").unlink()
    data.chmod(0o555)
    with unprivileged():
        result = run("verify", "--all")
    assert result.code == 4
    assert "copy the data folder" in result.err


def older(data: Path) -> None:
    with closing(connect(data / "ledger.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0008'")
        connection.commit()


def newer(data: Path) -> None:
    with closing(connect(data / "ledger.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()


@pytest.mark.parametrize(
    ("change", "said"),
    [(older, "has schema 0008"), (newer, "use the newer release")],
)
def test_another_schema_is_refused_where_it_cannot_be_changed_R_U7(
    place: Path, run: Command, change: Callable[[Path], None], said: str
) -> None:
    """And the refusal says what to do."""
    data = recorded(place)
    change(data)
    held = close(data)
    with unprivileged():
        result = run("verify", "--all")
    assert result.code == 4
    assert said in result.err
    assert {file: file.read_bytes() for file in data.iterdir()} == held
