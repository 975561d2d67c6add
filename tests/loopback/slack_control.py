"""Commands for a loopback Slack that runs in a process of its own: /control over HTTP.

A test that kills the bot, or itself, talks to the server only here, so that the record
of what was sent, acknowledged and posted survives outside of whatever is under test.
"""

from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.loopback.faults import Fault, Faults
from tests.loopback.slack_delivery import Delivery
from tests.loopback.slack_people import People
from tests.loopback.slack_socket import SocketMode
from tests.loopback.slack_state import Json, Workspace

_ACTS = frozenset(
    ("mention", "write", "tell", "edit", "delete", "open_pane", "open_home", "command")
)


@dataclass
class Control:
    """The server's parts that a command may reach."""

    workspace: Workspace
    people: People
    sockets: SocketMode
    faults: Faults

    def routes(self) -> list[web.AbstractRouteDef]:
        """Where commands are taken."""
        return [
            web.post("/control/do/{act}", self.do),
            web.post("/control/fail/{method}", self.fail),
            web.post("/control/disconnect/{reason}", self.disconnect),
            web.get("/control/state", self.state),
        ]

    async def do(self, request: web.Request) -> web.Response:
        """Let a person do something; the body holds the arguments by name."""
        act = request.match_info["act"]
        if act not in _ACTS:
            raise web.HTTPNotFound(text=f"nobody can {act}")
        delivery = getattr(self.people, act)(**await request.json())
        return web.json_response(_told(delivery))

    async def fail(self, request: web.Request) -> web.Response:
        """Arrange faults: the fields of a Fault, and how many times."""
        given: dict[str, Any] = await request.json()
        times = given.pop("times", 1)
        self.faults.add(request.match_info["method"], Fault(**given), times)
        return web.json_response({})

    async def disconnect(self, request: web.Request) -> web.Response:
        """Tell every websocket to go away."""
        reason: Any = request.match_info["reason"]
        await self.sockets.disconnect(reason)
        return web.json_response({})

    async def state(self, request: web.Request) -> web.Response:
        """Everything that was posted, brought and found wrong."""
        workspace = self.workspace
        deliveries = self.people.courier.deliveries
        return web.json_response(
            {
                "posts": [
                    {"channel": post.channel, **post.json(metadata=True)}
                    for post in workspace.posts
                ],
                "deliveries": [_told(delivery) for delivery in deliveries],
                "problems": workspace.problems,
                "connections": len(self.sockets.connections),
            }
        )


def _told(delivery: Delivery) -> Json:
    done = delivery.acknowledgement
    event = delivery.payload.get("event", {})
    return {
        "kind": delivery.kind,
        "event_id": delivery.event_id,
        "channel": event.get("channel") or delivery.payload.get("channel_id"),
        "ts": event.get("ts"),
        "over": delivery.over,
        "attempts": len(delivery.attempts),
        "latency": done.latency if done else None,
    }
