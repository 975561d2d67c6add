"""A worker process: answers what waits in the inbox, told by the process that serves.

Its standard input wakes it, a line each time, and ends it when it closes; so a worker
never outlives the process that serves. It tells on standard output, a JSON object a
line: that it is ready, that a reply waits in the outbox, what has to be shown although
it could not be written down, and what the engine observed, so that one process
alone writes events and holds the figures.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict

from adapters.mail import Outgoing
from bot.gaps.collecting import Between
from bot.messages.attached import open_attached
from bot.serving.rounds import Waker, keep_what_is_loaded, run_rounds
from bot.wiring import Application
from engine.model.spans import Span

# An acknowledgement goes before an answer, but not far: a worker that gets no
# processor while it writes to the ledger keeps every acknowledgement waiting.
YIELDING = 5  # niceness


async def work(application: Application, worker: str) -> None:
    """Answer until standard input closes, or the process is told to end.

    Args:
        application: the parts of the process.
        worker: a name that no other running worker has.

    Raises:
        UsageError: a pack is wrong.
        EnvironmentFailed: ledger, index or embedder cannot be opened.
    """
    os.nice(YIELDING)
    waker = Waker()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, waker.end)
    answering = application.answering(worker, _show, open_attached(application))
    await application.warm()
    keep_what_is_loaded()
    _tell("ready", worker)

    between = Between(application, answering)

    async def one() -> bool:
        done = await between.next()
        if done:
            _tell("settled", worker)
        return done

    async with asyncio.TaskGroup() as group:
        listening = group.create_task(_listen(waker))
        await run_rounds(one, waker)
        listening.cancel()


class Telling:
    """The Observer port to the process that serves."""

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        """Tell an event.

        Raises:
            TypeError: a field is no JSON.
        """
        _tell("event", [name, dict(fields)])

    def count(self, metric: str, labels: Mapping[str, str]) -> None:
        """Tell that a counter rose by one."""
        _tell("count", [metric, dict(labels)])

    def observe(self, metric: str, value: float) -> None:
        """Tell a figure."""
        _tell("figure", [metric, value])

    def trace(self, spans: Sequence[Span]) -> None:
        """Tell the walk of a question."""
        _tell("trace", [asdict(span) for span in spans])


async def _show(outgoing: Outgoing) -> None:
    _tell("show", outgoing.model_dump(mode="json"))


def _tell(key: str, value: object) -> None:
    """Tell the process that serves; once it is gone, standard input ends this too."""
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps({key: value}) + "\n")
        sys.stdout.flush()


async def _listen(waker: Waker) -> None:
    """Wake at every line of standard input, and end with it."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    try:
        while await reader.read(1_000):
            waker.wake()
    finally:
        transport.close()
    waker.end()
