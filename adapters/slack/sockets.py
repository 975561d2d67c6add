"""Socket Mode over two websockets, each replaced before it is closed.

Why not the SDK's client: it closes the old connection before it opens the new one, also
when Slack asks all of them to leave; it goes on trying with a ticket that is spent,
queues without a bound, and waits ten seconds to close a connection whose other end is
gone. The protocol is small: a hello, envelopes with acknowledgements, and a request to
leave.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import ClientWebSocketResponse, ClientWSTimeout, WSMsgType
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.request import SocketModeRequest
from tenacity import AsyncRetrying

from adapters.retrying import Pauses, again, log_failures
from adapters.slack import watch
from adapters.slack.calls import CallFailed, call
from adapters.slack.workspaces import make_client
from adapters.tokens import TokenRefused
from engine.model.ports import Clock

DRAIN = 3.0  # seconds: what was not acknowledged by then, Slack sends again
CLOSING = 1.0  # seconds for the other end to say goodbye
PAUSES = Pauses(0.25, 4.0, asked="wait")
CROWDED = 30.0  # seconds to wait where the app has all the connections it may have

Hear = Callable[[SocketModeRequest], Awaitable[BoltResponse]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How Socket Mode is kept up; times in seconds.

    Attributes:
        connections: at the same time; Slack allows an app ten.
        heartbeat: between pings; one and a half, and a dead connection is noticed.
        opening: for each step of opening a connection.
        pauses: after failures; short, so that a Slack that is back is found.
        quiet: see `watch`.
    """

    connections: int = 2
    heartbeat: float = 4.0
    opening: float = 5.0
    pauses: Pauses = PAUSES
    quiet: float = watch.QUIET

    def again(self, failure: str) -> AsyncRetrying:
        """Make the policy of a call; `failure` is what is logged."""
        return again(_may_pass, self.pauses, told=log_failures(_log, failure))


class Link:
    """One websocket; `ended` when another is needed in its place.

    Args:
        socket: connected, before its hello.
        hear: what is done with an envelope; anything but status 200 is no
            acknowledgement.
        clock: of `heard`.
    """

    def __init__(
        self, socket: ClientWebSocketResponse, hear: Hear, clock: Clock
    ) -> None:
        self._socket = socket
        self._hear = hear
        self._clock = clock
        self._taking: set[asyncio.Task[None]] = set()
        self.heard = clock.monotonic()
        self.opened = self.heard
        self.greeted = False
        self.farewell = ""  # why Slack asked it to leave
        self.changed = asyncio.Event()
        self.ended = asyncio.Event()

    def leave(self) -> None:
        """Ask for another link; this one goes on until it is cancelled."""
        self.ended.set()
        self.changed.set()

    async def run(self) -> None:
        """Read until the end; then finish what was begun, and close."""
        try:
            async for message in self._socket:
                if message.type is not WSMsgType.TEXT:
                    break  # the other end is gone
                self._read(message.data)
        finally:
            self.leave()
            if self._taking:
                await asyncio.wait(self._taking, timeout=DRAIN)
            await self._socket.close()

    def _read(self, text: str) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return  # Slack also sends pings as text
        if not isinstance(message, dict):
            return
        self.heard = self._clock.monotonic()
        match message.get("type"):
            case "hello":
                self.greeted = True
                self.changed.set()
            case "disconnect":
                self.farewell = str(message.get("reason"))
                self.leave()
            case _:
                self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        request = SocketModeRequest.from_dict(message)
        if request is None:
            return
        task = asyncio.create_task(self._acknowledge(request))
        self._taking.add(task)
        task.add_done_callback(self._finish)

    async def _acknowledge(self, request: SocketModeRequest) -> None:
        response = await self._hear(request)
        if response.status != 200:
            return
        answer: dict[str, Any] = {"envelope_id": request.envelope_id}
        if response.body and request.accepts_response_payload:
            answer["payload"] = json.loads(response.body)
        with suppress(ConnectionError):  # then Slack sends it again
            await self._socket.send_json(answer)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._taking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("an envelope was not taken: %s", type(error).__name__)


class Sockets:
    """The connections of one app.

    Args:
        api: address of the Web API.
        app_token: the app-level token.
        hear: see `Link`.
        clock: tells how long a link has been quiet.
        pace: how many connections, and when what is done.
    """

    def __init__(
        self,
        api: str,
        app_token: str,
        hear: Hear,
        clock: Clock,
        pace: Pace | None = None,
    ) -> None:
        self._api = api
        self._token = app_token
        self._hear = hear
        self._clock = clock
        self._pace = pace or Pace()
        self._links: dict[Link, asyncio.Task[None]] = {}
        self.up = asyncio.Event()

    @property
    def links(self) -> list[Link]:
        """The links that are up and not to be replaced."""
        return [link for link in self._links if not link.ended.is_set()]

    async def run(self) -> None:
        """Keep the connections up until cancelled.

        Raises:
            ExceptionGroup: of TokenRefused: Slack refuses the app's token.
        """
        # No connection is used twice: one that is kept may be half-open by now.
        connector = aiohttp.TCPConnector(force_close=True)
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(self._pace.connections):
                group.create_task(self._hold(session, group))
            quiet = self._pace.quiet
            group.create_task(watch.watch(lambda: self.links, self._clock, quiet))

    async def _hold(
        self, session: aiohttp.ClientSession, group: asyncio.TaskGroup
    ) -> None:
        """Keep one connection up, whatever becomes of each link."""
        link: Link | None = None
        early = 0  # links in a row that ended soon
        while True:
            retrying = self._pace.again("no connection to Slack")
            try:
                fresh: Link = await retrying(self._open, session, group)
            except CallFailed as failed:
                raise make_refusal("GROUNDRULE_SLACK_APP_TOKEN", failed) from failed
            if link is not None:
                self._close(link)
            link = fresh
            await link.ended.wait()
            lived = self._clock.monotonic() - link.opened
            early = early + 1 if lived < self._pace.opening else 0
            if early > 1:
                await asyncio.sleep(self._pace.pauses.choose(None, early))

    async def _open(
        self, session: aiohttp.ClientSession, group: asyncio.TaskGroup
    ) -> Link:
        """Open a new link that was greeted.

        Raises:
            CallFailed: there is none.
        """
        client = make_client(self._api, session)
        opening = client.apps_connections_open(app_token=self._token)
        address = (await call(opening, self._pace.opening)).get("url")
        if not isinstance(address, str):
            raise CallFailed("no_url", again=True)
        socket = await self._connect(session, address, client.proxy)
        link = Link(socket, self._hear, self._clock)
        reading = self._links[link] = group.create_task(link.run())
        reading.add_done_callback(lambda _: self._links.pop(link))
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pace.opening):
                await link.changed.wait()
        if not link.greeted:
            self._close(link)
            wait = CROWDED if link.farewell == "too_many_websockets" else None
            raise CallFailed(link.farewell or "not_greeted", again=True, wait=wait)
        self.up.set()
        return link

    async def _connect(
        self, session: aiohttp.ClientSession, address: str, proxy: str | None
    ) -> ClientWebSocketResponse:
        try:
            async with asyncio.timeout(self._pace.opening):
                return await session.ws_connect(
                    address,
                    heartbeat=self._pace.heartbeat,
                    timeout=ClientWSTimeout(ws_close=CLOSING),
                    proxy=proxy,
                )
        except (aiohttp.ClientError, OSError) as error:
            raise CallFailed("unreachable", again=True) from error

    def _close(self, link: Link) -> None:
        """Let a link finish what it began, and close."""
        link.leave()
        if (reading := self._links.get(link)) is not None:
            reading.cancel()


def _may_pass(failed: object) -> bool:
    return isinstance(failed, CallFailed) and failed.again


def make_refusal(token: str, failed: CallFailed) -> TokenRefused:
    """Say that Slack refuses a token, and what may have happened to it."""
    return TokenRefused(
        f"Slack refuses {token} ({failed.error}): copy it again. "
        "GROUNDRULE_SLACK_APP_TOKEN begins with xapp-, GROUNDRULE_SLACK_BOT_TOKEN with "
        "xoxb-: they may be swapped"
    )
