"""The connection to Discord's gateway, kept up for as long as the bot runs.

discord.py does the protocol: heartbeats, resuming, order. Its own loop pauses for up to
17 minutes after an outage, in which a session that could be resumed is lost; this one
pauses for seconds, so what was said meanwhile is still heard.
"""

import asyncio
import logging
import math
import socket
import time
from contextlib import suppress
from dataclasses import dataclass

import aiohttp
import discord
from discord.gateway import DiscordWebSocket, ReconnectWebSocket

from adapters.retrying import Pauses, again, log_failures
from adapters.tokens import TokenRefused
from engine.model.errors import EnvironmentFailed

OPEN_S = 15.0  # for a connection to be made, the wait before an IDENTIFY included
LEAVE_S = 1.0  # for Discord to take leave
FIRST_PAUSE_S = 0.25
STEADY_S = 5.0  # a connection that lasted so long was a good one

REFUSED = "Discord refuses GROUNDRULE_DISCORD_TOKEN: copy it again"
_UNKNOWN_TOKEN = 4004

_log = logging.getLogger(__name__)
_FINAL = {
    4013: "Discord does not know an intent that discord.py asks for: update it",
    4014: "Discord did not grant an intent: none of ours is privileged",
}


class _Lost(Exception):
    """There was no connection, or not for long."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The times that Discord's client waits, in seconds.

    Attributes:
        silence: without an event, after which it is asked whether it still hears.
        patience: for the answer to that; `silence` + `patience` is how long it can be
            deaf without knowing it.
        longest_pause: between two attempts to connect.
        identify: between two sessions, as the platform demands.
        ready: without a further guild, after which all are there.
    """

    silence: float = 5.0
    patience: float = 4.0
    longest_pause: float = 4.0
    identify: float = 5.0
    ready: float = 2.0


class Gateway(discord.Client):
    """A client that listens by `listen` instead of `connect`.

    Attributes:
        last: when something was heard, by the monotonic clock.
        up: whether there is a session on a connection, as far as is known.
    """

    def __init__(self, timing: Timing) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True, guild_messages=True, dm_messages=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=timing.ready,
            max_ratelimit_timeout=30.0,
        )
        self._timing = timing
        self._resume = False  # whether the session may go on
        self._identified = -timing.identify
        self.last = time.monotonic()
        self.up = False

    async def listen(self) -> None:
        """Listen until cancelled, on one connection after the other.

        Raises:
            TokenRefused: Discord does not know this token any more.
            EnvironmentFailed: Discord will not have this bot.
        """
        pauses = Pauses(FIRST_PAUSE_S, self._timing.longest_pause)
        told = log_failures(_log, "no connection to Discord")
        try:
            while True:
                await again(_Lost, pauses, told=told)(self._listen_once)
        finally:
            await self._leave()

    def hang_up(self) -> None:
        """End the connection at once; the session can be resumed.

        A closing handshake would wait for a side that may have gone silent.
        """
        if self.ws is None:
            return
        connection = self.ws.socket.get_extra_info("socket")
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    async def _leave(self) -> None:
        """End the session, so that the bot is seen to be away."""
        if self.ws is not None:
            with suppress(TimeoutError, OSError, aiohttp.ClientError):
                async with asyncio.timeout(LEAVE_S):
                    await self.ws.close(1000)

    async def before_identify_hook(
        self, shard_id: int | None, *, initial: bool = False
    ) -> None:
        """Keep the platform's distance between two sessions."""
        since = time.monotonic() - self._identified
        await asyncio.sleep(max(0.0, self._timing.identify - since))
        self._identified = time.monotonic()

    async def on_socket_event_type(self, event: str) -> None:
        """Note that something was heard."""
        self.last = time.monotonic()
        if event in ("READY", "RESUMED"):
            self.up = True

    async def _listen_once(self) -> None:
        """Listen on one connection to its end; raise _Lost if that was soon."""
        why, opened = "it ended soon", math.inf
        resume, self._resume = self._resume, True
        try:
            self.ws = await asyncio.wait_for(self._open(resume), OPEN_S)
            opened = time.monotonic()
            while True:
                await self.ws.poll_event()
        except ReconnectWebSocket as lost:
            self._resume = lost.resume
        except discord.ConnectionClosed as closed:
            if closed.code == _UNKNOWN_TOKEN:
                raise TokenRefused(REFUSED) from closed
            if closed.code in _FINAL:
                raise EnvironmentFailed(_FINAL[closed.code]) from closed
        except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
            why = type(error).__name__
        finally:
            self.up = False
        if time.monotonic() - opened <= STEADY_S:
            raise _Lost(why)

    async def _open(self, resume: bool) -> DiscordWebSocket:
        before = self.ws
        if resume and before is not None and before.session_id:
            return await DiscordWebSocket.from_client(
                self,
                gateway=before.gateway,
                session=before.session_id,
                sequence=before.sequence,
                resume=True,
            )
        return await DiscordWebSocket.from_client(self, initial=before is None)
