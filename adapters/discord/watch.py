"""Notice when Discord falls silent, and connect again.

A connection may be up with its heartbeats answered and bring no event, or be dead
without saying so. After a silence the gateway is asked for something small; where no
event brings it, the connection is ended, and resuming it brings what was missed.
"""

import asyncio
import logging
import time

import discord

from adapters.discord.gateway import Gateway, Timing

_log = logging.getLogger(__name__)


class Watch:
    """Watches one connection.

    Args:
        gateway: the connection.
        timing: how long is too long.
    """

    def __init__(self, gateway: Gateway, timing: Timing) -> None:
        self._gateway = gateway
        self._timing = timing

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            left = self._timing.silence - self._measure_silence()
            await asyncio.sleep(left if left > 0 else self._timing.silence / 2)
            if self._gateway.up and self._measure_silence() >= self._timing.silence:
                await self._ask()

    def _measure_silence(self) -> float:
        return time.monotonic() - self._gateway.last

    async def _ask(self) -> None:
        """Ask who the bot itself is in a guild, which needs no intent."""
        me = self._gateway.user
        guild = next((g for g in self._gateway.guilds if not g.unavailable), None)
        if guild is None or me is None:
            self._gateway.last = time.monotonic()  # no guild to ask
            return
        try:
            async with asyncio.timeout(self._timing.patience):
                await guild.query_members(user_ids=[me.id], cache=False)
        except TimeoutError:
            _log.info("Discord fell silent: connecting again")
            self._gateway.hang_up()
        except (OSError, RuntimeError, discord.DiscordException):
            return  # the connection just ended, and the gateway knows
