"""The mailbox of the SQL ledger is a mailbox, on both databases."""

import asyncio
import threading

import pytest

from adapters.ledger.database import Database
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.mail import Accepted
from tests.adapters.ledger.mail_samples import ASKER, MANY, incoming, place
from tests.contracts.inbox_contract import InboxContract
from tests.contracts.outbox_contract import OutboxContract


async def moment() -> None:
    """Let everybody who was called take their place in the line."""
    for _ in range(50):
        await asyncio.sleep(0)


class TestInbox(InboxContract):
    """What comes in, on SQLite and on PostgreSQL."""


class TestOutbox(OutboxContract):
    """What goes out, on SQLite and on PostgreSQL."""


@pytest.mark.parametrize("urgent", ["event", "deletion"])
async def test_what_a_platform_waits_for_is_committed_before_what_can_wait_R_C3(
    mailbox: Mailbox, dated: SqlLedger, urgent: str
) -> None:
    """On SQLite one connection writes at a time: who is told to wait waits behind."""
    database: Database = dated.transactions.database
    ended: list[str] = []

    async def leave(name: str) -> None:
        await mailbox.leave(place(name))
        ended.append(name)

    async def keep() -> None:
        if urgent == "event":
            assert await mailbox.accept(incoming(), ASKER, MANY) is Accepted.NEW
        else:
            await mailbox.miss(place("C9"), "9.9")
        ended.append(urgent)

    async with asyncio.TaskGroup() as group:
        with database.writing():
            for name in ("C1", "C2", "C3"):
                group.create_task(leave(name))
            await moment()
            group.create_task(keep())
            await moment()
    if database.file:
        assert ended == ["C1", urgent, "C2", "C3"]
    assert sorted(ended) == ["C1", "C2", "C3", urgent]


async def test_who_has_a_turn_has_a_thread_too(mailbox: Mailbox) -> None:
    """All threads of the process are taken by those who wait for something else."""
    done = threading.Event()
    others = [asyncio.create_task(asyncio.to_thread(done.wait)) for _ in range(64)]
    try:
        async with asyncio.timeout(60.0):
            accepted = await mailbox.accept(incoming(), ASKER, MANY)
        assert accepted is Accepted.NEW
    finally:
        done.set()
        await asyncio.gather(*others)
