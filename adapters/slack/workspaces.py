"""The workspaces that have the app, and a Web API client for each of them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

import aiohttp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import CallFailed, call, make_logger
from engine.model.errors import LedgerFailed


@dataclass(frozen=True, slots=True)
class Bot:
    """The app in one workspace: its user, its bot id and its token."""

    team: str
    user: str
    id: str
    token: str = field(repr=False)


class Workspaces(Protocol):
    """Where the app is installed."""

    async def bot(self, team: str | None) -> Bot | None:
        """Find the app in a workspace; None where it is not installed.

        Raises:
            CallFailed: Slack cannot be asked now.
            LedgerFailed: the database cannot be asked now.
        """
        ...

    async def forget(self, team: str) -> None:
        """Note that the app was taken out of a workspace.

        Raises:
            LedgerFailed: that could not be stored.
        """
        ...


def make_client(
    api: str, session: aiohttp.ClientSession, token: str | None = None
) -> AsyncWebClient:
    """Make a client that repeats nothing: the SDK's own repetition posts twice."""
    return AsyncWebClient(
        token, api, session=session, retry_handlers=[], logger=make_logger()
    )


class OneWorkspace:
    """The workspace of one bot token; Slack is asked once which one that is.

    Args:
        client: with that token.
    """

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._bot: Bot | None = None

    async def bot(self, team: str | None) -> Bot | None:
        """See `Workspaces`; for None the only one there is."""
        if self._bot is None:
            told = await call(self._client.auth_test())
            if not told.get("bot_id"):
                raise CallFailed("not_a_bot_token", again=False)
            token = self._client.token or ""
            self._bot = Bot(told["team_id"], told["user_id"], told["bot_id"], token)
        return self._bot if team in (None, self._bot.team) else None

    async def forget(self, team: str) -> None:
        """Do nothing: the token comes from the settings."""


class Clients:
    """Web API clients of the workspaces, over one HTTP session.

    Args:
        workspaces: where the app is installed.
        api: address of the Web API.
        session: carries every call; its owner closes it.
    """

    def __init__(
        self, workspaces: Workspaces, api: str, session: aiohttp.ClientSession
    ) -> None:
        self.workspaces = workspaces
        self.session = session
        self._api = api

    async def bot(self, team: str) -> Bot:
        """Find the app in a workspace.

        Raises:
            CallFailed: it is not installed there, or that cannot be known now.
        """
        try:
            bot = await self.workspaces.bot(team)
        except LedgerFailed as error:
            raise CallFailed("ledger_failed", again=True) from error
        if bot is None:
            raise CallFailed("not_installed", again=False)
        return bot

    def of(self, bot: Bot) -> AsyncWebClient:
        """Make the client of one workspace."""
        return make_client(self._api, self.session, bot.token)


def make_authorize(
    workspaces: Workspaces,
) -> Callable[..., Awaitable[AuthorizeResult | None]]:
    """Tell bolt whose token a request is for, without asking Slack each time."""

    async def authorize(
        team_id: str | None, enterprise_id: str | None, user_id: str | None
    ) -> AuthorizeResult | None:
        bot = await workspaces.bot(team_id)
        if bot is None:
            return None
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=bot.team,
            bot_user_id=bot.user,
            bot_id=bot.id,
            bot_token=bot.token,
            user_id=user_id,
        )

    return authorize


def read_bot(context: AsyncBoltContext) -> Bot | None:
    """Return the bot that a request is for; None where the app is not installed."""
    found = context.authorize_result
    if found is None or found.bot_token is None:
        return None
    return Bot(
        found.team_id or "",
        found.bot_user_id or "",
        found.bot_id or "",
        found.bot_token,
    )
