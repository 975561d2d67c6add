"""No acknowledged record is lost, and the chain stays one, whatever happens (R-D2)."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL

from adapters.ledger import chain
from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from engine.model.errors import LedgerBusy
from tests.adapters.ledger.samples import answered, document, refused

SEED = 20261122


def recorder(url: URL, *arguments: object) -> subprocess.Popen[str]:
    """A process that records until it has recorded enough, or is stopped."""
    address = url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.adapters.ledger.recorder", address]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )


def kill_while_recording(url: URL, after: int, chance: random.Random) -> list[str]:
    """Kill a recorder somewhere behind its `after`-th record; what it had told."""
    process = recorder(url, 10_000)
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(after)]
    # Anywhere in the next few milliseconds: a transaction takes about two.
    for _ in range(chance.randrange(200_000)):
        pass
    process.send_signal(signal.SIGKILL)
    told += process.stdout.read().split()
    process.wait()
    process.stdout.close()
    return told


@pytest.mark.parametrize(
    "kills", [10, pytest.param(200, marks=pytest.mark.prove)], ids=str
)
async def test_a_kill_loses_no_acknowledged_record_R_D2(url: URL, kills: int) -> None:
    """Everything that was told is there, and nothing is there in part."""
    chance = random.Random(SEED)
    acknowledged: list[str] = []
    for _ in range(kills):
        after = chance.randrange(1, 6)
        told = await asyncio.to_thread(kill_while_recording, url, after, chance)
        acknowledged += told
    ledger = SqlLedger(url)
    report = await ledger.verify_all()
    assert report.ok
    assert len(acknowledged) <= report.answers <= len(acknowledged) + kills
    assert len(set(acknowledged)) == len(acknowledged)
    for audit_id in acknowledged:
        assert (await ledger.read(audit_id)).audit_id == audit_id
    await ledger.record(refused())
    await ledger.close()


async def test_processes_and_threads_append_to_one_chain_R_D2(url: URL) -> None:
    """Two processes, and many calls at once in a third."""
    processes = [recorder(url, 30) for _ in range(2)]
    ledger = SqlLedger(url)
    cited = document()
    await ledger.store_document("oncology", cited)
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(ledger.record(answered(cited, id=f"own-{number}")))
    told = [process.communicate()[0].split() for process in processes]
    assert [len(ids) for ids in told] == [30, 30]
    report = await ledger.verify_all()
    assert report.failures == ()
    assert report.answers == 90
    await ledger.close()


async def test_processes_open_a_new_ledger_at_once_R_U7(url: URL) -> None:
    """One of them makes the tables; none fails."""
    processes = [recorder(url, 1) for _ in range(3)]
    told = [process.communicate()[0].split() for process in processes]
    assert [len(ids) for ids in told] == [1, 1, 1]


async def test_a_full_disk_refuses_and_recovers_R_I10(tmp_path: Path) -> None:
    """What was recorded before stands; the next record after room was made goes in."""
    url = sqlite_url(tmp_path / "ledger.db")
    told = recorder(url, 10_000, 2_000_000).communicate()[0].split()
    assert told[-1] == "LEDGER_FULL"
    assert len(told) > 20
    ledger = SqlLedger(url)
    report = await ledger.verify_all()
    assert report.ok
    assert report.answers == len(told) - 1
    await ledger.record(refused())
    await ledger.close()


async def test_a_locked_database_says_so_R_I10(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that never ends ends our patience, not the process."""
    for room in ("database", "transactions"):
        monkeypatch.setattr(f"adapters.ledger.{room}.PATIENCE_S", 1)
    ledger = SqlLedger(url)
    with ledger.transactions.database.writing() as other:
        chain.read_head(other, lock=True)
        with pytest.raises(LedgerBusy):
            await ledger.record(refused())
    monkeypatch.undo()
    await ledger.record(refused())
    await ledger.close()


async def test_what_may_be_lost_with_the_power_alone_waits_for_no_disk(
    ledger: SqlLedger,
) -> None:
    """The transaction after it, on the same connection, waits again."""
    database = ledger.transactions.database
    asked = "PRAGMA synchronous" if database.file else "SHOW synchronous_commit"
    found = []
    for lasting in (False, True):
        with database.writing(lasting=lasting) as connection:
            found.append(str(connection.exec_driver_sql(asked).scalar()))
    assert found == (["1", "2"] if database.file else ["off", "on"])
