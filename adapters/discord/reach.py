"""Whether Discord knows our token, for `doctor`: nothing is listened to or posted."""

import asyncio
from dataclasses import dataclass

import aiohttp
import discord

from adapters.discord import quiet
from engine.errors import EnvironmentFailed, UsageError

DEADLINE_S = 15.0
MOST_GUILDS = 200  # as many as Discord lists at once


@dataclass(frozen=True, slots=True)
class Reached:
    """What Discord says of a bot token: the bot's name, and how many guilds it is in.

    `guilds` is at most MOST_GUILDS.
    """

    name: str
    guilds: int


async def token(given: str) -> Reached:
    """Whose token it is.

    Raises:
        UsageError: Discord refuses it.
        EnvironmentFailed: Discord is out of reach.
    """
    quiet.install()
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await _asked(given)
    except discord.LoginFailure as error:
        raise UsageError("Discord refuses it: copy it again") from error
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        raise EnvironmentFailed(
            f"Discord is out of reach ({type(error).__name__})"
        ) from error


async def _asked(given: str) -> Reached:
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(given)
        guilds = [guild async for guild in client.fetch_guilds(limit=MOST_GUILDS)]
        return Reached(client.user.name if client.user else "", len(guilds))
