"""One call to Discord's REST API: its answer, or why there is none.

The library keeps the rate limits, and repeats what Discord answers with a 5xx or a
short 429. Here is what it does not do: a request has a deadline, and one whose
connection broke is made again (each of ours may be made twice). A call whose caller
gives up goes on to its end: cancelled during a global rate limit, the library would
keep that up for ever.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
import discord
from discord.http import Route

from adapters.mail import Payload
from adapters.retrying import Pauses, again

DEADLINE_S = 10.0  # of one request
TRIES = 3
PAUSES = Pauses(0.25)

UNKNOWN_MESSAGE = 10008
CLOSED_TO_US = 50007  # a person takes no direct messages of the bot
# A channel where nothing can be written: not seen, not allowed, archived, locked, gone.
NO_ACCESS = frozenset({50001, 50013, 50083, 160005, 10003})
# The answer to an interaction cannot be changed any more, or never was begun.
NO_ANSWER = frozenset({10015, 10062, 50027})

_BROKEN = (OSError, aiohttp.ClientError, ValueError)  # the last: a body that is no JSON
_BROKEN_S, _FAILED_S, _BANNED_S = 1.0, 2.0, 60.0


class CallFailed(Exception):
    """Discord did not do it, or we cannot know whether it did.

    Attributes:
        code: Discord's own of the error; 0 where there is none.
        after: seconds before another try makes sense; None for never.
    """

    def __init__(self, message: str, code: int = 0, after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.after = after


class Calls:
    """Makes the calls of a client that is logged in."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._under_way: set[asyncio.Task[Any]] = set()

    @property
    def me(self) -> str:
        """The bot's own id."""
        return str(self._client.user.id) if self._client.user else ""

    async def make(
        self,
        route: Route,
        payload: Payload | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Any:
        """Make a call that may be made twice, and return its answer.

        Raises:
            CallFailed: it was refused, or came to nothing.
        """
        making = asyncio.create_task(self._make(route, payload, params))
        self._under_way.add(making)
        making.add_done_callback(self._finish)
        return await asyncio.shield(making)

    def _finish(self, made: asyncio.Task[Any]) -> None:
        self._under_way.discard(made)
        if not made.cancelled():
            made.exception()  # its caller, if there still is one, was told

    async def _make(
        self,
        route: Route,
        payload: Payload | None,
        params: Mapping[str, str] | None,
    ) -> Any:
        said: dict[str, Any] = {} if payload is None else {"json": dict(payload)}
        deadline = aiohttp.ClientTimeout(total=DEADLINE_S)
        said |= {"params": params or {}, "timeout": deadline}
        retrying = again(_BROKEN, PAUSES, TRIES)
        try:
            return await retrying(self._client.http.request, route, **said)
        except discord.DiscordException as error:
            raise _translate(error) from error
        except _BROKEN as error:
            name = type(error).__name__
            raise CallFailed(f"no answer ({name})", after=_BROKEN_S) from error


def _translate(error: discord.DiscordException) -> CallFailed:
    if isinstance(error, discord.RateLimited):
        return CallFailed("too many calls", after=error.retry_after)
    if not isinstance(error, discord.HTTPException):
        return CallFailed(type(error).__name__)
    after = None
    if error.status == 429 or (error.status in (401, 403) and not error.code):
        after = _BANNED_S  # banned for a while, or the token was taken back
    elif error.status >= 500:
        after = _FAILED_S
    return CallFailed(f"{error.status}, code {error.code}", error.code, after)
