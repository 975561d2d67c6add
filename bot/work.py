"""A worker process: answers what waits in the inbox, told by the process that serves.

Its standard input wakes it, a line each time, and ends it when it closes; so a worker
never outlives the process that serves. It tells on standard output, a JSON object a
line: that it is ready, that a reply waits in the outbox, and what has to be shown
although it could not be written down (R-I10).
"""

import asyncio
import json
import signal
import sys

from pydantic import JsonValue

from adapters.mail import Outgoing
from bot.rounds import Bell, rounds
from bot.wiring import Application

READY, SETTLED, SHOW = "ready", "settled", "show"  # keys of what a worker tells


async def work(application: Application, worker: str) -> None:
    """Answer until standard input closes, or the process is told to end.

    Args:
        application: the parts of the process.
        worker: a name that no other running worker has.

    Raises:
        UsageError: a pack is wrong.
        EnvironmentFailed: ledger, index or embedder cannot be opened.
    """
    bell = Bell()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, bell.end)
    answering = application.answering(worker, _show)
    await application.warm()
    _tell(READY, worker)

    async def one() -> bool:
        done = await answering.next()
        if done:
            _tell(SETTLED, worker)
        return done

    async with asyncio.TaskGroup() as group:
        listening = group.create_task(_listen(bell))
        await rounds(one, bell)
        listening.cancel()


async def _show(outgoing: Outgoing) -> None:
    _tell(SHOW, outgoing.model_dump(mode="json"))


def _tell(key: str, value: JsonValue) -> None:
    sys.stdout.write(json.dumps({key: value}) + "\n")
    sys.stdout.flush()


async def _listen(bell: Bell) -> None:
    """Ring at every line of standard input, and end with it."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    try:
        while await reader.read(1_000):
            bell.ring()
    finally:
        transport.close()
    bell.end()
