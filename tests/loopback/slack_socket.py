"""Socket Mode: websockets that say hello, carry envelopes, and are told to go away."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from tests.loopback.slack_delivery import Attempt, Delivery
from tests.loopback.slack_state import APP, Json, Workspace

MOST = 10  # connections an app may have
_ACKNOWLEDGEMENT = {"envelope_id", "payload", "retry_attempt", "retry_reason"}


@dataclass(eq=False)
class Connection:
    """One websocket of the bot; a deaf one answers pings and brings nothing."""

    name: str
    socket: web.WebSocketResponse
    opened: float
    deaf: bool = False
    leaving: bool = False


@dataclass(eq=False)
class SocketMode:
    """The road to a bot that called apps.connections.open; events go to any one socket.

    `opened` counts every connection there ever was.
    """

    workspace: Workspace
    connections: list[Connection] = field(default_factory=list)
    opened: int = 0
    _tickets: set[str] = field(default_factory=set)
    _waiting: dict[str, tuple[Attempt, asyncio.Event]] = field(default_factory=dict)
    _turn: int = 0

    def ticket(self) -> str:
        """A ticket that opens one connection."""
        name = self.workspace.number("ticket-")
        self._tickets.add(name)
        return name

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from its hello to its end."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403, text="invalid ticket")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if len(self.connections) >= MOST:
            await socket.send_json(_farewell("too_many_websockets"))
            await socket.close()
            return socket
        workspace = self.workspace
        connection = Connection(workspace.number("ws-"), socket, workspace.now())
        self.connections.append(connection)
        self.opened += 1
        try:
            await socket.send_json(self._hello())
            workspace.changed("connected", connection=connection.name)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._heard(connection, message.data)
        finally:
            self.connections.remove(connection)
            workspace.changed("disconnected", connection=connection.name)
        return socket

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "connection_info": {"app_id": APP},
            "debug_info": {
                "host": "applink-loopback",
                "build_number": 1,
                "approximate_connection_time": 18_060,
            },
        }

    # --- towards the bot ----------------------------------------------------------

    async def carry(self, delivery: Delivery, attempt: Attempt) -> None:
        """Send an envelope to one connection and wait for its acknowledgement."""
        connection = self._next()
        if connection is None:
            attempt.failed = "connection_failed"
            return
        again = delivery.kind == "events_api"
        attempt.road = connection.name
        arrived = asyncio.Event()
        self._waiting[attempt.envelope] = attempt, arrived
        try:
            async with self.workspace.patience(again=again):
                if not connection.deaf:
                    await connection.socket.send_json(_envelope(delivery, attempt))
                await arrived.wait()
        except ConnectionError:
            attempt.failed = "connection_failed"
        except TimeoutError:
            attempt.failed = "timeout"

    def _next(self) -> Connection | None:
        staying = [c for c in self.connections if not c.leaving]
        candidates = staying or self.connections
        if not candidates:
            return None
        self._turn += 1
        return candidates[self._turn % len(candidates)]

    async def disconnect(
        self, reason: Literal["refresh_requested", "warning", "link_disabled"]
    ) -> None:
        """Ask every connection to leave; each goes on until the bot has another one."""
        for connection in list(self.connections):
            connection.leaving = True
            await connection.socket.send_json(_farewell(reason))

    async def close(self) -> None:
        """Close every connection in good order."""
        for connection in list(self.connections):
            await connection.socket.close()

    def deafen(self) -> None:
        """Let the present connections answer pings and bring nothing any more."""
        for connection in self.connections:
            connection.deaf = True

    # --- from the bot -------------------------------------------------------------

    def _heard(self, connection: Connection, text: str) -> None:
        workspace = self.workspace
        try:
            said = json.loads(text)
        except json.JSONDecodeError:
            said = None
        if not isinstance(said, dict) or not set(said) <= _ACKNOWLEDGEMENT:
            workspace.problems.append(f"{connection.name} sent {text[:200]}")
            return
        waiting = self._waiting.get(str(said.get("envelope_id")))
        if waiting is None:
            workspace.problems.append(f"{connection.name} acknowledged {said}")
            return
        attempt, arrived = waiting
        if attempt.acknowledged is None:
            attempt.acknowledged = workspace.now()
            attempt.answer = said.get("payload") or None
            attempt.failed = None
            arrived.set()
            workspace.changed("acknowledged", envelope=attempt.envelope)


def _farewell(reason: str) -> Json:
    return {
        "type": "disconnect",
        "reason": reason,
        "debug_info": {"host": "applink-loopback"},
    }


def _envelope(delivery: Delivery, attempt: Attempt) -> Json:
    envelope: Json = {
        "envelope_id": attempt.envelope,
        "type": delivery.kind,
        "accepts_response_payload": delivery.kind != "events_api",
        "payload": delivery.payload,
    }
    if delivery.kind == "events_api":
        envelope |= {
            "retry_attempt": attempt.number,
            "retry_reason": attempt.reason,
        }
    return envelope
