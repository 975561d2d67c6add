"""Check for `doctor` that Discord knows our token: nothing is listened to or posted."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp
import discord

from adapters.discord import quiet
from engine.model.errors import EnvironmentFailed, UsageError

DEADLINE_S = 15.0
MOST_GUILDS = 200  # as many as Discord lists at once
# What the address in the README asks for ("In Discord").
NEEDED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
)


@dataclass(frozen=True, slots=True)
class Reached:
    """Discord's answer about a bot token.

    Attributes:
        name: the bot's.
        guilds: how many it is in, at most MOST_GUILDS.
        lacking: what it may not do and needs, of every guild where there is something;
            channels may take away more.
    """

    name: str
    guilds: int
    lacking: Sequence[tuple[str, Sequence[str]]]


async def check_token(given: str) -> Reached:
    """Ask whose token it is.

    Raises:
        UsageError: Discord refuses it.
        EnvironmentFailed: Discord is out of reach.
    """
    quiet.install()
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await _ask(given)
    except discord.LoginFailure as error:
        raise UsageError("Discord refuses it: copy it again") from error
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        raise EnvironmentFailed(
            f"Discord is out of reach ({type(error).__name__})"
        ) from error


async def _ask(given: str) -> Reached:
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(given)
        # Its own Guild objects leave out what the bot may do there.
        guilds = await client.http.get_guilds(MOST_GUILDS)
        named = (
            (guild["name"], _find_lacking(guild["permissions"])) for guild in guilds
        )
        return Reached(
            client.user.name if client.user else "",
            len(guilds),
            tuple((name, missing) for name, missing in named if missing),
        )


def _find_lacking(granted: str) -> Sequence[str]:
    """Name what of NEEDED is not granted; an administrator lacks nothing."""
    held = discord.Permissions(int(granted))
    if held.administrator:
        return ()
    missing = discord.Permissions(NEEDED.value & ~held.value)
    return tuple(name.replace("_", " ") for name, lacks in missing if lacks)
