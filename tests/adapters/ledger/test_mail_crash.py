"""Whatever is killed when: what was accepted is answered, once, and on record."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, select

from adapters.ledger.database import sqlite_url
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.schema import State, inbox, messages, outbox
from adapters.ledger.store import SqlLedger
from tests.adapters.ledger.mail_worker import KILLED

SEED = 20261122
EVENTS = 10_000  # of one round: more than it lives to see


def worker(url: URL, name: str, *numbers: int) -> subprocess.Popen[str]:
    """A process that accepts and works."""
    address = url.render_as_string(hide_password=False)
    module = "tests.adapters.ledger.mail_worker"
    return subprocess.Popen(
        [sys.executable, "-m", module, address, name, *map(str, numbers)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )


def kill_at_work(url: URL, name: str, chance: random.Random) -> list[str]:
    """Kill a worker a few steps and a few milliseconds in; what it had told."""
    process = worker(url, name, EVENTS)
    assert process.stdout is not None
    steps = chance.randrange(1, 12)
    told = [process.stdout.readline().strip() for _ in range(steps)]
    for _ in range(chance.randrange(300_000)):
        pass
    process.send_signal(signal.SIGKILL)
    told += process.stdout.read().splitlines()
    process.wait()
    process.stdout.close()
    return told


def of(told: list[str], step: str) -> list[str]:
    """What was told of one kind of step."""
    return [line.split()[1] for line in told if line.startswith(f"{step} ")]


@pytest.mark.parametrize(
    "kills", [6, pytest.param(200, marks=pytest.mark.prove)], ids=str
)
async def test_a_kill_loses_no_accepted_event_R_C3_R_D2(url: URL, kills: int) -> None:
    """Each is settled once and delivered once, and the chain verifies."""
    chance = random.Random(SEED)
    told: list[str] = []
    for number in range(kills):
        told += await asyncio.to_thread(kill_at_work, url, f"{KILLED}{number}", chance)
    last = worker(url, "last", 0)
    told += (await asyncio.to_thread(last.communicate))[0].splitlines()
    assert last.returncode == 0

    engine = create_engine(url)
    with engine.connect() as connection:
        events = dict(connection.execute(select(inbox.c.event, inbox.c.state)).all())
        recorded = Counter(connection.scalars(select(messages.c.question_id)))
        replies = connection.execute(select(outbox.c.event, outbox.c.state)).all()
    engine.dispose()
    assert set(of(told, "accepted")) <= events.keys()
    assert set(events.values()) == {State.DONE}
    assert recorded == Counter(events.keys())
    assert sorted(replies) == sorted((event, State.DONE) for event in events)
    assert len(set(of(told, "sent"))) == len(of(told, "sent"))

    ledger = SqlLedger(url)
    report = await ledger.verify_all()
    assert report.failures == ()
    assert report.answers == len(events) >= kills
    for audit_id in of(told, "settled"):
        assert (await ledger.read(audit_id)).audit_id == audit_id
    await ledger.close()


async def test_a_full_disk_accepts_no_more_and_loses_nothing_R_I10(
    tmp_path: Path,
) -> None:
    """What was accepted before is answered after room was made."""
    url = sqlite_url(tmp_path / "ledger.db")
    full = worker(url, "full", EVENTS, 3_000_000)
    told = (await asyncio.to_thread(full.communicate))[0].splitlines()
    assert told[-1] == "failed LEDGER_FULL"
    accepted = of(told, "accepted")
    assert len(accepted) > 20
    ledger = SqlLedger(url)
    await Mailbox(ledger).abandon("full")
    last = worker(url, "last", 0)
    await asyncio.to_thread(last.communicate)
    assert last.returncode == 0
    assert await Mailbox(ledger).waiting() == 0
    report = await ledger.verify_all()
    assert report.ok
    assert report.answers >= len(accepted)
    await ledger.close()


async def test_processes_share_the_work_R_C3(url: URL) -> None:
    """Three at once answer thirty events each, and nothing twice."""
    processes = [worker(url, f"p{number}", 30) for number in range(3)]
    for process in processes:
        told = (await asyncio.to_thread(process.communicate))[0].splitlines()
        assert len(of(told, "accepted")) == 30
        assert process.returncode == 0
    ledger = SqlLedger(url)
    report = await ledger.verify_all()
    assert report.ok
    assert report.answers == 90
    await ledger.close()
