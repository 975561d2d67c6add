"""A Discord on the loopback for tests: REST and gateway, strict as the real one.

    async with DiscordServer() as discord, discord.redirected():
        asked = discord.people.mention("What is torque?")
        [reply] = await discord.posted()

or, as a process of its own, `python -m tests.loopback.discord --port 8080 --log FILE`:
it says its address in one line of JSON, writes every message, response and call to the
log, and is driven as `discord_control` tells.
"""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from aiohttp import web

from tests.loopback.discord_channels import Channels
from tests.loopback.discord_control import Control
from tests.loopback.discord_directory import Directory
from tests.loopback.discord_gateway import Gateway
from tests.loopback.discord_interactions import Interactions
from tests.loopback.discord_messages import Scribe
from tests.loopback.discord_people import People
from tests.loopback.discord_records import Message, Response
from tests.loopback.discord_redirect import redirected
from tests.loopback.discord_rest import API, Rest
from tests.loopback.discord_world import TOKEN, Found, Timing, World
from tests.loopback.faults import Fault

HOST = "127.0.0.1"
SOCKET = "/gateway"
GRACE_S = 0.1


class DiscordServer:
    """One Discord.

    Attributes:
        world: users, guilds, channels, messages, responses; `home`, `general`, `alice`.
        people: what people do.
        gateway: sessions, and the ways in which connections fail.
        rest: the calls that came, what becomes of the next ones, rate limits.
        token: the bot's token, the only one that is accepted.
    """

    def __init__(
        self,
        timing: Timing | None = None,
        *,
        port: int = 0,
        privileged: int = 0,
        log: Path | None = None,
    ) -> None:
        """Set up.

        Args:
            timing: the platform's times; the real ones by default.
            port: where to listen; 0: wherever there is room.
            privileged: the privileged intents that the application was granted.
            log: a file that gets one JSON line for everything that happens.
        """
        self.world = World(timing or Timing(), privileged, log)
        self.rest = Rest(self.world)
        self.gateway = Gateway(self.world)
        scribe = Scribe(self.world, self.gateway)
        self.people = People(self.world, self.gateway, scribe)
        self.token = TOKEN
        self.port = port
        self._directory = Directory(self.world)
        app = self.rest.application(
            *self._directory.routes(),
            *Channels(self.world, scribe).routes(),
            *Interactions(self.world, scribe).routes(),
            *Control(self.world, self.people, self.gateway, self.rest).routes(),
            web.get(SOCKET, self.gateway.serve),
        )
        self._runner = web.AppRunner(app, shutdown_timeout=GRACE_S)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, self.port).start()
        self.port = self._runner.addresses[0][1]
        self.gateway.address = self.gateway.address or self.socket()
        self._directory.gateway = self.gateway.address
        return self

    async def __aexit__(self, *_: object) -> None:
        self.gateway.close(1001)
        await self._runner.cleanup()
        self.world.close()

    def api(self, port: int | None = None) -> str:
        """Where the REST API is, or would be behind a proxy at `port`."""
        return f"http://{HOST}:{port or self.port}{API}"

    def socket(self, port: int | None = None) -> str:
        """Where the gateway is, or would be behind a proxy at `port`."""
        return f"ws://{HOST}:{port or self.port}{SOCKET}"

    def redirected(self, port: int | None = None) -> AbstractContextManager[None]:
        """Send the clients of this process here, or to a proxy at `port`."""
        if port:
            self.gateway.address = self.socket(port)
        return redirected(self.api(port), self.socket(port))

    @property
    def posts(self) -> list[Message]:
        """What the bot shows to people, oldest first."""
        return self.world.posts

    def fail(self, route: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a route fail.

        Raises:
            LookupError: there is no such route.
        """
        self.rest.fail(route, fault, times)

    async def posted(self, n: int = 1) -> list[Message]:
        """As `World.posted`."""
        return await self.world.posted(n)

    async def responded(self, n: int = 1) -> list[Response]:
        """As `World.responded`."""
        return await self.world.responded(n)

    async def until(self, check: Callable[[], Found], what: str = "") -> Found:
        """As `World.until`."""
        return await self.world.until(check, what)


async def serve(port: int, log: Path | None) -> None:
    """Serve until the process is told to end."""
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ending.set)
    async with DiscordServer(port=port, log=log) as server:
        told = {"api": server.api(), "gateway": server.socket(), "token": server.token}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        await ending.wait()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="A Discord on the loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, default=None)
    options = parser.parse_args()
    asyncio.run(serve(options.port, options.log))


if __name__ == "__main__":
    main()
