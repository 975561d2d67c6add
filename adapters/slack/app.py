"""Slack as one thing to start: connections, HTTP, the event handler and the poster.

    async with open_slack(settings, inside) as app:
        outbox.use(app.poster)
        await app.run()

Bolt reads what Slack sends, knows whose token it is for and drops the bot's own
messages; the event handler is its last middleware.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from pydantic import JsonValue
from slack_bolt.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.clock import SystemClock
from adapters.ledger.installations import Installations
from adapters.mail import Door, Payload
from adapters.slack.calls import CallFailed, make_logger
from adapters.slack.events import EventHandler
from adapters.slack.install import ManyWorkspaces, OAuthSecrets, make_oauth_flow
from adapters.slack.payloads import is_readable
from adapters.slack.poster import SlackPoster
from adapters.slack.sessions import Sessions
from adapters.slack.site import MALFORMED, Signatures, Site
from adapters.slack.sockets import Pace, Sockets, make_refusal
from adapters.slack.surfaces import Facts, Surfaces, Wording
from adapters.slack.workspaces import (
    Clients,
    OneWorkspace,
    Workspaces,
    make_authorize,
    make_client,
    read_bot,
)
from engine.model.errors import UsageError
from engine.model.ports import Clock

NOT_INSTALLED = "I am not installed here any more: ask an administrator."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """How to reach Slack, and how Slack reaches us.

    Attributes:
        bot_token: of the one workspace; None where `oauth` installs in many.
        app_token: opens websockets (Socket Mode).
        signing_secret: proves requests over HTTP, at /slack/events.
        oauth: serves /slack/install.
        api: address of the Web API.
        host: that HTTP listens at.
        port: that HTTP listens at; 0 takes a free one.
        pace: of Socket Mode.
        at_once: things being kept; what is beyond, Slack is to bring again.
    """

    bot_token: str | None = field(default=None, repr=False)
    app_token: str | None = field(default=None, repr=False)
    signing_secret: str | None = field(default=None, repr=False)
    oauth: OAuthSecrets | None = None
    api: str = "https://slack.com/api/"
    host: str = "127.0.0.1"
    port: int = 3000
    pace: Pace = field(default_factory=Pace)
    at_once: int = 500

    def check(self) -> None:
        """Refuse what cannot work.

        Raises:
            UsageError: nothing to listen to, or no token and no way to one.
        """
        if not (self.app_token or self.signing_secret):
            raise UsageError(
                "Slack: give an app-level token (sockets) or a signing secret (HTTP)"
            )
        if (self.bot_token is None) == (self.oauth is None):
            raise UsageError(
                "Slack: give a bot token for one workspace, or client id and client "
                "secret for many, not both"
            )


@dataclass(frozen=True, slots=True)
class Inside:
    """The parts of the application: the inbox, what there is to show, the words."""

    door: Door
    facts: Facts
    wording: Wording


@asynccontextmanager
async def open_slack(
    settings: SlackSettings,
    inside: Inside,
    installations: Installations | None = None,
    clock: Clock | None = None,
) -> AsyncIterator["SlackApp"]:
    """Open the bot on Slack; it posts from here on, and listens while its `run` runs.

    Args:
        settings: tokens and addresses.
        inside: what the application gives.
        installations: where installs are kept; needed with `settings.oauth`.
        clock: the system's, except in tests.

    Raises:
        UsageError: the settings cannot work.
    """
    settings.check()
    clock = clock or SystemClock()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        workspaces: Workspaces
        flow = None
        if settings.oauth is None:
            client = make_client(settings.api, session, settings.bot_token)
            workspaces = OneWorkspace(client)
        elif installations is None:
            raise UsageError("Slack: installs in many workspaces need a database")
        else:
            client = make_client(settings.api, session)
            workspaces = ManyWorkspaces(installations)
            flow = make_oauth_flow(settings.oauth, installations, client, clock)
        clients = Clients(workspaces, settings.api, session)
        app = SlackApp(settings, inside, clients, flow, clock)
        try:
            yield app
        finally:
            await app.close()


class SlackApp:
    """The app that `open_slack` opens.

    Attributes:
        poster: the Post port.
        hearing: set once everything that the settings name to listen to is up.
    """

    def __init__(
        self,
        settings: SlackSettings,
        inside: Inside,
        clients: Clients,
        flow: AsyncOAuthFlow | None,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._workspaces = clients.workspaces
        self._clock = clock
        self._keeping = 0
        self._door = inside.door
        sessions = Sessions(clients)
        self.poster = SlackPoster(clients, sessions, clock)
        self.hearing = asyncio.Event()
        surfaces = Surfaces(clients, sessions, inside.facts, inside.wording)
        self._events = EventHandler(inside.door, clients, surfaces, self.poster, clock)
        self._bolt = self._make_bolt(make_client(settings.api, clients.session))
        self._sockets: Sockets | None = None
        if settings.app_token is not None:
            self._sockets = Sockets(
                settings.api, settings.app_token, self._hear, clock, settings.pace
            )
        self._site: Site | None = None
        if settings.signing_secret is not None or flow is not None:
            secret = settings.signing_secret
            signatures = Signatures(secret) if secret is not None else None
            self._site = Site(self._dispatch, signatures, flow, self.health)

    @property
    def port(self) -> int:
        """The port that HTTP is served at; 0 where it is not."""
        return self._site.port if self._site else 0

    def health(self) -> dict[str, JsonValue]:
        """Say whether the bot hears, can keep what it hears, and answers it."""
        links = self._sockets.links if self._sockets else []
        deaf = self._sockets is not None and not links
        keeping = self._events.keeping
        answering = self._door.answering
        told: dict[str, JsonValue] = {
            "ok": keeping and answering and not deaf,
            "keeping": keeping,
            "answering": answering,
        }
        if links:
            heard = max(link.heard for link in links)
            told["quiet_s"] = round(self._clock.monotonic() - heard, 1)
        if self._sockets is not None:
            told["connections"] = len(links)
        return told

    async def run(self) -> None:
        """Hear until cancelled.

        Raises:
            TokenRefused: Slack refuses a token.
            EnvironmentFailed: the port is taken.
        """
        try:
            await self._introduce()
            async with asyncio.TaskGroup() as group:
                if self._sockets is not None:
                    group.create_task(self._sockets.run())
                if self._site is not None:
                    settings = self._settings
                    group.create_task(self._site.run(settings.host, settings.port))
                group.create_task(self._announce())
        except ExceptionGroup as group:
            raise _find_cause(group) from group

    async def close(self) -> None:
        """Let what is being shown become visible."""
        await self._events.close()

    # --- beginning --------------------------------------------------------------------

    async def _introduce(self) -> None:
        """Learn who we are in the one workspace, however long Slack is away."""
        retrying = self._settings.pace.again("Slack does not say who we are")
        try:
            await retrying(self._workspaces.bot, None)
        except CallFailed as failed:
            raise make_refusal("GROUNDRULE_SLACK_BOT_TOKEN", failed) from failed

    async def _announce(self) -> None:
        for part in (self._sockets, self._site):
            if part is not None:
                await part.up.wait()
        self.hearing.set()

    # --- one thing that comes in ------------------------------------------------------

    def _make_bolt(self, client: AsyncWebClient) -> AsyncApp:
        bolt = AsyncApp(
            name="groundrule",
            logger=make_logger(),
            client=client,
            # bolt takes None for "not installed"
            authorize=make_authorize(self._workspaces),  # type: ignore[arg-type]
            request_verification_enabled=False,  # done before bolt: site.py
            user_facing_authorize_error_message=NOT_INSTALLED,
        )
        bolt.middleware(self._handle)
        bolt.error(self._handle_error)
        return bolt

    async def _hear(self, request: SocketModeRequest) -> BoltResponse:
        try:
            asked = AsyncBoltRequest(mode="socket_mode", body=request.payload)
        except MALFORMED as error:
            _log.warning("an envelope is not readable: %s", type(error).__name__)
            return BoltResponse(status=400)
        return await self._dispatch(asked)

    async def _dispatch(self, asked: AsyncBoltRequest) -> BoltResponse:
        if self._keeping >= self._settings.at_once:
            return BoltResponse(status=503)
        if not is_readable(asked.body):
            _log.warning("a signed request is not readable: no event, no press")
            return BoltResponse(status=400)
        self._keeping += 1
        try:
            response = await self._bolt.async_dispatch(asked)
        finally:
            self._keeping -= 1
        if asked.body.get("type") == "event_callback":
            response.body = ""  # it is not read
        return response

    async def _handle(
        self, body: dict[str, JsonValue], context: AsyncBoltContext
    ) -> BoltResponse:
        """Handle a request as bolt's last middleware."""
        if _revokes_token(body):
            await self._workspaces.forget(context.team_id or "")
            return BoltResponse(status=200)
        bot = read_bot(context)
        if bot is None:
            return BoltResponse(status=200)
        return await self._events.handle(body, bot)

    async def _handle_error(self, error: Exception) -> BoltResponse:
        """Log what a middleware raised; an exception's own text may quote a message."""
        code = getattr(error, "code", type(error).__name__)
        _log.error("what came from Slack was not taken: %s", code)
        return BoltResponse(status=500)


def _revokes_token(body: Payload) -> bool:
    """Tell whether an event says that the bot's token has become invalid."""
    event = body.get("event")
    if not isinstance(event, dict):
        return False
    tokens = event.get("tokens")
    revoked = isinstance(tokens, dict) and bool(tokens.get("bot"))
    kind = event.get("type")
    return kind == "app_uninstalled" or (kind == "tokens_revoked" and revoked)


def _find_cause(group: ExceptionGroup[Exception]) -> Exception:
    first = group.exceptions[0]
    return _find_cause(first) if isinstance(first, ExceptionGroup) else first
