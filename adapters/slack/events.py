"""Handle what Slack brings: kept first, then acknowledged.

Bolt calls `handle` as a middleware, so the acknowledgement is what it returns: nothing
is acknowledged that is not committed. Slack brings an event again that was not
acknowledged; what a person typed or pressed it brings once, so where that cannot be
kept, the person is told so at once.
"""

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from typing import Any

from slack_bolt.response import BoltResponse

from adapters.mail import (
    Accepted,
    Action,
    Door,
    Incoming,
    Outgoing,
    Payload,
    Post,
    PostFailed,
)
from adapters.retrying import Pauses, again
from adapters.slack import inbound, views
from adapters.slack.calls import CallFailed, call, respond
from adapters.slack.names import COMMAND, NOTED, RESPONSE_URL
from adapters.slack.sessions import PROCESSING
from adapters.slack.surfaces import Surfaces
from adapters.slack.workspaces import Bot, Clients
from adapters.slack.writer import SLACK
from engine.conclude.fallback import AUDIT_FAILED_TEXT
from engine.model.errors import LedgerFailed
from engine.model.ports import Clock

ATTEMPTS, PAUSES = 5, Pauses(1.0)  # at a notice that is in no outbox
ASKING = 1.5  # seconds to learn who administers, or what we are, of Slack's three
MOST = 200  # visible acts at a time; more come only where Slack hangs, and are dropped
PATIENCE = 3.0  # seconds for those still under way at the end
_ADMINISTERED = frozenset({Action.BIND, Action.PAUSE, Action.RESUME})
COLON_MISSING = (
    "Only you see this answer. To answer everybody, put a colon behind the word: "
    f"{COMMAND} public: and your question."
)

_log = logging.getLogger(__name__)


class EventHandler:
    """Handles what comes in.

    Args:
        door: the inbox.
        clients: of the workspaces.
        surfaces: what is shown at once.
        poster: shows notices that are in no outbox.
        clock: says when something came.

    Attributes:
        keeping: whether the last thing that came could be kept.
    """

    def __init__(
        self,
        door: Door,
        clients: Clients,
        surfaces: Surfaces,
        poster: Post,
        clock: Clock,
    ) -> None:
        self._door = door
        self._clients = clients
        self._surfaces = surfaces
        self._poster = poster
        self._clock = clock
        self._tasks = BackgroundTasks()
        self.keeping = True

    async def close(self) -> None:
        """Let what is being shown become visible."""
        await self._tasks.close()

    async def handle(self, body: Payload, bot: Bot) -> BoltResponse:
        """Keep what came and say what Slack is to be told: 200 acknowledges.

        Args:
            body: an event, a command or an interaction.
            bot: the app in that workspace.
        """
        now = self._clock.now()
        if (view := views.make_modal(body, now)) is not None:
            self._tasks.begin("modal", self._open(body, view, bot))
            return _acknowledge()
        if (shown := self._surfaces.find_act(body, bot)) is not None:
            self._tasks.begin("pane or home", shown)
            return _acknowledge()
        incoming = inbound.read_incoming(body, now, bot.user)
        if incoming is None:
            return _acknowledge()
        return await self._keep(body, await self._complete(incoming, bot), bot)

    async def _keep(self, body: Payload, incoming: Incoming, bot: Bot) -> BoltResponse:
        try:
            accepted = await self._door.accept(incoming)
        except LedgerFailed as error:
            self.keeping = False
            _log.error("what came from Slack could not be kept: %s", error.code)
            return self._report_not_kept(body, incoming)
        self.keeping = True
        if accepted is Accepted.FULL and _expects_words(incoming):
            busy = self._surfaces.wording.busy
            if "command" in body:
                return _acknowledge(busy)
            self._tasks.begin("busy notice", self._say(busy, incoming))
        if accepted is not Accepted.NEW:
            return _acknowledge()
        if incoming.action is Action.FORGET:
            self._tasks.begin("App Home", self._surfaces.renew_home(incoming, bot))
        if incoming.action is Action.STOP:
            self._tasks.begin("session", self._surfaces.end_session(incoming, bot))
        if "command" in body:
            return _acknowledge(self._choose_first_word(incoming))
        self._tasks.begin("status", self._surfaces.show_status(incoming, bot))
        return _acknowledge()

    def _choose_first_word(self, incoming: Incoming) -> str:
        """Choose what the person sees at once who typed a command; nothing for most."""
        if NOTED in incoming.callback:
            return self._surfaces.wording.noted
        return COLON_MISSING if inbound.is_colon_missing(incoming) else ""

    def _report_not_kept(self, body: Payload, incoming: Incoming) -> BoltResponse:
        if body.get("type") == "event_callback":
            return BoltResponse(status=503)  # Slack brings it again
        if "command" in body:
            return _acknowledge(AUDIT_FAILED_TEXT)
        self._tasks.begin("audit notice", self._say(AUDIT_FAILED_TEXT, incoming))
        return _acknowledge()

    async def _complete(self, incoming: Incoming, bot: Bot) -> Incoming:
        """Add what the payload does not say: our workspace, and who administers.

        In a channel shared between organisations, an event names the workspace that its
        author comes from. What an agent is told directly begins a thread, as all of its
        conversations are threads.
        """
        place = incoming.place.model_copy(update={"tenant": bot.team})
        if await self._begins_thread(incoming, bot):
            place = place.model_copy(update={"thread": place.message})
        admin = incoming.action in _ADMINISTERED and await self._is_admin(incoming, bot)
        return incoming.model_copy(update={"place": place, "admin": admin})

    async def _begins_thread(self, incoming: Incoming, bot: Bot) -> bool:
        """Tell whether this was said to an agent directly, outside of any thread.

        Slack is asked once what the app is, by showing that it looks for an answer.
        """
        place, sessions = incoming.place, self._surfaces.sessions
        if not place.direct or place.thread is not None or place.message is None:
            return False
        if sessions.is_agent(bot) is None and incoming.action is Action.ASK:
            where = (place.channel, place.message)
            await sessions.set(bot, *where, PROCESSING, ASKING)
        return sessions.is_agent(bot) is True

    async def _is_admin(self, incoming: Incoming, bot: Bot) -> bool:
        """Tell whether Slack calls the person an administrator;

        False if it does not say.
        """
        client = self._clients.of(bot)
        try:
            told = await call(client.users_info(user=incoming.person), ASKING)
        except CallFailed as failed:
            _log.warning("Slack does not say who administers: %s", failed.error)
            return False
        user: Mapping[str, Any] = told.get("user") or {}
        if not _is_member(user, bot.team):
            return False  # of another organisation, in a channel that both share
        return any(user.get(f"is_{role}") is True for role in ("admin", "owner"))

    # --- what is visible at once ------------------------------------------------------

    async def _open(self, body: Payload, view: Payload, bot: Bot) -> None:
        """Open a modal; a person who pressed something and sees none is told."""
        try:
            await self._surfaces.open_modal(str(body.get("trigger_id")), view, bot)
        except CallFailed as failed:
            _log.warning("a modal did not open: %s", failed.error)
            if isinstance(url := body.get(RESPONSE_URL), str):
                late = _make_ephemeral(self._surfaces.wording.late)
                await respond(url, late, self._clients.session)

    async def _say(self, text: str, incoming: Incoming) -> None:
        """Post what is in no outbox, as often as it takes within reason."""
        parts = SLACK.notice(text, incoming)
        async for attempt in again(_may_pass, PAUSES, ATTEMPTS):
            with attempt:
                outgoing = Outgoing(
                    id=0,
                    place=incoming.place,
                    parts=parts,
                    callback=incoming.callback,
                    respond_by=incoming.respond_by,
                    person=incoming.person,
                    attempts=attempt.retry_state.attempt_number,
                )
                for part in parts:
                    await self._poster.post(outgoing, part)


def _may_pass(failed: object) -> bool:
    return isinstance(failed, PostFailed) and failed.after is not None


def _expects_words(incoming: Incoming) -> bool:
    return incoming.addressed and incoming.action is not Action.DELETED


def _is_member(user: Mapping[str, Any], team: str) -> bool:
    """Tell whether Slack says that a person is of our workspace, and no guest."""
    if any(user.get(name) for name in ("is_stranger", "is_restricted", "deleted")):
        return False
    grid = user.get("enterprise_user") or {}
    return team in (user.get("team_id"), *(grid.get("teams") or ()))


def _acknowledge(text: str = "") -> BoltResponse:
    """Acknowledge; with a text, which only a command shows, for the person alone."""
    return BoltResponse(status=200, body=_make_ephemeral(text) if text else "")


def _make_ephemeral(text: str) -> dict[str, str | bool]:
    return {"response_type": "ephemeral", "replace_original": False, "text": text}


# --- visible acts that nothing waits for -----------------------------------------


class BackgroundTasks:
    """Tasks under way: each kept until it is over, and its failure logged by kind."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, name: str, act: Coroutine[None, None, None]) -> None:
        """Begin one; `name` is logged if it fails."""
        if len(self._under_way) >= MOST:
            act.close()
            _log.warning("too much to show at a time: no %s", name)
            return
        task = asyncio.create_task(act, name=name)
        self._under_way.add(task)
        task.add_done_callback(self._finish)

    async def close(self) -> None:
        """Let those under way end, for a moment."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=PATIENCE)
        for task in list(self._under_way):
            task.cancel()

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # An exception's own text may quote a message; these names never do.
            told = getattr(error, "error", type(error).__name__)
            _log.warning("%s failed: %s", task.get_name(), told)
