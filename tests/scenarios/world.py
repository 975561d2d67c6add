"""A Slack and a Discord in one process of their own, with many channels and people.

    python -m tests.scenarios.world

The first line of output says where they are. Both are driven over /control, as
tests/loopback tells; what happened there survives whatever is killed.
"""

import asyncio
import json
import signal
import sys

from tests.loopback.discord import DiscordServer
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Timing

CHANNELS, PEOPLE = 8, 6
RETRIES = (0.3,) * 200  # Slack's own are minutes apart


async def serve() -> None:
    """Serve until the process is told to end."""
    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    async with (
        SlackServer(Timing(retries=RETRIES)) as slack,
        DiscordServer() as discord,
    ):
        persons = [f"U{n}" for n in range(10, 10 + PEOPLE)]
        for person in persons:
            slack.person(person)
        for n in range(10, 10 + CHANNELS):
            slack.channel(f"C{n}", set(persons))
        world = discord.world
        members = [world.user(f"person-{n}") for n in range(PEOPLE)]
        for member in members:
            world.home.join(member)
        channels = [world.channel(world.home, f"room-{n}") for n in range(CHANNELS)]
        told = {
            "slack": f"http://127.0.0.1:{slack.port}",
            "slack_api": slack.base_url,
            "slack_app_token": slack.app_token,
            "slack_bot_token": slack.bot_token,
            "slack_people": persons,
            "slack_channels": [f"C{n}" for n in range(10, 10 + CHANNELS)],
            "discord": f"http://127.0.0.1:{discord.port}",
            "discord_api": discord.api(),
            "discord_gateway": discord.socket(),
            "discord_token": discord.token,
            "discord_people": [member.id for member in members],
            "discord_channels": [channel.id for channel in channels],
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        await over.wait()


if __name__ == "__main__":
    asyncio.run(serve())
