"""A Slack on loopback: its Web API, Socket Mode, HTTP sender and the people in it.

`async with SlackServer() as slack` listens on a free port of 127.0.0.1;
`slack.base_url` is for AsyncWebClient, `slack.people` do things, `await
slack.posted(1)` waits for what the bot posts. `python -m tests.loopback.slack --log
FILE` runs the same as a process of its own, which a test that kills the bot commands
over /control.
"""

import argparse
import asyncio
import json
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from aiohttp import web

from tests.loopback import slack_people
from tests.loopback.faults import Fault, Faults
from tests.loopback.slack_control import Control
from tests.loopback.slack_delivery import Courier, Delivery, Kind
from tests.loopback.slack_http import HttpRoad
from tests.loopback.slack_people import People
from tests.loopback.slack_socket import SocketMode
from tests.loopback.slack_state import (
    Call,
    Channel,
    Json,
    Message,
    Person,
    Private,
    Status,
    Team,
    Timing,
    Workspace,
)
from tests.loopback.slack_web import APP_TOKEN, Rate, WebApi

Item = TypeVar("Item")


class SlackServer:
    """One Slack with the workspace T1: channel C1, people U1 and U2, the bot in C1."""

    def __init__(self, timing: Timing | None = None, *, port: int = 0) -> None:
        self.workspace = Workspace(timing or Timing())
        self.faults = Faults()
        self.sockets = SocketMode(self.workspace)
        self.courier = Courier(self.workspace, self._answered)
        self.courier.road = self.sockets
        self.web = WebApi(self.workspace, self.faults, self._socket_url)
        self.people = People(self.workspace, self.courier, self._address)
        self.port = port
        self.public_port = 0
        self._runner: web.AppRunner | None = None
        self.team("T1", "xoxb-1")
        self.person("U1")
        self.person("U2")
        self.channel("C1", {"U1", "U2"})

    # --- being there --------------------------------------------------------------

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=8 << 20)
        app.add_routes(self.web.routes())
        app.add_routes([web.get("/link", self.sockets.serve)])
        control = Control(self.workspace, self.people, self.sockets, self.faults)
        app.add_routes(control.routes())
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        await web.SockSite(self._runner, listener).start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.courier.close()
        await self.sockets.close()
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """What AsyncWebClient takes as its base_url."""
        return self._address("/api/")

    @property
    def app_token(self) -> str:
        """The token for Socket Mode."""
        return APP_TOKEN

    @property
    def bot_token(self) -> str:
        """The token of the bot in T1."""
        return self.workspace.teams["T1"].token

    def behind(self, port: int) -> None:
        """Name this port in every address from now on: that of a fault proxy."""
        self.public_port = port

    def _address(self, path: str, scheme: str = "http") -> str:
        return f"{scheme}://127.0.0.1:{self.public_port or self.port}{path}"

    def _socket_url(self) -> str:
        return self._address(f"/link?ticket={self.sockets.ticket()}", "ws")

    # --- what there is ------------------------------------------------------------

    def team(self, name: str, token: str) -> Team:
        """Install the app in a workspace."""
        team = Team(name, token, f"UBOT{name[1:]}", f"B{name[1:]}")
        self.workspace.teams[name] = team
        self.workspace.people[team.bot_user] = Person(
            team.bot_user, name, "groundrule", bot=True
        )
        return team

    def person(self, name: str, team: str = "T1", **more: Any) -> Person:
        """Add a person."""
        person = Person(name, team, name.lower(), **more)
        self.workspace.people[name] = person
        return person

    def channel(
        self,
        name: str,
        members: set[str],
        *,
        team: str = "T1",
        kind: Literal["channel", "private"] = "channel",
        bot: bool = True,
    ) -> Channel:
        """Add a channel, with the bot in it or not."""
        own = {self.workspace.teams[team].bot_user} if bot else set[str]()
        channel = Channel(name, team, f"channel-{name.lower()}", kind, members | own)
        self.workspace.channels[name] = channel
        return channel

    def grant(self, team: str) -> str:
        """The code that a person brings back from installing the app."""
        code = self.workspace.number("code-")
        self.workspace.codes[code] = team
        return code

    def limit(self, per_second: float = 1.0, burst: int = 5) -> None:
        """Refuse posts that come faster than this to one channel."""
        self.web.rate = Rate(per_second, burst)

    def fail(self, method: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a method fail; "response_url" is one, "*" means any."""
        self.faults.add(method, fault, times)

    # --- sending ------------------------------------------------------------------

    def over_http(self, url: str, secret: str) -> None:
        """From now on bring everything to this URL instead of the websockets."""
        self.courier.road = HttpRoad(self.workspace, url, secret)

    def send(self, kind: Kind, payload: Json) -> Delivery:
        """Bring any payload, also one that was brought before."""
        return self.courier.send(kind, payload)

    def _answered(self, delivery: Delivery, answer: Json) -> None:
        slack_people.answered(self.workspace, delivery, answer)

    # --- waiting and looking ------------------------------------------------------

    async def posted(self, n: int = 1, thread: str | None = None) -> list[Message]:
        """Wait for the bot's first n messages, of one thread when it is given."""

        def shown() -> list[Message]:
            if thread is None:
                return self.posts
            return [post for post in self.posts if post.thread_ts == thread]

        return await self._first(shown, n, "posts")

    async def whispered(self, n: int = 1) -> list[Private]:
        """Wait for the first n messages that only one person saw."""
        return await self._first(lambda: self.workspace.privates, n, "private posts")

    async def called(self, method: str, n: int = 1) -> list[Call]:
        """Wait for the first n calls of a method, failed ones included."""
        return await self._first(lambda: self.calls(method), n, method)

    async def viewed(self, n: int = 1) -> list[Json]:
        """Wait for the first n views, modals and App Homes alike."""
        views = self.workspace.views
        return await self._first(lambda: list(views.values()), n, "views")

    async def set_on_threads(self, n: int = 1) -> list[Status]:
        """Wait for the first n statuses, titles and prompts."""
        return await self._first(lambda: self.workspace.statuses, n, "statuses")

    async def connected(self, n: int = 1) -> None:
        """Wait until the bot has opened n websockets in all."""
        changes = self.workspace.changes
        await changes.until(
            lambda: self.sockets.opened >= n,
            lambda: f"{n} connections, there were {self.sockets.opened}",
        )

    async def delivered(self) -> list[Delivery]:
        """Wait until every delivery is over, and return them all."""
        deliveries = self.courier.deliveries
        await self.workspace.changes.until(
            lambda: all(d.over for d in deliveries), "every delivery"
        )
        return deliveries

    @property
    def posts(self) -> list[Message]:
        """The bot's messages in the order of posting, deleted ones too."""
        return self.workspace.posts

    @property
    def problems(self) -> list[str]:
        """What the bot sent that Slack would swallow without a word."""
        return self.workspace.problems

    def calls(self, method: str) -> list[Call]:
        """The calls of one method so far."""
        return [call for call in self.workspace.calls if call.method == method]

    async def _first(
        self, items: Callable[[], Sequence[Item]], n: int, what: str
    ) -> list[Item]:
        await self.workspace.changes.until(
            lambda: len(items()) >= n,
            lambda: f"{n} {what}, there were {len(items())}",
        )
        return list(items()[:n])


# --- a process of its own ---------------------------------------------------------


async def _serve(port: int, log: Path, timing: Timing) -> None:
    over = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, over.set)
    with log.open("a", encoding="utf-8") as lines:
        async with SlackServer(timing, port=port) as server:
            server.workspace.log = lines
            server.workspace.changed("listening", port=server.port)
            sys.stdout.write(json.dumps({"port": server.port}) + "\n")
            sys.stdout.flush()
            await over.wait()


def main() -> None:
    """Serve until told to stop; the first line of output and log names the port."""
    parser = argparse.ArgumentParser(prog="python -m tests.loopback.slack")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--ack", type=float, default=Timing.ack)
    parser.add_argument("--retries", type=float, nargs="*", default=Timing.retries)
    given = parser.parse_args()
    timing = Timing(ack=given.ack, retries=tuple(given.retries))
    asyncio.run(_serve(given.port, given.log, timing))


if __name__ == "__main__":
    main()
