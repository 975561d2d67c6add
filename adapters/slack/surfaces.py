"""Views that Slack shows at once, without the engine: modals, App Home, a status."""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import ValidationError

from adapters.mail import QUESTIONS, Incoming, Payload
from adapters.slack import views
from adapters.slack.calls import CallFailed, call
from adapters.slack.payloads import Shape
from adapters.slack.sessions import NO_AGENT, PROCESSING, SHOWING, Sessions
from adapters.slack.text import escape
from adapters.slack.workspaces import Bot, Clients

TRIGGER = 3.0  # seconds that Slack gives for opening a modal


class Facts(Protocol):
    """The content of the surfaces, from the application."""

    async def home(
        self, tenant: str, person: str, channel: str | None = None
    ) -> views.Home:
        """Collect what a person's App Home says; `channel` is of direct messages."""
        ...

    async def questions(self, tenant: str, channel: str | None) -> Sequence[str]:
        """Return questions to begin with, where they will be asked;

        none if none can be.
        """
        ...

    async def notice(self, tenant: str, channel: str) -> str | None:
        """Say why nothing can be asked there; None where something can."""
        ...

    async def wait_until_forgotten(self, tenant: str, person: str) -> None:
        """Return once nothing of a person is stored, or it takes too long."""
        ...


@dataclass(frozen=True, slots=True)
class Wording:
    """The bot's words outside of any reply.

    Attributes:
        busy: too many questions are waiting.
        late: what was pressed could not be opened in time.
        looking: shown in a thread behind the bot's name until the reply is there.
        noted: shown at once to who typed a command, until the reply is there.
    """

    busy: str
    late: str
    looking: str
    noted: str


class _Pane(Shape):
    channel_id: str
    thread_ts: str


class _PaneOpened(Shape):
    type: Literal["assistant_thread_started"]
    assistant_thread: _Pane


class _HomeOpened(Shape):
    type: Literal["app_home_opened"]
    user: str
    tab: Literal["home"]
    channel: str | None = None


class _MessagesOpened(Shape):
    """An agent's conversations, in the direct messages with it."""

    type: Literal["app_home_opened"]
    tab: Literal["messages"]
    channel: str


class _Shown(Shape):
    event: _PaneOpened | _HomeOpened | _MessagesOpened


class Surfaces:
    """Shows what a payload asks to see.

    Args:
        clients: of the workspaces.
        sessions: of their threads.
        facts: what there is to show.
        wording: the bot's words.
    """

    def __init__(
        self, clients: Clients, sessions: Sessions, facts: Facts, wording: Wording
    ) -> None:
        self._clients = clients
        self.sessions = sessions
        self._facts = facts
        self.wording = wording

    def find_act(self, body: Payload, bot: Bot) -> Coroutine[None, None, None] | None:
        """Return the act that a payload of an opened pane, tab or App Home asks for."""
        try:
            event = _Shown.model_validate(body).event
        except ValidationError:
            return None
        if isinstance(event, _HomeOpened):
            return self._publish_home(event.user, bot, event.channel)
        if isinstance(event, _MessagesOpened):
            return self._offer_prompts(event.channel, bot)
        return self._fill_pane(event.assistant_thread, bot)

    async def open_modal(self, trigger: str, view: Payload, bot: Bot) -> None:
        """Open a modal.

        Raises:
            CallFailed: it did not open.
        """
        client = self._clients.of(bot)
        opening = client.views_open(trigger_id=trigger, view=dict(view))
        await call(opening, TRIGGER)

    async def show_status(self, incoming: Incoming, bot: Bot) -> None:
        """Say in the thread that the bot is looking; its reply takes that away."""
        channel, thread = incoming.place.channel, incoming.place.thread
        if thread is None or not _is_public_question(incoming):
            return
        if await self.sessions.set(bot, channel, thread, PROCESSING):
            return
        setting = self._clients.of(bot).assistant_threads_setStatus(
            channel_id=channel, thread_ts=thread, status=self.wording.looking
        )
        await call(setting, SHOWING)

    async def end_session(self, incoming: Incoming, bot: Bot) -> None:
        """End a session whose stop button was pressed: Slack does not do so itself."""
        place = incoming.place
        if place.thread is not None:
            await self.sessions.end(bot, place.channel, place.thread, seen=True)

    async def _offer_prompts(self, channel: str, bot: Bot) -> None:
        """Offer questions above an agent's conversations; nothing to any other app.

        Why nothing can be asked is said to whoever asks, not each time they look.
        """
        questions = await self._facts.questions(bot.team, channel)
        if not questions or self.sessions.is_agent(bot) is False:
            return
        setting = self._clients.of(bot).assistant_threads_setSuggestedPrompts(
            channel_id=channel, prompts=views.make_prompts(questions)
        )
        try:
            await call(setting)
        except CallFailed as failed:
            self.sessions.learn(bot, failed)
            if failed.error not in NO_AGENT:
                raise

    async def _fill_pane(self, pane: _Pane, bot: Bot) -> None:
        questions = await self._facts.questions(bot.team, pane.channel_id)
        client = self._clients.of(bot)
        if not questions:
            notice = await self._facts.notice(bot.team, pane.channel_id)
            await self._say(notice, pane, bot)
            return
        await call(
            client.assistant_threads_setSuggestedPrompts(
                channel_id=pane.channel_id,
                thread_ts=pane.thread_ts,
                prompts=views.make_prompts(questions),
            )
        )

    async def _say(self, notice: str | None, pane: _Pane, bot: Bot) -> None:
        """Say in the pane's conversation why it stays without questions."""
        if notice is None:
            return
        client = self._clients.of(bot)
        await call(
            client.chat_postMessage(
                channel=pane.channel_id,
                thread_ts=pane.thread_ts,
                text=escape(notice),
                parse="none",
                link_names=False,
                unfurl_links=False,
                unfurl_media=False,
            )
        )

    async def renew_home(self, incoming: Incoming, bot: Bot) -> None:
        """Show a person's App Home again once they are forgotten."""
        await self._facts.wait_until_forgotten(bot.team, incoming.person)
        place = incoming.place
        channel = place.channel if place.channel.startswith("D") else None
        await self._publish_home(incoming.person, bot, channel)

    async def _publish_home(self, person: str, bot: Bot, channel: str | None) -> None:
        view = views.make_home(await self._facts.home(bot.team, person, channel))
        client = self._clients.of(bot)
        await call(client.views_publish(user_id=person, view=dict(view)))


def _is_public_question(incoming: Incoming) -> bool:
    """Tell whether everybody in the thread may know that the bot is looking."""
    asks = incoming.action in QUESTIONS
    return asks and incoming.addressed and incoming.place.message is not None
