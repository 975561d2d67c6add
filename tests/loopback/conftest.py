"""What the tests of the loopback Discord share."""

from collections.abc import AsyncIterator

import pytest

from tests.loopback.discord import DiscordServer
from tests.loopback.discord_probe import Probe, running


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
