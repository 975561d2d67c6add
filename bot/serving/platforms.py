"""The platforms' event listeners from the settings: the concrete classes of both.

Beside bot/wiring.py, which every command imports, because the platforms' libraries are
large and only `serve` needs them.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import aiohttp
import discord

from adapters.discord.app import DiscordApp, Setting
from adapters.mail import Door, Platform, Post
from adapters.slack.app import Inside, SlackApp, SlackSettings, open_slack
from adapters.slack.install import OAuthSecrets
from adapters.slack.surfaces import Wording
from bot.messages import wording
from bot.messages.facts import SlackFacts
from bot.wiring import Application
from config import settings as configuration
from config.settings import Settings, reveal
from engine.model.errors import EnvironmentFailed, UsageError

# What says nothing about the bot: a platform, or the way to it, is down for a while.
_PASSING = (OSError, aiohttp.ClientError, discord.DiscordServerError)


class OutOfReach(EnvironmentFailed):
    """A platform does not answer at present; there is a point in trying again."""

    code = "OUT_OF_REACH"


class Listener(Protocol):
    """The event listener of a platform.

    `poster` posts as long as it is open, `run` listens until cancelled. When `run` is
    cancelled, what was heard is committed before it returns. `hears` says whether
    events arrive, as far as is known.
    """

    @property
    def poster(self) -> Post: ...

    @property
    def hears(self) -> bool: ...

    async def run(self) -> None: ...


# Entering raises OutOfReach where it can be tried again.
Opening = Callable[[Door], AbstractAsyncContextManager[Listener]]


@dataclass(frozen=True, slots=True)
class Address:
    """Where HTTP is served."""

    host: str
    port: int


def plan_openings(
    application: Application, platforms: frozenset[Platform], address: Address | None
) -> Mapping[Platform, Opening]:
    """Say for each platform how to open its listener.

    Args:
        application: the parts of the process.
        platforms: those to serve.
        address: of HTTP, for Slack without sockets or with installs.

    Raises:
        UsageError: a token is missing; the message names its variable.
    """
    found: dict[Platform, Opening] = {}
    if Platform.SLACK in platforms:
        found[Platform.SLACK] = _plan_slack(application, address)
    if Platform.DISCORD in platforms:
        found[Platform.DISCORD] = _plan_discord(application)
    return found


def list_configured(settings: Settings) -> frozenset[Platform]:
    """Return the platforms that the settings hold a token for."""
    slack = settings.slack_bot_token or settings.slack_client_id
    held = {Platform.SLACK: slack, Platform.DISCORD: settings.discord_token}
    return frozenset(platform for platform, token in held.items() if token)


def _plan_slack(application: Application, address: Address | None) -> Opening:
    given = _read_slack_settings(application.settings, address)
    words = Wording(
        busy=wording.BUSY,
        late=wording.LATE,
        looking=wording.LOOKING,
        noted=wording.NOTED,
    )

    @asynccontextmanager
    async def opening(door: Door) -> AsyncIterator[Listener]:
        known = (application.mailbox, application, application.router)
        facts = SlackFacts(*known, application.pseudonyms, door)
        inside = Inside(door, facts, words)
        kept = application.installations if given.oauth else None
        async with open_slack(given, inside, kept, application.clock) as app:
            yield _OnSlack(app)

    return opening


@dataclass(frozen=True, slots=True)
class _OnSlack:
    """Slack's app as a listener: over HTTP alone there are no connections to lose."""

    app: SlackApp

    @property
    def poster(self) -> Post:
        return self.app.poster

    @property
    def hears(self) -> bool:
        return self.app.hearing.is_set() and self.app.health().get("connections") != 0

    async def run(self) -> None:
        await self.app.run()


def _read_slack_settings(settings: Settings, address: Address | None) -> SlackSettings:
    """Read the credentials of one workspace, or those that install in many."""
    held = partial(_require, settings)
    if settings.slack_client_id is not None:
        if address is None:
            raise UsageError("installs in many Slack workspaces need --http")
        secrets = OAuthSecrets(settings.slack_client_id, held("slack_client_secret"))
    else:
        secrets = None
    given = SlackSettings(
        bot_token=None if secrets else held("slack_bot_token"),
        app_token=reveal(settings.slack_app_token),
        signing_secret=held("slack_signing_secret") if address else None,
        oauth=secrets,
        api=settings.slack_api,
        host=address.host if address else "",
        port=address.port if address else 0,
    )
    if given.app_token is None and given.signing_secret is None:
        raise UsageError(
            f"{configuration.name('slack_app_token')} is not set: Slack needs it for "
            "sockets; or serve Slack over --http"
        )
    return given


def _plan_discord(application: Application) -> Opening:
    token = _require(application.settings, "discord_token")
    packs = {} if application.rules.tenants else _list_bindable(application)

    @asynccontextmanager
    async def opening(door: Door) -> AsyncIterator[Listener]:
        app = DiscordApp(token, door, Setting(packs, wording.BUSY))
        try:
            await app.__aenter__()
        except EnvironmentFailed as error:
            if isinstance(error.__cause__, _PASSING):
                raise OutOfReach(str(error)) from error
            raise
        async with AsyncExitStack() as opened:
            opened.push_async_exit(app)
            yield app

    return opening


def _list_bindable(application: Application) -> Mapping[str, str]:
    """Return the packs that every server may bind, with their titles.

    Every server sees the same list, so it is left out where a pack is limited to some.
    """
    return {
        name: application.pack(name).title
        for name in application.pack_names()
        if Platform.DISCORD.value not in application.pack(name).platforms_forbidden
    }


def _require(settings: Settings, field: str) -> str:
    """Return a secret that has to be set.

    Raises:
        UsageError: it is not.
    """
    value = reveal(getattr(settings, field))
    if value is None:
        raise UsageError(
            f"{configuration.name(field)} is not set: put it into the environment, or "
            f"into a file of that name in the folder {configuration.SECRETS}"
        )
    return value
