"""The mailbox of the SQL ledger is a mailbox, on both databases."""

import asyncio
import threading

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


async def test_an_event_is_committed_before_what_can_wait_R_C3(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """On SQLite one connection writes at a time: who is told to wait waits behind."""
    database: Database = dated.transactions.database
    ended: list[str] = []

    async def leave(name: str) -> None:
        await mailbox.leave(place(name))
        ended.append(name)

    async def accept() -> None:
        assert await mailbox.accept(incoming(), ASKER, MANY) is Accepted.NEW
        ended.append("event")

    async with asyncio.TaskGroup() as group:
        with database.writing():
            for name in ("C1", "C2", "C3"):
                group.create_task(leave(name))
            await moment()
            group.create_task(accept())
            await moment()
    if database.file:
        assert ended == ["C1", "event", "C2", "C3"]
    assert sorted(ended) == ["C1", "C2", "C3", "event"]


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


async def test_a_deletion_that_nobody_knows_is_kept_before_what_can_wait_R_C3(
    mailbox: Mailbox, dated: SqlLedger
) -> None:
    """The platform waits for its acknowledgement too."""
    ended: list[str] = []

    async def leave(name: str) -> None:
        await mailbox.leave(place(name))
        ended.append(name)

    async def miss() -> None:
        await mailbox.miss(place("C9"), "9.9")
        ended.append("deletion")

    async with asyncio.TaskGroup() as group:
        with dated.transactions.database.writing():
            for name in ("C1", "C2"):
                group.create_task(leave(name))
            await moment()
            group.create_task(miss())
            await moment()
    if dated.transactions.database.file:
        assert ended == ["C1", "deletion", "C2"]
    assert len(ended) == 3
