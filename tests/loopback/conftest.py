"""What the tests of the loopback servers share."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.loopback.discord import DiscordServer
from tests.loopback.discord_probe import Probe, running
from tests.loopback.slack import SlackServer
from tests.loopback.slack_bot import client_of
from tests.loopback.slack_state import Timing


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    """A Discord with nothing in it but a guild, a channel and a person."""
    async with DiscordServer() as opened:
        yield opened
    assert opened.rest.unknown == []


@pytest.fixture
async def probe(server: DiscordServer) -> AsyncIterator[Probe]:
    """A bot that is connected to it."""
    async with running(server, Probe()) as ready:
        yield ready


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """A Slack in which the bot is in C1 and not in C2, and which knows T2 as well."""
    async with SlackServer(Timing(retries=())) as server:
        server.channel("C2", {"U1"}, bot=False)
        server.team("T2", "xoxb-2")
        server.channel("C9", set(), team="T2")
        yield server


@pytest.fixture
def client(slack: SlackServer) -> AsyncWebClient:
    """The bot's client in T1."""
    return client_of(slack)


@pytest.fixture
async def http(slack: SlackServer) -> AsyncIterator[aiohttp.ClientSession]:
    """A session of its own, for requests that the SDK would not send."""
    address = f"http://127.0.0.1:{slack.port}"
    async with aiohttp.ClientSession(address) as session:
        yield session
