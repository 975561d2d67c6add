"""Install the app in many workspaces: bolt's OAuth flow over our table.

The `state` that a browser brings back is signed instead of stored: the install page is
open to everybody, and a visit to it should not write into the database of the audit.
"""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType

from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.oauth.installation_store import Bot as SlackBot
from slack_sdk.oauth.installation_store import Installation as SlackInstallation
from slack_sdk.oauth.installation_store.async_installation_store import (
    AsyncInstallationStore,
)
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient

from adapters.ledger.installations import Installation, Installations
from adapters.slack.calls import make_logger
from adapters.slack.workspaces import Bot
from engine.model.ports import Clock

# What the bot may do, and why it must; manifest.json asks for the same.
SCOPES: Mapping[str, str] = MappingProxyType(
    {
        "app_mentions:read": "hear a question that names the bot",
        "assistant:write": "offer first questions where people begin to ask",
        "channels:history": "hear follow-ups in its threads; see what it posted",
        "chat:write": "reply, and say in the thread that it is looking",
        "commands": "/ask, /ask-admin and the shortcut of a message",
        "groups:history": "the same as channels:history in private channels",
        "im:history": "the same in direct messages",
        "im:write": "look up the direct messages that a reply may be in",
        "mpim:history": "the same in direct messages of several people",
        "users:read": "see who administers a workspace and may bind a pack",
    }
)
STATE = (
    600  # seconds from the install page to the redirect; bolt's cookie lasts as long
)
LIMIT = 200  # characters of a state that is looked at

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OAuthSecrets:
    """The app's own credentials.

    Attributes:
        client_id: of the app.
        client_secret: of the app; a secret.
        redirect: the address that Slack sends a browser back to, where the app's
            settings name several.
    """

    client_id: str
    client_secret: str = field(repr=False)
    redirect: str | None = None


class ManyWorkspaces:
    """Workspaces as the installations in the database name them."""

    def __init__(self, installations: Installations) -> None:
        self._installations = installations

    async def bot(self, team: str | None) -> Bot | None:
        """See `Workspaces`; there is none for None."""
        found = await self._installations.find(team) if team else None
        if found is None:
            return None
        return Bot(found.team, found.bot_user, found.bot, found.token)

    async def forget(self, team: str) -> None:
        """See `Workspaces`."""
        await self._installations.delete(team)
        _log.info("the app was taken out of a workspace")


def make_oauth_flow(
    secret: OAuthSecrets,
    installations: Installations,
    client: AsyncWebClient,
    clock: Clock,
) -> AsyncOAuthFlow:
    """Make bolt's pages for installing the app.

    They are /slack/install and /slack/oauth_redirect.

    Args:
        secret: the app's credentials.
        installations: keeps who installed it.
        client: without a token, for the exchange of a code.
        clock: tells when a state ends.
    """
    settings = AsyncOAuthSettings(
        client_id=secret.client_id,
        client_secret=secret.client_secret,
        scopes=sorted(SCOPES),
        user_scopes=[],
        redirect_uri=secret.redirect,
        installation_store=InstallationStore(installations, clock),
        installation_store_bot_only=True,
        state_store=SignedStates(secret.client_secret, clock),
        state_expiration_seconds=STATE,
    )
    # The SDK logs the code of an exchange that fails.
    return AsyncOAuthFlow(client=client, logger=make_logger(), settings=settings)


class InstallationStore(AsyncInstallationStore):
    """Bolt's store: it writes here; bots are read through `ManyWorkspaces`."""

    def __init__(self, installations: Installations, clock: Clock) -> None:
        self._installations = installations
        self._clock = clock

    @property
    def logger(self) -> logging.Logger:
        return make_logger()

    async def async_save(self, installation: SlackInstallation) -> None:
        """Keep what the exchange of a code gave, except the person who installed."""
        bot = installation.to_bot()
        kept = Installation(
            team=bot.team_id or "",
            enterprise=bot.enterprise_id,
            app=bot.app_id,
            bot=bot.bot_id,
            bot_user=bot.bot_user_id,
            token=bot.bot_token,
            scopes=tuple(bot.bot_scopes),
            installed=self._clock.now(),
        )
        await self._installations.save(kept)
        _log.info("the app was installed in a workspace")

    async def async_find_bot(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        is_enterprise_install: bool | None = False,
    ) -> SlackBot | None:
        found = await self._installations.find(team_id) if team_id else None
        if found is None:
            return None
        return SlackBot(
            app_id=found.app,
            enterprise_id=found.enterprise,
            team_id=found.team,
            bot_token=found.token,
            bot_id=found.bot,
            bot_user_id=found.bot_user,
            bot_scopes=found.scopes,
            installed_at=found.installed,
        )

    async def async_delete_bot(
        self, *, enterprise_id: str | None, team_id: str | None
    ) -> None:
        if team_id:
            await self._installations.delete(team_id)


class SignedStates(AsyncOAuthStateStore):
    """States that say themselves whether they are ours and still good, each once.

    Those that came back are kept in memory until they end; one process serves the pages
    of an app. Only what we signed is kept, so that it cannot be filled from outside.
    """

    def __init__(self, secret: str, clock: Clock) -> None:
        self._key = secret.encode()
        self._clock = clock
        self._used: dict[str, datetime] = {}  # signature -> when it ends

    @property
    def logger(self) -> logging.Logger:
        return make_logger()

    async def async_issue(self, *args: object, **kwargs: object) -> str:
        end = int(self._clock.now().timestamp()) + STATE
        named = f"{end}.{secrets.token_urlsafe(16)}"
        return f"{named}.{self._sign(named)}"

    async def async_consume(self, state: str) -> bool:
        named, _, signature = state[:LIMIT].rpartition(".")
        if not signature.isascii():
            return False
        if not hmac.compare_digest(self._sign(named), signature):
            return False
        end = datetime.fromtimestamp(int(named.partition(".")[0]), UTC)
        now = self._clock.now()
        if now > end or signature in self._used:
            return False
        self._used = {used: ends for used, ends in self._used.items() if now <= ends}
        self._used[signature] = end
        return True

    def _sign(self, named: str) -> str:
        told = f"state.{named}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, told, hashlib.sha256).hexdigest()
