"""The bot on Discord: what people do is committed, then acknowledged.

    async with DiscordApp(token, door, Setting(packs, busy)) as app:
        await app.run()              # until it is cancelled

Between entering and leaving, `app.poster` delivers replies, also while `run` does not
listen any more. The app decides nothing, and answers only that it cannot take an event
in.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import aiohttp
import discord

from adapters.discord import quiet
from adapters.discord.gateway import REFUSED, Timing
from adapters.discord.listener import Listener
from adapters.discord.poster import Poster
from adapters.discord.watch import Watch
from adapters.mail import Door
from adapters.tokens import TokenRefused
from engine.model.errors import EnvironmentFailed


@dataclass(frozen=True, slots=True)
class Setting:
    """What the app needs to be told.

    Attributes:
        packs: id -> title of those that `/pack bind` offers.
        busy: said where the inbox is full.
        timing: how long it waits for what.
    """

    packs: Mapping[str, str]
    busy: str
    timing: Timing = field(default_factory=Timing)


class DiscordApp:
    """One bot on Discord, without privileged intents.

    Attributes:
        poster: the platform's side of the outbox; between entering and leaving.
    """

    poster: Poster

    def __init__(self, token: str, door: Door, setting: Setting) -> None:
        """Set up the app; nothing is sent yet.

        Args:
            token: the bot's; never logged.
            door: the inbox, and nothing else of the bot.
            setting: what else it needs to know.
        """
        self._token = token
        self._timing = setting.timing
        self._listener = Listener(door, setting.packs, setting.busy, setting.timing)
        self.poster = self._listener.poster

    async def __aenter__(self) -> Self:
        """Log in and register the commands.

        Raises:
            TokenRefused: Discord does not know the token.
            EnvironmentFailed: it is out of reach, or does not take our commands.
        """
        quiet.install()
        try:
            await self._listener.login(self._token)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            await self._listener.close()
            if isinstance(error, discord.LoginFailure):
                raise TokenRefused(REFUSED) from error
            raise EnvironmentFailed(
                f"cannot log in to Discord: {_describe(error)}"
            ) from error
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._listener.close()

    async def run(self) -> None:
        """Listen until cancelled; reconnects by itself.

        When it is cancelled, what was heard is committed before it returns.

        Raises:
            TokenRefused: Discord does not know the token any more.
            EnvironmentFailed: it ended the session for good (intents).
        """
        watching = asyncio.create_task(Watch(self._listener, self._timing).run())
        try:
            await self._listener.listen()
        finally:
            watching.cancel()
            await self._listener.settle()

    @property
    def hears(self) -> bool:
        """Whether events arrive, as far as is known: for the health signal."""
        timing = self._timing
        silent = time.monotonic() - self._listener.last
        return self._listener.up and silent <= 2 * (timing.silence + timing.patience)


def _describe(error: Exception) -> str:
    """Describe in words what became of the attempt."""
    if isinstance(error, discord.HTTPException):
        return f"it answered with status {error.status}, code {error.code}"
    return "it does not answer"
