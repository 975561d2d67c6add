"""A process that accepts, settles and delivers until it is killed, telling each step.

    python -m tests.adapters.ledger.mail_worker URL ROUND HOW_MANY [LARGEST_FILE]

Accepts HOW_MANY events, named after the round, while it works on all that wait; ends
when nothing is left. It works under the name of the round, and gives back what rounds
had whose name begins with KILLED. With a fourth argument no file may grow beyond so
many bytes; what the ledger then raises is told by its code.
"""

import asyncio
import resource
import sys

from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.mail import Platform
from engine.model.errors import LedgerFailed
from tests.adapters.ledger.mail_samples import LEASE, incoming, part, place, rendering
from tests.adapters.ledger.recorder import tell
from tests.adapters.ledger.samples import answered, document

KILLED = "killed-"


async def accept(mailbox: Mailbox, name: str, how_many: int) -> None:
    """Take events in, of a few people in a few channels."""
    for number in range(how_many):
        event = incoming(f"{name}-{number}", number, place=place(f"C{number % 3}"))
        await mailbox.accept(event, f"asker-{number % 5}", how_many * 100)
        tell(f"accepted {event.event}")


async def work(mailbox: Mailbox, name: str) -> bool:
    """Settle one event; False where none is waiting."""
    claimed = await mailbox.claim(name, LEASE)
    if claimed is None:
        return False
    outcome = answered(document(), id=claimed.incoming.event, asker=claimed.asker)
    parts = rendering(part(f"{claimed.incoming.event} 0"), part("1"))
    settled = await mailbox.settle(claimed, outcome, parts)
    tell(f"settled {settled.audit_id}")
    return True


async def deliver(mailbox: Mailbox, name: str) -> bool:
    """Deliver one reply; False where none is due."""
    outgoing = await mailbox.outgoing(Platform.SLACK, name, LEASE)
    if outgoing is None:
        return False
    for shown in outgoing.parts:
        if shown.nonce not in outgoing.posted:
            await mailbox.delivered(outgoing, shown.nonce, f"{outgoing.id}-{shown}")
    await mailbox.sent(outgoing)
    tell(f"sent {outgoing.parts[0].nonce.split()[0]}")
    return True


def _first(failed: BaseExceptionGroup[LedgerFailed]) -> LedgerFailed:
    first = failed.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


async def run(url: str, name: str, how_many: int) -> None:
    """Accept and work at the same time."""
    ledger = SqlLedger(url)
    await ledger.store_document("oncology", document())
    mailbox = Mailbox(ledger)
    await mailbox.abandon(KILLED)
    try:
        async with asyncio.TaskGroup() as group:
            accepting = group.create_task(accept(mailbox, name, how_many))
            while (
                await work(mailbox, name)
                or await deliver(mailbox, name)
                or not accepting.done()
            ):
                pass
    except* LedgerFailed as failed:
        tell(f"failed {_first(failed).code}")
    await ledger.close()


if __name__ == "__main__":
    if len(sys.argv) > 4:
        largest = int(sys.argv[4])
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))
