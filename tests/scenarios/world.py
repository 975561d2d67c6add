"""A Slack and a Discord in one process of their own, with many channels and people.

    python -m tests.scenarios.world

The first line of output says where they are. Both are driven over /control, as
tests/loopback tells; what happened there survives whatever is killed. The desk has what
/control does not: `brief` says at once how many connections there are, `act` lets
people do something with what they see, and `shown` is what that is.
"""

import asyncio
import json
import random
import signal
import sys

from aiohttp import web

from tests.loopback.discord import DiscordServer
from tests.loopback.discord_world import Timing as Times
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Json, Timing
from tests.scenarios.crowd import Crowd

CHANNELS = 8  # and as many people, on each platform
RETRIES = (0.3,) * 200  # Slack's own are minutes apart


class World:
    """Both platforms, and what is in them."""

    def __init__(self) -> None:
        self.slack = SlackServer(Timing(ack=3.0, retries=RETRIES))
        self.discord = DiscordServer(Times(first_response=3.0))
        self.crowd = Crowd(self.slack, self.discord)
        self.numbers = [str(n) for n in range(10, 10 + CHANNELS)]

    def fill(self) -> None:
        """Add channels and people."""
        people = {f"U{number}" for number in self.numbers}
        world = self.discord.world
        for number in self.numbers:
            self.slack.person(f"U{number}")
            world.home.join(world.user(f"person-{number}"))
        for number in self.numbers:
            self.slack.channel(f"C{number}", people)
            world.channel(world.home, f"room-{number}")

    def told(self) -> Json:
        """Where everything is."""
        slack, discord, world = self.slack, self.discord, self.discord.world
        people = [u.id for u in world.users.values() if u.name.startswith("person-")]
        rooms = [c.id for c in world.channels.values() if c.name.startswith("room-")]
        return {
            "slack": f"http://127.0.0.1:{slack.port}",
            "slack_api": slack.base_url,
            "slack_app_token": slack.app_token,
            "slack_bot_token": slack.bot_token,
            "slack_people": [f"U{number}" for number in self.numbers],
            "slack_channels": [f"C{number}" for number in self.numbers],
            "discord": f"http://127.0.0.1:{discord.port}",
            "discord_api": discord.api(),
            "discord_gateway": discord.socket(),
            "discord_token": discord.token,
            "discord_home": world.home.id,
            "discord_people": people,
            "discord_channels": rooms,
        }

    async def brief(self, _: web.Request) -> web.Response:
        """How many connections each platform has, and what Slack still has to say."""
        told = {
            "slack": len(self.slack.sockets.connections),
            "discord": self.discord.gateway.connected,
            "unsaid": sum(not one.over for one in self.slack.people.courier.deliveries),
        }
        return web.json_response(told)

    async def act(self, request: web.Request) -> web.Response:
        """Let somebody do something; whether there was something to do."""
        asked = await request.json()
        done = self.crowd.acts[asked["name"]](random.Random(asked["seed"]))
        return web.json_response(done)

    async def latencies(self, _: web.Request) -> web.Response:
        """Seconds to each acknowledgement of a Discord interaction."""
        responses = self.discord.world.responses
        return web.json_response([response.latency for response in responses])

    async def shown(self, _: web.Request) -> web.Response:
        """What people see of the bot on both platforms, and what they took away."""
        told = {"messages": self.crowd.shown(), "gone": self.crowd.gone}
        return web.json_response(told)


async def serve() -> None:
    """Serve until the process is told to end."""
    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    world = World()
    desk = web.Application()
    desk.add_routes(
        [
            web.get("/brief", world.brief),
            web.get("/shown", world.shown),
            web.get("/latencies", world.latencies),
            web.post("/act", world.act),
        ]
    )
    runner = web.AppRunner(desk, shutdown_timeout=0.1, access_log=None)
    async with world.slack, world.discord:
        world.fill()
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        told = {**world.told(), "desk": f"http://127.0.0.1:{port}"}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        await over.wait()
        await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve())
