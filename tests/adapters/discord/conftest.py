"""What the tests of Discord share."""

from collections.abc import AsyncIterator

import pytest

from adapters.discord.app import DiscordApp
from tests.adapters.discord.doors import Door, ringing
from tests.loopback.discord import DiscordServer


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    """A Discord with nothing in it but a guild, a channel and a person."""
    async with DiscordServer() as opened:
        yield opened
    assert opened.rest.unknown == []


@pytest.fixture
async def door() -> Door:
    """An inbox in memory."""
    return Door()


@pytest.fixture
async def app(server: DiscordServer, door: Door) -> AsyncIterator[DiscordApp]:
    """A listener that hears."""
    async with ringing(server, door) as opened:
        yield opened
