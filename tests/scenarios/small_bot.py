"""The whole bot as processes of its own, over an index that is empty.

    python -m tests.scenarios.small_bot DATA serve WORKERS
    python -m tests.scenarios.small_bot DATA work NAME
    python -m tests.scenarios.small_bot DATA recall PACK
    python -m tests.scenarios.small_bot DATA real

Everything but packs, index and embedder is what `serve` runs; `real` is `serve` itself.
Slack is where GROUNDRULE_SLACK_API says, Discord where GATEWAY and API do.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bot.__main__ import run
from bot.cli import make_command
from bot.commands.serve import Sites, serve_platforms
from bot.recall.marking import Marking
from bot.serving.platforms import list_configured
from bot.serving.work import Telling, work
from bot.serving.workers import Staff
from config.settings import read
from tests.bot.small import SmallApplication
from tests.loopback.discord_redirect import redirected
from tests.scenarios import stand_in

MODULE = "tests.scenarios.small_bot"
HATCHERY = "HATCHERY"  # environment variable: the socket where workers are forked
API, GATEWAY = "DISCORD_API", "DISCORD_GATEWAY"  # environment variables


@contextmanager
def elsewhere() -> Iterator[None]:
    """Send Discord's client to where the environment says, if it does."""
    if API not in os.environ:
        yield
        return
    with redirected(os.environ[API], os.environ[GATEWAY]):
        yield


async def serve(data: str, workers: int) -> None:
    """Serve every platform that there is a token for."""
    application = SmallApplication(read(Path(data)))
    command = [sys.executable, "-m", MODULE, data, "work"]
    if HATCHERY in os.environ:
        command[1:3] = ["-I", "-S", stand_in.__file__, os.environ[HATCHERY]]
    staff = Staff(workers, command)
    platforms = list_configured(application.settings)
    with elsewhere():
        await serve_platforms(application, platforms, staff, Sites())


async def answer(data: str, name: str) -> None:
    """Be one of its workers."""
    settings = read(Path(data))
    async with SmallApplication(settings, observer=Telling()) as application:
        await work(application, name)


async def recall(data: str, pack: str) -> None:
    """Mark what `recall mark` would."""
    async with SmallApplication(read(Path(data))) as application:
        marking = Marking(application, application.pack(pack))
        for one in await marking.find_affected():
            await marking.mark(one)


def main() -> None:
    """The command line."""
    data, verb, *rest = sys.argv[1:]
    if verb == "real":
        with elsewhere():
            run(partial(make_command(), ["--data", data, "serve"]))
    [argument] = rest
    if verb == "serve":
        run(lambda: asyncio.run(serve(data, int(argument))))
    if verb == "recall":
        run(lambda: asyncio.run(recall(data, argument)))
    run(lambda: asyncio.run(answer(data, argument)))


if __name__ == "__main__":
    main()
